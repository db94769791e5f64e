"""The types of arithmetic with dates, timestamps and intervals."""

from __future__ import annotations

from typing import Final

from tidewheel.ir.coercion import (
    CALENDAR,
    DAY_SECOND,
    YEAR_MONTH,
    common_type,
    implicit_cast,
    interval,
    interval_units,
    is_day_time,
    is_year_month,
    tightest_type,
)  # fmt: skip
from tidewheel.ir.signatures import Signature, returning
from tidewheel.types import BYTE, DATE, INT, LONG, SHORT, STRING, TIMESTAMP, TIMESTAMP_NTZ, DataType

_TIMESTAMPS: Final = (TIMESTAMP, TIMESTAMP_NTZ)


def time_arithmetic(operator: str, left: DataType, right: DataType) -> Signature | None:
    """The signature where a date, timestamp or interval is on either side; None for everything else."""
    match operator:
        case "+":
            return _moved(left, right) or _turned(_moved(right, left)) or _intervals(left, right)
        case "-":
            return _moved(left, right) or _apart(left, right) or _intervals(left, right)
        case "*":
            return _scaled(left, right) or _turned(_scaled(right, left))
        case "/":
            return _scaled(left, right)
        case "div":
            same = (is_year_month(left) and is_year_month(right)) or (is_day_time(left) and is_day_time(right))
            common = tightest_type(left, right) if same else None
            return None if common is None else Signature((common, common), LONG)
    return None


def _turned(found: Signature | None) -> Signature | None:
    return None if found is None else Signature(found.args[::-1], found.result)


def _moved(moment: DataType, by: DataType) -> Signature | None:
    """A date or timestamp moved by an interval, or a date by a number of days."""
    if moment == DATE:
        if by == interval("day") or is_year_month(by) or by in {BYTE, SHORT, INT}:
            return Signature((DATE, by), DATE)
        return Signature((TIMESTAMP, by), TIMESTAMP) if is_day_time(by) else None
    if moment in _TIMESTAMPS and (is_day_time(by) or is_year_month(by)):
        return Signature((moment, by), moment)
    return None


def _apart(left: DataType, right: DataType) -> Signature | None:
    """The time between two moments, of which one may be a string."""
    if left in _TIMESTAMPS or right in _TIMESTAMPS:
        known = {left, right} <= {*_TIMESTAMPS, DATE, STRING}
        common = common_type(left, right) if known else None
        return None if common is None else Signature((common, common), DAY_SECOND)
    if {left, right} in ({DATE}, {DATE, STRING}):
        return Signature((DATE, DATE), interval("day"))
    return None


def _intervals(left: DataType, right: DataType) -> Signature | None:
    if not (interval_units(left) or interval_units(right)) or CALENDAR in {left, right}:
        return None
    common = tightest_type(left, right)
    return None if common is None else Signature((common, common), common)


def _scaled(left: DataType, right: DataType) -> Signature | None:
    """An interval times a number."""
    if not interval_units(left) or interval_units(right):
        return None
    return returning((left, implicit_cast(right, "numeric")), YEAR_MONTH if is_year_month(left) else DAY_SECOND)
