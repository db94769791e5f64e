"""What we know of Spark's functions by lower-case name: about NULL, about errors, about the clock and chance.

What is not in a table here is not known, and every question about it gets the careful answer.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import Final, Literal, TypeAlias

from tidewheel.ir.aggregates import AGGREGATES, WINDOW_FUNCTIONS
from tidewheel.ir.builtins import BUILTINS, names
from tidewheel.ir.raising import can_raise
from tidewheel.ir.scalar import INFIX, Call, Case, Cast, Col, Lit, Scalar, walk

__all__ = [
    "AGGREGATES", "BUILTINS", "GENERATORS", "NEVER_NULL", "NULL_INTOLERANT", "OPERATORS", "TOTAL", "WINDOW_FUNCTIONS",
    "can_raise", "clock_of", "is_deterministic", "is_null_intolerant", "rejects_nulls",
]  # fmt: skip

Clock: TypeAlias = Literal["none", "day", "time"]

OPERATORS: Final = INFIX | {
    "not", "negative", "positive", "bit_not", "isnull", "isnotnull", "in", "like", "ilike", "rlike", "get_field",
    "get_item", "extract",
}  # fmt: skip
"""Calls of our own naming: infix operators, and what SQL writes as syntax."""

GENERATORS: Final = names(
    """
    explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple variant_explode
    variant_explode_outer
    """
)

NULL_INTOLERANT: Final = names(
    """
    + - * / % div mod pmod || & | ^ = <> < <= > >= not negative positive bit_not abs concat try_add try_subtract
    try_multiply try_divide try_mod upper lower ucase lcase initcap soundex trim ltrim rtrim btrim length len
    char_length character_length octet_length bit_length ascii replace split instr left right substring substr
    substring_index like ilike rlike regexp regexp_like regexp_replace regexp_extract repeat translate space char
    chr lpad rpad reverse sqrt exp ln log log10 log2 sin cos tan power pow sign signum round bround ceil ceiling
    floor year month day dayofmonth quarter dayofweek weekday dayofyear weekofyear hour minute second date_add
    date_sub datediff date_diff add_months months_between last_day date_trunc trunc date_format to_date to_timestamp
    make_date get_field get_item element_at contains startswith endswith md5 sha sha1 hex unhex base64 crc32 unix_date
    split_part size cardinality array_size atan2 hypot degrees radians cbrt array_contains array_max array_min map_keys
    map_values sort_array array_distinct
    """
)
"""NULL if any argument is."""

NEVER_NULL: Final = names(
    """
    isnull isnotnull <=> equal_null array map named_struct struct hash xxhash64 typeof current_date now
    current_timestamp localtimestamp curdate rand randn random uuid pi e
    """
)
"""Never NULL, whatever the arguments."""

TOTAL: Final = names(
    """
    + - * / % div mod pmod || & | ^ = <> < <= > >= not and or in negative positive bit_not abs concat upper lower
    ucase lcase initcap trim ltrim rtrim btrim length len char_length character_length replace instr substring
    substr like ilike rlike round bround ceil ceiling floor sqrt exp year month day dayofmonth quarter dayofweek
    weekday dayofyear weekofyear hour minute second date_add date_sub datediff last_day
    left right reverse translate ascii octet_length bit_length contains startswith endswith md5 sha sha1 hex unix_date
    size cardinality array_size nanvl sign signum power pow sin cos atan2 degrees radians concat_ws
    """
)
"""Not NULL if no argument is."""

_CHANCE: Final = names(
    """
    rand randn random uuid shuffle randstr uniform monotonically_increasing_id spark_partition_id input_file_name
    input_file_block_start input_file_block_length java_method reflect try_reflect current_user user session_user
    current_catalog current_database current_schema current_path
    """
)
_BY_DAY: Final = frozenset({"current_date", "curdate"})
_BY_TIME: Final = frozenset({"now", "current_timestamp", "localtimestamp", "current_time", "localtime"})
_DAY_WORDS: Final = frozenset({"today", "tomorrow", "yesterday"})


def is_null_intolerant(name: str) -> bool:
    """Is the result NULL whenever an argument is."""
    return name in NULL_INTOLERANT


@functools.lru_cache(maxsize=20_000)
def is_deterministic(scalar: Scalar) -> bool:
    """Does the same row give the same value, at the same time; a function that Spark does not have may do anything."""
    for part in walk(scalar):
        if isinstance(part, Call):
            name = part.name
            if name in _CHANCE or (name not in BUILTINS and name not in OPERATORS and name not in _SYNTAX):
                return False
    return True


_SYNTAX: Final = frozenset({"timestampadd", "timestampdiff", "single_value"})


def clock_of(scalar: Scalar) -> Clock:
    """How often the value changes by itself: never, each day, or each moment."""
    clocks = {_clock_of_part(part) for part in walk(scalar)}
    return "time" if "time" in clocks else "day" if "day" in clocks else "none"


def _clock_of_part(part: Scalar) -> Clock:
    match part:
        case Call(name, args):
            if name in _BY_TIME or (name in {"unix_timestamp", "to_unix_timestamp"} and not args):
                return "time"
            return "day" if name in _BY_DAY else "none"
        case Lit("date" | "timestamp" | "timestamp_ntz" as kind, value):
            word = value.strip().lower().split(" ")[0]
            if word == "now":
                return "day" if kind == "date" else "time"
            return "day" if word in _DAY_WORDS else "none"
    return "none"


def rejects_nulls(predicate: Scalar, column_positions: Collection[int]) -> bool:
    """Is the predicate never true when all these columns are NULL."""
    return True not in _outcomes(predicate, frozenset(column_positions))


Outcomes: TypeAlias = frozenset[bool | None]
_ANY: Final[Outcomes] = frozenset({True, False, None})
_NULL: Final[Outcomes] = frozenset({None})
_KNOWN: Final[Outcomes] = frozenset({True, False})


def _outcomes(scalar: Scalar, gone: frozenset[int]) -> Outcomes:
    """The truth values that a condition can have when the columns in `gone` are NULL."""
    match scalar:
        case Lit("boolean", value):
            return frozenset({value.lower() == "true"})
        case Case(branches, otherwise):
            return _case_outcomes(branches, otherwise, gone)
        case Call("and", args):
            return _combined(args, gone, absorbing=False)
        case Call("or", args):
            return _combined(args, gone, absorbing=True)
        case Call("not", (arg,)):
            return frozenset(None if o is None else not o for o in _outcomes(arg, gone))
        case Call("isnull" | "isnotnull" as name, (arg,)):
            return frozenset({name == "isnull"}) if is_null(arg, gone) else _KNOWN
        case Call("<=>", (left, right)):
            sides = [is_null(s, gone) for s in (left, right)]
            constant = any(isinstance(s, Lit) and s.kind != "null" for s in (left, right))
            return frozenset({True}) if all(sides) else frozenset({False}) if any(sides) and constant else _KNOWN
    return _NULL if is_null(scalar, gone) else _ANY


def _combined(args: Collection[Scalar], gone: frozenset[int], *, absorbing: bool) -> Outcomes:
    """AND (false absorbs) or OR (true absorbs) of independent conditions."""
    result: Outcomes = frozenset({not absorbing})
    for arg in args:
        here = _outcomes(arg, gone)
        result = frozenset(
            absorbing if absorbing in {a, b} else None if None in {a, b} else not absorbing
            for a in result
            for b in here
        )
    return result


def _case_outcomes(
    branches: tuple[tuple[Scalar, Scalar], ...], otherwise: Scalar | None, gone: frozenset[int]
) -> Outcomes:
    found: set[bool | None] = set()
    for condition, value in branches:
        reached = _outcomes(condition, gone)
        if True in reached:
            found |= _outcomes(value, gone)
        if reached == {True}:
            return frozenset(found)
    return frozenset(found | (_NULL if otherwise is None else _outcomes(otherwise, gone)))


def is_null(scalar: Scalar, gone: frozenset[int]) -> bool:
    """Is the scalar surely NULL when the columns in `gone` are."""
    match scalar:
        case Col(index):
            return index in gone
        case Lit(kind):
            return kind == "null"
        case Cast(arg):
            return is_null(arg, gone)
        case Case():
            reached = _reached(scalar, gone)
            return all(is_null(v, gone) for v in reached)
        case Call("coalesce" | "nvl" | "ifnull" | "greatest" | "least", args):
            return all(is_null(a, gone) for a in args)
        case Call("in", args):
            return is_null(args[0], gone) or all(is_null(a, gone) for a in args[1:])
        case Call("and" | "or" | "not"):
            return _outcomes(scalar, gone) == _NULL
        case Call("nullif", args):
            return is_null(args[0], gone)
        case Call(name, args):
            return name in NULL_INTOLERANT and any(is_null(a, gone) for a in args)
    return False


def _reached(case: Case, gone: frozenset[int]) -> list[Scalar]:
    """The values that a CASE may take."""
    found = []
    for condition, value in case.branches:
        outcomes = _outcomes(condition, gone)
        if True in outcomes:
            found.append(value)
        if outcomes == {True}:
            return found
    return found if case.otherwise is None else [*found, case.otherwise]
