"""The relations that a run reads: as they are, as they were, and what changed between."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidewheel.engine.base import Session
from tidewheel.errors import InternalError
from tidewheel.plan.binding.parts import Parts
from tidewheel.plan.plan import Plan
from tidewheel.store.changes import ChangeKind
from tidewheel.store.deltas import DeltaFiles, NoDelta, source_delta, view_delta
from tidewheel.store.epochs import Epoch, ViewEntry, ViewRecord, record_of, view_record
from tidewheel.store.prune import ColumnValues, values_in
from tidewheel.store.sources import NO_TABLE, Pin, pin_of_entry, snapshot_of
from tidewheel.store.tables import TableSnapshot, require_files
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from tidewheel.project.definition import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """From the last epoch to the one that is planned."""

    definition: Definition
    warehouse: Warehouse
    plan: Plan
    last: Epoch

    def pin(self, source: str) -> Pin:
        """A source where the plan has it, or where the last epoch has it."""
        pinned = self.plan.sources.get(source)
        if pinned is not None:
            return pinned
        definition = self.definition
        declared = definition.config.sources[source]
        return pin_of_entry(source, declared, self.warehouse, definition.root, self.last.sources[source])

    def is_view(self, name: str) -> bool:
        return name in self.definition.graph.views


class Inputs:
    """The relations a run reads, each looked up and named once. Safe to use from several threads."""

    def __init__(self, cuts: Cuts) -> None:
        self.cuts = cuts
        self.parts = Parts(cuts.plan.shared)
        self.snapshots: dict[str, TableSnapshot] = {}
        self.earlier: dict[tuple[str, int], TableSnapshot] = {}
        self.columns: dict[tuple[tuple[str, ...], str], ColumnValues | None] = {}
        self.named: dict[tuple[int, str], tuple[str, ...]] = {}
        self.fresh: dict[str, ViewRecord] = {}
        self.lock = threading.Lock()

    def provide(self, session: Session, name: str) -> None:
        """Let queries of a session read a relation as it is now."""
        self.register(session, name, [self.now(name)])

    def register(self, session: Session, name: str, parts: Sequence[TableSnapshot]) -> None:
        """Let queries of a session read some files by a name, once; another view may read them at this moment."""
        paths = tuple(path for part in parts for path in part.paths())
        with self.lock:
            known = self.named.get((id(session), name))
            if known is None:
                session.register(name, *parts)
                self.named[id(session), name] = paths
            elif known != paths:
                raise InternalError(f'"{name}" stands for two things', code="name-taken", detail=f"{known}, {paths}")

    def built(self, view: str, record: ViewRecord) -> None:
        self.fresh[view] = record

    def table(self, relation: str) -> str:
        return self.cuts.warehouse.table(relation)

    def size(self, name: str) -> tuple[int, int]:
        return self.now(name).rows, self.now(name).bytes

    def now(self, name: str) -> TableSnapshot:
        with self.lock:
            if name not in self.snapshots:
                self.snapshots[name] = self._now(name)
            return self.snapshots[name]

    def _now(self, name: str) -> TableSnapshot:
        cuts = self.cuts
        if cuts.is_view(name):
            record = self.fresh.get(name) or view_record(cuts.warehouse, cuts.last, name)
            return view_snapshot(cuts.warehouse, name, record)
        return snapshot_of(cuts.pin(name), cuts.warehouse)

    def values(self, parts: Sequence[TableSnapshot], column: str) -> ColumnValues | None:
        """The values of a column of a change, read once."""
        key = (tuple(path for part in parts for path in part.paths()), column)
        if key not in self.columns:
            self.columns[key] = values_in(parts, column)
        return self.columns[key]

    def before(self, name: str, known: int) -> TableSnapshot:
        """A relation at the content that a view has seen."""
        with self.lock:
            if (name, known) not in self.earlier:
                self.earlier[name, known] = self._before(name, known)
            return self.earlier[name, known]

    def _before(self, name: str, known: int) -> TableSnapshot:
        cuts = self.cuts
        if cuts.is_view(name):
            return view_snapshot(cuts.warehouse, name, record_of(cuts.warehouse, name, known))
        pinned = cuts.pin(name)
        entry = cuts.last.sources.get(name)
        version = entry.version if entry is not None and entry.content == known else known
        if version == NO_TABLE:
            return TableSnapshot(table=pinned.table, version=NO_TABLE, schema=pinned.schema)
        return snapshot_of(replace(pinned, version=version), cuts.warehouse)

    def delta(self, name: str, entry: ViewEntry) -> DeltaFiles | NoDelta | None:
        """What changed in a relation since a view has seen it; None if nothing did."""
        cuts = self.cuts
        known = entry.inputs.get(name)
        if known is None:
            return NoDelta("input-changed", f'input "{name}" is new')
        if cuts.is_view(name):
            record = self.fresh.get(name) or view_record(cuts.warehouse, cuts.last, name)
            built = cuts.plan.epoch if name in self.fresh else cuts.last.views[name].built
            found = view_delta(cuts.warehouse, name, record, built, known)
            return None if isinstance(found, DeltaFiles) and not found.rows else found
        return delta_of_source(cuts.warehouse, cuts.pin(name), known)


def delta_of_source(warehouse: Warehouse, pinned: Pin, known: int) -> DeltaFiles | NoDelta | None:
    """What changed in a source since a known content of it; None if nothing did."""
    name = pinned.name
    if pinned.change.kind in {ChangeKind.REWRITTEN, ChangeKind.LOST}:
        return NoDelta("input-rewritten", f'source "{name}" was rewritten, or its history is gone')
    if pinned.change.kind is ChangeKind.FIRST:  # its versions are numbered as those of the table that was seen
        return NoDelta("input-rewritten", f'source "{name}" was declared anew')
    if pinned.change.content == known:
        return None
    if known < NO_TABLE or known > pinned.version:
        return NoDelta("input-rewritten", f'source "{name}" was rewritten since')
    found = source_delta(warehouse, pinned.table, pinned.schema, known, pinned.version)
    if isinstance(found, DeltaFiles) and pinned.pending is not None:
        found = found.then(pinned.pending) if isinstance(pinned.pending, DeltaFiles) else pinned.pending
    return NoDelta(found.code, f'source "{name}": {found.text}') if isinstance(found, NoDelta) else found


def view_snapshot(warehouse: Warehouse, name: str, record: ViewRecord) -> TableSnapshot:
    """A view's content as our own record lists it."""
    found = TableSnapshot(
        table=warehouse.table(name), version=record.base_version + 1, schema=record.schema, files=record.files
    )
    return require_files(found, name)
