"""How every relation stands: what is published, what waits to be refreshed and since when, what failed last.

A view reflects the cut of one epoch. What its sources have got since then, directly or through other views, is pending.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tidewheel.errors import TidewheelError
from tidewheel.plan.context import PlanContext
from tidewheel.plan.plan import Reason
from tidewheel.plan.request import RefreshRequest
from tidewheel.plan.sources import after_landing
from tidewheel.plan.staleness import why_behind
from tidewheel.project.config import FilesSource
from tidewheel.project.definition import Definition
from tidewheel.run.drop import orphans
from tidewheel.run.past import ViewPast, past_of
from tidewheel.run.standing import COUNTED, Pending, SourceStatus, Status, ViewStatus
from tidewheel.store.apply import applied_versions
from tidewheel.store.changes import ChangeKind, SourceChange
from tidewheel.store.epochs import Epoch, latest_epoch, read_epoch, view_record
from tidewheel.store.log import latest_version
from tidewheel.store.sources import NO_TABLE, Pin, pin
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from tidewheel.ingest.landing import Landing


def status_of(definition: Definition, warehouse: Warehouse) -> Status:
    """How the project stands now. Reads logs and records; starts nothing, writes nothing."""
    look = Sight(definition, warehouse)
    past = past_of(warehouse)
    views = {name: look.view(name) for name in definition.graph.order}
    wrong = {name: view.error for name, view in definition.graph.broken.items()} | look.wrong()
    views |= {name: look.left(name, "broken", error.message) for name, error in wrong.items()}
    views |= {n: look.left(n, "orphan", "definition is gone") for n in look.epoch.views if n not in views}
    return Status(
        project=definition.config.name,
        epoch=look.epoch.number,
        time=look.epoch.time if look.epoch.number else None,
        applied=look.versions is not None,
        failure=past.failure,
        sources={
            **{name: look.source(name) for name in definition.config.sources},
            **{name: look.orphan(name) for name in orphans(definition, warehouse, look.epoch) if name not in views},
        },
        views={name: replace(view, past=past.views.get(name, ViewPast())) for name, view in views.items()},
    )


class Sight:
    """One look at a project: the last epoch, and where every source stands; an error of one is kept to it."""

    def __init__(self, definition: Definition, warehouse: Warehouse) -> None:
        self.definition, self.warehouse = definition, warehouse
        self.now = dt.datetime.now(dt.UTC)
        self.epoch = latest_epoch(warehouse)
        self.versions = applied_versions(warehouse, self.epoch.number)
        self.landing: dict[str, Landing] = {}
        self.errors: dict[str, TidewheelError] = {}
        self.pins: dict[str, Pin] = {}
        for name in definition.config.sources:
            self._pin(name)
        self.behind = why_behind(
            PlanContext(
                definition=definition,
                warehouse=warehouse,
                last=self.epoch,
                versions=self.versions or {},
                pins={n: self._after_landing(p) for n, p in self.pins.items()},
                now=self.now,
                request=RefreshRequest(selected=frozenset(definition.graph.views)),
            )
        )
        self._cuts: dict[int, Epoch | None] = {self.epoch.number: self.epoch}
        self._since: dict[tuple[str, int], SourceChange] = {}

    def _pin(self, name: str) -> None:
        source = self.definition.config.sources[name]
        try:
            if isinstance(source, FilesSource):
                from tidewheel.ingest.landing import look  # noqa: PLC0415  Arrow: a quarter of a second

                self.landing[name] = look(self.warehouse, name, source, self.definition.root)
            if not (self._files(name) and self._is_new(name)):  # else it has no schema yet
                self.pins[name] = self._pinned(name, self.epoch)
        except TidewheelError as error:
            self.errors[name] = error

    def _files(self, name: str) -> int:
        return self.landing[name].files if name in self.landing else 0

    def _after_landing(self, pinned: Pin) -> Pin:
        waits = self._files(pinned.name)
        return after_landing(pinned, self.landing[pinned.name]) if waits else pinned

    def _is_new(self, name: str) -> bool:
        return name not in self.epoch.sources and latest_version(self.warehouse.table(name)) is None

    def _pinned(self, name: str, cut: Epoch) -> Pin:
        source = self.definition.config.sources[name]
        return pin(name, source, self.warehouse, self.definition.root, cut.sources.get(name))

    def source(self, name: str) -> SourceStatus:
        entry, pinned = self.epoch.sources.get(name), self.pins.get(name)
        version = pinned.version if pinned else entry.version if entry else None
        change = pinned.change if pinned else SourceChange(kind=ChangeKind.FIRST)
        return SourceStatus(
            kind=self.definition.config.sources[name].kind,
            version=None if version == NO_TABLE else version,
            epoch_version=entry.version if entry else None,
            change=self.errors[name].message if name in self.errors else str(change),
            files=self._files(name),
        )

    def orphan(self, name: str) -> SourceStatus:
        """A source whose declaration is gone, and whose table is there."""
        entry = self.epoch.sources.get(name)
        return SourceStatus(
            kind="orphan",
            version=latest_version(self.warehouse.table(name)),
            epoch_version=entry.version if entry else None,
            change="definition is gone",
        )

    def view(self, name: str) -> ViewStatus:
        entry = self.epoch.views.get(name)
        reason = self.behind.get(name)
        if entry is None:
            return ViewStatus(state="not built", note="run refresh")
        record = view_record(self.warehouse, self.epoch, name)
        cut = self._cut(entry.as_of)
        read = self.definition.graph.ancestors(name) & set(self.definition.config.sources)
        unseen = sorted(read & self.errors.keys())
        changes = self._changes(sorted(read & self.pins.keys()), cut)
        is_current = reason is None and not unseen and entry.stale is None
        return ViewStatus(
            state=_state(entry.stale, unseen, reason),
            as_of=entry.as_of,
            built=entry.built,
            rows=record.rows,
            bytes=record.bytes,
            note=self._note(entry.stale, unseen, reason),
            pending=self._pending(changes),
            age=None if cut is None else (self.now - cut.moment).total_seconds(),
            lag=0.0 if is_current else self._lag(changes),
        )

    def wrong(self) -> dict[str, TidewheelError]:
        """Views that a refresh would build and find broken; those that stand as they are defined need no look."""
        graph, views = self.definition.graph, self.epoch.views
        if all(n in views and views[n].fingerprint == v.fingerprint for n, v in graph.views.items()):
            return {}
        from tidewheel.plan.defined.bound import Binding  # noqa: PLC0415  only if something was edited
        from tidewheel.plan.defined.check import wrong_as_defined  # noqa: PLC0415

        schemas = {name: pinned.schema for name, pinned in self.pins.items()}
        return wrong_as_defined(Binding(self.definition, self.warehouse, schemas, self.epoch))

    def left(self, name: str, state: str, note: str) -> ViewStatus:
        """A view that cannot be refreshed, with what the epoch has of it."""
        entry = self.epoch.views.get(name)
        if entry is None:
            return ViewStatus(state=state, note=note)
        record = view_record(self.warehouse, self.epoch, name)
        return ViewStatus(
            state=state, as_of=entry.as_of, built=entry.built, rows=record.rows, bytes=record.bytes, note=note
        )

    def _note(self, stale: Mapping[str, Any] | None, unseen: list[str], reason: Reason | None) -> str:
        if unseen:
            return self.errors[unseen[0]].message
        if reason is not None and reason.code == "definition-changed":
            return "definition changed"
        if stale is not None:
            return str(stale["text"])
        return reason.text if reason is not None else ""

    def _cut(self, number: int) -> Epoch | None:
        """The epoch that a view reflects; None if its record is gone."""
        if number not in self._cuts:
            try:
                self._cuts[number] = read_epoch(self.warehouse, number)
            except FileNotFoundError:
                self._cuts[number] = None
        return self._cuts[number]

    def _changes(self, sources: list[str], cut: Epoch | None) -> dict[str, SourceChange]:
        """What sources have got since a cut; if that is gone, nobody knows what."""
        if cut is self.epoch:
            return {name: self.pins[name].change for name in sources}
        if cut is None:
            return {name: SourceChange(kind=ChangeKind.LOST) for name in sources}
        return {name: self._change_since(name, cut) for name in sources}

    def _change_since(self, name: str, cut: Epoch) -> SourceChange:
        """By source and epoch once: many views may be stale as of the same one."""
        key = (name, cut.number)
        if key not in self._since:
            try:
                self._since[key] = self._pinned(name, cut).change
            except TidewheelError:  # for example another schema, which the last epoch has
                self._since[key] = SourceChange(kind=ChangeKind.REWRITTEN)
        return self._since[key]

    def _pending(self, changes: Mapping[str, SourceChange]) -> Pending:
        moved = {n: c for n, c in changes.items() if c.kind is not ChangeKind.NONE or self._files(n)}
        is_counted = all(c.kind in COUNTED and c.removed is not None for c in moved.values())
        return Pending(
            rows=sum(c.added + (c.removed or 0) for c in moved.values()) if is_counted else None,
            files=sum(self._files(n) for n in moved),
            sources=tuple(moved),
        )

    def _lag(self, changes: Mapping[str, SourceChange]) -> float | None:
        times = [c.since for c in changes.values() if c.since is not None]
        return max(0.0, self.now.timestamp() - min(times) / 1000) if times else None


def _state(stale: Mapping[str, Any] | None, unseen: list[str], reason: Reason | None) -> str:
    if stale is not None:
        return "stale"
    return "unknown" if unseen else "fresh" if reason is None else "behind"
