"""Subqueries in expressions: filters become semi and anti joins, values become columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tidewheel.ir.parts import AggCall, JoinKey
from tidewheel.ir.rel import Aggregate, Distinct, Filter, Join, Project, Rel, TopK
from tidewheel.ir.scalar import (
    FALSE,
    TRUE,
    Call,
    Case,
    Col,
    Lit,
    Scalar,
    conjunction,
    conjuncts,
    disjunction,
    identity,
    shift,
    substitute,
    transform,
)  # fmt: skip
from tidewheel.sql.bind.correlation import (  # fmt: skip
    is_correlated,
    reads_outer,
    references,
    resolve_outer,
    split_condition,
)
from tidewheel.sql.bind.decorrelate import Decorrelation, or_empty, pulled_up  # fmt: skip
from tidewheel.sql.bind.found import Found, Subquery
from tidewheel.sql.bind.scope import SUBQUERY, mentions, placeholder_number
from tidewheel.sql.bind.text import NotBoundError

Lift: TypeAlias = Callable[[Scalar], Scalar]
"""An expression over the FROM clause as one over the relation at hand: after grouping, over the groups."""


class Subqueries:
    """The subqueries of one SELECT, put into its plan at one place."""

    def __init__(self, found: Found, scope: int, lift: Lift) -> None:
        self.found, self.scope, self.lift = found, scope, lift

    def filter(self, rel: Rel, predicate: Scalar) -> Rel:
        """The rows for which a predicate holds that may contain subqueries."""
        plain, semi, valued = [], [], []
        for part in conjuncts(predicate):
            if not mentions(part, SUBQUERY):
                plain.append(part)
            elif (test := self._test(part)) is not None:
                semi.append(test)
            else:
                valued.append(part)
        if plain:
            rel = Filter(input=rel, predicate=conjunction(plain))
        for subquery, negated in semi:
            rel = self._semi(rel, subquery, negated=negated)
        if valued:
            width = rel.width
            rel, exprs = self.values(rel, valued)
            rel = Project(input=Filter(input=rel, predicate=conjunction(exprs)), exprs=identity(width))
        return rel

    def _test(self, part: Scalar) -> tuple[Subquery, bool] | None:
        negated = isinstance(part, Call) and part.name == "not"
        inner = part.args[0] if isinstance(part, Call) and negated else part
        number = placeholder_number(inner, SUBQUERY)
        if number is None or self.found.subqueries[number].kind == "scalar":
            return None
        return self.found.subqueries[number], negated

    def _operands(self, subquery: Subquery) -> tuple[Scalar, ...]:
        operands = tuple(self.lift(o) for o in subquery.operands)
        if any(mentions(o, SUBQUERY) for o in operands):
            raise NotBoundError("nested-subquery", "a subquery before IN")
        return operands

    def _column(self, index: int) -> Scalar:
        return self.lift(Col(index))

    def _semi(self, rel: Rel, subquery: Subquery, *, negated: bool) -> Rel:
        operands = self._operands(subquery)
        plan = _without_distinct(subquery.query.rel, anything=subquery.kind == "exists")
        key_kind = "in" if negated else "="
        pulled = pulled_up(plan, self.scope)
        if pulled is not None:
            inner, exprs, correlated = pulled
            outside = [resolve_outer(shift(c, rel.width), self.scope, self._column) for c in correlated]
            keys, residual = split_condition(conjunction(outside), rel.width)
        else:
            exprs = identity(plan.width)
            helper = Decorrelation(rel, self.scope, references(plan, self.scope), self._column)
            pushed = helper.push(plan)
            inner, keys, residual = pushed.rel, helper.keys(pushed, plan.width), TRUE
        tests = tuple(
            JoinKey(left=o, right=e, kind="in" if key_kind == "in" else "=")
            for o, e in zip(operands, exprs, strict=False)
        )
        return Join(kind="anti" if negated else "semi", left=rel, right=inner, keys=(*keys, *tests), residual=residual)

    def values(self, rel: Rel, scalars: Sequence[Scalar]) -> tuple[Rel, list[Scalar]]:
        """The relation with a column for each subquery that the scalars mention, and the scalars over it."""
        places: dict[tuple[int, bool], Scalar] = {}

        def placed(part: Scalar) -> Scalar | None:
            nonlocal rel
            found = self._negatable(part)
            if found is None:
                return None
            if found not in places:
                rel, places[found] = self._value(rel, self.found.subqueries[found[0]], negated=found[1])
            return places[found]

        over = [transform(_negations_inwards(s), placed) for s in scalars]  # which adds columns to the relation
        return rel, over

    def _negatable(self, part: Scalar) -> tuple[int, bool] | None:
        """A subquery's placeholder, or the negation of an IN: the two halves of what would be three values."""
        number = placeholder_number(part, SUBQUERY)
        if number is not None:
            return number, False
        if isinstance(part, Call) and part.name == "not":
            number = placeholder_number(part.args[0], SUBQUERY)
            if number is not None and self.found.subqueries[number].kind == "in":
                return number, True
        return None

    def _value(self, rel: Rel, subquery: Subquery, *, negated: bool) -> tuple[Rel, Scalar]:
        match subquery.kind:
            case "scalar":
                return self._scalar(rel, subquery.query.rel)
            case "exists":
                return self._mark(rel, subquery.query.rel)
            case "in":
                return self._membership(rel, subquery, negated=negated)

    def _decorrelation(self, rel: Rel, plan: Rel) -> Decorrelation:
        return Decorrelation(rel, self.scope, references(plan, self.scope), self._column)

    def _scalar(self, rel: Rel, plan: Rel) -> tuple[Rel, Scalar]:
        if not is_correlated(plan, self.scope):
            one = plan if _is_one_row(plan) else Aggregate(input=plan, calls=(_single(Col(0)),))
            return Join(kind="inner", left=rel, right=one), Col(rel.width)
        helper = self._decorrelation(rel, plan)
        extra = len(helper.reads)
        value, top = _above_aggregate(plan)
        if top is not None and not any(reads_outer(s, self.scope) for c in top.calls for s in c.scalars):
            below = helper.push(top.input)
            carried = tuple(Col(top.input.width + i) for i in range(extra))
            groups: Rel = Aggregate(input=below.rel, keys=carried, calls=top.calls)
            joined = Join(kind="left", left=rel, right=groups, keys=helper.keys(below, 0))
            start = rel.width + extra
            filled = [or_empty(c, Col(start + i)) for i, c in enumerate(top.calls)]
            return joined, resolve_outer(substitute(value, filled), self.scope, self._column)
        pushed = helper.push(plan)
        groups = Aggregate(input=pushed.rel, keys=tuple(Col(1 + i) for i in range(extra)), calls=(_single(Col(0)),))
        joined = Join(kind="left", left=rel, right=groups, keys=helper.keys(pushed, 0))
        return joined, Col(rel.width + extra)

    def _mark(self, rel: Rel, plan: Rel) -> tuple[Rel, Scalar]:
        """EXISTS as a value: never NULL."""
        if not is_correlated(plan, self.scope):
            count = Aggregate(input=plan, calls=(AggCall(name="count"),))
            joined = Join(kind="inner", left=rel, right=count)
            return joined, Call(">", (Col(rel.width), Lit("int", "0")))
        plan = _without_distinct(plan, anything=True)
        helper = self._decorrelation(rel, plan)
        pushed = helper.push(plan)
        values = Distinct(input=Project(input=pushed.rel, exprs=_tail(plan.width, len(helper.reads))))
        marked = Project(input=values, exprs=(*identity(values.width), TRUE))
        joined = Join(kind="left", left=rel, right=marked, keys=helper.keys(pushed, 0))
        return joined, Call("isnotnull", (Col(joined.width - 1),))

    def _membership(self, rel: Rel, subquery: Subquery, *, negated: bool) -> tuple[Rel, Scalar]:
        """IN as a value. Spark knows two values here: what SQL calls unknown is false, of IN and of NOT IN."""
        operands = self._operands(subquery)
        if len(operands) != 1:
            raise NotBoundError("tuple-in-as-value", "IN with several columns that is not a filter of its own")
        operand, plan = operands[0], subquery.query.rel
        keys: tuple[JoinKey, ...] = ()
        if is_correlated(plan, self.scope):
            helper = self._decorrelation(rel, plan)
            pushed = helper.push(plan)
            plan, keys = pushed.rel, helper.keys(pushed, 0)
        carried = _tail(1, len(keys))
        present = Distinct(
            input=Project(input=Filter(input=plan, predicate=Call("isnotnull", (Col(0),))), exprs=(*carried, Col(0)))
        )
        marked = Project(input=present, exprs=(*identity(present.width), TRUE))
        matched = Join(kind="left", left=rel, right=marked, keys=(*keys, JoinKey(left=operand, right=Col(len(keys)))))
        is_in = Call("isnotnull", (Col(matched.width - 1),))
        if not negated:
            return matched, is_in
        calls = (AggCall(name="count"), AggCall(name="count", args=(Col(0),)))
        counts = Aggregate(input=plan, keys=carried, calls=calls)
        counted = Join(kind="left" if keys else "inner", left=matched, right=counts, keys=keys)
        rows, known = Col(counted.width - 2), Col(counted.width - 1)
        nothing = disjunction([Call("isnull", (rows,)), Call("=", (rows, Lit("int", "0")))])
        doubtful = disjunction([is_in, Call("isnull", (operand,)), Call("<", (known, rows))])
        return counted, Case(((nothing, TRUE), (doubtful, FALSE)), TRUE)


def _negations_inwards(scalar: Scalar) -> Scalar:
    """NOT over AND and OR, where subqueries are below, as Spark's optimizer moves it before it looks at them."""

    def moved(part: Scalar) -> Scalar | None:
        if not (isinstance(part, Call) and part.name == "not" and mentions(part, SUBQUERY)):
            return None
        inner = part.args[0]
        if isinstance(inner, Call) and inner.name in {"and", "or"}:
            other = "or" if inner.name == "and" else "and"
            return Call(other, tuple(_negations_inwards(Call("not", (a,))) for a in inner.args))
        if isinstance(inner, Call) and inner.name == "not":
            return _negations_inwards(inner.args[0])
        return None

    return transform(scalar, moved)


def _tail(start: int, count: int) -> tuple[Scalar, ...]:
    return tuple(Col(start + i) for i in range(count))


def _single(value: Scalar) -> AggCall:
    return AggCall(name="single_value", args=(value,))


def _without_distinct(plan: Rel, *, anything: bool) -> Rel:
    """What does not change whether there is a (matching) row: DISTINCT, and for EXISTS also columns and a LIMIT."""
    while True:
        match plan:
            case Distinct():
                plan = plan.input
            case Project() if anything and not any("#outer" in e.text for e in plan.exprs):
                plan = plan.input
            case TopK(limit=limit, offset=0) if anything and limit != 0:
                plan = plan.input
            case _:
                return plan


def _above_aggregate(plan: Rel) -> tuple[Scalar, Aggregate | None]:
    """The one value of a plan over the global aggregate below its projections, if that is what it is."""
    value: Scalar = Col(0)
    while isinstance(plan, Project):
        value = substitute(value, plan.exprs)
        plan = plan.input
    if isinstance(plan, Aggregate) and not plan.keys and plan.sets is None:
        return value, plan
    return value, None


def _is_one_row(plan: Rel) -> bool:
    return _above_aggregate(plan)[1] is not None if plan.width == 1 else False
