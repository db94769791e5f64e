"""Dates and timestamps by a pattern: date_format, to_date, to_timestamp and their kind.

Patterns are Java's, of the letters y M d H h m s S a E D Q and quoted text; any other letter is not supported here.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.casts import caster, moment_of
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.functions.dates import DAYS, MONTHS
from tidewheel.tvr.reference.functions.registry import Implementation, attempts, function, typed
from tidewheel.tvr.reference.values import UTC, Value, micros
from tidewheel.types import Primitive

_PARTS: Final = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_DEFAULT: Final = "yyyy-MM-dd HH:mm:ss"

_WRITERS: Final[dict[str, Callable[[dt.datetime, int], str]]] = {
    "y": lambda t, n: f"{t.year % 100:02d}" if n == 2 else f"{t.year:0{n}d}",
    "M": lambda t, n: MONTHS[t.month - 1][: 3 if n == 3 else None] if n >= 3 else f"{t.month:0{n}d}",
    "d": lambda t, n: f"{t.day:0{n}d}",
    "D": lambda t, n: f"{t.timetuple().tm_yday:0{n}d}",
    "H": lambda t, n: f"{t.hour:0{n}d}",
    "h": lambda t, n: f"{(t.hour - 1) % 12 + 1:0{n}d}",
    "m": lambda t, n: f"{t.minute:0{n}d}",
    "s": lambda t, n: f"{t.second:0{n}d}",
    "S": lambda t, n: f"{t.microsecond:06d}"[:n].ljust(n, "0"),
    "a": lambda t, _: "AM" if t.hour < 12 else "PM",
    "E": lambda t, n: DAYS[t.weekday()][: 3 if n < 4 else None],
    "Q": lambda t, n: f"{(t.month + 2) // 3:0{n}d}",
}


@functools.lru_cache(maxsize=256)
def _parts(pattern: str) -> tuple[tuple[str, int], ...]:
    """Letters with their number of repeats; literal text with 0."""
    found, at = [], 0
    while at < len(pattern):
        match = _PARTS.match(pattern, at)
        if match is None:
            raise EvaluationError("bad-argument", f"{pattern!r} is no pattern of dates")
        if match[2]:
            if match[2] not in _WRITERS:
                raise Unsupported(f"the date pattern {pattern}")
            found.append((match[2], len(match[0])))
        else:
            text = match[0] if match[1] is None else match[1].replace("''", "'") or "'"
            found.append((text, 0))
        at = match.end()
    return tuple(found)


@function("date_format")
def date_format(moment: dt.datetime, pattern: str) -> str:
    return "".join(_WRITERS[what](moment, n) if n else what for what, n in _parts(pattern))


@functools.lru_cache(maxsize=256)
def _reader(pattern: str) -> re.Pattern[str]:
    """A regular expression with a group for each part that is read."""
    found = []
    for i, (what, n) in enumerate(_parts(pattern)):
        following = _parts(pattern)[i + 1 : i + 2]
        packed = bool(following and following[0][1])
        found.append(_read_part(what, n, packed=packed))
    return re.compile("".join(found))


def _read_part(what: str, n: int, *, packed: bool) -> str:
    match what, n:
        case _, 0:
            return re.escape(what)
        case "y", 2:
            return r"(?P<y2>\d{2})"
        case "y", _:
            return rf"(?P<y>\d{{{n}}})" if packed or n >= 4 else r"(?P<y>\d+)"
        case "M", 3:
            return "(?P<Mon>" + "|".join(m[:3] for m in MONTHS) + ")"
        case "M", 4:
            return "(?P<Month>" + "|".join(MONTHS) + ")"
        case (("M" | "d" | "H" | "h" | "m" | "s" | "D"), 1):
            return rf"(?P<{what}>\d{{1,{3 if what == 'D' else 2}}})"
        case (("M" | "d" | "H" | "h" | "m" | "s" | "D"), _):
            return rf"(?P<{what}>\d{{{n}}})"
        case "S", _:
            return rf"(?P<S>\d{{1,{n}}})" if not packed else rf"(?P<S>\d{{{n}}})"
        case "a", _:
            return "(?P<a>AM|PM)"
    raise Unsupported(f"reading dates with the pattern letter {what}")


def parse(text: str, pattern: str) -> dt.datetime | None:
    """The time a text gives by a pattern, in UTC; None if it does not match or there is no such time."""
    match = _reader(pattern).fullmatch(text)
    if match is None:
        return None
    found = match.groupdict()
    try:
        return dt.datetime(
            _year(found), _month(found), int(found.get("d") or 1), _hour(found), int(found.get("m") or 0),
            int(found.get("s") or 0), int((found.get("S") or "").ljust(6, "0")[:6]), tzinfo=UTC,
        ) + dt.timedelta(days=int(found["D"]) - 1 if "D" in found else 0)  # fmt: skip
    except ValueError:
        return None


def _year(found: dict[str, Any]) -> int:
    return 2000 + int(found["y2"]) if "y2" in found else int(found.get("y") or 1970)


def _month(found: dict[str, Any]) -> int:
    if "Mon" in found:
        return [m[:3] for m in MONTHS].index(found["Mon"]) + 1
    return MONTHS.index(found["Month"]) + 1 if "Month" in found else int(found.get("M") or 1)


def _hour(found: dict[str, Any]) -> int:
    if "h" in found:
        return int(found["h"]) % 12 + (12 if found.get("a") == "PM" else 0)
    return int(found.get("H") or 0)


def _parsed(text: str, pattern: str) -> dt.datetime:
    moment = parse(text, pattern)
    if moment is None:
        raise EvaluationError("bad-cast", f"{text!r} does not match {pattern!r}")
    return moment


@typed("to_date", "date")
def to_date(signature: Signature) -> Implementation:
    convert = caster(signature.args[0], Primitive("date"))
    if len(signature.args) == 1 or signature.args[0] != Primitive("string"):
        return lambda value, _=None: convert(value)
    return lambda text, pattern: _parsed(text, pattern).date()


@typed("to_timestamp", "to_timestamp_ltz", "to_timestamp_ntz", "timestamp")
def to_timestamp(signature: Signature) -> Implementation:
    convert = caster(signature.args[0], signature.result)
    if len(signature.args) == 1 or signature.args[0] != Primitive("string"):
        return lambda value, _=None: convert(value)
    local = signature.result == Primitive("timestamp_ntz")
    return lambda text, pattern: _parsed(text, pattern).replace(tzinfo=None if local else UTC)


attempts("try_to_date", "to_date")
attempts("try_to_timestamp", "to_timestamp")


@typed("unix_timestamp", "to_unix_timestamp")
def unix_timestamp(signature: Signature) -> Implementation:
    """Whole seconds since the epoch, towards it: half a second before it is 0."""
    if not signature.args:
        raise Unsupported("unix_timestamp() of now")
    if signature.args[0] == Primitive("string"):
        return lambda text, pattern=_DEFAULT: micros(_parsed(text, pattern)) // 1_000_000
    convert = caster(signature.args[0], Primitive("timestamp"))
    return lambda value, _=None: int(Decimal(micros(convert(value))) / 1_000_000)


@function("from_unixtime")
def from_unixtime(seconds: int, pattern: str = _DEFAULT) -> Value:
    return date_format(moment_of(seconds * 1_000_000), pattern)
