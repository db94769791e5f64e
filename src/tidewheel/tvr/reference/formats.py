"""Values as Spark writes and reads them in text."""

from __future__ import annotations

import datetime as dt
import math
import re
import zoneinfo
from decimal import Decimal, InvalidOperation
from typing import Final

from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.values import UTC, Value, as_float32
from tidewheel.types import Array, DataType, Map, Primitive, Struct
from tidewheel.types import Decimal as DecimalType

BLANKS: Final = "".join(map(chr, range(33))) + "\x7f" + "".join(map(chr, range(0x80, 0xA0)))
"""What Spark strips before it reads a value: blanks and ISO control characters."""

_DATE: Final = re.compile(r"(?P<sign>[+-]?)(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.DOTALL | re.ASCII)
_TIMESTAMP: Final = re.compile(
    r"[+-]?(\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?(\D.*)?)?)?)?)?)?",
    re.ASCII,
)
_OFFSET: Final = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SHORT_ZONES: Final = {
    "EST": "-05:00", "MST": "-07:00", "HST": "-10:00", "PST": "America/Los_Angeles", "CST": "America/Chicago",
    "JST": "Asia/Tokyo", "IST": "Asia/Kolkata", "ECT": "Europe/Paris", "CTT": "Asia/Shanghai",
}  # fmt: skip
_DOUBLES: Final = {
    "nan": math.nan, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf,
    "infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf,
}  # fmt: skip
TRUE_WORDS: Final = frozenset({"t", "true", "y", "yes", "1"})
FALSE_WORDS: Final = frozenset({"f", "false", "n", "no", "0"})


def write(value: Value, kind: DataType) -> str:
    """A value that is not NULL, as CAST(... AS STRING) writes it."""
    match kind:
        case Array(element):
            return "[" + ", ".join(_nested(v, element) for v in value) + "]"
        case Map(keys, values):
            return "{" + ", ".join(f"{_nested(k, keys)} -> {_nested(v, values)}" for k, v in value) + "}"
        case Struct(fields):
            return "{" + ", ".join(_nested(v, f.type) for v, f in zip(value, fields, strict=True)) + "}"
        case DecimalType():
            return f"{value:f}"
        case Primitive("float"):
            return write_double(value, shortest_float32(value))
        case Primitive("double"):
            return write_double(value, repr(value))
        case Primitive("boolean"):
            return "true" if value else "false"
        case Primitive("binary"):
            return _text(value)
        case Primitive("date"):
            return f"{value:%Y-%m-%d}" if value.year > 999 else value.isoformat()
        case Primitive("timestamp" | "timestamp_ntz"):
            return write_timestamp(value)
        case _:
            return str(value)


def _text(data: bytes) -> str:
    """Spark keeps bytes that are no UTF-8 in a string; a string of Python cannot."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unsupported("a string that is not UTF-8") from None


def _nested(value: Value, kind: DataType) -> str:
    return "null" if value is None else write(value, kind)


def write_timestamp(moment: dt.datetime) -> str:
    text = moment.replace(tzinfo=None).isoformat(" ")
    return text.rstrip("0") if "." in text else text


def write_double(number: float, shortest: str) -> str:
    """Java's notation of a number whose shortest digits are known: 1.0E10, 0.001, 1.0E-4, NaN."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    sign, digits, exponent = Decimal(shortest).as_tuple()
    mark = "-" if sign or math.copysign(1.0, number) < 0 else ""
    if number == 0 or not isinstance(exponent, int):
        return mark + "0.0"
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent  # where the decimal point stands, counted from the first digit
    if 1e-3 <= abs(number) < 1e7:
        whole = text[:point].ljust(point, "0") if point > 0 else "0"
        return f"{mark}{whole}.{'0' * -min(point, 0)}{text[max(point, 0) :] or '0'}"
    return f"{mark}{text[0]}.{text[1:] or '0'}E{point - 1}"


def shortest_float32(number: float) -> str:
    """The fewest digits that read back as this FLOAT."""
    return next(
        (t for t in (f"{number:.{n}g}" for n in range(1, 9)) if as_float32(float(t)) == number), f"{number:.9g}"
    )


def read_integer(text: str) -> int | None:
    stripped = text.strip(BLANKS)
    return int(stripped) if re.fullmatch(r"[+-]?[0-9]+", stripped) else None


def read_double(text: str) -> float | None:
    stripped = text.strip(BLANKS)
    if stripped.lower() in _DOUBLES:
        return _DOUBLES[stripped.lower()]
    plain = stripped[:-1] if stripped[-1:] in {"d", "D", "f", "F"} and len(stripped) > 1 else stripped
    if _NUMBER.fullmatch(plain):
        return float(plain)
    if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+", plain):
        return float.fromhex(plain)
    return None


def read_decimal(text: str) -> Decimal | None:
    """Unlike the readers of other numbers, Java's takes the digits of any script."""
    stripped = text.strip(BLANKS)
    if not re.fullmatch(_NUMBER.pattern, stripped):
        return None
    try:
        return Decimal(stripped)
    except InvalidOperation:
        return None


def read_boolean(text: str) -> bool | None:
    stripped = text.strip(BLANKS).lower()
    return True if stripped in TRUE_WORDS else False if stripped in FALSE_WORDS else None


def read_date(text: str) -> dt.date | None:
    """2020, 2020-2, 2020-02-03, and the last one with a T or a blank and then anything."""
    match = _DATE.fullmatch(text.strip(BLANKS))
    if match is None:
        return None
    _check_year(match["sign"], match[2])
    try:
        return dt.date(int(match[2]), int(match[3] or 1), int(match[4] or 1))
    except ValueError:
        return None


def _check_year(sign: str, digits: str) -> None:
    """Spark's calendar goes further than Python's, both ways."""
    if sign == "-" or not 1 <= int(digits) <= 9999:
        raise Unsupported("dates after the year 9999 or before the year 1")


def read_timestamp(text: str) -> dt.datetime | None:
    """A date, and hours, minutes, seconds and a zone as far as they are given; UTC if none is."""
    match = _TIMESTAMP.fullmatch(text.strip(BLANKS))
    if match is None:
        if re.match(r"T\d|\d{1,2}:", text.strip(BLANKS)):
            raise Unsupported("a time of day without a date: it is of today")
        return None
    _check_year(text.strip(BLANKS)[0], match[1])
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    found = UTC if zone is None else read_zone(zone)
    if found is None:
        return None
    try:
        local = dt.datetime(
            int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0),
            int((fraction or "")[:6].ljust(6, "0")), tzinfo=found,
        )  # fmt: skip
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_timestamp_ntz(text: str) -> dt.datetime | None:
    """A timestamp without a zone, from a text whose zone is read and forgotten."""
    match = _TIMESTAMP.fullmatch(text.strip(BLANKS))
    if match is None or (match[8] is not None and read_zone(match[8]) is None):
        return None
    zone = match[8] or ""
    moment = read_timestamp(text.strip(BLANKS).removesuffix(zone))
    return None if moment is None else moment.replace(tzinfo=None)


def read_zone(text: str) -> dt.tzinfo | None:
    """Z, +1, +01:30, UTC+1, or the name of a region."""
    name = _SHORT_ZONES.get(text.strip(), text.strip())
    if name in {"Z", "UTC", "GMT", "UT"}:
        return UTC
    if match := _OFFSET.fullmatch(name):
        offset = dt.timedelta(hours=int(match[2]), minutes=int(match[3] or 0), seconds=int(match[4] or 0))
        if offset > dt.timedelta(hours=18):
            return None
        return dt.timezone(-offset if match[1] == "-" else offset)
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return None
