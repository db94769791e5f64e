"""The types of functions over dates and timestamps that a table cannot describe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidewheel.ir.coercion import implicit_cast
from tidewheel.ir.scalar import Lit, Scalar
from tidewheel.ir.signatures import Rule, Signature
from tidewheel.types import DATE, INT, LONG, STRING, TIMESTAMP, TIMESTAMP_NTZ, UNKNOWN, VOID, DataType, Decimal

Kinds = tuple[DataType, ...]


def _as_date(kind: DataType) -> DataType | None:
    """Functions of dates take timestamps and strings too."""
    return DATE if kind in {DATE, TIMESTAMP, TIMESTAMP_NTZ, STRING, VOID} else None


def _of_dates(result: DataType, *rest: str, dates: int = 1) -> Rule:
    """A function of so many dates and then of the rest."""

    def rule(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
        if len(kinds) != dates + len(rest):
            return None
        args = [_as_date(k) for k in kinds[:dates]]
        args += [implicit_cast(k, e) for k, e in zip(kinds[dates:], rest, strict=True)]
        return Signature(tuple(a for a in args if a is not None), result) if None not in args else None

    return rule


_FIELDS: Final = {
    INT: "year yearofweek quarter month week day dayofweek dayofweek_iso doy hour minute",
    Decimal(8, 6): "second",
}


def _extract(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    field = scalars[0] if scalars else None
    if len(kinds) != 2 or not isinstance(field, Lit) or kinds[1] not in {DATE, TIMESTAMP, TIMESTAMP_NTZ}:
        return None
    for result, names in _FIELDS.items():
        if field.value.lower() in names.split():
            return Signature((UNKNOWN, kinds[1]), result)
    return None


def _difference(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    if len(kinds) == 2:
        return _of_dates(INT, dates=2)(kinds, scalars)
    if len(kinds) == 3 and isinstance(scalars[0], Lit) and scalars[0].kind == "word":
        args = [implicit_cast(k, "timestamp") for k in kinds[1:]]
        return Signature((UNKNOWN, TIMESTAMP, TIMESTAMP), LONG) if None not in args else None
    return None


_PARTS: Final = "year month day dayofmonth quarter dayofweek weekday dayofyear weekofyear"
DATE_RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(_PARTS.split(), _of_dates(INT)),
    "last_day": _of_dates(DATE),
    "unix_date": _of_dates(INT),
    "dayname": _of_dates(STRING),
    "monthname": _of_dates(STRING),
    "date_add": _of_dates(DATE, "int|smallint|tinyint"),
    "date_sub": _of_dates(DATE, "int|smallint|tinyint"),
    "add_months": _of_dates(DATE, "int"),
    "next_day": _of_dates(DATE, "string"),
    "trunc": _of_dates(DATE, "string"),
    "datediff": _difference,
    "date_diff": _difference,
    "extract": _extract,
    "date_part": _extract,
    "datepart": _extract,
}
