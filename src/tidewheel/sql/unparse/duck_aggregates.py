"""Aggregate and window functions on which DuckDB and Spark were shown to agree, with the exact types of Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tidewheel.decimals import decimal_avg, decimal_sum
from tidewheel.ir.coercion import is_integral, is_numeric
from tidewheel.sql.unparse.duck_casts import convert, duck_type, family, not_local
from tidewheel.sql.unparse.duck_decimals import decimal_average
from tidewheel.sql.unparse.texts import Level, Text, made_of
from tidewheel.types import DOUBLE, LONG, Array, DataType, Decimal

TOO_MANY_ROWS: Final = "more than one row returned by a subquery used as an expression"
_ORDERED: Final = frozenset(
    {"int", "float", "double", "decimal", "string", "boolean", "date", "timestamp", "timestamp_ntz"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """A call: its name and arguments, `distinct`, and the FILTER and OVER clauses that follow each part of it."""

    name: str
    args: Sequence[Text]
    distinct: bool = False
    ignore_nulls: bool = False
    tail: str = ""

    def of(self, function: str, argument: str) -> str:
        return f"{function}({'DISTINCT ' if self.distinct else ''}{argument}){self.tail}"


Writer: TypeAlias = Callable[[Calling], Text]


def _made(sql: str, kind: DataType) -> Text:
    return made_of(sql, [], kind=kind)


def _only(call: Calling) -> Text:
    if len(call.args) != 1:
        raise not_local(f"{call.name}() of {len(call.args)} arguments")
    return call.args[0]


def _count(call: Calling) -> Text:
    """Rows, or those in which no argument is NULL."""
    if not call.args:
        return _made(call.of("count", "*"), LONG)
    if len(call.args) == 1:
        return _made(call.of("count", call.args[0].sql), LONG)
    present = " AND ".join(f"{a.at(Level.OTHER)} IS NOT NULL" for a in call.args)
    row = f"row({', '.join(a.sql for a in call.args)})"
    return _made(call.of("count", f"CASE WHEN {present} THEN {row} END"), LONG)


def _sum(call: Calling) -> Text:
    value = _only(call)
    if isinstance(value.type, Decimal):
        kind: DataType = decimal_sum(value.type)
    elif is_integral(value.type):
        kind = LONG
    else:
        kind, value = DOUBLE, convert(value, DOUBLE)
        return _made(call.of("sum", value.sql), kind)
    return _made(f"CAST({call.of('sum', value.sql)} AS {duck_type(kind)})", kind)


def _avg(call: Calling) -> Text:
    value = _only(call)
    if isinstance(value.type, Decimal):
        total, count = call.of("sum", value.sql), call.of("count", value.sql)
        return decimal_average(total, count, value.type, decimal_avg(value.type), [])
    if not is_numeric(value.type):
        raise not_local("avg() of such a value")
    return _made(call.of("avg", convert(value, DOUBLE).sql), DOUBLE)


def _extreme(call: Calling) -> Text:
    value = _only(call)
    if family(value.type) not in _ORDERED:
        raise not_local(f"{call.name}() of such a value")
    return _made(call.of(call.name, value.sql), value.type)


def _statistic(name: str) -> Writer:
    return lambda call: _made(call.of(name, convert(_only(call), DOUBLE).sql), DOUBLE)


def _truth(name: str) -> Writer:
    def write(call: Calling) -> Text:
        value = _only(call)
        if family(value.type) != "boolean":
            raise not_local(f"{call.name}() of such a value")
        return _made(call.of(name, value.sql), value.type)

    return write


def _count_if(call: Calling) -> Text:
    condition = _only(call).sql
    return _made(call.of("count", f"CASE WHEN {condition} THEN 1 END"), LONG)


def _one(name: str) -> Writer:
    """The first or last value that comes, NULL or not."""

    def write(call: Calling) -> Text:
        value = _only(call)
        if call.ignore_nulls:
            raise not_local(f"{call.name}() with IGNORE NULLS")
        return _made(call.of(name, value.sql), value.type)

    return write


def _single_value(call: Calling) -> Text:
    value = _only(call)
    text = f"CASE WHEN count(*){call.tail} > 1 THEN error('{TOO_MANY_ROWS}') ELSE first({value.sql}){call.tail} END"
    return made_of(text, [], kind=value.type, fragile=True)


def _list(call: Calling) -> Text:
    """Values that are not NULL; none of them make an empty list."""
    value, kind = _only(call), duck_type(Array(_only(call).type))
    if call.tail:
        raise not_local(f"{call.name}() with FILTER or OVER")
    distinct = "DISTINCT " if call.distinct or call.name == "collect_set" else ""
    gathered = f"list({distinct}{value.sql}) FILTER (WHERE {value.at(Level.OTHER)} IS NOT NULL)"
    return _made(f"coalesce({gathered}, CAST([] AS {kind}))", Array(value.type))


AGGREGATES: Final[dict[str, Writer]] = {
    "count": _count,
    "sum": _sum,
    **dict.fromkeys(("avg", "mean"), _avg),
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(("stddev", "stddev_samp", "std"), _statistic("stddev_samp")),
    "stddev_pop": _statistic("stddev_pop"),
    **dict.fromkeys(("variance", "var_samp"), _statistic("var_samp")),
    "var_pop": _statistic("var_pop"),
    **dict.fromkeys(("bool_and", "every"), _truth("bool_and")),
    **dict.fromkeys(("bool_or", "some", "any"), _truth("bool_or")),
    "count_if": _count_if,
    **dict.fromkeys(("first", "first_value", "any_value"), _one("first")),
    **dict.fromkeys(("last", "last_value"), _one("last")),
    **dict.fromkeys(("collect_list", "array_agg", "collect_set"), _list),
    "single_value": _single_value,
}
