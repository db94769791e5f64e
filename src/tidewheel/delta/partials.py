"""Aggregates that can be merged: the new value comes from the old one and from the rows that come and go.

Counts and sums of integers and decimals are exact, whatever the order. An average is its sum and count. A minimum or
maximum can be merged as long as no row goes that may have been it; else its group is computed anew. Sums of floating
point numbers would drift, so they are never merged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidewheel.decimals import decimal_result
from tidewheel.ir.parts import AggCall
from tidewheel.ir.rel import Aggregate
from tidewheel.ir.scalar import FALSE, Call, Case, Cast, Col, Lit, Scalar, conjunction, disjunction
from tidewheel.ir.typing import agg_type, nullable_of, type_of, types_of
from tidewheel.types import DOUBLE, LONG, DataType, Decimal, Primitive, to_sql

ROWS: Final = AggCall(name="count")
"""The number of rows of a group: without any it is gone."""
ZERO: Final = Lit("bigint", "0")
_EXTREMES: Final = {"min": ("least", "<="), "max": ("greatest", ">=")}
_SAFE_DIGITS: Final = 9
"""Digits that a quotient must have beyond those of an average, so that rounding it twice is rounding it once."""


@dataclass(frozen=True, slots=True)
class Merging:
    """An aggregate with all that is stored beside its own calls so that it can be merged."""

    rel: Aggregate
    """The calls of the view, and then those that are only kept."""
    given: int
    """How many calls are the view's own."""

    @property
    def has_extremes(self) -> bool:
        return any(call.name in _EXTREMES for call in self.rel.calls)

    def stored(self) -> list[int]:
        """The columns that must be stored: all but averages, which are computed from others."""
        first = self.rel.width - len(self.rel.calls)
        return [*range(first), *(first + i for i, c in enumerate(self.rel.calls) if c.name not in _AVERAGES)]


_AVERAGES: Final = frozenset({"avg", "mean"})


def mergeable(rel: Aggregate) -> Merging | None:
    """The aggregate with what it needs to be merged; None if one of its calls cannot be."""
    kinds, nulls = types_of(rel.input), nullable_of(rel.input)
    calls = list(rel.calls)
    wanted = [ROWS]
    for call in rel.calls:
        needs = _needs(call, kinds, nulls)
        if needs is None:
            return None
        wanted += needs
    calls += [c for c in dict.fromkeys(wanted) if c not in calls]
    return Merging(replace(rel, calls=tuple(calls)), len(rel.calls))


def not_mergeable(rel: Aggregate) -> list[AggCall]:
    """The calls that cannot be merged."""
    kinds, nulls = types_of(rel.input), nullable_of(rel.input)
    return [call for call in rel.calls if _needs(call, kinds, nulls) is None]


def _needs(call: AggCall, kinds: Sequence[DataType], nulls: Sequence[bool]) -> list[AggCall] | None:
    """The calls that must be kept to merge one; None if it cannot be merged."""
    if call.distinct or call.order or call.ignore_nulls:
        return None
    match call.name, call.args:
        case "count", _:
            return []
        case "sum", (arg,) if _adds_exactly(type_of(arg, kinds), agg_type(call, kinds)):
            return [_count_of(call, nulls)]
        case (("avg" | "mean"), (arg,)) if _divides_exactly(type_of(arg, kinds)):
            return [replace(call, name="sum"), _count_of(call, nulls)]
        case (("min" | "max"), (arg,)):
            return []
    return None


def _count_of(call: AggCall, nulls: Sequence[bool]) -> AggCall:
    """The number of values that a sum adds up."""
    (arg,) = call.args
    if call.where is None and isinstance(arg, Col) and not nulls[arg.index]:
        return ROWS
    return replace(call, name="count")


def _is_integer(kind: DataType) -> bool:
    return isinstance(kind, Primitive) and kind.name in {"byte", "short", "integer", "long"}


def _adds_exactly(kind: DataType, total: DataType) -> bool:
    if not isinstance(kind, Decimal) or not isinstance(total, Decimal):
        return _is_integer(kind)
    # What comes is added and then what goes is taken away: no digit may be lost in either step.
    return decimal_result("-", decimal_result("+", total, total), total).scale == total.scale


def _divides_exactly(kind: DataType) -> bool:
    if not isinstance(kind, Decimal):
        return _is_integer(kind)
    total = Decimal(min(38, kind.precision + 10), kind.scale)
    quotient = decimal_result("/", total, Decimal(20, 0))
    return total.precision == kind.precision + 10 and quotient.scale - min(38, kind.scale + 4) >= _SAFE_DIGITS


def signed_calls(calls: Sequence[AggCall], sign: Scalar | None) -> tuple[AggCall, ...]:
    """The calls over rows that come, and, if rows may go, over those that go."""
    if sign is None:
        return tuple(calls)
    return tuple(_where(c, Call(op, (sign, ZERO))) for op in (">", "<") for c in calls)


def _where(call: AggCall, condition: Scalar) -> AggCall:
    return replace(call, where=condition if call.where is None else conjunction([call.where, condition]))


@dataclass(frozen=True, slots=True)
class Sides:
    """Where to find, for each kept call, its old value and its value over rows that come and go."""

    old: Callable[[AggCall], Scalar]
    come: Callable[[AggCall], Scalar]
    gone: Callable[[AggCall], Scalar | None]


def merged(call: AggCall, kinds: Sequence[DataType], nulls: Sequence[bool], sides: Sides) -> Scalar:
    """The new value of a call."""
    match call.name:
        case "count":
            return _plus_minus(call, LONG, sides)
        case "sum":
            some = Call(">", (_plus_minus(_count_of(call, nulls), LONG, sides), ZERO))
            return Case(((some, _plus_minus(call, agg_type(call, kinds), sides)),))
        case "min" | "max":
            return Call(_EXTREMES[call.name][0], (sides.old(call), sides.come(call)))
    number = _plus_minus(_count_of(call, nulls), LONG, sides)
    total = replace(call, name="sum")
    value = _plus_minus(total, agg_type(total, kinds), sides)
    return Case(((Call(">", (number, ZERO)), _quotient(value, number, agg_type(call, kinds))),))


def _quotient(value: Scalar, number: Scalar, kind: DataType) -> Scalar:
    if kind == DOUBLE:
        return Call("/", (Cast(value, "DOUBLE"), Cast(number, "DOUBLE")))
    return Cast(Call("/", (value, Cast(number, "DECIMAL(20,0)"))), to_sql(kind))


def _plus_minus(call: AggCall, kind: DataType, sides: Sides) -> Scalar:
    nothing = Cast(ZERO, to_sql(kind)) if isinstance(kind, Decimal) else ZERO
    gone = sides.gone(call)
    value: Scalar = Call(
        "+", (Call("coalesce", (sides.old(call), nothing)), Call("coalesce", (sides.come(call), nothing)))
    )
    if gone is not None:
        value = Call("-", (value, Call("coalesce", (gone, nothing))))
    return Cast(value, to_sql(kind)) if isinstance(kind, Decimal) else value


def rows_left(sides: Sides) -> Scalar:
    return Call(">", (_plus_minus(ROWS, LONG, sides), ZERO))


def lost_extreme(calls: Sequence[AggCall], sides: Sides) -> Scalar | None:
    """Whether a row went that may have been the minimum or maximum; None if that cannot happen.

    It does not matter if a row came that is beyond all that went: such a row did not come just to go again.
    """
    found: list[Scalar] = []
    for call in calls:
        gone = sides.gone(call) if call.name in _EXTREMES else None
        if gone is not None:
            old = sides.old(call)
            reached = disjunction([Call("isnull", (old,)), Call(_EXTREMES[call.name][1], (gone, old))])
            beyond = Call(_EXTREMES[call.name][1].removesuffix("="), (sides.come(call), gone))
            kept = Call("not", (Call("coalesce", (beyond, FALSE)),))
            found.append(conjunction([Call("isnotnull", (gone,)), reached, kept]))
    return disjunction(found) if found else None
