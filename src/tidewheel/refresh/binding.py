"""Views bound to the algebra, each once: a bound plan is kept as text, by its SQL and the schemas of what it reads."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping

from tidewheel.errors import InternalError, StoreError, UserError
from tidewheel.ir.dependencies import keys
from tidewheel.ir.props import cardinality, preserves_appends, raises_here
from tidewheel.ir.reader import unquote
from tidewheel.ir.rel import Opaque, Rel
from tidewheel.ir.scalar import quote_text
from tidewheel.ir.text import parse_query, print_query
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View
from tidewheel.refresh.plan import Plan
from tidewheel.sql.bind import BoundView, Relation, SqlText, bind_view
from tidewheel.store import disk
from tidewheel.store.epochs import Epoch, view_record
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Field, Schema

FORMAT = "1"
"""Part of every key: change it when the binder gives another plan for the same text."""


def bound_view(warehouse: Warehouse, view: View, schemas: Mapping[str, Schema]) -> BoundView:
    """The view's plan, and its SQL with every order completed."""
    key = _key(view, schemas)
    return _read(warehouse, key) or _bind(warehouse, key, view, schemas)


def bound_for_explain(definition: Definition, warehouse: Warehouse, plan: Plan, epoch: Epoch, name: str) -> BoundView:
    """A view's plan as far as it is known before anything runs: views that were never built are bound first."""
    schemas: dict[str, Schema] = {}
    for above in definition.graph.inputs[name]:
        if above in plan.sources:
            schemas[above] = plan.sources[above].schema
        elif above in epoch.sources:
            schemas[above] = epoch.sources[above].schema
        elif above in epoch.views and epoch.views[above].fingerprint == definition.graph.views[above].fingerprint:
            schemas[above] = view_record(warehouse, epoch, above).schema
        else:
            query = bound_for_explain(definition, warehouse, plan, epoch, above).query
            columns = zip(query.names, types_of(query.rel), strict=True)
            schemas[above] = Schema(tuple(Field(column, kind) for column, kind in columns))
    return bound_view(warehouse, definition.graph.views[name], schemas)


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
    parts = [FORMAT, view.sql, *(f"{name} {schemas[name].to_sql()}" for name in sorted(schemas))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _path(warehouse: Warehouse, key: str) -> str:
    return warehouse.own("cache", "plans", f"{key}.plan")


def _read(warehouse: Warehouse, key: str) -> BoundView | None:
    """A plan kept before; one that cannot be read is bound again."""
    try:
        first, _, rest = disk.read_text(_path(warehouse, key)).partition("\n")
        return BoundView(sql=unquote(first.removeprefix("sql ")), query=parse_query(rest))
    except (OSError, StoreError, InternalError, ValueError, KeyError):
        return None


def _bind(warehouse: Warehouse, key: str, view: View, schemas: Mapping[str, Schema]) -> BoundView:
    text = SqlText(sql=view.sql, file=view.file, offset=view.offset, file_text=view.file_text)
    try:
        bound = bind_view(text, {name.lower(): Relation.of(name, schema) for name, schema in schemas.items()})
    except UserError as error:
        error.relation = view.name
        raise
    if not isinstance(bound.query.rel, Opaque):
        content = f"sql {quote_text(bound.sql)}\n{print_query(bound.query)}"
        path = _path(warehouse, key)
        with contextlib.suppress(StoreError):  # a cache: the next one binds again
            disk.make_dirs(os.path.dirname(path), "cache.plan")
            disk.replace(path, content, step="cache.plan", scratch=warehouse.scratch)
    return bound
