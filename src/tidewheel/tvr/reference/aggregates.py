"""Aggregate functions: from the argument values of a group's rows, in their order, to one value.

Which rows count (FILTER, DISTINCT, NULLs, ORDER BY) is decided before a function sees them; see `compile_aggregate`.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final, TypeAlias

from tidewheel.ir.aggregates import AGGREGATE_RULES
from tidewheel.ir.coercion import is_day_time, is_integral, is_year_month
from tidewheel.ir.parts import AggCall, SortKey, WindowCall
from tidewheel.ir.scalar import Lit
from tidewheel.tvr.reference.casts import EXACT, fit_decimal, fit_integer
from tidewheel.tvr.reference.compiler import EvalScope, Typed, compile_all, compile_scalar, converted
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.functions.collections import unique
from tidewheel.tvr.reference.literals import literal
from tidewheel.tvr.reference.ordering import sort_rows
from tidewheel.tvr.reference.statistics import STATISTICS
from tidewheel.tvr.reference.values import Months, Row, Value, key, row_key
from tidewheel.types import BINARY, DOUBLE, LONG, STRING, UNKNOWN, Array, DataType, to_sql
from tidewheel.types import Decimal as DecimalType

Values: TypeAlias = list[tuple[Value, ...]]
"""The arguments of each row that counts."""
Fold: TypeAlias = Callable[[Values], Value]


@dataclass(frozen=True, slots=True)
class Aggregator:
    type: DataType
    run: Callable[[Sequence[Row]], Value]


@dataclass(frozen=True, slots=True)
class _Rule:
    """How an aggregate is built from the types of its arguments; most ignore rows with a NULL argument."""

    build: Callable[[tuple[DataType, ...], DataType], Fold]
    sees_nulls: bool = False


def compile_aggregate(call: AggCall | WindowCall, scope: EvalScope) -> Aggregator:
    """An aggregate over rows: those that pass the filter, sorted if an order is stated, distinct if asked for."""
    args, constants = _arguments(call, scope)
    rule, kind = _rule(call, args)
    kinds = tuple(a.type for a in args)
    fold = rule.build(kinds, kind)
    runs = [a.run for a in args]
    where = None if call.where is None else compile_scalar(call.where, scope).run
    distinct = isinstance(call, AggCall) and call.distinct
    order = _order(call, scope)
    skips_nulls = not rule.sees_nulls or call.ignore_nulls or _says_ignore_nulls(call, constants)

    def run(rows: Sequence[Row]) -> Value:
        chosen = [r for r in rows if where is None or where(r) is True]
        values = [tuple(one(r) for one in runs) for r in order(chosen)]
        if skips_nulls:
            values = [v for v in values if None not in v]
        return fold(_distinct(values) if distinct else values)

    return Aggregator(kind, run)


def _distinct(values: Values) -> Values:
    return list({row_key(v): v for v in reversed(values)}.values())[::-1]


def _order(call: AggCall | WindowCall, scope: EvalScope) -> Callable[[Sequence[Row]], Sequence[Row]]:
    keys: tuple[SortKey, ...] = call.order if isinstance(call, AggCall) else ()
    compiled = [(k, compile_scalar(k.expr, scope).run) for k in keys]
    return lambda rows: sort_rows(rows, compiled)


def _arguments(call: AggCall | WindowCall, scope: EvalScope) -> tuple[list[Typed], list[Value]]:
    """The arguments; of percentiles WITHIN GROUP, what is ordered comes first."""
    scalars = list(call.args)
    within_group = {"percentile_cont", "percentile_disc", "mode"}
    if call.name in within_group and isinstance(call, AggCall) and call.order and len(call.args) < 2:
        if call.order[0].descending and call.name != "mode":
            raise Unsupported(f"{call.name} in descending order")
        scalars = [call.order[0].expr, *scalars]
    if call.name in {"first", "first_value", "last", "last_value", "any_value"}:
        scalars = scalars[:1]
    constants = [literal(s)[1] if isinstance(s, Lit) else None for s in call.args]
    return compile_all(scalars, scope), constants


def _says_ignore_nulls(call: AggCall | WindowCall, constants: list[Value]) -> bool:
    """first(x, true)."""
    return call.name in {"first", "first_value", "last", "last_value", "any_value"} and constants[1:2] == [True]


def _rule(call: AggCall | WindowCall, args: Sequence[Typed]) -> tuple[_Rule, DataType]:
    name, kinds = call.name, tuple(a.type for a in args)
    if name not in _RULES:
        raise Unsupported(f"the aggregate {name}")
    known = AGGREGATE_RULES.get(name)
    kind = (known(kinds, call.args) if known is not None else None) or _type(name, kinds)
    if kind is None or kind == UNKNOWN:
        raise Unsupported(f"{name}({', '.join(map(to_sql, kinds))})")
    return _RULES[name], kind


def _type(name: str, kinds: tuple[DataType, ...]) -> DataType | None:
    """The types of those that `ir/aggregates` does not list."""
    match name:
        case "try_sum" | "try_avg":
            return AGGREGATE_RULES[name.removeprefix("try_")](kinds, ())
        case "sum" if is_day_time(kinds[0]) or is_year_month(kinds[0]):
            return kinds[0]
        case "bit_and" | "bit_or" | "bit_xor" if is_integral(kinds[0]):
            return kinds[0]
        case "mode":
            return kinds[0]
        case "median" | "percentile" | "percentile_cont" | "percentile_disc":
            return Array(DOUBLE) if isinstance(kinds[-1], Array) else DOUBLE
        case "percentile_approx" | "approx_percentile":
            return Array(kinds[0]) if isinstance(kinds[1], Array) else kinds[0]
        case "listagg" | "string_agg":
            return BINARY if kinds[0] == BINARY else STRING
    return None


# --- the functions ---


def _plain(fold: Fold) -> Callable[[tuple[DataType, ...], DataType], Fold]:
    return lambda _kinds, _kind: fold


def _sum(kinds: tuple[DataType, ...], kind: DataType) -> Fold:
    """NULL of no rows. What is added up so far must fit at every step; doubles add up in the order of rows."""
    read = converted(Typed(kinds[0], operator.itemgetter(0)), kind).run if kind == DOUBLE else operator.itemgetter(0)

    def add(a: Any, b: Any) -> Any:
        if isinstance(kind, DecimalType):
            return fit_decimal(EXACT.add(a, b), kind)
        if isinstance(a, Months):
            return Months(a.count + b.count)
        return fit_integer(a + b, "long") if kind == LONG else a + b

    def run(values: Values) -> Value:
        return functools.reduce(add, (read(v) for v in values)) if values else None

    return run


def _avg(kinds: tuple[DataType, ...], kind: DataType) -> Fold:
    if isinstance(kind, DecimalType):
        exact = kind

        def run(values: Values) -> Value:
            if not values:
                return None
            total = functools.reduce(EXACT.add, (v for (v,) in values))
            quotient = EXACT.divide(total, Decimal(len(values))).quantize(Decimal(1).scaleb(-39), ROUND_HALF_UP, EXACT)
            return fit_decimal(quotient, exact)

        return run
    total = _sum(kinds, DOUBLE)
    return lambda values: total(values) / len(values) if values else None


def _attempt(
    build: Callable[[tuple[DataType, ...], DataType], Fold],
) -> Callable[[tuple[DataType, ...], DataType], Fold]:
    def built(kinds: tuple[DataType, ...], kind: DataType) -> Fold:
        strict = build(kinds, kind)

        def run(values: Values) -> Value:
            try:
                return strict(values)
            except EvaluationError:
                return None

        return run

    return built


def _first(values: Values) -> Value:
    return values[0][0] if values else None


def _last(values: Values) -> Value:
    return values[-1][0] if values else None


def _min(values: Values) -> Value:
    return min((v for (v,) in values), key=key, default=None)


def _max(values: Values) -> Value:
    return max((v for (v,) in values), key=key, default=None)


def _single(values: Values) -> Value:
    if len(values) > 1:
        raise EvaluationError("more-than-one-row", "a scalar subquery gives more than one row")
    return _first(values)


def _by(best: Callable[[Key2, Key2], bool]) -> Fold:
    """The first argument where the second is extreme, of equals the last."""

    def run(values: Values) -> Value:
        chosen: tuple[Value, ...] | None = None
        for v in values:
            if v[1] is not None and (chosen is None or not best(key(chosen[1]), key(v[1]))):
                chosen = v
        return None if chosen is None else chosen[0]

    return run


Key2: TypeAlias = tuple[Any, ...]


def _mode(values: Values) -> Value:
    """The most frequent value; of equally frequent ones the first."""
    counts: dict[Any, tuple[int, Value]] = {}
    for (v,) in values:
        counts[key(v)] = (counts.get(key(v), (0, v))[0] + 1, v)
    return max(counts.values(), key=lambda entry: entry[0])[1] if counts else None


def _bits(combine: Callable[[int, int], int]) -> Fold:
    return lambda values: functools.reduce(combine, (v for (v,) in values)) if values else None


def _listagg(values: Values) -> Value:
    if not values:
        return None
    parts = [v[0] for v in values]
    empty = b"" if isinstance(parts[0], bytes) else ""
    return (values[0][1] if len(values[0]) > 1 else empty).join(parts)


# --- percentiles ---


def _fractions(values: Values) -> Value:
    """The fraction, or fractions, that were asked for: the same in every row."""
    return values[0][1] if len(values[0]) > 1 else Decimal("0.5")


def _each(fractions: Value, compute: Callable[[Any], Value]) -> Value:
    return tuple(map(compute, fractions)) if isinstance(fractions, tuple) else compute(fractions)


def _percentile(values: Values) -> Value:
    """Between the two nearest values, in proportion."""
    if not values:
        return None
    numbers = sorted((v[0] for v in values), key=key)

    def at(fraction: Any) -> float:
        position = (len(numbers) - 1) * float(fraction)
        low, high = math.floor(position), math.ceil(position)
        if low == high or numbers[low] == numbers[high]:
            return float(numbers[low])
        return (high - position) * float(numbers[low]) + (position - low) * float(numbers[high])

    return _each(_fractions(values), at)


def _percentile_disc(values: Values) -> Value:
    """The first value whose cumulative share reaches the fraction."""
    if not values:
        return None
    numbers = sorted((v[0] for v in values), key=key)
    return _each(_fractions(values), lambda p: numbers[max(math.ceil(Decimal(p) * len(numbers)) - 1, 0)])


def _percentile_disc_of(kinds: tuple[DataType, ...], kind: DataType) -> Fold:
    """A number as a double, whatever it was."""

    def run(values: Values) -> Value:
        found = _percentile_disc(values)
        return found if found is None else _each(found, float)

    return run if kind in {DOUBLE, Array(DOUBLE)} and kinds[0] != DOUBLE else _percentile_disc


_RULES: Final[dict[str, _Rule]] = {
    "count": _Rule(_plain(len)),
    "count_if": _Rule(_plain(lambda values: sum(v is True for (v,) in values))),
    "sum": _Rule(_sum),
    "avg": _Rule(_avg),
    "mean": _Rule(_avg),
    "try_sum": _Rule(_attempt(_sum)),
    "try_avg": _Rule(_attempt(_avg)),
    "min": _Rule(_plain(_min)),
    "max": _Rule(_plain(_max)),
    "min_by": _Rule(_plain(_by(operator.lt)), sees_nulls=True),
    "max_by": _Rule(_plain(_by(operator.gt)), sees_nulls=True),
    **dict.fromkeys(("first", "first_value", "any_value"), _Rule(_plain(_first), sees_nulls=True)),
    **dict.fromkeys(("last", "last_value"), _Rule(_plain(_last), sees_nulls=True)),
    "single_value": _Rule(_plain(_single), sees_nulls=True),
    **dict.fromkeys(("bool_and", "every"), _Rule(_plain(lambda vs: all(v for (v,) in vs) if vs else None))),
    **dict.fromkeys(("bool_or", "some", "any"), _Rule(_plain(lambda vs: any(v for (v,) in vs) if vs else None))),
    **dict.fromkeys(("collect_list", "array_agg"), _Rule(_plain(lambda vs: tuple(v for (v,) in vs)))),
    "collect_set": _Rule(_plain(lambda values: unique(v for (v,) in values))),
    "mode": _Rule(_plain(_mode)),
    "bit_and": _Rule(_plain(_bits(operator.and_))),
    "bit_or": _Rule(_plain(_bits(operator.or_))),
    "bit_xor": _Rule(_plain(_bits(operator.xor))),
    **dict.fromkeys(("listagg", "string_agg"), _Rule(_plain(_listagg))),
    **dict.fromkeys(("median", "percentile", "percentile_cont"), _Rule(_plain(_percentile))),
    "percentile_disc": _Rule(_percentile_disc_of),
    **dict.fromkeys(("percentile_approx", "approx_percentile"), _Rule(_plain(_percentile_disc))),
    **{name: _Rule(_plain(fold)) for name, fold in STATISTICS.items()},
}
AGGREGATES: Final = frozenset(_RULES)
