"""Views bound to the algebra, each once: a bound plan is kept as text, by its SQL and the schemas of what it reads."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping

from tidewheel.errors import InternalError, StoreError
from tidewheel.ir.parts import Column
from tidewheel.ir.reader import unquote
from tidewheel.ir.rel import Opaque
from tidewheel.ir.scalar import quote_text
from tidewheel.ir.text import parse_query, print_query
from tidewheel.project.graph import View
from tidewheel.sql.bind import BoundView, Relation, SqlText, bind_view
from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema

FORMAT = "1"
"""Part of every key: change it when the binder gives another plan for the same text."""
_known: dict[str, BoundView] = {}
_MOST = 2048


def bound_view(warehouse: Warehouse, view: View, schemas: Mapping[str, Schema]) -> BoundView:
    """The view's plan, and its SQL with every order completed."""
    key = _key(view, schemas)
    if key not in _known:
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = _read(warehouse, key) or _bind(warehouse, key, view, schemas)
    return _known[key]


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
    bound = bind_view(text, {name.lower(): relation(name, schema) for name, schema in schemas.items()})
    if not isinstance(bound.query.rel, Opaque):
        content = f"sql {quote_text(bound.sql)}\n{print_query(bound.query)}"
        path = _path(warehouse, key)
        with contextlib.suppress(StoreError):  # a cache: the next one binds again
            disk.make_dirs(os.path.dirname(path), "cache.write")
            disk.replace(path, content, step="cache.write", scratch=warehouse.scratch)
    return bound


def relation(name: str, schema: Schema) -> Relation:
    """A stored relation as the binder sees it."""
    return Relation(name=name, columns=tuple(Column(f.name, f.type, f.nullable) for f in schema))
