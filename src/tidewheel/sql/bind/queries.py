"""Whole queries: WITH, SELECT, set operations, VALUES, and what stands around them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tidewheel.ir.rel import Distinct, Project, Rel, SetOp, Union, Values
from tidewheel.ir.scalar import Col, Scalar
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.catalog import Bound
from tidewheel.sql.bind.environment import Environment
from tidewheel.sql.bind.exprs import Exprs
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.orders import ordinal, sort_key, sort_key_at
from tidewheel.sql.bind.row_checks import check_sides
from tidewheel.sql.bind.scope import Scope, named
from tidewheel.sql.bind.select import Select
from tidewheel.sql.bind.text import NotBoundError, count
from tidewheel.sql.bind.time_windows import rewritten

_AFTER_ORDER = frozenset({TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH, TokenType.SEMICOLON})
_MODIFIERS = frozenset({"with_", "order", "limit", "offset", "sort", "cluster", "distribute"})
SetOperation = exp.Union | exp.Intersect | exp.Except


def bind_query(env: Environment, node: exp.Expr, outer: Scope | None) -> Bound:
    """Any query, with the WITH clause and the modifiers it may carry."""
    env = _with(env, node, outer)
    match node:
        case exp.Select():
            return Select(env, rewritten(node), outer).bind()
        case exp.Subquery():
            return _limited(env, env.query(node.this, outer), node, outer)
        case exp.Union() | exp.Intersect() | exp.Except():
            return _limited(env, _set_operation(env, node, outer), node, outer)
        case exp.Values():
            return _values(env, node, outer)
        case exp.Table():
            bound = env.relation(node)
            if bound is not None:
                return bound
    raise NotBoundError("unknown-statement", node.key.upper())


def _with(around: Environment, node: exp.Expr, outer: Scope | None) -> Environment:
    clause = node.args.get("with_")
    if clause is None:
        return around
    env = replace(around, ctes=dict(around.ctes))
    own: set[str] = set()
    for cte in clause.expressions:
        if clause.args.get("recursive") and _names_itself(cte):
            raise NotBoundError("recursive-cte", f"the recursive query {cte.alias}")
        name = cte.alias.lower()
        if name in own:
            raise env.text.error(f'"{cte.alias}" is defined twice in WITH', cte.args["alias"], code="duplicate-cte")
        own.add(name)
        bound = env.query(cte.this, outer)
        listed = [c.name for c in cte.args["alias"].args.get("columns") or []]
        if listed and len(listed) != len(bound.names):
            raise env.text.error(
                f"{count(len(listed), 'column name')} for {count(len(bound.names), 'column')}",
                cte.args["alias"],
                code="alias-columns",
            )
        env.ctes = {**env.ctes, name: Bound(bound.rel, tuple(listed) or bound.names)}
    return env


def _values(env: Environment, node: exp.Values, outer: Scope | None) -> Bound:
    rows: list[tuple[Scalar, ...]] = []
    exprs = Exprs(text=env.text, scope=Scope([], outer), found=Found(), queries=env.query, clause="VALUES")
    for item in node.expressions:
        cells = item.expressions if isinstance(item, exp.Tuple) else [item.unnest()]
        rows.append(tuple(exprs.bind(c) for c in cells))
    if len({len(row) for row in rows}) != 1:
        raise env.text.error("the rows of VALUES differ in length", node, code="values-width")
    if exprs.found.subqueries:
        first = exprs.found.subqueries[0].node
        raise env.text.error("a subquery cannot stand in VALUES", first, code="misplaced-subquery")
    for column in zip(*rows, strict=True):
        exprs.checks.common([exprs.checks.visit(c, node) for c in column], "the values of a column of VALUES", node)
    return Bound(Values(rows=tuple(rows), arity=len(rows[0])), tuple(f"col{i + 1}" for i in range(len(rows[0]))))


def _set_operation(env: Environment, node: SetOperation, outer: Scope | None) -> Bound:
    for key, value in node.args.items():
        if value and key not in {"this", "expression", "distinct", "by_name", *_MODIFIERS}:
            raise NotBoundError("set-operation-option", f"{key} of a set operation")
    left, right = env.query(node.this, outer), env.query(node.expression, outer)
    if node.args.get("by_name"):
        right = _by_name(env, left, right, node)
    if left.rel.width != right.rel.width:
        raise env.text.error(
            f"the sides of {node.key.upper()} have {count(left.rel.width, 'column')} and {right.rel.width}",
            node.expression,
            code="set-operation-columns",
        )
    whole_rows = not isinstance(node, exp.Union) or bool(node.args.get("distinct"))
    check_sides(env.text, node, types_of(left.rel), types_of(right.rel), whole_rows=whole_rows)
    rel: Rel
    if isinstance(node, exp.Union):
        rel = Union(parts=(left.rel, right.rel))
        rel = Distinct(input=rel) if node.args.get("distinct") else rel
    else:
        everything = not node.args.get("distinct")
        kind = "intersect" if isinstance(node, exp.Intersect) else "except"
        rel = SetOp(
            kind="intersect" if kind == "intersect" else "except", all=everything, left=left.rel, right=right.rel
        )
    return Bound(rel, left.names)


def _by_name(env: Environment, left: Bound, right: Bound, node: exp.Expr) -> Bound:
    if not isinstance(node, exp.Union):
        raise NotBoundError("set-operation-option", "BY NAME of a set operation other than UNION")
    places = {n.lower(): i for i, n in enumerate(right.names)}
    if set(places) != {n.lower() for n in left.names} or len(places) != len(right.names):
        raise env.text.error("the sides of UNION BY NAME have different columns", node, code="set-operation-columns")
    exprs = tuple(Col(places[n.lower()]) for n in left.names)
    return Bound(Project(input=right.rel, exprs=exprs), left.names)


def _limited(env: Environment, bound: Bound, node: exp.Expr, outer: Scope | None) -> Bound:
    """ORDER BY and LIMIT of a set operation or a query in parentheses: over its output columns."""
    limits = env.limits(node)
    if not limits.order and not limits.cuts:
        return bound
    scope = Scope(named(bound.names, None), outer, types=types_of(bound.rel))
    exprs = Exprs(text=env.text, scope=scope, found=Found(), queries=env.query, clause="ORDER BY")
    order = []
    for item in limits.order:
        position = ordinal(item.this)
        if position is None:
            order.append(sort_key(exprs, item))
        else:
            order.append(sort_key_at(env.text, item, position, bound.rel.width))
    if exprs.found.subqueries:
        raise NotBoundError("subquery-in-order", "a subquery in ORDER BY")
    return Bound(env.top(bound.rel, order, limits, bound.rel.width), bound.names)


def _names_itself(cte: exp.Expr) -> bool:
    return any(t.name.lower() == cte.alias.lower() for t in cte.this.find_all(exp.Table))
