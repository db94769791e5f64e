"""Values as Spark compares them: one key for each, equal when the values are and ordered as they are.

NULL is None and comes first; NaN equals NaN and is greater than any number; -0.0 equals 0.0. Strings compare by code
point, which is the order of their UTF-8 bytes. Arrays and structs compare element by element, a prefix first.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Value: TypeAlias = Any
"""None, bool, int, float, Decimal, str, bytes, date, datetime, timedelta, Months, or a tuple of values."""
Row: TypeAlias = tuple[Value, ...]
Key: TypeAlias = tuple[Any, ...]

UTC: Final = dt.UTC
EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=UTC)
EPOCH_NTZ: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001  a timestamp without time zone
EPOCH_DATE: Final = dt.date(1970, 1, 1)
_NULL_KEY: Final = (0,)


@dataclass(frozen=True, slots=True, order=True)
class Months:
    """A year-month interval; a day-time interval is a timedelta."""

    count: int


def key(value: Value) -> Key:
    """What a value is compared, grouped and joined by."""
    if value is None:
        return _NULL_KEY
    if isinstance(value, bool):
        return (1, "boolean", value)
    if isinstance(value, int):
        return (1, "integer", value)
    if isinstance(value, float):
        return (1, "float", 1, 0.0) if math.isnan(value) else (1, "float", 0, value + 0.0)
    if isinstance(value, tuple):
        return (1, "tuple", tuple(key(v) for v in value))
    return (1, type(value).__name__, value)


def row_key(row: Iterable[Value]) -> Key:
    return tuple(key(v) for v in row)


def as_float32(number: float) -> float:
    """The nearest FLOAT, as a Python float."""
    if math.isnan(number):
        return math.nan
    try:
        rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return rounded


def micros(moment: dt.datetime) -> int:
    """Microseconds since the epoch, of a timestamp with or without time zone."""
    return (moment - (EPOCH_NTZ if moment.tzinfo is None else EPOCH)) // dt.timedelta(microseconds=1)
