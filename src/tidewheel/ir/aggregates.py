"""Aggregate and window functions: the types they give, and what they do with no rows, duplicates and order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tidewheel.ir.coercion import (
    is_integral,
    is_numeric,
)
from tidewheel.ir.scalar import Scalar
from tidewheel.types import (
    BOOLEAN,
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    UNKNOWN,
    Array,
    DataType,
    Decimal,
    decimal_avg,
    decimal_sum,
)  # fmt: skip

Kinds = tuple[DataType, ...]
TypeRule: TypeAlias = Callable[[Kinds, Sequence[Scalar]], DataType | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateFacts:
    """What an aggregate does: `empty` is its value over no rows, None for NULL.

    `ignores_duplicates`: more copies of a row change nothing, so DISTINCT is redundant. `ordered`: the result depends
    on the order in which rows come, unless the call states one.
    """

    empty: Literal["null", "zero", "empty-array", "unknown"] = "null"
    ignores_duplicates: bool = False
    ordered: bool = False
    total: bool = False


def _always(kind: DataType) -> TypeRule:
    return lambda _kinds, _scalars: kind


def _first(kinds: Kinds, scalars: Sequence[Scalar]) -> DataType | None:
    return kinds[0] if kinds and kinds[0] != UNKNOWN else None


def _list(kinds: Kinds, scalars: Sequence[Scalar]) -> DataType | None:
    return Array(kinds[0]) if kinds and kinds[0] != UNKNOWN else None


def _sum(kinds: Kinds, scalars: Sequence[Scalar]) -> DataType | None:
    if len(kinds) != 1:
        return None
    match kinds[0]:
        case Decimal() as kind:
            return decimal_sum(kind)
        case kind if is_integral(kind):
            return LONG
        case kind if kind in {FLOAT, DOUBLE, STRING}:
            return DOUBLE
    return None


def _avg(kinds: Kinds, scalars: Sequence[Scalar]) -> DataType | None:
    if len(kinds) != 1:
        return None
    kind = kinds[0]
    if isinstance(kind, Decimal):
        return decimal_avg(kind)
    return DOUBLE if is_numeric(kind) or kind == STRING else None


def _extreme(kinds: Kinds, scalars: Sequence[Scalar]) -> DataType | None:
    return kinds[0] if len(kinds) == 1 and kinds[0] != UNKNOWN else None


def _offset(kinds: Kinds, scalars: Sequence[Scalar]) -> DataType | None:
    return kinds[0] if kinds and kinds[0] != UNKNOWN else None


_STATISTICS: Final = (
    "stddev stddev_samp stddev_pop std variance var_samp var_pop corr covar_pop covar_samp skewness kurtosis "
    "regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy"
)
AGGREGATE_RULES: Final[dict[str, TypeRule]] = {
    **dict.fromkeys(("count", "count_if", "approx_count_distinct", "regr_count"), _always(LONG)),
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(("first", "first_value", "last", "last_value", "any_value", "single_value"), _first),
    **dict.fromkeys(("max_by", "min_by", "mode"), _first),
    **dict.fromkeys(_STATISTICS.split(), _always(DOUBLE)),
    **dict.fromkeys(("bool_and", "bool_or", "every", "some", "any"), _always(BOOLEAN)),
    **dict.fromkeys(("collect_list", "collect_set", "array_agg"), _list),
    "sum": _sum,
    "avg": _avg,
    "mean": _avg,
    "grouping": _always(BYTE),
    "grouping_id": _always(LONG),
}
WINDOW_RULES: Final[dict[str, TypeRule]] = {
    **dict.fromkeys(("row_number", "rank", "dense_rank", "ntile"), _always(INT)),
    **dict.fromkeys(("percent_rank", "cume_dist"), _always(DOUBLE)),
    **dict.fromkeys(("lag", "lead", "nth_value"), _offset),
}
_ANY_NUMBER: Final = (
    "min max bool_and bool_or every some any bit_and bit_or any_value collect_set "
    "approx_count_distinct single_value first last first_value last_value"
)
_ORDERED: Final = (
    "first first_value last last_value any_value collect_list array_agg listagg string_agg max_by min_by mode"
)


def _facts(name: str) -> AggregateFacts:
    zero = {"count", "count_if", "approx_count_distinct", "regr_count"}
    lists = {"collect_list", "collect_set", "array_agg"}
    return AggregateFacts(
        empty="zero" if name in zero else "empty-array" if name in lists else "null",
        ignores_duplicates=name in _ANY_NUMBER.split(),
        ordered=name in _ORDERED.split(),
    )


AGGREGATES: Final = {name: _facts(name) for name in AGGREGATE_RULES}
WINDOW_FUNCTIONS: Final = frozenset(WINDOW_RULES)
