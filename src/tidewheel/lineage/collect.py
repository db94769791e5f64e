"""The graph of a project, from its definition, its warehouse and its history. Starts no engine."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidewheel.errors import TidewheelError
from tidewheel.ir.lineage import Lineage, lineage
from tidewheel.ir.rel import Opaque, Query
from tidewheel.lineage.graph import LineageGraph
from tidewheel.lineage.relations import GraphColumn, GraphRelation, PastRun
from tidewheel.methods import BUILDING
from tidewheel.plan.defined.bound import Binding
from tidewheel.plan.defined.check import require_sound
from tidewheel.project.definition import Definition
from tidewheel.project.graph import Broken, Graph, View, below_broken
from tidewheel.run.standing import ViewStatus
from tidewheel.run.status import Sight
from tidewheel.store import history
from tidewheel.store.epochs import view_record
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema, to_sql

LAST_RUNS: Final = 500
"""Runs that are looked through."""
RUNS_SHOWN: Final = 5
"""Of each view."""
NO_COLUMNS_YET: Final = "the columns of what it reads are not known yet"


def collect(definition: Definition, warehouse: Warehouse) -> LineageGraph:
    """Every source and view, with what is known of them without running anything."""
    sight = Sight(definition, warehouse)
    schemas = {name: pinned.schema for name, pinned in sight.pins.items()}
    binding = Binding(definition, warehouse, schemas, sight.epoch)
    found = _Collected(sight=sight, binding=binding, runs=_runs(warehouse))
    graph = definition.graph
    for name in graph.sources:
        found.add_source(name)
    for view in graph.views.values():
        found.add_view(view)
    for name in _in_order(graph.broken, graph.inputs):
        found.add_broken(graph.broken[name])
    return LineageGraph(
        project=definition.config.name,
        epoch=sight.epoch.number,
        time=sight.epoch.time if sight.epoch.number else None,
        relations=found.relations,
    )


def _in_order(broken: Iterable[str], inputs: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Each after all that it reads, as far as there is such an order: some may read each other in a cycle."""
    left = list(broken)
    while left:
        ready = next((n for n in left if not any(i in left and i != n for i in inputs[n])), left[0])
        left.remove(ready)
        yield ready


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bound:
    """A view's plan, or why there is none; `error` if that is the view's own fault or that of one above it."""

    query: Query | None = None
    unknown: str | None = None
    error: TidewheelError | None = None

    @property
    def lineage(self) -> Lineage | None:
        return None if self.query is None or isinstance(self.query.rel, Opaque) else lineage(self.query.rel)


@dataclass(frozen=True, kw_only=True)
class _Collected:
    """What is known so far: relations in graph order, and the errors of views that cannot be bound."""

    sight: Sight
    binding: Binding
    runs: Mapping[str, list[PastRun]]
    relations: dict[str, GraphRelation] = field(default_factory=dict)
    errors: dict[str, TidewheelError] = field(default_factory=dict)

    @property
    def graph(self) -> Graph:
        return self.sight.definition.graph

    def add_source(self, name: str) -> None:
        status, error = self.sight.source(name), self.sight.errors.get(name)
        self.relations[name] = GraphRelation(
            name=name,
            kind=status.kind,
            state="source",
            note=status.change,
            columns=_columns(self.binding.columns(name), None),
            unknown=None if error is None else error.message,
        )

    def add_view(self, view: View) -> None:
        bound = self._bound(view)
        if bound.error is not None:
            self.errors[view.name] = bound.error
            self.add_broken(Broken.of(view, bound.error))
        else:
            status, known = self.sight.view(view.name), bound.lineage
            self.relations[view.name] = self._relation(
                status,
                name=view.name,
                state=status.state,
                note="" if status.state == "not built" else status.note,
                tags=tuple(view.options.tags),
                file=view.file,
                columns=_columns(self.binding.columns(view.name), known),
                by=() if known is None else tuple(sorted(known.rows)),
                unknown=bound.unknown,
            )

    def add_broken(self, view: Broken) -> None:
        """A view that cannot be run: with the columns that its table has, if there is one."""
        epoch = self.sight.epoch
        stored = view_record(self.sight.warehouse, epoch, view.name).schema if view.name in epoch.views else None
        place = f" ({view.error.span.place})" if view.error.span else ""
        self.relations[view.name] = self._relation(
            self.sight.left(view.name, "broken", view.error.message),
            name=view.name,
            state="broken",
            note=f"{view.error.message}{place}",
            tags=tuple(view.tags),
            file=view.file,
            columns=_columns(stored, None),
            unknown=view.error.message,
        )

    def _relation(self, status: ViewStatus, *, name: str, **known: Any) -> GraphRelation:
        defined = self.graph.views.get(name)
        return GraphRelation(
            name=name,
            kind="view",
            comment="" if defined is None else defined.comment,
            sql=None if defined is None else defined.sql,
            reads=self.graph.inputs[name],
            rows=status.rows,
            bytes=status.bytes,
            built=status.built,
            runs=tuple(self.runs.get(name, ())),
            **known,
        )

    def _bound(self, view: View) -> _Bound:
        try:
            for above in self.graph.inputs[view.name]:
                if above in self.errors:
                    raise below_broken(view.name, above, self.errors[above])
            bound = self.binding.bind(view.name)
            if bound is None:
                return _Bound(unknown=NO_COLUMNS_YET)
            require_sound(view, bound)
        except TidewheelError as error:
            return _Bound(error=error)
        notes = "; ".join(bound.query.notes) if isinstance(bound.query.rel, Opaque) else None
        return _Bound(query=bound.query, unknown=notes)


def _columns(schema: Schema | None, known: Lineage | None) -> tuple[GraphColumn, ...]:
    """Names and types with where they come from, position by position."""
    fields = tuple(schema or ())
    if known is None:
        return tuple(GraphColumn(name=f.name, type=to_sql(f.type)) for f in fields)
    return tuple(
        GraphColumn(
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
