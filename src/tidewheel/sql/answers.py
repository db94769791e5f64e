"""A query that somebody asks, rather than a view: its rows have an order, and its columns need no names.

A view has no order, and each of its columns has a name; Spark gives a query's nameless columns the text of their
expression, as it prints it itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp

from tidewheel.ir.rel import Opaque, Query
from tidewheel.sql.bind import Catalog, SqlText, bind_view
from tidewheel.sql.query import parse_statements

ALL: Final = 2**31 - 1
"""Spark's highest LIMIT: an order is kept only with one."""
_NAMED: Final = (exp.Alias, exp.Aliases, exp.Column, exp.Dot, exp.Star)
_AGGREGATES: Final = frozenset({"sum", "min", "max", "avg", "count"})
_SIGNS: Final = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}


def bind_answer(sql: str, catalog: Catalog) -> Query | None:
    """The plan of a query with its rows in order and Spark's names for its columns; None if these are not known."""
    (tree,) = parse_statements(sql, "<query>")
    ordered = _in_order(sql, tree)
    if ordered is None:
        return None
    query = bind_view(SqlText(sql=ordered), catalog).query
    if isinstance(query.rel, Opaque) or all(query.names):
        return query
    headings = [_heading(item) for item in _items(tree) if not isinstance(item, _NAMED)]
    if None in headings or len(headings) != query.names.count(""):
        return None
    given = iter(headings)
    return replace(query, names=tuple(name or next(given) or "" for name in query.names))


def _in_order(sql: str, tree: exp.Expr) -> str | None:
    """The text with a limit if it has an order only; None if its order cannot be kept that way."""
    if isinstance(tree, exp.Subquery):
        return None
    if tree.args.get("order") is None or tree.args.get("limit") is not None:
        return sql
    if tree.args.get("offset") is not None:
        return None
    return f"{sql.rstrip().removesuffix(';')}\nLIMIT {ALL}"


def _items(tree: exp.Expr) -> list[exp.Expr]:
    while isinstance(tree, exp.SetOperation):
        tree = tree.this
    return tree.expressions if isinstance(tree, exp.Select) else []


def _heading(item: exp.Expr) -> str | None:
    """What Spark calls an expression: of those that people write without a name, the plain ones."""
    match item:
        case exp.Column():
            return item.name
        case exp.Literal(is_string=False) if item.this.isdigit():
            return str(item.this)
        case exp.Anonymous():
            return _called(item)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            left, right = _heading(item.left), _heading(item.right)
            return None if left is None or right is None else f"({left} {_SIGNS[type(item)]} {right})"
    return None


def _called(call: exp.Anonymous) -> str | None:
    """An aggregate over one plain expression."""
    name = str(call.name).lower()
    if name not in _AGGREGATES or len(call.expressions) != 1:
        return None
    argument, distinct = call.expressions[0], ""
    if isinstance(argument, exp.Star):
        return f"{name}(1)"
    if isinstance(argument, exp.Distinct) and len(argument.expressions) == 1:
        argument, distinct = argument.expressions[0], "DISTINCT "
    heading = _heading(argument)
    return None if heading is None else f"{name}({distinct}{heading})"
