"""Views bound to the algebra, each once: a bound plan is kept as text, by its SQL and the schemas of what it reads."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tidewheel.errors import InternalError, StoreError, UserError
from tidewheel.ir.appends import preserves_appends
from tidewheel.ir.dependencies import keys
from tidewheel.ir.norm import normalize
from tidewheel.ir.props import cardinality, raises_here
from tidewheel.ir.reader import unquote
from tidewheel.ir.rel import Opaque, Query, Rel
from tidewheel.ir.scalar import quote_text
from tidewheel.ir.text import parse_query, print_query
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.plan.plan import Plan
from tidewheel.project.config import ANSWER_SETTINGS, Config
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View
from tidewheel.schema_json import schema_to_json
from tidewheel.sql.bind import BoundView, Catalog, CatalogRelation, SqlText, bind_view
from tidewheel.store import disk
from tidewheel.store.epochs import Epoch, view_record
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Field, Schema
from tidewheel.version import __version__

if TYPE_CHECKING:
    from tidewheel.plan.memory import PlanMemory

FORMAT = f"2 {__version__}"
"""Part of every key: another version may give another plan for the same text."""


def bound_view(
    config: Config, warehouse: Warehouse, view: View, schemas: Mapping[str, Schema], memory: PlanMemory | None = None
) -> BoundView:
    """The view's normal plan, and its SQL with every order completed; with a memory, read and parsed once."""
    if any(config.settings[key] != value for key, value in ANSWER_SETTINGS.items()):
        return _under_other_rules(view, schemas)

    def bound() -> BoundView:
        key = _key(view, schemas)
        return _read(warehouse, key) or _bind(config, warehouse, key, view, schemas)

    if memory is None:
        return bound()
    return memory.bound.get((view.sql, frozenset(schemas.items())), bound)


def _under_other_rules(view: View, schemas: Mapping[str, Schema]) -> BoundView:
    """Our types and checks are those of ANSI mode: with other settings a plan would mean something else.

    Completing orders needs neither, so that is done where the text can be bound at all.
    """
    try:
        sql = bind_view(SqlText(sql=view.sql), _catalog(schemas)).sql
    except UserError:
        sql = view.sql
    note = "recomputed each time; not supported: settings of Spark that change what expressions mean"
    return _opaque(view, sql, note, reason="session-settings")


def _opaque(view: View, sql: str, note: str, *, reason: str) -> BoundView:
    rel = Opaque(sql=sql, reads=tuple(r.name for r in view.reads), columns=(), reason=reason)
    return BoundView(query=Query(rel=rel, names=(), notes=(note,)), sql=sql)


class Binding:
    """The views of a project bound one after the other, as far as the columns of what they read are known.

    `sources` has the columns of the sources that are known. A view that the epoch has as it is defined has the columns
    of its table, unless it is among those that will be built `anew`.
    """

    def __init__(
        self, definition: Definition, warehouse: Warehouse, sources: Mapping[str, Schema], epoch: Epoch | None = None
    ) -> None:
        self.definition, self.warehouse, self.epoch = definition, warehouse, epoch
        self.anew: set[str] = set()
        self._columns: dict[str, Schema | None] = dict(sources)
        self._bound: dict[str, BoundView | None] = {}

    def bind(self, name: str) -> BoundView | None:
        """A view's plan; None if the columns of something that it reads are known only after a first build."""
        if name not in self._bound:
            graph = self.definition.graph
            found = {above: self.columns(above) for above in graph.inputs[name]}
            schemas = {above: schema for above, schema in found.items() if schema is not None}
            known = len(schemas) == len(found)
            view = graph.views[name]
            self._bound[name] = bound_view(self.definition.config, self.warehouse, view, schemas) if known else None
        return self._bound[name]

    def columns(self, name: str) -> Schema | None:
        if name not in self._columns and name in self.definition.graph.views:
            self._columns[name] = self._stored(name) or _given_by(self.bind(name))
        return self._columns.get(name)

    def _stored(self, name: str) -> Schema | None:
        entry = self.epoch.views.get(name) if self.epoch is not None else None
        view = self.definition.graph.views[name]
        if self.epoch is None or entry is None or entry.fingerprint != view.fingerprint or name in self.anew:
            return None
        return view_record(self.warehouse, self.epoch, name).schema


def _given_by(bound: BoundView | None) -> Schema | None:
    if bound is None or not bound.query.names:
        return None
    columns = zip(bound.query.names, types_of(bound.query.rel), strict=True)
    return Schema(tuple(Field(column, kind) for column, kind in columns))


def bound_for_explain(
    definition: Definition, warehouse: Warehouse, plan: Plan, epoch: Epoch, name: str
) -> BoundView | None:
    """A view's plan before anything runs; None if the columns of a view above are known only after its first build.

    Views that were never built are bound first, for the columns they will have.
    """
    sources = {s: entry.schema for s, entry in epoch.sources.items()}
    binding = Binding(definition, warehouse, sources | {s: p.schema for s, p in plan.sources.items()}, epoch)
    for above in definition.graph.order:
        if above in definition.graph.ancestors(name):
            binding.columns(above)
    return binding.bind(name)


def remark(rel: Rel) -> str:
    """What is known of an operator's rows: keys, how many there may be, columns that are never NULL, errors."""
    said = [f"key {_columns(key)}" if key else "at most one row" for key in keys(rel)[:2]]
    bounds = cardinality(rel)
    if bounds.high is not None and bounds.high > 1:
        said.append(f"at most {bounds.high} rows")
    sure = [i for i, nullable in enumerate(nullable_of(rel)) if not nullable]
    if sure:
        said.append("no column NULL" if len(sure) == rel.width > 1 else f"not NULL {_columns(sure)}")
    if raises_here(rel):
        said.append("may raise")
    return ", ".join(said)


def append_only_inputs(rel: Rel) -> tuple[str, ...]:
    """The relations whose new rows only add rows to the result."""
    return tuple(name for name in relations(rel) if preserves_appends(rel, name))


def _columns(positions: Iterable[int]) -> str:
    return "(" + ", ".join(f"c{i}" for i in sorted(positions)) + ")"


def _key(view: View, schemas: Mapping[str, Schema]) -> str:
    parts = [FORMAT, view.sql, *(f"{name} {schema_to_json(schemas[name])}" for name in sorted(schemas))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _catalog(schemas: Mapping[str, Schema]) -> Catalog:
    return {name.lower(): CatalogRelation.of(name, schema) for name, schema in schemas.items()}


def _path(warehouse: Warehouse, key: str) -> str:
    return warehouse.own("cache", "plans", f"{key}.plan")


def _read(warehouse: Warehouse, key: str) -> BoundView | None:
    """A plan kept before; one that cannot be read is bound again."""
    try:
        first, _, rest = disk.read_text(_path(warehouse, key)).partition("\n")
        return BoundView(sql=unquote(first.removeprefix("sql ")), query=parse_query(rest))
    except (OSError, StoreError, InternalError, ValueError, KeyError):
        return None


def _bind(config: Config, warehouse: Warehouse, key: str, view: View, schemas: Mapping[str, Schema]) -> BoundView:
    text = SqlText(
        sql=view.sql, file=view.file, offset=view.offset, file_text=view.file_text, functions=config.declared_functions
    )
    try:
        bound = bind_view(text, _catalog(schemas))
    except UserError as error:
        error.relation = view.name
        raise
    try:
        bound = replace(bound, query=normalize(bound.query))
    except (RecursionError, InternalError):
        return _opaque(view, bound.sql, "recomputed each time; not supported: expressions so deep", reason="too-deep")
    if not isinstance(bound.query.rel, Opaque) and os.path.isdir(warehouse.own()):  # looking begins no warehouse
        content = f"sql {quote_text(bound.sql)}\n{print_query(bound.query)}"
        path = _path(warehouse, key)
        with contextlib.suppress(StoreError):  # a cache: the next one binds again
            disk.make_dirs(os.path.dirname(path), "cache.plan")
            disk.replace(path, content, step="cache.plan", scratch=warehouse.scratch)
    return bound
