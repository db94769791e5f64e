"""How many rows each operator of a plan gives: the textbook rules, over what is known of the stored relations.

An estimate need not be right, it must be of the right size: values are taken to be spread evenly, conditions to have
nothing to do with each other, and the smaller of two sets of keys to be part of the larger.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Sequence
from typing import Final

from tidewheel.ir.memo import by_digest
from tidewheel.ir.parts import JoinKey
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Opaque,
    Project,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip
from tidewheel.ir.scalar import Call, Cast, Col, Lit, Scalar, columns, conjuncts
from tidewheel.optimize.facts import ColumnFacts, Facts, unknown

SOME: Final = 0.25
"""The share of rows for which a condition holds of which nothing is known."""
FEW: Final = 0.05
"""The same, for patterns of text."""
FANOUT: Final = 4.0
"""Elements of an array of which nothing is known."""


class Estimator:
    """Estimates over one set of facts; each plan is looked at once."""

    def __init__(self, stored: Callable[[Scan], Facts]) -> None:
        self._stored = stored
        self.facts = by_digest(self._facts)

    def rows(self, rel: Rel) -> float:
        return self.facts(rel).rows

    def _facts(self, rel: Rel) -> Facts:
        match rel:
            case Scan():
                return self._stored(rel)
            case Values():
                return Facts(rows=len(rel.rows), columns=(ColumnFacts(distinct=len(rel.rows)),) * rel.arity)
            case Opaque():
                return unknown(1000, rel.width)
            case Filter():
                below = self.facts(rel.input)
                return below.limited(below.rows * share_of(rel.predicate, below))
            case Project():
                below = self.facts(rel.input)
                return Facts(rows=below.rows, columns=tuple(_value(e, below) for e in rel.exprs))
            case Join():
                return self._join(rel)
            case Aggregate():
                return self._aggregate(rel)
            case Distinct():
                below = self.facts(rel.input)
                return below.limited(_together(below.columns, below.rows))
            case Union():
                return _sum([self.facts(part) for part in rel.parts])
            case SetOp():
                left, right = self.facts(rel.left), self.facts(rel.right)
                kept = min(left.rows, right.rows) if rel.kind == "intersect" else max(left.rows - right.rows, 0.0)
                return left.limited(max(kept, left.rows / 10))
            case Window():
                below = self.facts(rel.input)
                added = (ColumnFacts(distinct=max(below.rows / 2, 1.0)),) * (rel.width - len(below.columns))
                return Facts(rows=below.rows, columns=below.columns + added)
            case TopK():
                below = self.facts(rel.input)
                rest = max(below.rows - rel.offset, 0.0)
                return below.limited(rest if rel.limit is None else min(rest, rel.limit))
            case Unnest():
                below = self.facts(rel.input)
                times = 1.0 if _repeats(rel.args) else FANOUT
                many = below.rows * times
                return Facts(rows=many, columns=below.columns + (ColumnFacts(distinct=max(many / 4, 1.0)),) * rel.arity)

    def _join(self, rel: Join) -> Facts:
        left, right = self.facts(rel.left), self.facts(rel.right)
        both = Facts(rows=left.rows * right.rows, columns=left.columns + right.columns)
        rest = share_of(rel.residual, both)
        ours, theirs = _keys([k.left for k in rel.keys], left), _keys([k.right for k in rel.keys], right)
        pairs = both.rows * rest * _not_null(rel.keys, left, right) / max(ours, theirs, 1.0)
        if rel.kind == "inner":
            return both.limited(pairs)
        matched = left.rows * rest * min(1.0, theirs / max(ours, 1.0)) if rel.keys else min(left.rows, pairs)
        if rel.kind == "semi":
            return left.limited(min(matched, left.rows))
        if rel.kind == "anti":
            return left.limited(max(left.rows - matched, left.rows / 100))
        alone = max(left.rows - matched, 0.0)
        if rel.kind == "full":
            alone += max(right.rows - right.rows * min(1.0, ours / max(theirs, 1.0)), 0.0)
        return both.limited(pairs + alone)

    def _aggregate(self, rel: Aggregate) -> Facts:
        below = self.facts(rel.input)
        values = [_value(k, below) for k in rel.keys]
        if rel.sets is None:
            groups = _together(values, below.rows) if values else 1.0
        else:
            groups = sum(_together([values[i] for i in chosen], below.rows) if chosen else 1.0 for chosen in rel.sets)
        added = (ColumnFacts(distinct=max(groups, 1.0)),) * (rel.width - len(values))
        return Facts(rows=groups, columns=tuple(v.among(groups) for v in values) + added)


# --- values ---


def _value(scalar: Scalar, below: Facts) -> ColumnFacts:
    """An expression has no more values than the columns that it is made of."""
    if isinstance(scalar, Col):
        return below.columns[scalar.index]
    if isinstance(scalar, Cast) and isinstance(scalar.arg, Col):
        return below.columns[scalar.arg.index]
    used = [below.columns[i] for i in columns(scalar)]
    if not used:
        return ColumnFacts(distinct=1.0)
    return ColumnFacts(distinct=_together(used, below.rows), nulls=max(c.nulls for c in used))


def _together(several: Sequence[ColumnFacts], rows: float) -> float:
    """Different combinations of some columns among so many rows; no column adds all of its values to the others'."""
    if not several or rows <= 0:
        return min(rows, 1.0)
    ordered = sorted((max(c.distinct, 1.0) for c in several), reverse=True)
    return min(rows, math.prod(math.pow(d, 0.5 ** min(i, 3)) for i, d in enumerate(ordered)))


def _keys(keys: Sequence[Scalar], side: Facts) -> float:
    return _together([_value(k, side) for k in keys], side.rows) if keys else 1.0


def _not_null(keys: Sequence[JoinKey], left: Facts, right: Facts) -> float:
    parts = [(1 - _value(k.left, left).nulls) * (1 - _value(k.right, right).nulls) for k in keys if k.kind == "="]
    return math.prod(parts)


def _sum(parts: Sequence[Facts]) -> Facts:
    rows = sum(p.rows for p in parts)
    several = zip(*(p.columns for p in parts), strict=True)
    return Facts(rows=rows, columns=tuple(_all_of(list(same)) for same in several))


def _all_of(same: list[ColumnFacts]) -> ColumnFacts:
    lows, highs = [c.low for c in same if c.low is not None], [c.high for c in same if c.high is not None]
    known = len(lows) == len(highs) == len(same)
    return ColumnFacts(
        distinct=sum(c.distinct for c in same),
        nulls=max(c.nulls for c in same),
        low=min(lows) if known else None,
        high=max(highs) if known else None,
    )


def _repeats(args: Sequence[Scalar]) -> bool:
    """Copies of a row of a bag: mostly one."""
    return any(isinstance(a, Call) and a.name == "array_repeat" for a in args)


# --- conditions ---


def share_of(predicate: Scalar, facts: Facts) -> float:
    """The share of rows for which a condition holds."""
    return math.prod(max(min(_share(c, facts), 1.0), 0.0) for c in conjuncts(predicate))


def _share(condition: Scalar, facts: Facts) -> float:
    match condition:
        case Lit("boolean", value):
            return 1.0 if value == "true" else 0.0
        case Call("or", args):
            return 1 - math.prod(1 - share_of(a, facts) for a in args)
        case Call("and", args):
            return math.prod(share_of(a, facts) for a in args)
        case Call("not", (inner,)):
            return 1 - share_of(inner, facts)
        case Call("isnull", (inner,)):
            return _value(inner, facts).nulls
        case Call("isnotnull", (inner,)):
            return 1 - _value(inner, facts).nulls
        case Call("=" | "<=>", (left, right)):
            sides = [_value(left, facts), _value(right, facts)]
            return 1 / max(sides[0].distinct, sides[1].distinct, 1.0)
        case Call("<>", (left, right)):
            return 1 - 1 / max(_value(left, facts).distinct, _value(right, facts).distinct, 1.0)
        case Call("<" | "<=", (left, right)):
            return _below(left, right, facts)
        case Call(">" | ">=", (left, right)):
            return _below(right, left, facts)
        case Call("in", (inner, *values)):
            return len(values) / max(_value(inner, facts).distinct, float(len(values)))
        case Call("like" | "rlike" | "contains" | "startswith" | "endswith", _):
            return FEW
    return SOME


def _below(less: Scalar, more: Scalar, facts: Facts) -> float:
    """The share of rows for which one expression is less than the other, one of which is a constant."""
    if isinstance(more, Lit) and isinstance(less, Col):
        return _part(facts.columns[less.index], number(more), below=True)
    if isinstance(less, Lit) and isinstance(more, Col):
        return _part(facts.columns[more.index], number(less), below=False)
    return SOME


def _part(column: ColumnFacts, at: float | None, *, below: bool) -> float:
    if at is None or column.low is None or column.high is None or column.high <= column.low:
        return SOME
    part = min(max((at - column.low) / (column.high - column.low), 0.0), 1.0)
    return part if below else 1 - part


def number(literal: Lit) -> float | None:
    """A constant as a number that orders like it: days of dates, seconds of timestamps."""
    try:
        if literal.kind == "date":
            return float(dt.date.fromisoformat(literal.value).toordinal())
        if literal.kind in {"timestamp", "timestamp_ntz"}:
            return dt.datetime.fromisoformat(literal.value).replace(tzinfo=dt.UTC).timestamp()
        return float(literal.value) if literal.kind not in {"string", "binary", "interval", "word", "null"} else None
    except (ValueError, OverflowError):
        return None
