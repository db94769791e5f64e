"""The types of functions over dates and timestamps that a table cannot describe."""

from __future__ import annotations

from typing import Final

from tidewheel.ir.builtins import names
from tidewheel.ir.coercion import implicit_cast
from tidewheel.ir.scalar import Lit
from tidewheel.ir.signatures import Args, Kinds, Rule, Signature, plain, returning
from tidewheel.types import (
    BYTE,
    DATE,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    VOID,
    DataType,
    Decimal,
)


def _as_date(kind: DataType) -> DataType | None:
    """Functions of dates take timestamps and strings too."""
    return DATE if kind in {DATE, TIMESTAMP, TIMESTAMP_NTZ, STRING, VOID} else None


def _of_dates(result: DataType, *rest: str, dates: int = 1) -> Rule:
    """A function of so many dates and then of the rest."""

    def rule(kinds: Kinds) -> Signature | None:
        if len(kinds) != dates + len(rest):
            return None
        args = [_as_date(k) for k in kinds[:dates]]
        return returning([*args, *(implicit_cast(k, e) for k, e in zip(kinds[dates:], rest, strict=True))], result)

    return plain(rule)


def _by_days(kinds: Kinds) -> Signature | None:
    """A date moved by a number of days, which may be written as a string but not as a bigint."""
    if len(kinds) != 2:
        return None
    days = kinds[1] if kinds[1] in {BYTE, SHORT, INT} else INT if kinds[1] in {STRING, VOID} else None
    return returning((_as_date(kinds[0]), days), DATE)


EXTRACTED: Final[dict[str, DataType]] = {
    **dict.fromkeys(
        names(
            """
            year y years yr yrs yearofweek quarter qtr month mon mons months week w weeks day d days dayofweek dow
            dayofweek_iso dow_iso doy
            """
        ),
        INT,
    ),
    **dict.fromkeys(names("hour h hours hr hrs minute m min mins minutes"), INT),
    **dict.fromkeys(names("second s sec seconds secs"), Decimal(8, 6)),
}


def _extract(kinds: Kinds, args: Args) -> Signature | None:
    field = args[0] if args else None
    if len(kinds) != 2 or not isinstance(field, Lit) or kinds[1] not in {DATE, TIMESTAMP, TIMESTAMP_NTZ}:
        return None
    return returning((kinds[0], kinds[1]), EXTRACTED.get(field.value.lower()))


def _between(kinds: Kinds, args: Args) -> Signature | None:
    """datediff(end, start) counts days; datediff(UNIT, start, end) counts anything."""
    if len(kinds) == 2:
        return _of_dates(INT, dates=2)(kinds, args)
    return _in_units(kinds, args, LONG)


def _in_units(kinds: Kinds, args: Args, result: DataType) -> Signature | None:
    if len(kinds) != 3 or not args or not isinstance(args[0], Lit) or args[0].kind != "word":
        return None
    return returning((UNKNOWN, *(implicit_cast(k, "timestamp") for k in kinds[1:])), result)


DATE_RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(names("year month day dayofmonth quarter dayofweek weekday dayofyear weekofyear"), _of_dates(INT)),
    "last_day": _of_dates(DATE),
    "dayname": _of_dates(STRING),
    "monthname": _of_dates(STRING),
    "date_add": plain(_by_days),
    "dateadd": plain(_by_days),
    "date_sub": plain(_by_days),
    "add_months": _of_dates(DATE, "int"),
    "next_day": _of_dates(DATE, "string"),
    "trunc": _of_dates(DATE, "string"),
    "datediff": _between,
    "date_diff": _between,
    "timestampdiff": _between,
    "extract": _extract,
    "date_part": _extract,
    "datepart": _extract,
}
