"""Run the steps of a plan: each view as soon as its inputs are there, several at once, failures kept apart."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from tidewheel import logs
from tidewheel.engine.base import Engine, Session
from tidewheel.errors import TidewheelError
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View
from tidewheel.refresh.binding import bound_view
from tidewheel.refresh.plan import Plan, Reason, Step
from tidewheel.refresh.run import ViewRun
from tidewheel.refresh.staged import Listener, Staged
from tidewheel.sql.text import pin_clock
from tidewheel.store import disk
from tidewheel.store.epochs import Attempt, Epoch, ViewRecord, view_record
from tidewheel.store.footers import describe_folder
from tidewheel.store.sources import Pin, pin_of_entry, snapshot_of
from tidewheel.store.tables import Snapshot, require_files
from tidewheel.store.warehouse import Warehouse


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
    listener: Listener

    def run(self, staged: Staged) -> None:
        """Build what the plan says to build, noting what happens as it happens."""
        for step in self.plan.steps:
            if step.method != "full":
                staged.views[step.view] = ViewRun(method=step.method, reason=step.reason)
        if not self.plan.to_build:
            return
        session = self.engine.session(self.definition.config.settings)
        inputs = Inputs(self, session)
        try:
            self._run_all(session, inputs, staged)
        finally:
            session.close()

    def _run_all(self, session: Session, inputs: Inputs, staged: Staged) -> None:
        waiting = {s.view: s for s in self.plan.to_build}
        running: dict[Future[tuple[ViewRecord, float]], Step] = {}
        with ThreadPoolExecutor(max_workers=self.engine.parallelism) as pool:
            try:
                while waiting or running:
                    free = self.engine.parallelism - len(running)
                    for step in self._ready(waiting, staged)[:free]:
                        del waiting[step.view]
                        self.listener("start", step.view, None)
                        running[pool.submit(self._timed_build, session, inputs, step)] = step
                    self._block(waiting, staged)
                    if running:
                        done, _ = wait(running, return_when=FIRST_COMPLETED)
                        for future in done:
                            self._collect(future, running.pop(future), inputs, staged)
            except BaseException:
                self.engine.cancel()
                raise

    def _ready(self, waiting: Mapping[str, Step], staged: Staged) -> list[Step]:
        """Views all of whose inputs are there: sources always, views once built or up to date."""
        built = {n for n, v in staged.views.items() if v.method in {"full", "none"}}
        sources = set(self.definition.graph.sources)
        return [s for s in waiting.values() if all(i in built or i in sources for i in s.inputs)]

    def _block(self, waiting: dict[str, Step], staged: Staged) -> None:
        """Views below a failure: they stay as they are."""
        for step in [*waiting.values()]:
            above = [i for i in step.inputs if i in staged.views and staged.views[i].method in {"failed", "blocked"}]
            if above:
                del waiting[step.view]
                reason = Reason("input-failed", f'view "{above[0]}" failed')
                staged.views[step.view] = ViewRun(method="blocked", reason=reason)
                self.listener("blocked", step.view, staged.views[step.view])

    def _timed_build(self, session: Session, inputs: Inputs, step: Step) -> tuple[ViewRecord, float]:
        began = time.monotonic()
        return self._build(session, inputs, step), time.monotonic() - began

    def _build(self, session: Session, inputs: Inputs, step: Step) -> ViewRecord:
        view = self.definition.graph.views[step.view]
        for name in step.inputs:
            inputs.provide(name)
        folder = self.warehouse.data(view.name, self.attempt.id)
        with disk.io_step("stage.data", folder):
            schema = session.write(view, self._sql(view, inputs), folder)
        disk.touch(self.attempt.folder)
        files = describe_folder(folder, f"_data/{self.attempt.id}", schema)
        built = self.last.views.get(view.name)
        return ViewRecord(
            files=tuple(f for f in files if f.rows),
            schema=schema.nullable(),
            base_version=self.versions.get(view.name, -1),
            base_built=built.built if built else 0,
            sql=view.sql,
            method="full",
            reason=step.reason.to_dict(),
        )

    def _sql(self, view: View, inputs: Inputs) -> str:
        """The view's own text, with its orders completed and the clock stopped."""
        schemas = {name: inputs.snapshots[name].schema for name in self.definition.graph.inputs[view.name]}
        sql = bound_view(self.definition.config, self.warehouse, view, schemas).sql
        return sql if view.clock == "none" else pin_clock(sql, self.plan.time, self.definition.config.timezone)

    def _collect(self, future: Future[tuple[ViewRecord, float]], step: Step, inputs: Inputs, staged: Staged) -> None:
        try:
            record, seconds = future.result()
        except TidewheelError as error:
            if error.code in {"spark-died", "disk-full", "not-writable"}:
                raise
            disk.remove(self.warehouse.data(step.view, self.attempt.id), step="discard.attempt")
            staged.views[step.view] = ViewRun(method="failed", reason=step.reason, error=error)
            logs.event("view.failed", view=step.view, code=error.code, message=error.message)
            self.listener("failed", step.view, staged.views[step.view])
            return
        staged.records[step.view] = record
        inputs.built(step.view, record)
        staged.views[step.view] = ViewRun(
            method="full",
            reason=step.reason,
            rows=record.rows,
            bytes=record.bytes,
            files=len(record.files),
            rows_read=sum(inputs.size(i)[0] for i in step.inputs),
            bytes_read=sum(inputs.size(i)[1] for i in step.inputs),
            seconds=seconds,
        )
        logs.event("view.staged", view=step.view, rows=record.rows, bytes=record.bytes, seconds=round(seconds, 3))
        self.listener("done", step.view, staged.views[step.view])


class Inputs:
    """The relations a run reads, each looked up and named once."""

    def __init__(self, stage: Stage, session: Session) -> None:
        self.stage = stage
        self.session = session
        self.snapshots: dict[str, Snapshot] = {}
        self.fresh: dict[str, ViewRecord] = {}
        self.lock = threading.Lock()

    def provide(self, name: str) -> None:
        with self.lock:
            if name not in self.snapshots:
                self.snapshots[name] = self._snapshot(name)
                self.session.register(name, self.snapshots[name])

    def built(self, view: str, record: ViewRecord) -> None:
        self.fresh[view] = record

    def size(self, name: str) -> tuple[int, int]:
        return self.snapshots[name].rows, self.snapshots[name].bytes

    def _snapshot(self, name: str) -> Snapshot:
        stage = self.stage
        if name in stage.definition.graph.views:
            record = self.fresh.get(name) or view_record(stage.warehouse, stage.last, name)
            return view_snapshot(stage.warehouse, name, record)
        pinned = stage.plan.sources.get(name) or self._pinned_before(name)
        return snapshot_of(pinned, stage.warehouse)

    def _pinned_before(self, name: str) -> Pin:
        """A source where the last epoch has it."""
        definition, warehouse = self.stage.definition, self.stage.warehouse
        source = definition.config.sources[name]
        return pin_of_entry(name, source, warehouse, definition.root, self.stage.last.sources[name])


def view_snapshot(warehouse: Warehouse, name: str, record: ViewRecord) -> Snapshot:
    """A view's content as our own record lists it."""
    found = Snapshot(
        table=warehouse.table(name), version=record.base_version + 1, schema=record.schema, files=record.files
    )
    return require_files(found, name)
