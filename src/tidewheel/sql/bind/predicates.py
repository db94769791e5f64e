"""Conditions: comparisons that are no operators, AND and OR, and subqueries."""

from __future__ import annotations

from sqlglot import exp

from tidewheel.ir.scalar import FALSE, TRUE, Call, Scalar, conjunction, disjunction
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.context import Context, only
from tidewheel.sql.bind.found import Subquery
from tidewheel.sql.bind.scope import SUBQUERY, placeholder
from tidewheel.sql.bind.text import NotBoundError, count


def between(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "low", "high")
    value = exprs.bind(node.this)
    low, high = exprs.bind(node.args["low"]), exprs.bind(node.args["high"])
    return conjunction([Call(">=", (value, low)), Call("<=", (value, high))])


def like(exprs: Context, node: exp.Expr, escape: tuple[Scalar, ...] = ()) -> Scalar:
    only(node, "this", "expression", "negate")
    name = "ilike" if isinstance(node, exp.ILike) else "like"
    value, pattern = exprs.bind(node.this), node.expression
    if isinstance(pattern, (exp.Any, exp.All)):
        inner = pattern.this
        listed = inner.expressions if isinstance(inner, exp.Tuple) else [inner.unnest()]
        tests = [_like(name, (value, exprs.bind(p), *escape), node) for p in listed]
        return disjunction(tests) if isinstance(pattern, exp.Any) else conjunction(tests)
    return _like(name, (value, exprs.bind(pattern), *escape), node)


def _like(name: str, args: tuple[Scalar, ...], node: exp.Expr) -> Scalar:
    """NOT LIKE ANY is any NOT LIKE: the negation stands with each pattern."""
    return Call("not", (Call(name, args),)) if node.args.get("negate") else Call(name, args)


def escaped(exprs: Context, node: exp.Expr) -> Scalar:
    if not isinstance(node.this, (exp.Like, exp.ILike)):
        raise NotBoundError("unknown-expression", "ESCAPE")
    return like(exprs, node.this, (exprs.bind(node.expression),))


def is_(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "expression")
    value = exprs.bind(node.this)
    match node.expression:
        case exp.Null():
            return Call("isnull", (value,))
        case exp.Boolean(this=truth):
            return Call("<=>", (value, TRUE if truth else FALSE))
    raise NotBoundError("unknown-expression", "IS")


def negate(exprs: Context, node: exp.Expr) -> Scalar:
    inner = exprs.bind(node.this)
    if isinstance(inner, Call) and inner.name == "isnull":
        return Call("isnotnull", inner.args)
    return Call("not", (inner,))


def junction(exprs: Context, node: exp.Expr) -> Scalar:
    """A chain of ANDs, ORs or || as one flat call; without recursion, for such chains are long."""
    kind, parts, todo = type(node), [], [node]
    while todo:
        current = todo.pop()
        if type(current) is kind:
            todo += [current.expression, current.this]
        elif isinstance(current, exp.Paren) and type(current.this) is kind and kind is not exp.DPipe:
            todo.append(current.this)
        else:
            parts.append(exprs.bind(current))
    if kind is exp.DPipe:
        return Call("||", tuple(parts))
    name = "and" if kind is exp.And else "or"
    flat = [p for part in parts for p in (part.args if isinstance(part, Call) and part.name == name else (part,))]
    return Call(name, tuple(flat))


def in_(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "expressions", "query", "is_global")
    query = node.args.get("query")
    if query is None:
        if any(isinstance(e, exp.Star) for e in node.expressions):
            raise NotBoundError("unknown-expression", "a star in the list of IN")
        if not node.expressions:
            raise exprs.text.error("the list of IN is empty", node, code="sql-syntax")
        return Call("in", (exprs.bind(node.this), *(exprs.bind(e) for e in node.expressions)))
    operands = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
    bound = exprs.queries(query, exprs.scope)
    if bound.rel.width != len(operands):
        raise exprs.text.error(
            f"the subquery of IN gives {count(bound.rel.width, 'column')}, not {len(operands)}",
            query,
            code="subquery-columns",
            hint="Select as many columns as stand before IN.",
        )
    values = tuple(exprs.bind(o) for o in operands)
    for value, kind in zip(values, types_of(bound.rel), strict=True):
        exprs.checks.comparable([exprs.checks.visit(value, node), kind], "the sides of IN", node)
    return _subquery(exprs, Subquery(kind="in", query=bound, operands=values, node=node))


def exists(exprs: Context, node: exp.Expr) -> Scalar:
    return _subquery(exprs, Subquery(kind="exists", query=exprs.queries(node.this, exprs.scope), node=node))


def scalar_query(exprs: Context, node: exp.Expr) -> Scalar:
    bound = exprs.queries(node, exprs.scope)
    if bound.rel.width != 1:
        raise exprs.text.error(
            f"a subquery used as a value gives {count(bound.rel.width, 'column')}, not one",
            node,
            code="subquery-columns",
            hint="Select one column.",
        )
    return _subquery(exprs, Subquery(kind="scalar", query=bound, node=node))


def _subquery(exprs: Context, subquery: Subquery) -> Scalar:
    if exprs.inside == "over":
        raise NotBoundError("subquery-in-window", "a subquery in a window function")
    exprs.found.subqueries.append(subquery)
    return placeholder(SUBQUERY, len(exprs.found.subqueries) - 1)
