"""Items of ORDER BY."""

from __future__ import annotations

from sqlglot import exp

from tidewheel.ir.parts import SortKey
from tidewheel.ir.scalar import Scalar
from tidewheel.sql.bind.context import Context, only


def sort_key(exprs: Context, node: exp.Expr) -> SortKey:
    only(node, "this", "desc", "nulls_first")
    value = exprs.bind(node.this)
    exprs.checks.orderable(value, node.this, "ORDER BY")
    return directed(value, node)


def directed(value: Scalar, node: exp.Expr) -> SortKey:
    """A value in the direction that an item of ORDER BY says."""
    return SortKey(expr=value, descending=bool(node.args.get("desc")), nulls_first=bool(node.args.get("nulls_first")))
