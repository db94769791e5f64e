"""Aggregate and window functions: the types they give, and what they do with no rows, duplicates and order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tidewheel.decimals import decimal_avg, decimal_sum  # fmt: skip
from tidewheel.ir.builtins import names
from tidewheel.ir.coercion import (
    DAY_SECOND,
    YEAR_MONTH,
    cast_to,
    implicit_cast,
    is_day_time,
    is_integral,
    is_numeric,
    is_year_month,
)  # fmt: skip
from tidewheel.ir.scalar import Lit
from tidewheel.ir.signatures import Args, Kinds
from tidewheel.types import (  # fmt: skip
    BINARY,
    BOOLEAN,
    BYTE,
    DOUBLE,
    INT,
    LONG,
    STRING,
    UNKNOWN,
    VOID,
    Array,
    DataType,
    Decimal,
    has_map,
)

TypeRule: TypeAlias = Callable[[Kinds, Args], DataType | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateFacts:
    """What an aggregate does. `empty` is its value over no rows, or over rows whose arguments are all NULL.

    `ignores_duplicates`: more copies of a row change nothing, so DISTINCT is redundant. `ordered`: the result depends
    on the order in which rows come, unless the call states one. `total`: it is not NULL over one row or more if its
    argument never is.
    """

    empty: Literal["null", "zero", "empty-array", "unknown"] = "null"
    ignores_duplicates: bool = False
    ordered: bool = False
    total: bool = False


def _plain(rule: Callable[[Kinds], DataType | None]) -> TypeRule:
    return lambda kinds, _: None if UNKNOWN in kinds else rule(kinds)


def _always(kind: DataType) -> TypeRule:
    return lambda _kinds, _args: kind


def _first(kinds: Kinds) -> DataType | None:
    return kinds[0] if kinds else None


def _list(kinds: Kinds) -> DataType | None:
    return Array(kinds[0]) if len(kinds) == 1 else None


def _set(kinds: Kinds) -> DataType | None:
    return Array(kinds[0]) if len(kinds) == 1 and not has_map(kinds[0]) else None


def _sum(kinds: Kinds) -> DataType | None:
    match kinds:
        case (Decimal() as kind,):
            return decimal_sum(kind)
        case (kind,) if is_integral(kind):
            return LONG
        case (kind,) if is_numeric(kind) or kind in {STRING, VOID}:
            return DOUBLE
        case (kind,) if is_year_month(kind) or is_day_time(kind):
            return kind
    return None


def _avg(kinds: Kinds) -> DataType | None:
    match kinds:
        case (Decimal() as kind,):
            return decimal_avg(kind)
        case (kind,) if is_numeric(kind) or kind in {STRING, VOID}:
            return DOUBLE
        case (kind,) if is_year_month(kind):
            return YEAR_MONTH
        case (kind,) if is_day_time(kind):
            return DAY_SECOND
    return None


def _extreme(kinds: Kinds) -> DataType | None:
    return kinds[0] if len(kinds) == 1 and not has_map(kinds[0]) else None


def _by(kinds: Kinds) -> DataType | None:
    """max_by(x, y) and min_by(x, y); with a number of rows they give arrays, which we leave to Spark."""
    return kinds[0] if len(kinds) == 2 and not has_map(kinds[1]) else None


def _numbers(result: DataType, count: int = 1) -> TypeRule:
    """A statistic of one or two columns of numbers."""

    def rule(kinds: Kinds) -> DataType | None:
        fits = len(kinds) == count and all(implicit_cast(k, "double") is not None for k in kinds)
        return result if fits else None

    return _plain(rule)


def _bits(kinds: Kinds) -> DataType | None:
    return kinds[0] if len(kinds) == 1 and is_integral(kinds[0]) else None


def _boolean(kinds: Kinds) -> DataType | None:
    return BOOLEAN if len(kinds) == 1 and implicit_cast(kinds[0], "boolean") is not None else None


def _list_text(kinds: Kinds) -> DataType | None:
    if not 1 <= len(kinds) <= 2 or (BINARY in kinds and set(kinds) != {BINARY}):
        return BINARY if kinds == (BINARY, VOID) else None
    return implicit_cast(kinds[0], "string|binary")


def _percentile(kinds: Kinds, args: Args) -> DataType | None:
    """For one percentage; an array of them gives an array."""
    return DOUBLE if len(kinds) == 2 and is_numeric(kinds[0]) and isinstance(args[1], Lit) else None


def _median(kinds: Kinds) -> DataType | None:
    return DOUBLE if len(kinds) == 1 and is_numeric(kinds[0]) else None


def _approximate(kinds: Kinds, args: Args) -> DataType | None:
    """One of the values, for one percentage."""
    fits = 2 <= len(kinds) <= 3 and is_numeric(kinds[0]) and isinstance(args[1], Lit)
    return kinds[0] if fits else None


def _offset(kinds: Kinds) -> DataType | None:
    """Lag and lead: the type of the first argument, to which a default is cast."""
    if not 1 <= len(kinds) <= 3:
        return None
    return kinds[0] if len(kinds) < 3 else cast_to(kinds[2], kinds[0])


_MOMENTS: Final = names("stddev stddev_samp stddev_pop std variance var_samp var_pop skewness kurtosis")
_PAIRS: Final = names(
    """
    corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
    """
)
_FIRSTS: Final = names("first first_value last last_value any_value single_value mode")
AGGREGATE_RULES: Final[dict[str, TypeRule]] = {
    **dict.fromkeys(("count", "count_if", "approx_count_distinct", "regr_count"), _always(LONG)),
    **dict.fromkeys(("min", "max"), _plain(_extreme)),
    **dict.fromkeys(_FIRSTS, _plain(_first)),
    **dict.fromkeys(("max_by", "min_by"), _plain(_by)),
    **dict.fromkeys(_MOMENTS, _numbers(DOUBLE)),
    **dict.fromkeys(_PAIRS, _numbers(DOUBLE, 2)),
    **dict.fromkeys(("bool_and", "bool_or", "every", "some", "any"), _plain(_boolean)),
    **dict.fromkeys(("collect_list", "array_agg"), _plain(_list)),
    **dict.fromkeys(("bit_and", "bit_or", "bit_xor"), _plain(_bits)),
    **dict.fromkeys(("listagg", "string_agg"), _plain(_list_text)),
    **dict.fromkeys(("percentile_approx", "approx_percentile"), _approximate),
    **dict.fromkeys(("sum", "try_sum"), _plain(_sum)),
    **dict.fromkeys(("avg", "mean", "try_avg"), _plain(_avg)),
    "collect_set": _plain(_set),
    "median": _plain(_median),
    "percentile": _percentile,
    "grouping": _always(BYTE),
    "grouping_id": _always(LONG),
}
WINDOW_RULES: Final[dict[str, TypeRule]] = {
    **dict.fromkeys(("row_number", "rank", "dense_rank", "ntile"), _always(INT)),
    **dict.fromkeys(("percent_rank", "cume_dist"), _always(DOUBLE)),
    **dict.fromkeys(("lag", "lead"), _plain(_offset)),
    "nth_value": _plain(_first),
}

_ZERO: Final = names("count count_if approx_count_distinct regr_count")
_ARRAYS: Final = names("collect_list collect_set array_agg")
_ANY_NUMBER: Final = names(
    """
    min max bool_and bool_or every some any bit_and bit_or collect_set approx_count_distinct
    """
)
_ORDERED: Final = names(
    """
    first first_value last last_value any_value collect_list collect_set array_agg listagg string_agg max_by min_by mode
    percentile_approx approx_percentile
    """
)
_TOTAL: Final = names(
    """
    min max sum avg mean bool_and bool_or every some any bit_and bit_or bit_xor first first_value last last_value
    any_value single_value max_by min_by mode
    """
)


_OPAQUE: Final = names(
    """
    approx_top_k approx_top_k_accumulate approx_top_k_combine bitmap_and_agg bitmap_construct_agg bitmap_or_agg
    collect_union count_min_sketch histogram_numeric hll_sketch_agg hll_union_agg kll_merge_agg_bigint
    kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float measure
    percentile_cont percentile_disc schema_of_variant_agg theta_intersection_agg theta_sketch_agg theta_union_agg
    tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_agg_double tuple_sketch_agg_integer
    tuple_union_agg_double tuple_union_agg_integer vector_avg vector_sum
    """
)


def _facts(name: str) -> AggregateFacts:
    return AggregateFacts(
        empty="zero" if name in _ZERO else "empty-array" if name in _ARRAYS else "null",
        ignores_duplicates=name in _ANY_NUMBER,
        ordered=name in _ORDERED,
        total=name in _TOTAL,
    )


AGGREGATES: Final = {
    **{name: _facts(name) for name in AGGREGATE_RULES},
    **dict.fromkeys(_OPAQUE | {"grouping", "grouping_id"}, AggregateFacts(empty="unknown", ordered=True)),
}
"""All aggregates of Spark; of those that we know nothing about the facts say so."""

WINDOW_FUNCTIONS: Final = frozenset(WINDOW_RULES) | {"counter_diff"}
"""Functions that exist over windows only."""
