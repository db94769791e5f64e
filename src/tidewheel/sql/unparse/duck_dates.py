"""Dates and times in DuckDB as Spark has them, in UTC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from tidewheel.ir.coercion import interval_units, is_integral
from tidewheel.ir.scalar import Call, Lit
from tidewheel.ir.signatures import Signature
from tidewheel.sql.unparse.duck_casts import convert, duck_type, family, not_local
from tidewheel.sql.unparse.texts import Level, Text, infix, made_of
from tidewheel.types import DATE, INT, TIMESTAMP, DataType

Writer: TypeAlias = Callable[[Call, Sequence[Text], Signature], Text]

PARTS: Final = {
    "year": "year({0})", "quarter": "quarter({0})", "month": "month({0})", "week": "weekofyear({0})",
    "day": "day({0})", "dayofyear": "dayofyear({0})", "dayofweek": "dayofweek({0}) + 1",
    "weekday": "isodow({0}) - 1", "hour": "hour({0})", "minute": "minute({0})",
}  # fmt: skip
_WORDS: Final = {
    "year": "year", "y": "year", "years": "year", "yr": "year", "yrs": "year",
    "quarter": "quarter", "qtr": "quarter",
    "month": "month", "mon": "month", "mons": "month", "months": "month",
    "week": "week", "w": "week", "weeks": "week",
    "day": "day", "d": "day", "days": "day",
    "dayofweek": "dayofweek", "dow": "dayofweek",
    "doy": "dayofyear",
    "hour": "hour", "h": "hour", "hours": "hour", "hr": "hour", "hrs": "hour",
    "minute": "minute", "m": "minute", "min": "minute", "mins": "minute", "minutes": "minute",
}  # fmt: skip
_UNITS: Final = {
    "year": "year", "yyyy": "year", "yy": "year", "quarter": "quarter", "month": "month", "mon": "month",
    "mm": "month", "week": "week", "day": "day", "dd": "day", "hour": "hour", "minute": "minute", "second": "second",
}  # fmt: skip
_DATE_UNITS: Final = frozenset({"year", "quarter", "month", "week"})


def _part(name: str) -> Writer:
    def write(_: Call, args: Sequence[Text], signature: Signature) -> Text:
        return _taken(name, args[0], signature.result)

    return write


def _taken(name: str, value: Text, result: DataType) -> Text:
    if family(value.type) not in {"date", "timestamp", "timestamp_ntz"} or result != INT:
        raise not_local(f"{name}() of such a value")
    return made_of(f"CAST({PARTS[name].format(value.sql)} AS INTEGER)", [value], kind=INT)


def _extract(call: Call, args: Sequence[Text], signature: Signature) -> Text:
    word = call.args[0]
    name = _WORDS.get(word.value.lower()) if isinstance(word, Lit) else None
    if name is None:
        raise not_local(f"extract({word} FROM ...)")
    return _taken(name, args[1], signature.result)


def shifted(call: Call, left: Text, right: Text, result: DataType) -> Text:
    """A date or time plus or minus an interval, or a date plus days."""
    if call.name not in {"+", "-"}:
        raise not_local(f"{call.name} of dates")
    if call.name == "+" and not (interval_units(right.type) or is_integral(right.type)):
        left, right = right, left
    if interval_units(right.type) or (left.type == DATE and is_integral(right.type)):
        moved = infix(call.name, [left, right], Level.ADD)
        return made_of(f"CAST({moved.sql} AS {duck_type(result)})", [left, right], kind=result)
    raise not_local(f"{call.name} of such values")


def _moved(sign: str) -> Writer:
    def write(_: Call, args: Sequence[Text], signature: Signature) -> Text:
        days = convert(args[1], INT)
        return made_of(
            f"{args[0].at(Level.ADD)} {sign} {days.at(Level.ATOM)}", args, level=Level.ADD, kind=signature.result
        )

    return write


def _difference(call: Call, args: Sequence[Text], signature: Signature) -> Text:
    if len(call.args) != 2 or any(a.type != DATE for a in args):
        raise not_local("datediff() in another unit than days")
    left, right = args
    sql = f"CAST({left.at(Level.ADD)} - {right.at(Level.MULTIPLY)} AS INTEGER)"
    return made_of(sql, args, kind=signature.result)


def _truncated(call: Call, args: Sequence[Text], signature: Signature, *, unit: int) -> Text:
    word, value = call.args[unit], args[1 - unit]
    name = _UNITS.get(word.value.lower()) if isinstance(word, Lit) and word.kind == "string" else None
    if (
        name is None
        or (signature.result == DATE and name not in _DATE_UNITS)
        or signature.result not in {DATE, TIMESTAMP}
    ):
        raise not_local(f"{call.name}() to {word}")
    sql = f"CAST(date_trunc('{name}', {value.sql}) AS {duck_type(signature.result)})"
    return made_of(sql, [value], kind=signature.result)


def _simple(template: str) -> Writer:
    def write(_: Call, args: Sequence[Text], signature: Signature) -> Text:
        sql = f"CAST({template.format(*(a.sql for a in args))} AS {duck_type(signature.result)})"
        return made_of(sql, args, kind=signature.result)

    return write


def _to_date(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    if len(args) != 1:
        raise not_local("to_date() with a format")
    return convert(args[0], signature.result)


DATE_FUNCTIONS: Final[dict[str, Writer]] = {
    **{name: _part(name) for name in PARTS if name != "week"},
    "weekofyear": _part("week"),
    "dayofmonth": _part("day"),
    "extract": _extract,
    "date_add": _moved("+"),
    "dateadd": _moved("+"),
    "date_sub": _moved("-"),
    "datediff": _difference,
    "date_diff": _difference,
    "add_months": _simple("({0}) + to_months({1})"),
    "last_day": _simple("last_day({0})"),
    "make_date": _simple("make_date({0}, {1}, {2})"),
    "trunc": lambda call, args, sig: _truncated(call, args, sig, unit=1),
    "date_trunc": lambda call, args, sig: _truncated(call, args, sig, unit=0),
    "to_date": _to_date,
}
