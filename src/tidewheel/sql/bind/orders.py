"""Items of ORDER BY, and whether an order is total."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tidewheel.ir.parts import SortKey
from tidewheel.ir.props import keys
from tidewheel.ir.rel import Rel
from tidewheel.ir.scalar import Col, Scalar
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.context import Context, only
from tidewheel.sql.bind.text import NotBoundError, SqlText, count
from tidewheel.types import DataType, Map, Struct


def sort_key(exprs: Context, node: exp.Expr) -> SortKey:
    only(node, "this", "desc", "nulls_first")
    value = exprs.bind(node.this)
    exprs.checks.orderable(value, node.this, "ORDER BY")
    return directed(value, node)


def directed(value: Scalar, node: exp.Expr) -> SortKey:
    """A value in the direction that an item of ORDER BY says."""
    return SortKey(expr=value, descending=bool(node.args.get("desc")), nulls_first=bool(node.args.get("nulls_first")))


def ordinal(node: exp.Expr) -> int | None:
    """`ORDER BY 2` means the second column; of an expression, nothing."""
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit():
        return int(str(node.this))
    return None


def sort_key_at(text: SqlText, item: exp.Expr, position: int, width: int) -> SortKey:
    if not 1 <= position <= width:
        raise text.error(
            f"ORDER BY {position} is out of range",
            item,
            code="bad-ordinal",
            detail=f"There {'is' if width == 1 else 'are'} {count(width, 'column')}.",
        )
    return directed(Col(position - 1), item)


def is_total(rel: Rel, given: set[Scalar], fixed: Sequence[Scalar] = ()) -> bool:
    """Whether rows that agree in these expressions are the same row: they contain a key."""
    known = {e.index for e in (*given, *fixed) if isinstance(e, Col)}
    return any(key <= known for key in keys(rel))


def check_orderable(rel: Rel, columns: Sequence[int]) -> None:
    types = types_of(rel)
    for i in columns:
        if not _is_orderable(types[i]):
            raise NotBoundError("no-total-order", "rows that cannot be put into a total order (a MAP column)")


def _is_orderable(kind: DataType) -> bool:
    match kind:
        case Map():
            return False
        case Struct(fields):
            return all(_is_orderable(f.type) for f in fields)
    return True
