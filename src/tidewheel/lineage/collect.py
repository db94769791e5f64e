"""The graph of a project, from its definition, its warehouse and its history. Starts no engine."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidewheel.errors import TidewheelError
from tidewheel.ir.lineage import Lineage, lineage
from tidewheel.ir.rel import Opaque, Query
from tidewheel.ir.typing import types_of
from tidewheel.lineage.graph import Column, LineageGraph, PastRun, Relation
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View
from tidewheel.refresh.binding import bound_view
from tidewheel.refresh.plan import BUILDING
from tidewheel.refresh.status import Sight
from tidewheel.store import history
from tidewheel.store.epochs import view_record
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Field, Schema, to_sql

LAST_RUNS: Final = 500
"""Runs that are looked through."""
RUNS_SHOWN: Final = 5
"""Of each view."""
NO_COLUMNS_YET: Final = "the columns of what it reads are not known yet"


def collect(definition: Definition, warehouse: Warehouse) -> LineageGraph:
    """Every source and view, with what is known of them without running anything."""
    sight = Sight(definition, warehouse)
    found = _Collected(definition=definition, warehouse=warehouse, sight=sight, runs=_runs(warehouse))
    for name in definition.graph.sources:
        found.add_source(name)
    for view in definition.graph.views.values():
        found.add_view(view)
    return LineageGraph(
        project=definition.config.name,
        epoch=sight.epoch.number,
        time=sight.epoch.time if sight.epoch.number else None,
        relations=found.relations,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bound:
    """A view's plan, or why there is none; `error` if that is the view's own fault or that of one above it."""

    query: Query | None = None
    unknown: str | None = None
    error: str | None = None

    @property
    def lineage(self) -> Lineage | None:
        return None if self.query is None or isinstance(self.query.rel, Opaque) else lineage(self.query.rel)


@dataclass(frozen=True, kw_only=True)
class _Collected:
    """What is known so far: relations in graph order, and the schemas that the views below are bound with."""

    definition: Definition
    warehouse: Warehouse
    sight: Sight
    runs: Mapping[str, list[PastRun]]
    schemas: dict[str, Schema] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)

    def add_source(self, name: str) -> None:
        status, error = self.sight.source(name), self.sight.errors.get(name)
        if name in self.sight.pins:
            self.schemas[name] = self.sight.pins[name].schema
        self.relations[name] = Relation(
            name=name,
            kind=status.kind,
            state="source",
            note=status.change,
            columns=_columns(self.schemas.get(name), None),
            unknown=None if error is None else error.message,
        )

    def add_view(self, view: View) -> None:
        status, bound = self.sight.view(view.name), self._bound(view)
        schema = self._schema(view, bound.query)
        if schema is not None:
            self.schemas[view.name] = schema
        known = bound.lineage
        self.relations[view.name] = Relation(
            name=view.name,
            kind="view",
            state=status.state if bound.error is None else "broken",
            note=bound.error or ("" if status.state == "not built" else status.note),
            comment=view.comment,
            tags=tuple(view.options.tags),
            file=view.file,
            sql=view.sql,
            reads=self.definition.graph.inputs[view.name],
            columns=_columns(schema, known),
            by=() if known is None else tuple(sorted(known.rows)),
            unknown=bound.unknown,
            rows=status.rows,
            bytes=status.bytes,
            built=status.built,
            runs=tuple(self.runs.get(view.name, ())),
        )

    def _bound(self, view: View) -> _Bound:
        reads = self.definition.graph.inputs[view.name]
        for above in reads:
            if self.relations[above].state == "broken":
                said = f'view "{above}" is broken'
                return _Bound(unknown=said, error=said)
        if any(above not in self.schemas for above in reads):
            return _Bound(unknown=NO_COLUMNS_YET)
        schemas = {above: self.schemas[above] for above in reads}
        try:
            query = bound_view(self.definition.config, self.warehouse, view, schemas).query
        except TidewheelError as error:
            return _Bound(unknown=error.message, error=error.message)
        return _Bound(query=query, unknown="; ".join(query.notes) if isinstance(query.rel, Opaque) else None)

    def _schema(self, view: View, query: Query | None) -> Schema | None:
        """The columns as they are stored, or as the plan has them."""
        entry = self.sight.epoch.views.get(view.name)
        if entry is not None and entry.fingerprint == view.fingerprint:
            return view_record(self.warehouse, self.sight.epoch, view.name).schema
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
            values=tuple(sorted(column.values)),
            by=tuple(sorted(column.conditions - known.rows - column.values)),
        )
        for f, column in zip(fields, known.columns, strict=True)
    )


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
