"""Items of a select list."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from tidewheel.ir.scalar import Scalar

KNOWN = frozenset(
    {
        "with_", "expressions", "from_", "joins", "laterals", "where", "group", "having", "qualify", "windows",
        "distinct", "order", "limit", "offset", "hint", "sort", "cluster", "distribute",
    }
)  # fmt: skip


@dataclass(slots=True)
class Item:
    """A column of the select list: a name, and the expression or the generated column it is."""

    name: str
    node: exp.Expr
    value: Scalar


def implied_name(node: exp.Expr) -> str:
    """The name Spark gives a column without an alias, where it is a name; else none, which no view may keep."""
    if isinstance(node, (exp.Column, exp.Dot)):
        return str(node.name)
    if isinstance(node, exp.Paren):
        return implied_name(node.this)
    return ""
