"""The share of rows for which conditions hold, and what is known of the values of expressions."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import Final

from tidewheel.ir.scalar import Call, Cast, Col, Lit, Scalar, columns, conjuncts
from tidewheel.optimize.facts import ColumnFacts, Facts

SOME: Final = 0.25
"""The share of rows for which a condition holds of which nothing is known."""
FEW: Final = 0.05
"""The share of rows that a pattern of text lets through, where nothing is known."""


# --- values ---

CONSTANT: Final = ColumnFacts(distinct=1.0)


def value_of(scalar: Scalar, below: Facts) -> ColumnFacts:
    """An expression has no more values than the columns that it is made of."""
    if isinstance(scalar, Col):
        return below.columns[scalar.index]
    if isinstance(scalar, Cast) and isinstance(scalar.arg, Col):
        return below.columns[scalar.arg.index]
    used = [below.columns[i] for i in columns(scalar)]
    if not used:
        return CONSTANT
    return ColumnFacts(
        distinct=together([c.distinct for c in used], below.rows),
        nulls=max(c.nulls for c in used),
        domain=together([c.values for c in used], below.whole),
        guessed=any(c.guessed for c in used),
    )


def together(several: Sequence[float], rows: float) -> float:
    """Different combinations of some columns' values among so many rows; none adds all of its values to the others'."""
    if not several or rows <= 0:
        return min(rows, 1.0)
    if len(several) == 1:
        return min(rows, max(several[0], 1.0))
    ordered = sorted((max(d, 1.0) for d in several), reverse=True)
    return min(rows, math.prod([math.pow(d, 0.5 ** min(i, 3)) for i, d in enumerate(ordered)]))


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
            return value_of(inner, facts).nulls
        case Call("isnotnull", (inner,)):
            return 1 - value_of(inner, facts).nulls
        case Call("=" | "<=>", (left, right)):
            sides = [value_of(left, facts), value_of(right, facts)]
            return 1 / max(sides[0].distinct, sides[1].distinct, 1.0)
        case Call("<>", (left, right)):
            return 1 - 1 / max(value_of(left, facts).distinct, value_of(right, facts).distinct, 1.0)
        case Call("<" | "<=", (left, right)):
            return _below(left, right, facts)
        case Call(">" | ">=", (left, right)):
            return _below(right, left, facts)
        case Call("in", (inner, *values)):
            return len(values) / max(value_of(inner, facts).distinct, float(len(values)))
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


def narrowed(predicate: Scalar, facts: Facts) -> Facts:
    """The rows for which a condition holds: of a column that it compares with constants, only such values are left."""
    kept = facts.limited(facts.rows * share_of(predicate, facts))
    for condition in conjuncts(predicate):
        match condition:
            case Call("=" | "<=>", (Col(index), Lit())) | Call("=" | "<=>", (Lit(), Col(index))):
                kept = kept.restricted(index, 1.0)
            case Call("in", (Col(index), *values)):
                kept = kept.restricted(index, float(len(values)))
    return kept


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
