"""Run the steps of a plan: each view as soon as its inputs are there, several at once, failures kept apart."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidewheel import logs
from tidewheel.engine.base import Engine
from tidewheel.errors import StoreError, TidewheelError
from tidewheel.methods import is_failing, is_left
from tidewheel.plan.binding.inputs import Cuts, Inputs
from tidewheel.plan.placement import Placement
from tidewheel.plan.plan import Plan, Reason, RunPlace, Step
from tidewheel.plan.pricing.pricing import pricing_of
from tidewheel.plan.request import RefreshRequest
from tidewheel.project.definition import Definition
from tidewheel.run.building.build import Builder
from tidewheel.run.building.built import Built
from tidewheel.run.building.sessions import Sessions
from tidewheel.run.outcome import ViewRun
from tidewheel.run.staged import Listener, Staged
from tidewheel.store import disk
from tidewheel.store.epochs import Attempt, Epoch
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from tidewheel.optimize.priced import PricedWay


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Everything a stage needs to know."""

    definition: Definition
    warehouse: Warehouse
    attempt: Attempt
    plan: Plan
    last: Epoch
    versions: Mapping[str, int]
    engine: Engine
    request: RefreshRequest
    listener: Listener

    def run(self, staged: Staged) -> None:
        """Build what the plan says to build, noting what happens as it happens."""
        for step in self.plan.steps:
            if not step.builds:
                staged.views[step.view] = ViewRun(method=step.method, reason=step.reason, error=step.error)
        if not self.plan.to_build:
            return
        cuts = Cuts(definition=self.definition, warehouse=self.warehouse, plan=self.plan, last=self.last)
        sessions = Sessions(self.engine, self.request.placement, self.definition, self.warehouse, self.listener)
        builder = Builder(
            inputs=Inputs(cuts),
            sessions=sessions,
            pricing=pricing_of(self.warehouse, self.request, self.definition.config),
            attempt=self.attempt,
            versions=self.versions,
        )
        try:
            if any(step.place == "spark" for step in self.plan.to_build):
                sessions.engine()
            self._run_all(builder, staged)
            staged.read = dict(builder.inputs.snapshots)
            staged.made = list(builder.inputs.parts.made())
        finally:
            sessions.close()
            if self.plan.shared:
                with suppress(StoreError):  # `vacuum` deletes it in time
                    disk.remove(builder.parts_folder, step="discard.attempt")

    def _run_all(self, builder: Builder, staged: Staged) -> None:
        waiting = {s.view: s for s in self.plan.to_build}
        running: dict[Future[tuple[Built, float]], Step] = {}
        with ThreadPoolExecutor(max_workers=self.engine.parallelism) as pool:
            try:
                while waiting or running:
                    free = self.engine.parallelism - len(running)
                    ready = self._ready(waiting, staged)
                    for step in side_by_side(ready, list(running.values()), self.request.placement)[:free]:
                        del waiting[step.view]
                        self.listener("start", step.view, None)
                        running[pool.submit(_timed, builder, step)] = step
                    self._block(waiting, staged)
                    if running:
                        done, _ = wait(running, return_when=FIRST_COMPLETED)
                        for future in done:
                            self._collect(future, running.pop(future), builder, staged)
            except BaseException:
                self.engine.cancel()
                raise

    def _ready(self, waiting: Mapping[str, Step], staged: Staged) -> list[Step]:
        """Views all of whose inputs are there: sources always, views once built or up to date."""
        built = {n for n, v in staged.views.items() if not is_left(v.method)}
        sources = set(self.definition.graph.sources)
        return [s for s in waiting.values() if all(i in built or i in sources for i in s.inputs)]

    def _block(self, waiting: dict[str, Step], staged: Staged) -> None:
        """Views below a failure: they stay as they are."""
        for step in [*waiting.values()]:
            above = [i for i in step.inputs if i in staged.views and is_failing(staged.views[i].method)]
            if above:
                del waiting[step.view]
                reason = Reason("input-failed", f'view "{above[0]}" failed')
                staged.views[step.view] = ViewRun(method="blocked", reason=reason)
                self.listener("blocked", step.view, staged.views[step.view])

    def _collect(self, future: Future[tuple[Built, float]], step: Step, builder: Builder, staged: Staged) -> None:
        try:
            built, seconds = future.result()
            shared = sum(map(builder.inputs.parts.seconds, built.parts))
        except TidewheelError as error:
            if builder.sessions.is_to_blame(error) or error.code in {"disk-full", "not-writable"}:
                raise
            disk.remove(self.warehouse.data(step.view, self.attempt.id), step="discard.attempt")
            place, why = builder.sessions.places.get(step.view, (None, None))
            staged.views[step.view] = ViewRun(
                method="failed", reason=step.reason, error=error, place=place, on_spark=why
            )
            logs.event("view.failed", view=step.view, code=error.code, message=error.message)
            self.listener("failed", step.view, staged.views[step.view])
            return
        record = built.record
        if record is not None:
            staged.records[step.view] = record
            builder.inputs.built(step.view, record)
        place, why = builder.sessions.places.get(step.view, (None, None))
        files = {f.path: f for f in record.all_files() if self.attempt.id in f.path} if record else {}
        staged.views[step.view] = ViewRun(
            method=built.method,
            reason=built.reason,
            rows=None if record is None else record.rows,
            bytes=None if record is None else record.bytes,
            files=None if record is None else len(record.files),
            read=built.read,
            changed=built.changed,
            states=built.states,
            way=_as_placed(built.way, place),
            place=place,
            on_spark=why,
            planned=built.way is not None and built.way == step.predicted,
            instead=_instead(built.way, step),
            trial=step.trial,
            rows_written=sum(f.rows for f in files.values()),
            bytes_written=sum(f.size for f in files.values()),
            seconds=seconds - built.waited + shared,
            shared=shared,
        )
        rows = 0 if record is None else record.rows
        logs.event("view.staged", view=step.view, method=built.method, rows=rows, seconds=round(seconds, 3))
        self.listener("done", step.view, staged.views[step.view])


def _as_placed(way: PricedWay | None, place: RunPlace | None) -> PricedWay | None:
    """What is learned of a way is learned of where it ran."""
    if way is None or place is None:
        return way
    return replace(way, place="driver" if place == "driver" else "cluster")


def _instead(taken: PricedWay | None, step: Step) -> float | None:
    """Seconds that the best other way was predicted to take."""
    if taken is None:
        return None
    return min((p.seconds for p in step.ways if p.name != taken.name), default=None)


def side_by_side(ready: Sequence[Step], running: Sequence[Step], placement: Placement) -> list[Step]:
    """Of what is ready, what may run beside what runs.

    A Spark on this machine and the driver share its cores: they take turns. Side by side each would take twice as
    long, nothing would be gained, and what is learned of either would hang on the other.
    """
    if placement.is_local or not placement.is_here or placement.mode != "auto":
        return list(ready)
    on_spark = next((step.place == "spark" for step in (*running, *ready)), True)
    return [step for step in ready if (step.place == "spark") is on_spark]


def _timed(builder: Builder, step: Step) -> tuple[Built, float]:
    """What was built, and the seconds that it took, without those that it waited for other views."""
    began = time.monotonic()
    builder.sessions.waited()
    built = builder.build(step)
    return built, time.monotonic() - began - builder.sessions.waited()
