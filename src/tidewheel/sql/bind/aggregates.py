"""Aggregates: calls with DISTINCT, FILTER, WITHIN GROUP and IGNORE NULLS, and grouping()."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import exp

from tidewheel.ir.functions import AGGREGATES
from tidewheel.ir.parts import AggCall
from tidewheel.ir.scalar import NULL, Call, Lit, Scalar, columns
from tidewheel.sql.bind.arguments import arguments
from tidewheel.sql.bind.context import Context
from tidewheel.sql.bind.orders import sort_key
from tidewheel.sql.bind.scope import AGGREGATE, OUTER, mentions, placeholder
from tidewheel.sql.bind.text import NotBoundError

_INSTEAD: Final = {
    "WHERE": "Filter groups with HAVING.",
    "QUALIFY": "Select it, and use its name.",
    "ORDER BY of DISTINCT": "Select it, and use its name.",
}


def aggregate(
    exprs: Context, name: str, args: Sequence[exp.Expr], node: exp.Expr, *, where: exp.Expr | None = None,
    order: Sequence[exp.Expr] = (), ignore_nulls: bool = False,
) -> Scalar:  # fmt: skip
    if exprs.inside == "aggregate" or exprs.params:
        raise exprs.text.error(
            f"{name}() stands inside {'another aggregate' if exprs.inside else 'a lambda'}",
            node,
            code="nested-aggregate",
            hint="Compute the inner one in a subquery.",
        )
    if not exprs.aggregates:
        for other in (node, *_beside(node)):
            if not _is_outer(exprs, args if other is node else other.expressions):
                raise exprs.text.error(
                    f"{name if other is node else str(other.this).lower()}() is an aggregate "
                    f"and cannot stand in {exprs.clause}",
                    other,
                    code="misplaced-aggregate",
                    hint=_INSTEAD.get(exprs.clause),
                )
        raise NotBoundError("outer-aggregate", f"{name}() of the query around the subquery that it stands in")
    around, exprs.inside = exprs.inside, "aggregate"
    call = aggregate_call(exprs, name, args, node, where=where, order=order, ignore_nulls=ignore_nulls)
    exprs.inside = around
    if any(mentions(s, OUTER) for s in call.scalars) and any(columns(s) for s in call.scalars):
        raise exprs.text.error(
            f"{name}() reads columns of its own query and of the one around it",
            node,
            code="misplaced-aggregate",
            hint="Aggregate the columns of one query only.",
        )
    if call not in exprs.found.aggregates:
        exprs.found.aggregates.append(call)
    return placeholder(AGGREGATE, exprs.found.aggregates.index(call))


def _beside(node: exp.Expr) -> Iterator[exp.Expr]:
    """The other aggregates in the clause of one, without those of subqueries."""
    select = node.find_ancestor(exp.Select)
    clause = node.find_ancestor(exp.Where, exp.Join, exp.Having, exp.Select)
    for other in clause.find_all(exp.Anonymous) if clause is not None else ():
        if other is not node and str(other.this).lower() in AGGREGATES and other.find_ancestor(exp.Select) is select:
            yield other


def _is_outer(exprs: Context, args: Sequence[exp.Expr]) -> bool:
    """Does an aggregate read columns of the query around this one, and of no other: then it is that query's.

    SELECT k FROM o GROUP BY k HAVING EXISTS (SELECT 1 FROM t WHERE t.a < min(o.b))
    """
    inner = [arg.this if isinstance(arg, (exp.Distinct, exp.IgnoreNulls, exp.RespectNulls)) else arg for arg in args]
    bound = [exprs.bind(arg) for arg in inner if arg is not None and not isinstance(arg, exp.Star)]
    return any(mentions(s, OUTER) for s in bound) and not any(columns(s) for s in bound)


def aggregate_call(
    exprs: Context, name: str, args: Sequence[exp.Expr], node: exp.Expr, *, where: exp.Expr | None,
    order: Sequence[exp.Expr], ignore_nulls: bool,
) -> AggCall:  # fmt: skip
    distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
    listed = args[0].expressions if distinct else list(args)
    if len(listed) == 1 and isinstance(listed[0], (exp.IgnoreNulls, exp.RespectNulls)):
        ignore_nulls = isinstance(listed[0], exp.IgnoreNulls)
        listed = [listed[0].this]
    if len(listed) == 1 and isinstance(listed[0], exp.Order):
        raise NotBoundError("ordered-argument", f"{name}() with ORDER BY among its arguments")
    if name == "count" and not distinct and len(listed) == 1 and isinstance(listed[0], exp.Star):
        bound: tuple[Scalar, ...] = ()
    else:
        bound = arguments(exprs, listed)
        exprs.checks.arity(name, len(bound), node)
        if name == "count" and not distinct and len(bound) == 1 and isinstance(bound[0], Lit) and bound[0] != NULL:
            bound = ()  # count(1) counts rows
    condition = None if where is None else exprs.bind(where)
    keys = tuple(sort_key(exprs, o) for o in order)
    call = AggCall(name=name, args=bound, distinct=distinct, where=condition, order=keys, ignore_nulls=ignore_nulls)
    exprs.checks.aggregate(call, node)
    return call


def decorated(exprs: Context, node: exp.Expr) -> Scalar:
    """An aggregate with FILTER, WITHIN GROUP or IGNORE NULLS around it, in any order."""
    where: exp.Expr | None = None
    order: Sequence[exp.Expr] = ()
    ignore_nulls = False
    inner = node
    while not isinstance(inner, (exp.Anonymous, exp.Any)):
        match inner:
            case exp.Filter():
                where = inner.expression.this
            case exp.WithinGroup():
                order = inner.expression.expressions
            case exp.IgnoreNulls():
                ignore_nulls = True
            case exp.RespectNulls():
                pass
            case _:
                raise NotBoundError("unknown-expression", inner.key.upper())
        inner = inner.this
    name = str(inner.this).lower() if isinstance(inner, exp.Anonymous) else "any"
    if name not in AGGREGATES:
        raise exprs.text.error(f"{name}() is not an aggregate", node, code="misplaced-aggregate")
    args = inner.expressions if isinstance(inner, exp.Anonymous) else [inner.this.unnest()]
    return aggregate(exprs, name, args, node, where=where, order=order, ignore_nulls=ignore_nulls)


def any_(exprs: Context, node: exp.Expr) -> Scalar:
    """`any(x)` is an aggregate; Spark has no comparison with ANY of a subquery."""
    inner = node.this.unnest() if node.this is not None else None
    if inner is None or isinstance(inner, (exp.Select, exp.Subquery, exp.Tuple)):
        raise exprs.text.error(
            "ANY over a subquery is not Spark SQL", node, code="sql-syntax", hint="Use IN or EXISTS."
        )
    return aggregate(exprs, "any", [inner], node)


def grouping(exprs: Context, name: str, args: Sequence[exp.Expr], node: exp.Expr) -> Scalar:
    allowed = exprs.aggregates or (exprs.clause == "QUALIFY" and exprs.inside is None)
    if not allowed or exprs.inside == "aggregate":
        raise exprs.text.error(f"{name}() cannot stand in {exprs.clause}", node, code="misplaced-aggregate")
    call = Call(f"#{name}", tuple(exprs.bind(a) for a in args))
    exprs.found.groupings.append((call, node))
    return call
