"""Which type Spark (ANSI mode) casts a value to when an operator, a function or its neighbours expect another one.

Interval types have no values of their own in our tables; here they are primitives by Spark's names, `interval day to
second` and its kind, so that `date - date` and `timestamp + interval` can be typed. Whether an array's elements or a
struct's fields may be NULL is never derived: it is always said that they may.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from tidewheel.decimals import decimal_of, widest_decimal  # fmt: skip
from tidewheel.types import (  # fmt: skip
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    Array,
    DataType,
    Decimal,
    Field,
    Map,
    Primitive,
    Struct,
)

INTEGRAL: Final = (BYTE, SHORT, INT, LONG)
NUMBERS: Final = (*INTEGRAL, FLOAT, DOUBLE)
"""Numbers that are not decimals, each wider than those before it."""
DATETIMES: Final = (DATE, TIMESTAMP_NTZ, TIMESTAMP)
_UNITS: Final = (("year", "month"), ("day", "hour", "minute", "second"))
CALENDAR: Final = Primitive("interval")

Widen: TypeAlias = Callable[[DataType, DataType], DataType | None]


def is_integral(kind: DataType) -> bool:
    return kind in INTEGRAL


def is_numeric(kind: DataType) -> bool:
    return kind in NUMBERS or isinstance(kind, Decimal)


def is_fractional(kind: DataType) -> bool:
    return kind in {FLOAT, DOUBLE} or isinstance(kind, Decimal)


def is_atomic(kind: DataType) -> bool:
    return isinstance(kind, Decimal) or (isinstance(kind, Primitive) and kind not in {VOID, CALENDAR})


def interval(start: str, end: str | None = None) -> Primitive:
    return Primitive(f"interval {start}" if end in {None, start} else f"interval {start} to {end}")


YEAR_MONTH: Final = interval("year", "month")
DAY_SECOND: Final = interval("day", "second")


def interval_units(kind: DataType) -> tuple[str, ...]:
    """The units from the first to the last of a year-month or day-time interval; nothing for another type."""
    if not isinstance(kind, Primitive) or not kind.name.startswith("interval "):
        return ()
    first, _, last = kind.name.removeprefix("interval ").partition(" to ")
    for family in _UNITS:
        if first in family and (last or first) in family:
            return family[family.index(first) : family.index(last or first) + 1]
    return ()


def is_year_month(kind: DataType) -> bool:
    return bool(units := interval_units(kind)) and units[0] in _UNITS[0]


def is_day_time(kind: DataType) -> bool:
    return bool(units := interval_units(kind)) and units[0] in _UNITS[1]


def interval_of(text: str) -> DataType | None:
    """The type of an interval literal from what follows the word INTERVAL: `'1' DAY`, `'1-2' YEAR TO MONTH`."""
    words = re.sub(r"'[^']*'|-?[\d.]+", " ", text.lower()).replace(" to ", " ").split()
    aliases = {"week": "day", "millisecond": "second", "microsecond": "second"}
    units = [aliases.get(u, u) for u in (w.removesuffix("s") for w in words)]
    for family in _UNITS:
        if units and all(u in family for u in units):
            places = [family.index(u) for u in units]
            return interval(family[min(places)], family[max(places)])
    return None


def tightest_type(a: DataType, b: DataType) -> DataType | None:
    """The type that holds all values of both without loss; of two different decimals there is none."""
    if a == VOID or b in {a, VOID}:
        return b if a == VOID else a
    if a in NUMBERS and b in NUMBERS:
        wider = max(a, b, key=NUMBERS.index)
        return DOUBLE if wider == FLOAT else wider
    if a in DATETIMES and b in DATETIMES:
        return max(a, b, key=DATETIMES.index)
    for decimal, other in ((a, b), (b, a)):
        if isinstance(decimal, Decimal) and is_integral(other):
            whole = decimal_of(other)
            return decimal if whole and decimal.precision - decimal.scale >= whole.precision else None
    return _common_interval(a, b) or _inside(a, b, tightest_type)


def _common_interval(a: DataType, b: DataType) -> DataType | None:
    ours, theirs = interval_units(a), interval_units(b)
    for family in _UNITS:
        if ours and theirs and ours[0] in family and theirs[0] in family:
            first = min(ours[0], theirs[0], key=family.index)
            return interval(first, max(ours[-1], theirs[-1], key=family.index))
    return None


def _inside(a: DataType, b: DataType, widen: Widen) -> DataType | None:
    """Arrays, maps and structs of the same shape, widened part by part; names are those of the first struct."""
    match a, b:
        case Array(x), Array(y):
            element = widen(x, y)
            return None if element is None else Array(element)
        case Map(k, v), Map(l, w):
            key, value = widen(k, l), widen(v, w)
            return None if key is None or value is None else Map(key, value)
        case Struct(xs), Struct(ys) if len(xs) == len(ys):
            fields: list[Field] = []
            for ours, theirs in zip(xs, ys, strict=True):
                kind = widen(ours.type, theirs.type)
                if kind is None or ours.name.lower() != theirs.name.lower():
                    return None
                fields.append(Field(ours.name, kind))
            return Struct(tuple(fields))
    return None


def _wider_decimal(a: DataType, b: DataType) -> DataType | None:
    if not isinstance(a, Decimal) and not isinstance(b, Decimal):
        return None
    if {a, b} & {FLOAT, DOUBLE}:
        return DOUBLE
    left, right = decimal_of(a), decimal_of(b)
    return widest_decimal(left, right) if left and right else None


def promote_string(a: DataType, b: DataType) -> DataType | None:
    """What a string and a value of another type are both cast to."""
    if (a == STRING) == (b == STRING):
        return None
    other = b if a == STRING else a
    if is_integral(other):
        return LONG
    if is_fractional(other):
        return DOUBLE
    if other == VOID:
        return STRING
    return other if is_atomic(other) and not interval_units(other) else None


def wider_type(a: DataType, b: DataType) -> DataType | None:
    """The common type without promotion of strings: that of greatest and least."""
    return tightest_type(a, b) or _wider_decimal(a, b) or _inside(a, b, wider_type)


def common_type(a: DataType, b: DataType) -> DataType | None:
    """The type of CASE, coalesce, IN, UNION over the two; None if there is none."""
    return tightest_type(a, b) or _wider_decimal(a, b) or promote_string(a, b) or _inside(a, b, common_type)


def common_of(kinds: Iterable[DataType], widen: Widen = common_type) -> DataType | None:
    """The common type of many, from the first to the last."""
    result: DataType | None = VOID
    for kind in kinds:
        result = None if result is None else widen(result, kind)
    return result


def can_store(source: DataType, target: DataType) -> bool:
    """Is a value assigned without an explicit cast; it may still raise."""
    if source in {target, VOID}:
        return True
    match source, target:
        case Array(a), Array(b):
            return can_store(a, b)
        case Map(k, v), Map(l, w):
            return can_store(k, l) and can_store(v, w)
        case Struct(xs), Struct(ys):
            return len(xs) == len(ys) and all(can_store(x.type, y.type) for x, y in zip(xs, ys, strict=True))
    if is_numeric(source) and is_numeric(target):
        return True
    if target == STRING:
        return is_atomic(source) or source == CALENDAR
    same_family = (is_year_month(source) and is_year_month(target)) or (is_day_time(source) and is_day_time(target))
    return (source in DATETIMES and target in DATETIMES) or same_family


def cast_to(kind: DataType, target: DataType) -> DataType | None:
    """The target, if a function that expects exactly this type takes a value of the other one."""
    promoted = kind == STRING and is_atomic(target)
    return target if promoted or can_store(kind, target) else None


_DEFAULTS: Final[dict[str, DataType]] = {
    "numeric": DOUBLE,
    "integral": INT,
    "decimal": Decimal(38, 18),
    "timestamps": TIMESTAMP,
}
_CONCRETE: Final[dict[str, DataType]] = {
    "boolean": BOOLEAN, "tinyint": BYTE, "smallint": SHORT, "int": INT, "bigint": LONG, "float": FLOAT,
    "double": DOUBLE, "string": STRING, "binary": BINARY, "date": DATE, "timestamp": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ, "void": VOID, "strings": Array(STRING), "bigints": Array(LONG),
    "interval": CALENDAR, "days": interval("day"), "year_month": YEAR_MONTH, "day_second": DAY_SECOND,
}  # fmt: skip


@functools.cache
def named_type(name: str) -> DataType | None:
    """A concrete type by its name in the tables of signatures."""
    if name.startswith("decimal("):
        return Decimal(*map(int, name[8:-1].split(",")))
    return _CONCRETE.get(name)


def accepts(expected: str, kind: DataType) -> bool:
    """Does a parameter that a signature describes by this word take the type as it is."""
    match expected:
        case "any":
            return True
        case "numeric":
            return is_numeric(kind)
        case "integral":
            return is_integral(kind)
        case "decimal":
            return isinstance(kind, Decimal)
        case "timestamps":
            return kind in {TIMESTAMP, TIMESTAMP_NTZ}
        case "array":
            return isinstance(kind, Array)
        case "map":
            return isinstance(kind, Map)
        case "struct":
            return isinstance(kind, Struct)
        case "atomic":
            return is_atomic(kind)
        case "day_time":
            return is_day_time(kind)
        case "year_months":
            return is_year_month(kind)
    return named_type(expected) == kind


def implicit_cast(kind: DataType, expected: str) -> DataType | None:
    """What an argument becomes where a function expects one of `a|b|...`; None if Spark would refuse it.

    A leading `!` says that the function takes only what it names, and NULL.
    """
    words = expected.removeprefix("!").split("|")
    if any(accepts(word, kind) for word in words):
        return kind
    if expected[0] == "!" and kind != VOID:
        return None
    return next((found for word in words if (found := _cast_to(kind, word)) is not None), None)


def _cast_to(kind: DataType, word: str) -> DataType | None:
    target = named_type(word) or _DEFAULTS.get(word)
    if word == "decimal" and kind in NUMBERS:
        return decimal_of(kind) or (Decimal(14, 7) if kind == FLOAT else Decimal(30, 15))
    if target is None or (word == "integral" and is_fractional(kind)):
        return None
    if word == "integral":
        return target if can_store(kind, target) else None
    return cast_to(kind, target)
