"""Generators: functions that make rows, in LATERAL VIEW and in select lists."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tidewheel.ir.functions import GENERATORS
from tidewheel.ir.rel import Rel, Unnest
from tidewheel.ir.scalar import Lit, Scalar
from tidewheel.ir.typing import type_of, types_of
from tidewheel.sql.bind.arguments import arguments
from tidewheel.sql.bind.context import Context
from tidewheel.sql.bind.text import NotBoundError, count
from tidewheel.types import Array, Map, Struct

_OUTER = "_outer"


def is_generator(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in GENERATORS


def generated(
    exprs: Context, rel: Rel, node: exp.Expr, *, outer: bool, listed: Sequence[str]
) -> tuple[Rel, tuple[str, ...]]:
    """The relation with the generator's columns behind its own, and their names."""
    if not is_generator(node):
        raise exprs.text.error("a function that makes rows must stand here", node, code="misplaced-generator")
    name = str(node.this).lower()
    if name.endswith(_OUTER):
        name, outer = name.removesuffix(_OUTER), True
    args = arguments(exprs, node.expressions)
    exprs.checks.generator(name, args, node)
    names = _names(name, args, rel)
    if names is None:
        if not listed or name not in {"explode", "posexplode", "inline"}:
            raise NotBoundError("generator", f"{name}() of something whose type is not known before it runs")
        names = tuple(listed)
    if listed and len(listed) != len(names):
        raise exprs.text.error(
            f"{name}() makes {count(len(names), 'column')}, not {len(listed)}", node, code="alias-columns"
        )
    made = Unnest(input=rel, generator=name, args=args, arity=len(names), outer=outer)
    return made, tuple(listed) or names


def _names(name: str, args: tuple[Scalar, ...], rel: Rel) -> tuple[str, ...] | None:
    """The columns a generator makes; None if that hangs on a type we do not know."""
    if name == "stack":
        rows = args[0] if args else None
        if not isinstance(rows, Lit) or rows.kind != "int" or int(rows.value) < 1:
            raise NotBoundError("generator", "stack() without a constant number of rows")
        return tuple(f"col{i}" for i in range(-(-(len(args) - 1) // int(rows.value))))
    if name not in {"explode", "posexplode", "inline"} or len(args) != 1:
        raise NotBoundError("generator", f"{name}()")
    kind = type_of(args[0], types_of(rel))
    position = ("pos",) if name == "posexplode" else ()
    match kind:
        case Array(Struct(fields)) if name == "inline":
            return tuple(f.name for f in fields)
        case Array() if name != "inline":
            return (*position, "col")
        case Map() if name != "inline":
            return (*position, "key", "value")
    return None
