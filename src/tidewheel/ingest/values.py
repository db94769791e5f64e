"""Single values as people write them, in text files and in Python: each read exactly, or not at all.

One definition for CSV, JSON and lists of dictionaries. What Arrow reads in the same way it reads quicker
(`columns.py`); whatever it does not take comes here, and so does every value that is refused.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import decimal
import json
import math
import re
import struct
from collections.abc import Callable, Iterable
from typing import Any, assert_never
from zoneinfo import ZoneInfo

from tidewheel.types import Array, DataType, Decimal, Map, Primitive, Struct, to_sql

Reader = Callable[[Any], Any]

_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_WORDS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
"""As Spark casts them."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ENDLESS = re.compile(r"nan|[+-]?inf(inity)?", re.IGNORECASE)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)([T ]00:00(:00(\.0+)?)?)?", re.ASCII)
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?)? ?(Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII | re.IGNORECASE
)
_ENOUGH = decimal.Context(prec=100)
_MICROSECONDS = 6
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character: Python has texts with it, UTF-8 has not."""


class UnfitError(ValueError):
    """A value that is not one of the wanted type."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


class Number(str):
    """A number of a JSON file as it is written there: 1.10 keeps its digits, and is never a float on its way."""

    __slots__ = ()


def how_to_write(kind: DataType) -> str:
    """A sentence on what a value of this type looks like."""
    match kind:
        case Primitive("boolean"):
            shape = "as true or false"
        case Primitive(name) if name in _BITS:
            shape = f"as a whole number from {-(2 ** (_BITS[name] - 1))} to {2 ** (_BITS[name] - 1) - 1}"
        case Primitive("float" | "double"):
            shape = "as 1.5, 1e300, NaN or Infinity"
        case Primitive("string"):
            shape = "as a text"
        case Primitive("binary"):
            shape = "in base64"
        case Primitive("date"):
            shape = "as 2026-01-31"
        case Primitive("timestamp"):
            shape = "as 2026-01-31 10:00:00, if need be with a zone as in 2026-01-31T10:00:00+01:00 or ...Z"
        case Primitive("timestamp_ntz"):
            shape = "as 2026-01-31 10:00:00, without a zone"
        case Decimal(precision, scale):
            shape = f"with at most {precision - scale} digits before and {scale} after the point"
        case Array():
            shape = "as a JSON array"
        case Map():
            shape = 'as a JSON object, {"key": value}'
        case Struct():
            shape = "as a JSON object of its fields"
        case _:
            shape = "as Spark does"
    return f"A {to_sql(kind)} is written {shape}."


def reader(kind: DataType, zone: str) -> Reader:
    """What reads one value that is not NULL; times without a zone are in `zone`."""
    match kind:
        case Primitive(name):
            return _primitive(name, zone)
        case Decimal(precision, scale):
            return _decimal(precision, scale)
        case Array(element):
            item = nullable_reader(element, zone)
            return lambda value: [item(v) for v in _of(value, list, tuple)]
        case Map(key, inner):
            return _map(reader(key, zone), nullable_reader(inner, zone))
        case Struct(fields):
            return _struct({f.name: nullable_reader(f.type, zone) for f in fields})
    assert_never(kind)


def nullable_reader(kind: DataType, zone: str) -> Reader:
    read = reader(kind, zone)
    return lambda value: None if value is None else read(value)


def _primitive(name: str, zone: str) -> Reader:
    if name in _BITS:
        return _integer(2 ** (_BITS[name] - 1))
    plain: dict[str, Reader] = {
        "boolean": _boolean,
        "float": _single,
        "double": _double,
        "string": _string,
        "binary": _binary,
        "date": _date,
        "timestamp_ntz": _plain_time,
    }
    return plain[name] if name in plain else _instant(ZoneInfo(zone))


def _of(value: Any, *kinds: type) -> Any:
    """A list or dictionary; in a CSV file it stands as JSON."""
    if isinstance(value, str) and not isinstance(value, Number):
        try:
            value = parse_json(value)
        except ValueError:
            raise UnfitError(value) from None
    if not isinstance(value, kinds):
        raise UnfitError(value)
    return value


def parse_json(text: str) -> Any:
    """JSON whose numbers stay what is written."""
    return json.loads(
        text, parse_int=Number, parse_float=Number, parse_constant=Number, object_pairs_hook=_without_repeats
    )


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name appears twice in one object")
    return found


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else None
    if word not in _WORDS:
        raise UnfitError(value)
    return _WORDS[word]


def _number(value: Any) -> decimal.Decimal:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return _written(value)
    if isinstance(value, float) and math.isfinite(value):
        return decimal.Decimal(repr(float(value)))
    if isinstance(value, int) and not isinstance(value, bool):
        return decimal.Decimal(value)
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return value
    raise UnfitError(value)


def _written(text: str) -> decimal.Decimal:
    try:
        return decimal.Decimal(text)
    except decimal.InvalidOperation:  # an exponent of twenty digits
        raise UnfitError(text) from None


def _integer(limit: int) -> Reader:
    def read(value: Any) -> int:
        number = _number(value)
        if not -limit <= number < limit or number != number.to_integral_value(context=_ENOUGH):
            raise UnfitError(value)
        return int(number)

    return read


def _decimal(precision: int, scale: int) -> Reader:
    unit, limit = decimal.Decimal(1).scaleb(-scale), decimal.Decimal(1).scaleb(precision - scale)

    def read(value: Any) -> decimal.Decimal:
        number = _number(value)
        if not -limit < number < limit:
            raise UnfitError(value)
        rounded = number.quantize(unit, context=_ENOUGH)
        if rounded != number:
            raise UnfitError(value)
        return rounded

    return read


def _double(value: Any) -> float:
    if isinstance(value, str) and _ENDLESS.fullmatch(value):
        return float(value)
    if isinstance(value, float):
        return float(value)
    found = float(value if isinstance(value, str) and _NUMBER.fullmatch(value) else _number(value))
    if math.isinf(found):
        raise UnfitError(value)
    return found


def _single(value: Any) -> float:
    found = _double(value)
    try:
        [single] = struct.unpack("<f", struct.pack("<f", found))  # as "f" it would be infinite
    except OverflowError:
        raise UnfitError(value) from None
    return float(single)


def _string(value: Any) -> str:
    if isinstance(value, str):
        if not value.isascii() and _SURROGATE.search(value):
            raise UnfitError(value)
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, decimal.Decimal)):
        return str(value)
    raise UnfitError(value)


def _binary(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if not isinstance(value, str) or isinstance(value, Number):
        raise UnfitError(value)
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise UnfitError(value) from None


def _date(value: Any) -> dt.date:
    if isinstance(value, dt.datetime):
        found = _whole(value)
        if found.tzinfo is not None or found.time() != dt.time():
            raise UnfitError(value)
        return found.date()
    if isinstance(value, dt.date):
        return value
    written = _DATE.fullmatch(value) if isinstance(value, str) else None
    try:
        return dt.date.fromisoformat(written[1] if written else "")
    except ValueError:
        raise UnfitError(value) from None


def _whole(value: dt.datetime) -> dt.datetime:
    """Python's own; those of pandas may have nanoseconds, or be no time at all (which has NaN of them)."""
    if getattr(value, "nanosecond", 0):
        raise UnfitError(value)
    return dt.datetime.combine(value.date(), value.timetz())


def _moment(value: Any) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return _whole(value)
    if isinstance(value, dt.date):
        return dt.datetime.combine(value, dt.time())
    found = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise UnfitError(value)
    day, time, fraction, offset = found.groups()
    fraction = (fraction or "").rstrip("0")
    if len(fraction) > _MICROSECONDS:
        raise UnfitError(value)
    try:
        clock = (time or "00:00") + (f".{fraction:0<6}" if fraction else "")
        return dt.datetime.fromisoformat(f"{day} {clock}{offset or ''}")
    except ValueError:
        raise UnfitError(value) from None


def _plain_time(value: Any) -> dt.datetime:
    found = _moment(value)
    if found.tzinfo is not None:
        raise UnfitError(value)
    return found


def _instant(zone: ZoneInfo) -> Reader:
    """Of an hour that a clock shows twice the first is taken, as Spark does."""

    def read(value: Any) -> dt.datetime:
        found = _moment(value)
        try:
            return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(dt.UTC)
        except OverflowError:
            raise UnfitError(value) from None

    return read


def _map(named: Reader, item: Reader) -> Reader:
    def read(value: Any) -> list[tuple[Any, Any]]:
        found = [(named(k), item(v)) for k, v in _of(value, dict).items()]
        if len({repr(key) for key, _ in found}) != len(found):  # "1" and "01" are one number
            raise UnfitError(value)
        return found

    return read


def _struct(fields: dict[str, Reader]) -> Reader:
    names = {name.lower(): name for name in fields}

    def read(value: Any) -> dict[str, Any]:
        value = _of(value, dict)
        given = {_field(names, key, value): inner for key, inner in value.items()}
        if len(given) != len(value):
            raise UnfitError(value)
        return {name: inner(given.get(name)) for name, inner in fields.items()}

    return read


def _field(names: dict[str, str], key: Any, value: Any) -> str:
    if not isinstance(key, str) or key.lower() not in names:
        raise UnfitError(value)
    return names[key.lower()]


def shown(value: Any) -> str:
    """A value as an error names it, cut if it is long."""
    plain = isinstance(value, (Number, bool, int, float, decimal.Decimal, dt.date, bytes))
    text = str(value) if plain else json.dumps(value, ensure_ascii=False, default=_as_text)
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


def _as_text(value: Any) -> Any:
    if isinstance(value, (dt.date, decimal.Decimal)):
        return str(value)
    return list(value) if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)) else repr(value)
