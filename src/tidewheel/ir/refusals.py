"""Calls that Spark's analyzer surely refuses (ANSI mode): the arguments are known, and no rule of its takes them.

`resolve` says None for what we do not know as well as for what is wrong. Here stand the functions for which it was
compared with Spark over all pairs of types below: where it says None, Spark refuses the call.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Final

from tidewheel.ir.aggregates import AGGREGATE_RULES
from tidewheel.ir.builtins import names
from tidewheel.ir.coercion import (
    DATETIMES,
    common_type,
    interval_units,
    is_day_time,
    is_integral,
    is_numeric,
    is_year_month,
)  # fmt: skip
from tidewheel.ir.scalar import Scalar
from tidewheel.types import (
    BINARY,
    BOOLEAN,
    PRIMITIVES,
    STRING,
    TIMESTAMP,
    VOID,
    Array,
    DataType,
    Decimal,
    Field,
    Map,
    Primitive,
    Struct,
    has_map,
    holds,
)

_ONE: Final = names(
    """
    abs acos acosh array_compact array_distinct array_max array_min array_size ascii asin asinh atan atanh base64 bin
    bit_count bit_length bit_not bround btrim cardinality cbrt ceil ceiling char char_length character_length chr
    concat concat_ws cos cosh cot crc32 csc date_from_unix_date day dayname dayofmonth dayofweek dayofyear degrees exp
    expm1 factorial flatten floor format_string from_unixtime hex hour initcap isnan json_array_length
    json_object_keys last_day lcase len length ln log log10 log1p log2 lower ltrim luhn_check map_entries
    map_from_entries map_keys map_values md5 minute month monthname negative not octet_length positive printf quarter
    quote radians reverse rint round rtrim sec second sha sha1 sign signum sin sinh size sort_array soundex space sqrt
    str_to_map tan tanh timestamp_micros timestamp_millis timestamp_seconds to_date to_timestamp to_timestamp_ltz
    to_timestamp_ntz to_unix_timestamp trim try_to_date try_to_timestamp try_url_decode ucase unbase64 unhex unix_date
    unix_timestamp upper url_decode url_encode weekday weekofyear year zeroifnull
    """
)
_TWO: Final = names(
    """
    % & * + - / < <= <=> <> = > >= ^ add_months array_join array_repeat atan2 bit_get btrim concat concat_ws contains
    date_add date_diff date_format date_sub date_trunc dateadd datediff div encode endswith equal_null find_in_set
    format_string from_unixtime from_utc_timestamp get_json_object getbit hypot ilike instr left levenshtein like
    locate log lpad ltrim mod months_between next_day pmod position pow power printf regexp regexp_count
    regexp_extract regexp_extract_all regexp_instr regexp_like regexp_substr repeat replace right rlike rpad rtrim
    sha2 shiftleft shiftright shiftrightunsigned sort_array split startswith str_to_map substr substring to_date
    to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_utc_timestamp trim trunc try_add try_divide
    try_mod try_multiply try_subtract try_to_date try_to_timestamp unix_timestamp | ||
    """
)
_THREE: Final = names(
    """
    array_join conv
    """
)
_AGGREGATES: Final = names(
    """
    any avg bit_and bit_or bit_xor bool_and bool_or collect_set every kurtosis listagg max mean min skewness some std
    stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp variance
    """
)


@functools.cache
def is_plain(kind: DataType) -> bool:
    """Is it one of the types over which the tables were compared with Spark, all the way down."""
    match kind:
        case Primitive(name):
            return name in PRIMITIVES or kind == VOID or bool(interval_units(kind))
        case Decimal():
            return True
        case Array(element):
            return is_plain(element)
        case Map(key, value):
            return is_plain(key) and is_plain(value)
        case Struct(fields):
            return all(is_plain(f.type) for f in fields)


def _is_settled(kinds: Sequence[DataType]) -> bool:
    """NULL goes almost everywhere, and beside intervals strings have rules of their own: about these we say nothing."""
    if any(map(_has_void, kinds)) or not all(map(is_plain, kinds)):
        return False
    nested = {k for k in kinds if isinstance(k, (Array, Map, Struct))}
    if len({type(k) for k in nested}) < len(nested):
        return False  # two arrays, two structs: what is inside of them was not compared with Spark
    return STRING not in kinds or not any(map(interval_units, kinds))


@functools.cache
def _has_void(kind: DataType) -> bool:
    return holds(kind, lambda inner: inner == VOID)


def is_refusal(name: str, kinds: Sequence[DataType]) -> bool:
    """Where `resolve` knows no rule for a scalar function of these types, does Spark surely refuse the call."""
    if not _is_settled(kinds):
        return False
    special = _SPECIAL.get(name)
    if special is not None:
        return special(kinds)
    return name in {1: _ONE, 2: _TWO, 3: _THREE}.get(len(kinds), frozenset())


def _is_bad_connective(kinds: Sequence[DataType]) -> bool:
    return len(kinds) == 2 or any(k not in {BOOLEAN, STRING} for k in kinds)


def _is_bad_member(kinds: Sequence[DataType]) -> bool:
    return len(kinds) > 1 and (has_map(kinds[0]) or have_no_common_type(kinds))


def _is_bad_map(kinds: Sequence[DataType]) -> bool:
    keys = kinds[::2]
    return any(map(has_map, keys)) or have_no_common_type(keys) or have_no_common_type(kinds[1::2])


def _is_bad_item(kinds: Sequence[DataType]) -> bool:
    """`s['field']` takes a field of a struct, or of each struct of an array; of a number or a text there is no item."""
    match kinds:
        case (Array(element), index):
            return not isinstance(element, Struct) and not is_integral(index)
        case (Primitive() | Decimal(), _):
            return True
    return False


def _is_bad_element(kinds: Sequence[DataType]) -> bool:
    """A text is not looked for among integers."""
    match kinds:
        case (Array(element), value):
            return is_integral(element) and value == STRING
    return False


@functools.cache
def _without_names(kind: DataType) -> DataType:
    """Structs of other names are one type to some rules of Spark."""
    match kind:
        case Array(element):
            return Array(_without_names(element))
        case Map(key, value):
            return Map(_without_names(key), _without_names(value))
        case Struct(fields):
            return Struct(tuple(Field(str(i), _without_names(f.type)) for i, f in enumerate(fields)))
    return kind


def have_no_common_type(kinds: Sequence[DataType]) -> bool:
    """Are there two among the types, neither of them a string, which Spark cannot unite."""
    if not all(map(is_plain, kinds)):
        return False
    different = [k for k in dict.fromkeys(map(_without_names, kinds)) if k != VOID]
    if len(different) > 2:
        different = [k for k in different if k != STRING]
    return any(common_type(a, b) is None for a, b in itertools.combinations(different, 2))


_SPECIAL: Final[dict[str, Callable[[Sequence[DataType]], bool]]] = {
    "array_contains": _is_bad_element,
    "and": _is_bad_connective,
    "or": _is_bad_connective,
    "in": _is_bad_member,
    "map": _is_bad_map,
    "get_item": _is_bad_item,
    **dict.fromkeys(("coalesce", "nvl", "ifnull", "array"), have_no_common_type),
}


def is_refused_aggregate(name: str, kinds: Sequence[DataType], args: Sequence[Scalar]) -> bool:
    """Does Spark surely refuse an aggregate of one argument of this type; timestamps it sums, which we do not know."""
    if name not in _AGGREGATES or len(kinds) != 1 or not _is_settled(kinds) or kinds[0] == TIMESTAMP:
        return False
    return AGGREGATE_RULES[name](tuple(kinds), args) is None


def is_no_condition(kind: DataType, *, in_clause: bool) -> bool:
    """Does Spark surely refuse a value of this type as a condition; a CASE may take NULL for one."""
    return is_plain(kind) and kind != BOOLEAN and (in_clause or kind != VOID)


def cannot_cast(kind: DataType, target: DataType) -> bool:
    """Does Spark surely refuse the cast, whatever the value."""
    if kind in {target, VOID} or target == STRING or not is_plain(kind) or not is_plain(target):
        return False
    match kind, target:
        case Array(a), Array(b):
            return cannot_cast(a, b)
        case Map(k, v), Map(l, w):
            return cannot_cast(k, l) or cannot_cast(v, w)
        case Struct(xs), Struct(ys):
            return len(xs) != len(ys) or any(cannot_cast(x.type, y.type) for x, y in zip(xs, ys, strict=True))
        case (Array() | Map() | Struct(), _) | (_, Array() | Map() | Struct()):
            return True
    return kind != STRING and not _casts_between(kind, target)


def _casts_between(kind: DataType, target: DataType) -> bool:
    """A cast between types that hold one value, none of them a string; of binaries and intervals we say little."""
    if interval_units(kind) or interval_units(target):
        apart = (is_year_month(kind) and is_day_time(target)) or (is_day_time(kind) and is_year_month(target))
        return not apart and not {kind, target} & {BOOLEAN, BINARY, *DATETIMES}
    if is_numeric(kind) and is_numeric(target):
        return True
    if BINARY in {kind, target}:
        return is_integral(kind)
    if kind in DATETIMES and target in DATETIMES:
        return True
    if BOOLEAN in {kind, target}:
        return is_numeric(kind) or is_numeric(target)
    return TIMESTAMP in {kind, target}
