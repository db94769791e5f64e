"""Functions of dates and timestamps; everything is in UTC."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Final

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.casts import moment_of
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.formats import read_zone
from tidewheel.tvr.reference.functions.calendar import add_months, checked_date, checked_timestamp, days_in_month
from tidewheel.tvr.reference.functions.registry import Implementation, attempts, function, typed
from tidewheel.tvr.reference.values import EPOCH_DATE, UTC, Months, Value, micros
from tidewheel.types import Primitive

_DAY: Final = dt.timedelta(days=1)
_MICRO: Final = dt.timedelta(microseconds=1)

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

function("year")(lambda d: d.year)
function("quarter")(lambda d: (d.month + 2) // 3)
function("month")(lambda d: d.month)
function("day", "dayofmonth")(lambda d: d.day)
function("dayofweek")(lambda d: d.isoweekday() % 7 + 1)
function("weekday")(lambda d: d.weekday())
function("dayofyear")(lambda d: d.timetuple().tm_yday)
function("weekofyear")(lambda d: d.isocalendar().week)
function("hour")(lambda t: t.hour)
function("minute")(lambda t: t.minute)
function("second")(lambda t: t.second)
function("monthname")(lambda d: MONTHS[d.month - 1][:3])
function("dayname")(lambda d: DAYS[d.weekday()][:3])

_FIELDS: Final[dict[str, Any]] = {
    "YEAR": lambda d: d.year,
    "YEAROFWEEK": lambda d: d.isocalendar().year,
    "QUARTER": lambda d: (d.month + 2) // 3,
    "MONTH": lambda d: d.month,
    "WEEK": lambda d: d.isocalendar().week,
    "DAY": lambda d: d.day,
    "DAYOFWEEK": lambda d: d.isoweekday() % 7 + 1,
    "DAYOFWEEK_ISO": lambda d: d.isoweekday(),
    "DOY": lambda d: d.timetuple().tm_yday,
    "HOUR": lambda t: t.hour,
    "MINUTE": lambda t: t.minute,
    "SECOND": lambda t: Decimal(t.second * 1_000_000 + t.microsecond).scaleb(-6),
}
_FIELD_NAMES: Final = {
    "Y": "YEAR", "YEARS": "YEAR", "YR": "YEAR", "YRS": "YEAR", "QTR": "QUARTER", "MON": "MONTH", "MONS": "MONTH",
    "MONTHS": "MONTH", "W": "WEEK", "WEEKS": "WEEK", "D": "DAY", "DAYS": "DAY", "DOW": "DAYOFWEEK",
    "DOW_ISO": "DAYOFWEEK_ISO", "H": "HOUR", "HOURS": "HOUR", "HR": "HOUR", "HRS": "HOUR", "M": "MINUTE",
    "MIN": "MINUTE", "MINS": "MINUTE", "MINUTES": "MINUTE", "S": "SECOND", "SEC": "SECOND", "SECONDS": "SECOND",
    "SECS": "SECOND",
}  # fmt: skip


@function("extract", "date_part", "datepart")
def extract(field: str, value: Any) -> Value:
    name = _FIELD_NAMES.get(field.upper(), field.upper())
    if isinstance(value, (Months, dt.timedelta)):
        return _extract_interval(name, value)
    if name not in _FIELDS:
        raise Unsupported(f"extract({field})")
    if not isinstance(value, dt.datetime) and name in {"HOUR", "MINUTE", "SECOND"}:
        value = dt.datetime(value.year, value.month, value.day, tzinfo=UTC)
    return _FIELDS[name](value)


def _extract_interval(name: str, value: Months | dt.timedelta) -> Value:
    """Parts of an interval have its sign."""
    whole = value.count if isinstance(value, Months) else value // _MICRO
    sign, size = (-1 if whole < 0 else 1), abs(whole)
    match name:
        case "YEAR":
            return sign * (size // 12)
        case "MONTH":
            return sign * (size % 12)
        case "DAY":
            return sign * (size // 86_400_000_000)
        case "HOUR":
            return sign * (size // 3_600_000_000 % 24)
        case "MINUTE":
            return sign * (size // 60_000_000 % 60)
        case "SECOND":
            return Decimal(sign * (size % 60_000_000)).scaleb(-6)
    raise Unsupported(f"extract({name}) of an interval")


@function("date_add")
def date_add(day: dt.date, count: int) -> dt.date:
    return checked_date(lambda: day + count * _DAY)


@function("date_sub")
def date_sub(day: dt.date, count: int) -> dt.date:
    return checked_date(lambda: day - count * _DAY)


function("add_months")(add_months)

_UNITS: Final = {
    "WEEK": 7 * _DAY, "DAY": _DAY, "DAYOFYEAR": _DAY, "HOUR": dt.timedelta(hours=1), "MINUTE": dt.timedelta(minutes=1),
    "SECOND": dt.timedelta(seconds=1), "MILLISECOND": dt.timedelta(milliseconds=1), "MICROSECOND": _MICRO,
}  # fmt: skip
_MONTHS: Final = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}


@function("dateadd", "timestampadd")
def timestampadd(unit: Any, count: Any, moment: Any = None) -> Value:
    """dateadd(day, count), as date_add; or dateadd(UNIT, count, timestamp)."""
    if moment is None:
        return date_add(unit, count)
    name = unit.upper()
    if name in _MONTHS:
        return add_months(moment, count * _MONTHS[name])
    return checked_timestamp(lambda: moment + count * _UNITS[name])


@function("datediff", "date_diff", "timestampdiff")
def datediff(first: Any, second: Any, third: Any = None) -> int:
    """Of (end, start), in days; or of (UNIT, start, end), in whole units towards zero."""
    if third is None:
        return int((first - second).days)
    name = first.upper()
    if name in _MONTHS:
        return _towards_zero(_whole_months(second, third), _MONTHS[name])
    return _towards_zero((third - second) // _MICRO, _UNITS[name] // _MICRO)


def _towards_zero(a: int, b: int) -> int:
    return -(-a // b) if a < 0 else a // b


def _whole_months(start: dt.datetime, end: dt.datetime) -> int:
    if end < start:
        return -_whole_months(end, start)
    months = (end.year - start.year) * 12 + end.month - start.month
    return months - ((end.day, end.time()) < (start.day, start.time()))


@function("months_between")
def months_between(a: dt.datetime, b: dt.datetime, rounded: bool = True) -> float:
    """Whole months if both are the same day or the last day of a month; else months of 31 days."""
    months = (a.year - b.year) * 12 + a.month - b.month
    last_a, last_b = days_in_month(a.year, a.month), days_in_month(b.year, b.month)
    if a.day == b.day or (a.day == last_a and b.day == last_b):
        return float(months)
    seconds = (a.day - b.day) * 86400 + _seconds_of_day(a) - _seconds_of_day(b)
    exact = months + seconds / (31 * 86400)
    return round(exact * 1e8) / 1e8 if rounded else exact


def _seconds_of_day(t: dt.datetime) -> int:
    return t.hour * 3600 + t.minute * 60 + t.second


@function("last_day")
def last_day(day: dt.date) -> dt.date:
    return day.replace(day=days_in_month(day.year, day.month))


@function("next_day")
def next_day(day: dt.date, name: str) -> dt.date:
    """The first such weekday after the day."""
    wanted = name.strip().upper()
    known = {n.upper()[:length]: i for i, n in enumerate(DAYS) for length in (2, 3, len(n))}
    if wanted not in known:
        raise EvaluationError("bad-argument", f"{name!r} is no day of the week")
    return checked_date(lambda: day + ((known[wanted] - day.weekday() - 1) % 7 + 1) * _DAY)


def _start_of(day: dt.date, unit: str) -> dt.date | None:
    """The first day of the year, quarter, month or week of a day."""
    match unit.upper():
        case "YEAR" | "YYYY" | "YY":
            return dt.date(day.year, 1, 1)
        case "QUARTER":
            return dt.date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
        case "MONTH" | "MM" | "MON":
            return dt.date(day.year, day.month, 1)
        case "WEEK":
            return checked_date(lambda: day - day.weekday() * _DAY)
    return None


@function("trunc")
def trunc(day: dt.date, unit: str) -> dt.date | None:
    return _start_of(day, unit)


@function("date_trunc")
def date_trunc(unit: str, moment: dt.datetime) -> dt.datetime | None:
    first = _start_of(moment.date(), unit)
    if first is not None:
        return dt.datetime(first.year, first.month, first.day, tzinfo=moment.tzinfo)
    match unit.upper():
        case "DAY" | "DD":
            return moment.replace(hour=0, minute=0, second=0, microsecond=0)
        case "HOUR":
            return moment.replace(minute=0, second=0, microsecond=0)
        case "MINUTE":
            return moment.replace(second=0, microsecond=0)
        case "SECOND":
            return moment.replace(microsecond=0)
        case "MILLISECOND":
            return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        case "MICROSECOND":
            return moment
    return None


@function("make_date")
def make_date(year: int, month: int, day: int) -> dt.date:
    try:
        return dt.date(year, month, day)
    except ValueError:
        raise EvaluationError("bad-argument", f"{year}-{month}-{day} is no date") from None


@typed("make_timestamp", "make_timestamp_ntz", "make_timestamp_ltz")
def make_timestamp(signature: Signature) -> Implementation:
    local = signature.result == Primitive("timestamp_ntz")

    def run(year: int, month: int, day: int, hour: int, minute: int, second: Decimal, zone: str = "UTC") -> dt.datetime:
        found = read_zone(zone)
        whole, fraction = divmod(int(second.scaleb(6)), 1_000_000)
        if found is None or whole > 60 or (whole == 60 and fraction):
            raise EvaluationError("bad-argument", f"{second} seconds in {zone} are no time")
        try:
            start = dt.datetime(year, month, day, hour, minute, 0, fraction, tzinfo=found)
        except ValueError:
            raise EvaluationError("bad-argument", f"{year}-{month}-{day} {hour}:{minute} is no time") from None
        moment = checked_timestamp(lambda: (start + dt.timedelta(seconds=whole)).astimezone(UTC))
        return moment.replace(tzinfo=None) if local else moment

    return run


attempts("try_make_timestamp", "make_timestamp")


@typed("make_dt_interval")
def make_dt_interval(_: Signature) -> Implementation:
    def run(days: int = 0, hours: int = 0, minutes: int = 0, seconds: Decimal = Decimal(0)) -> dt.timedelta:
        return dt.timedelta(days=days, hours=hours, minutes=minutes, microseconds=int(seconds.scaleb(6)))

    return run


@function("make_ym_interval")
def make_ym_interval(years: int = 0, months: int = 0) -> Months:
    return Months(years * 12 + months)


# --- seconds since the epoch ---

function("unix_date")(lambda d: (d - EPOCH_DATE).days)
function("date_from_unix_date")(lambda n: checked_date(lambda: EPOCH_DATE + n * _DAY))
function("unix_seconds")(lambda t: micros(t) // 1_000_000)
function("unix_millis")(lambda t: micros(t) // 1000)
function("unix_micros")(micros)
function("timestamp_millis")(lambda n: moment_of(n * 1000))
function("timestamp_micros")(moment_of)


@function("timestamp_seconds")
def timestamp_seconds(number: Any) -> dt.datetime | None:
    if isinstance(number, Decimal) and number != number.quantize(Decimal("1e-6")):
        raise EvaluationError("overflow", f"{number} seconds are finer than a microsecond")
    if isinstance(number, float) and (number != number or number in {float("inf"), float("-inf")}):  # noqa: PLR0124
        return None
    return moment_of(int(number * 1_000_000))


@function("from_utc_timestamp")
def from_utc_timestamp(moment: dt.datetime, zone: str) -> dt.datetime:
    """What the clock of the zone shows at that time, as if it were UTC."""
    return moment.astimezone(_zone(zone)).replace(tzinfo=UTC)


@function("to_utc_timestamp")
def to_utc_timestamp(moment: dt.datetime, zone: str) -> dt.datetime:
    return moment.replace(tzinfo=_zone(zone)).astimezone(UTC)


@typed("convert_timezone")
def convert_timezone(_: Signature) -> Implementation:
    def run(*args: Any) -> dt.datetime:
        *before, target, moment = args
        source = _zone(before[0]) if before else UTC
        local: dt.datetime = moment.replace(tzinfo=source)
        return local.astimezone(_zone(target)).replace(tzinfo=None)

    return run


def _zone(name: str) -> dt.tzinfo:
    found = read_zone(name)
    if found is None:
        raise EvaluationError("bad-argument", f"{name!r} is no time zone")
    return found
