"""The graph of a project, from its definition, its warehouse and its history. Starts no engine."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidewheel.errors import TidewheelError
from tidewheel.ir.lineage import Lineage, Origins, lineage
from tidewheel.ir.rel import Opaque, Query
from tidewheel.ir.typing import types_of
from tidewheel.lineage.graph import Column, LineageGraph, PastRun, Relation, State
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View
from tidewheel.refresh.binding import bound_view
from tidewheel.refresh.plan import BUILDING
from tidewheel.store import history
from tidewheel.store.changes import ChangeKind
from tidewheel.store.epochs import Epoch, ViewRecord, latest_epoch, view_record
from tidewheel.store.sources import pin
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Field, Schema, to_sql

LAST_RUNS: Final = 500
"""Runs that are looked through."""
RUNS_SHOWN: Final = 5
"""Of each view."""
NO_COLUMNS_YET: Final = "the columns of a view that it reads are known after its first build"


def collect(definition: Definition, warehouse: Warehouse) -> LineageGraph:
    """Every source and view, with what is known of them without running anything."""
    epoch = latest_epoch(warehouse)
    found = _Collected(definition=definition, warehouse=warehouse, epoch=epoch, runs=_runs(warehouse))
    for name in definition.graph.sources:
        found.add_source(name)
    for view in definition.graph.views.values():
        found.add_view(view)
    return LineageGraph(
        project=definition.config.name,
        epoch=epoch.number,
        time=epoch.time if epoch.number else None,
        relations=found.relations,
    )


@dataclass(frozen=True, kw_only=True)
class _Collected:
    """What is known so far: relations in graph order, and the schemas that the views below are bound with."""

    definition: Definition
    warehouse: Warehouse
    epoch: Epoch
    runs: Mapping[str, list[PastRun]]
    schemas: dict[str, Schema] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    pending: dict[str, str] = field(default_factory=dict)
    """By source, what happened to it since the epoch."""

    def add_source(self, name: str) -> None:
        source = self.definition.config.sources[name]
        entry = self.epoch.sources.get(name)
        unknown = None
        try:
            pinned = pin(name, source, self.warehouse, self.definition.root, entry)
        except TidewheelError as error:
            unknown = note = error.message
        else:
            self.schemas[name] = pinned.schema
            note = str(pinned.change)
            if pinned.change.kind is not ChangeKind.NONE:
                self.pending[name] = note
        columns = tuple(Column(name=f.name, type=to_sql(f.type)) for f in self.schemas.get(name, ()))
        self.relations[name] = Relation(
            name=name, kind=source.kind, state="source", note=note, columns=columns, unknown=unknown
        )

    def add_view(self, view: View) -> None:
        entry = self.epoch.views.get(view.name)
        stored = None if entry is None else view_record(self.warehouse, self.epoch, view.name)
        query, unknown, is_broken = self._bound(view)
        is_current = entry is not None and entry.fingerprint == view.fingerprint
        schema = _schema(stored if is_current else None, query)
        if schema is not None:
            self.schemas[view.name] = schema
        state, note = self._state(view, unknown if is_broken else None)
        known = None if query is None or isinstance(query.rel, Opaque) else lineage(query.rel)
        self.relations[view.name] = Relation(
            name=view.name,
            kind="view",
            state=state,
            note=note,
            comment=view.comment,
            tags=tuple(view.options.tags),
            file=view.file,
            sql=view.sql,
            reads=self.definition.graph.inputs[view.name],
            columns=_columns(schema, known),
            by=() if known is None else tuple(sorted(known.rows)),
            unknown=unknown,
            rows=None if stored is None else stored.rows,
            bytes=None if stored is None else stored.bytes,
            built=None if entry is None else entry.built,
            runs=tuple(self.runs.get(view.name, ())),
        )

    def _bound(self, view: View) -> tuple[Query | None, str | None, bool]:
        """The view's plan; what is not known, and why; and whether the view is broken."""
        reads = self.definition.graph.inputs[view.name]
        missing = [above for above in reads if above not in self.schemas]
        broken = [above for above in missing if self.relations[above].state == "broken"]
        if missing:
            return None, f'view "{broken[0]}" is broken' if broken else NO_COLUMNS_YET, bool(broken)
        schemas = {above: self.schemas[above] for above in reads}
        try:
            query = bound_view(self.definition.config, self.warehouse, view, schemas).query
        except TidewheelError as error:
            return None, error.message, True
        notes = "; ".join(query.notes)
        return query, notes if isinstance(query.rel, Opaque) else None, False

    def _state(self, view: View, broken: str | None) -> tuple[State, str]:
        """Fresh only if nothing waits for it: not its definition, and nothing that it reads."""
        if broken is not None:
            return "broken", broken
        entry = self.epoch.views.get(view.name)
        if entry is None:
            return "not built", ""
        if entry.stale is not None:
            return "stale", entry.stale["text"]
        if entry.fingerprint != view.fingerprint:
            return "stale", "definition changed"
        for above in self.definition.graph.inputs[view.name]:
            if above in self.pending:
                return "stale", f'source "{above}": {self.pending[above]}'
            if self.relations[above].state not in {"fresh", "source"}:
                return "stale", f'view "{above}" is {self.relations[above].state}'
        return "fresh", ""


def _schema(record: ViewRecord | None, query: Query | None) -> Schema | None:
    """The columns as they are stored, or as the plan has them."""
    if record is not None:
        return record.schema
    if query is None or not query.names:
        return None
    columns = zip(query.names, types_of(query.rel), strict=True)
    return Schema(tuple(Field(name, kind) for name, kind in columns))


def _columns(schema: Schema | None, known: Lineage | None) -> tuple[Column, ...]:
    """Names and types with where they come from, position by position."""
    fields = tuple(schema or ())
    if known is None:
        return tuple(Column(name=f.name, type=to_sql(f.type)) for f in fields)
    return tuple(
        Column(
            name=f.name,
            type=to_sql(f.type),
            values=_sorted(column.values),
            by=_sorted(column.conditions - known.rows - column.values),
        )
        for f, column in zip(fields, known.columns, strict=True)
    )


def _sorted(origins: Origins) -> tuple[Any, ...]:
    return tuple(sorted(origins))


def _runs(warehouse: Warehouse) -> dict[str, list[PastRun]]:
    """By view, the last runs that did something with it."""
    found: dict[str, list[PastRun]] = {}
    for run in itertools.islice(history.read(warehouse), LAST_RUNS):
        for name, view in run.get("views", {}).items():
            seen = found.setdefault(name, [])
            if len(seen) < RUNS_SHOWN and view["method"] in BUILDING | {"failed", "blocked"}:
                seen.append(_past_run(run, view))
    return found


def _past_run(run: Mapping[str, Any], view: Mapping[str, Any]) -> PastRun:
    error = view.get("error")
    return PastRun(
        epoch=run["epoch"],
        started=run["started"],
        method=view["method"],
        why=view["reason"]["text"],
        seconds=view.get("seconds"),
        rows=view.get("rows"),
        changed=view.get("changed"),
        place=view.get("place"),
        error=error["message"] if error else None,
    )
