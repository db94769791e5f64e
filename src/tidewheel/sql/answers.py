"""A query that somebody asks, rather than a view: its rows have an order, and its columns need no names.

A view has no order, and each of its columns has a name; Spark gives a query's nameless columns the text of their
expression, as it prints it itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tidewheel.ir.rel import Opaque, Query
from tidewheel.sql.bind import Catalog, SqlText, bind_view
from tidewheel.sql.query import parse_statements
from tidewheel.sql.text import tokenize

ALL: Final = 2**31 - 1
"""Spark's highest LIMIT: an order is kept only with one."""
_NAMED: Final = (exp.Alias, exp.Aliases, exp.Column, exp.Dot, exp.Star)
_LOOSE_ORDERS: Final = (exp.Sort, exp.Cluster, exp.Distribute)
_AGGREGATES: Final = frozenset({"sum", "min", "max", "avg", "count"})
_SIGNS: Final = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}


def bind_answer(sql: str, catalog: Catalog) -> Query | None:
    """The plan of a query with its rows in order and Spark's names for its columns; None if these are not known."""
    (tree,) = parse_statements(sql, "<query>")
    ordered = _in_order(sql, tree)
    if ordered is None:
        return None
    query = bind_view(SqlText(sql=ordered), catalog).query
    if isinstance(query.rel, Opaque):
        return query
    items = _items(tree)
    unnamed = [item for item in items if not isinstance(item, _NAMED)]
    headings = [_heading(item, _Names.of(tree, items)) for item in unnamed]
    if None in headings or len(headings) != query.names.count("") or any(map(_is_field_of_value, items)):
        return None
    given = iter(headings)
    return replace(query, names=tuple(name or next(given) or "" for name in query.names))


def _in_order(sql: str, tree: exp.Expr) -> str | None:
    """The text with a limit if it has an order only; None if its order cannot be kept that way."""
    if isinstance(tree, exp.Subquery) or tree.find(*_LOOSE_ORDERS) or not _is_sure(tree):
        return None
    if tree.args.get("order") is None or tree.args.get("limit") is not None:
        return sql
    if tree.args.get("offset") is not None:
        return None
    last = [t for t in tokenize(sql) if t.token_type != TokenType.SEMICOLON][-1]
    return f"{sql[: last.end + 1]}\nLIMIT {ALL}"


def _is_sure(tree: exp.Expr) -> bool:
    """Do queries inside only say which rows there are: in Spark their order is seen where nothing changes it."""
    limits = [limit.expression for limit in tree.find_all(exp.Limit)]
    inside = [o.parent for o in tree.find_all(exp.Order) if isinstance(o.parent, exp.Query) and o.parent is not tree]
    has_order = tree.args.get("order") is not None
    are_cut = all(query.args.get("limit") for query in inside)
    return all(isinstance(limit, exp.Literal) for limit in limits) and (not inside or (has_order and are_cut))


def _items(tree: exp.Expr) -> list[exp.Expr]:
    while isinstance(tree, exp.SetOperation):
        tree = tree.this
    return tree.expressions if isinstance(tree, exp.Select) else []


@dataclass(frozen=True, slots=True)
class _Names:
    """What a name in an expression may mean besides a column: a relation before it, or another column's new name."""

    relations: frozenset[str]
    aliases: frozenset[str]

    @classmethod
    def of(cls, tree: exp.Expr, items: list[exp.Expr]) -> _Names:
        relations = frozenset(t.alias_or_name.lower() for t in tree.find_all(exp.Table, exp.Subquery, exp.CTE))
        return cls(relations, frozenset(i.alias.lower() for i in items if isinstance(i, exp.Alias)))


def _is_field_of_value(item: exp.Expr) -> bool:
    """Is it a field of something else than a column: Spark calls it by the whole expression."""
    value = item
    while isinstance(value, exp.Dot):
        value = value.this
    return isinstance(item, exp.Dot) and not isinstance(value, exp.Column)


def _heading(item: exp.Expr, names: _Names) -> str | None:
    """What Spark calls an expression: of those that people write without a name, the plain ones."""
    match item:
        case exp.Column(this=exp.Identifier()):
            return _column(item, names)
        case exp.Literal(is_string=False) if item.this.isdigit():
            return str(int(item.this))
        case exp.Anonymous():
            return _called(item, names)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            left, right = _heading(item.left, names), _heading(item.right, names)
            return None if left is None or right is None else f"({left} {_SIGNS[type(item)]} {right})"
    return None


def _column(column: exp.Column, names: _Names) -> str | None:
    """A column by its own name; a field of a struct has a longer one."""
    *before, name = [part.name for part in column.parts]
    is_field = bool(before) and (len(before) > 1 or before[0].lower() not in names.relations)
    return None if is_field or name.lower() in names.aliases else name


def _called(call: exp.Anonymous, names: _Names) -> str | None:
    """An aggregate over one plain expression."""
    name = str(call.name).lower()
    if name not in _AGGREGATES or len(call.expressions) != 1:
        return None
    argument, distinct = call.expressions[0], ""
    if isinstance(argument, exp.Star):
        return f"{name}(1)"
    if isinstance(argument, exp.Distinct) and len(argument.expressions) == 1:
        argument, distinct = argument.expressions[0], "DISTINCT "
    heading = _heading(argument, names)
    return None if heading is None else f"{name}({distinct}{heading})"
