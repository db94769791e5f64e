"""One refresh: look, plan, stage, decide, apply. The only decision is `Attempt.decide`; see docs/store-protocol.md."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from tidewheel import logs
from tidewheel.engine.base import Engine, Session
from tidewheel.errors import ExecutionError, StoreError, TidewheelError, told
from tidewheel.plan.plan import Plan, full_refused, no_plan
from tidewheel.plan.planner import make_plan
from tidewheel.plan.request import RefreshRequest
from tidewheel.plan.sources import kept_apart
from tidewheel.project.config import FilesSource, ManagedSource
from tidewheel.project.definition import Definition
from tidewheel.project.values import parse_duration
from tidewheel.run.outcome import Run, ViewRun
from tidewheel.run.past import is_failed
from tidewheel.run.staged import Listener, Staged
from tidewheel.sql.text import day_of
from tidewheel.store import history
from tidewheel.store.apply import apply_epoch, finish
from tidewheel.store.changes import ChangeKind
from tidewheel.store.checkpoint import checkpoint_if_due
from tidewheel.store.epochs import ABANDONED, Attempt, Epoch, SourceEntry, ViewEntry, begin, epoch_numbers, lost
from tidewheel.store.sources import AnySource, added_columns, snapshot_of
from tidewheel.store.vacuum import VacuumOptions, vacuum
from tidewheel.store.warehouse import Warehouse

VACUUM_EVERY = 32
UNKNOWN = -2
"""The version of an input that a view has seen, when that version's history was rewritten: equal to none."""


def refresh(
    definition: Definition,
    warehouse: Warehouse,
    engine: Callable[[], Engine],
    request: RefreshRequest,
    listener: Listener,
) -> Run:
    """Bring the selected views up to date and publish them as one epoch. The engine starts only if a view needs it."""
    attempt = begin(warehouse)
    refreshing = Refreshing(definition, warehouse, attempt)
    try:
        return refreshing.run(engine, request, listener)
    except BaseException as error:
        refreshing.give_up(error)
        raise


class Refreshing:
    """One refresh under way: what is known so far, for the outcome and for the clean-up should it fail."""

    def __init__(self, definition: Definition, warehouse: Warehouse, attempt: Attempt) -> None:
        self.definition, self.warehouse, self.attempt = definition, warehouse, attempt
        self.began, self.started = time.monotonic(), dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        self.base = max([0, *epoch_numbers(warehouse)])
        self.plan: Plan | None = None
        self.staged = Staged()
        self.engine_name = ""
        self.is_decided = self.is_recorded = False
        self.foreign: set[str] = set()

    def run(self, engine: Callable[[], Engine], request: RefreshRequest, listener: Listener) -> Run:
        last, versions, foreign = finish(self.warehouse)
        self.foreign.update(foreign)
        self.base = last.number
        failed = _take_landed(self.definition, self.warehouse)
        _widen(self.definition, self.warehouse, last, failed)
        self.plan = plan = make_plan(
            self.definition, self.warehouse, last, versions, request, predict=False, failed=failed
        )
        if request.fail_on_full and plan.unasked_full:
            raise full_refused(plan.unasked_full)
        if plan.is_empty:
            self.attempt.close()
            self.staged.views = {s.view: ViewRun(method=s.method, reason=s.reason, error=s.error) for s in plan.steps}
            return self._not_published()
        logs.event("refresh.planned", epoch=plan.epoch, build=[s.view for s in plan.to_build])
        self.attempt.claim(plan.epoch, {"sources": {name: p.version for name, p in plan.sources.items()}})
        started = engine() if plan.to_build else NoEngine()
        if plan.starts_spark:
            started.start(sum(snapshot_of(p, self.warehouse).bytes for p in plan.sources.values()))
        self._stage(plan, last, versions, started, request, listener)
        epoch = compose(self.definition, plan, last, self.staged, self.attempt)
        self.attempt.decide(epoch)
        self.is_decided = True
        logs.event("epoch.decided", epoch=epoch.number, views=list(epoch.records))
        versions, overwritten = apply_epoch(self.warehouse, epoch)
        self.foreign.update(overwritten)
        logs.event("epoch.applied", epoch=epoch.number, versions=versions, foreign_writes=overwritten)
        self.attempt.close()
        run = self.outcome()
        self._record(run)
        if self.staged.read:
            from tidewheel.run.learn import learn  # noqa: PLC0415  loaded already, if there is anything to learn

            with suppress(StoreError):  # it is learned again
                learn(self.warehouse, run, self.staged.read, self.staged.made)
        _tidy(self.definition, self.warehouse, epoch, versions)
        return run

    def _not_published(self) -> Run:
        """There is nothing to publish. What is broken is remembered."""
        run = self.outcome()
        if run.failed or is_failed(next(history.read(self.warehouse), None)):
            self._record(run)  # also if all is well again: else the failure would seem to be the last that happened
        return run

    def _stage(
        self,
        plan: Plan,
        last: Epoch,
        versions: Mapping[str, int],
        engine: Engine,
        request: RefreshRequest,
        listener: Listener,
    ) -> None:
        from tidewheel.run.stage import Stage  # noqa: PLC0415  Arrow: a quarter of a second

        self.engine_name = engine.name
        stage = Stage(
            definition=self.definition,
            warehouse=self.warehouse,
            attempt=self.attempt,
            plan=plan,
            last=last,
            versions=versions,
            engine=engine,
            request=request,
            listener=listener,
        )
        try:
            stage.run(self.staged)
            _raise_if_all_failed(self.staged)
        except (StoreError, ExecutionError, OSError) as error:
            if self.attempt.is_fenced():  # what was staged has been taken from under it
                raise lost(plan.epoch, ABANDONED) from error
            if getattr(error, "code", "") == "files-missing" and epoch_numbers(self.warehouse)[-1] > plan.base:
                raise lost(plan.epoch, "Another run published it first, and `vacuum` took our inputs away.") from error
            raise

    def _engine_used(self) -> str:
        """Spark is named only if a view ran on it."""
        if self.engine_name != "spark" or any(v.place == "spark" for v in self.staged.views.values()):
            return self.engine_name
        return "driver" if any(v.place for v in self.staged.views.values()) else "none"

    def give_up(self, error: BaseException) -> None:
        """Undo what was staged, and note why."""
        self.attempt.discard([s.view for s in self.plan.to_build] if self.plan else [])
        if not self.is_recorded:
            with suppress(StoreError):  # the reason to give up counts more, and may be the same
                self._record(self.outcome(error))

    def _record(self, run: Run) -> None:
        self.is_recorded = True  # first, lest an interrupt after the line is written adds another
        history.append(self.warehouse, run.to_dict())

    def outcome(self, error: BaseException | None = None) -> Run:
        """What has happened so far, as `refresh` returns it and the history keeps it."""
        plan = self.plan or no_plan(self.definition.config.name, self.base)
        return Run(
            id=self.attempt.id,
            epoch=self.base + self.is_decided,
            base=self.base,
            plan=plan,
            views={s.view: self.staged.views[s.view] for s in plan.steps if s.view in self.staged.views},
            published=self.is_decided,
            error=None if error is None else told(error),
            started=self.started,
            seconds=time.monotonic() - self.began,
            engine=self._engine_used(),
            foreign=tuple(sorted(self.foreign)),
        )


class NoEngine:
    """For epochs that only move sources: nothing is run."""

    name = "none"
    parallelism = 1
    is_ready = True

    def start(self, size: int) -> None:
        """Nothing runs."""

    def session(self, settings: dict[str, str]) -> Session:
        raise NotImplementedError(settings)

    def cancel(self) -> None:
        """Nothing runs."""

    def stop(self) -> None:
        """Nothing runs."""


def _take_landed(definition: Definition, warehouse: Warehouse) -> dict[str, TidewheelError]:
    """Take over what has landed; the sources for which that went wrong, and why."""
    failed: dict[str, TidewheelError] = {}
    for name, source in definition.config.sources.items():
        if isinstance(source, FilesSource):
            from tidewheel.ingest.landing import take  # noqa: PLC0415  Arrow: a quarter of a second

            with kept_apart(name, failed):
                take(warehouse, name, source, definition.root, timezone=definition.config.timezone)
    return failed


def _widen(definition: Definition, warehouse: Warehouse, last: Epoch, failed: dict[str, TidewheelError]) -> None:
    """Let the tables of managed sources have the columns that were declared since the last epoch."""
    for name, source in definition.config.sources.items():
        entry = last.sources.get(name)
        if isinstance(source, ManagedSource) and (entry is None or added_columns(source, entry.schema)):
            from tidewheel.ingest.widening import widen  # noqa: PLC0415  Arrow: a quarter of a second

            with kept_apart(name, failed):
                widen(warehouse, name, source)


def _raise_if_all_failed(staged: Staged) -> None:
    """If nothing was built there is nothing to publish: the error itself is the outcome."""
    errors = [v.error for v in staged.views.values() if v.error is not None and v.method == "failed"]
    if errors and not staged.records:
        raise errors[0]


def compose(definition: Definition, plan: Plan, last: Epoch, staged: Staged, attempt: Attempt) -> Epoch:
    """The epoch's record: who is fresh, who is stale as of which epoch, and why."""
    sources = {n: e for n, e in last.sources.items() if n in definition.config.sources}
    sources |= {name: p.entry() for name, p in plan.sources.items()}
    views: dict[str, ViewEntry] = {}
    today = day_of(plan.time, definition.config.timezone)
    for step in plan.steps:
        happened = staged.views[step.view]
        before = last.views.get(step.view)
        inputs = {}
        if step.view in staged.records or happened.method == "none":
            inputs = {i: plan.epoch if i in staged.records else _content(i, sources, last) for i in step.inputs}
        if step.view in staged.records:
            views[step.view] = ViewEntry(
                built=plan.epoch,
                as_of=plan.epoch,
                fingerprint=definition.graph.views[step.view].fingerprint,
                inputs=inputs,
                clock="" if definition.graph.views[step.view].clock == "none" else today,
            )
        elif before is not None:
            views[step.view] = _carried(before, happened, plan, inputs)
    return Epoch(
        number=plan.epoch,
        time=plan.time.isoformat(),
        attempt=attempt.id,
        sources=sources,
        views=views,
        records=staged.records,
    )


def _content(name: str, sources: Mapping[str, SourceEntry], last: Epoch) -> int:
    """Which content of a relation a view read: a source's version, or the epoch that built a view."""
    source = sources.get(name)
    return source.content if source is not None else last.views[name].built


def _carried(before: ViewEntry, happened: ViewRun, plan: Plan, now: dict[str, int]) -> ViewEntry:
    if happened.method == "none":  # also if its inputs changed and its rows did not
        return replace(before, as_of=plan.epoch, inputs=now, stale=None)
    reason = happened.reason
    code = {"failed": "failed", "orphan": "orphan"}.get(happened.method, reason.code)
    text = happened.error.message if happened.error else reason.text
    since = (before.stale or {}).get("since", plan.epoch)
    inputs = {i: UNKNOWN if _is_rewritten(i, plan) else version for i, version in before.inputs.items()}
    return replace(before, inputs=inputs, stale={"code": code, "text": text, "since": since})


def _is_rewritten(name: str, plan: Plan) -> bool:
    """A source that is rewritten, or declared anew, may stand at the number a stale view has seen, with other rows."""
    new = {ChangeKind.REWRITTEN, ChangeKind.FIRST}
    return name in plan.sources and plan.sources[name].change.kind in new


def _tidy(definition: Definition, warehouse: Warehouse, epoch: Epoch, versions: dict[str, int]) -> None:
    """Checkpoints when due, and now and then what `vacuum` does."""
    with suppress(StoreError):  # the epoch is out: the next run tidies up
        for view in epoch.records.keys() & versions.keys():
            checkpoint_if_due(warehouse.table(view), versions[view])
        if epoch.number % VACUUM_EVERY == 0:
            options = VacuumOptions(retention=parse_duration(definition.config.retention))
            vacuum(warehouse, own_relations(definition.config.sources, epoch), options)


def own_relations(sources: dict[str, AnySource], epoch: Epoch) -> list[str]:
    """The relations whose tables are in our warehouse."""
    return sorted({n for n, s in sources.items() if s.kind != "delta"} | set(epoch.views))
