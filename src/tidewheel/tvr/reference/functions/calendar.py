"""Arithmetic of days and months that several families of functions need."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, TypeVar

from tidewheel.tvr.reference.errors import Unsupported

_FAR: Final = "dates after the year 9999 or before the year 1"
DateOrTime = TypeVar("DateOrTime", dt.date, dt.datetime)


def checked_date(compute: Callable[[], dt.date]) -> dt.date:
    """A date that the calendar of Python holds: years 1 to 9999; Spark's goes further."""
    try:
        return compute()
    except (OverflowError, ValueError):
        raise Unsupported(_FAR) from None


def checked_timestamp(compute: Callable[[], dt.datetime]) -> dt.datetime:
    try:
        return compute()
    except (OverflowError, ValueError):
        raise Unsupported(_FAR) from None


def days_in_month(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


def add_months(day: DateOrTime, count: int) -> DateOrTime:
    """The same day so many months later, or the last of that month if it has no such day."""
    years, month = divmod(day.month - 1 + count, 12)
    year = day.year + years
    if not 1 <= year <= 9999:
        raise Unsupported(_FAR)
    return day.replace(year=year, month=month + 1, day=min(day.day, days_in_month(year, month + 1)))


def round_half_up(number: Decimal) -> int:
    return int(number.quantize(Decimal(1), ROUND_HALF_UP))
