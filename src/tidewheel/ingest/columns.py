"""Whole columns into a declared type: by Arrow where it reads as we do, else value by value.

Only conversions that keep every value: a whole float may be an integer, a midnight a date; no fraction, no hour.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewheel.ingest.values import UnfitError, nullable_reader
from tidewheel.store.arrow import to_arrow_type
from tidewheel.types import STRING, TIMESTAMP, Array, DataType, Decimal, Map, Primitive, Struct

_DIGITS = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT = rf"{_DAY}([T ][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}(\.[0-9]+)?)?)?"
_QUICK = {
    **dict.fromkeys(("byte", "short", "integer", "long"), r"-?[0-9]+"),
    **dict.fromkeys(("float", "double"), rf"{_DIGITS}([eE][+-]?[0-9]+)?|(?i:nan)"),
    "boolean": ".*",
    "date": _DAY,
    "timestamp": rf"{_MOMENT}(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)?",
    "timestamp_ntz": _MOMENT,
}
"""What Arrow reads as `values.py` does. It would also take 0x10, +nan, hours without minutes, the year 0."""
_PLAIN = pa.timestamp("us")
_UTC = pa.timestamp("us", tz="UTC")
_YEARS = (dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC))
_YEARS_OF_ZONES = (dt.datetime(1900, 1, 1, tzinfo=dt.UTC), dt.datetime(2037, 1, 1, tzinfo=dt.UTC))
"""For which Arrow knows the clocks of a zone: it ends where the table of a zone does, and goes by no rule after it."""
RAW = pa.large_binary()
"""Bytes of a text file, which may or may not be UTF-8; no declared column comes as this type."""


class UnfitRowError(ValueError):
    """The first value of a column that does not fit: its place among the others, and the value."""

    def __init__(self, row: int, value: Any) -> None:
        super().__init__(row, value)
        self.row, self.value = row, value


# --- from text ---


def from_fields(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    """Of a CSV file: white space around values does not count, and an empty one is NULL, unless texts are wanted."""
    if column.type.equals(RAW):
        column = _decoded(column)
    if kind == STRING:
        return column
    trimmed = pc.utf8_trim_whitespace(column)
    return from_texts(pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed), kind, zone)


def from_texts(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    """Texts as values, each as it is."""
    if kind == STRING:
        return column
    try:
        return _quickly(column, kind, zone)
    except pa.ArrowException:
        return from_values(column.to_pylist(), kind, zone)


def _decoded(column: pa.Array) -> pa.Array:
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        row = first_unfit(column, lambda part: part.cast(pa.string()))
        raise UnfitRowError(row, column[row].as_py()) from None


def _quickly(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    """What Arrow reads exactly as `values.py` does; whatever it does not take raises."""
    wanted = to_arrow_type(kind)
    pattern = _pattern(kind)
    if pattern is None or not _all(pc.match_substring_regex(column, f"^(?:{pattern})$")):
        raise pa.ArrowInvalid("value by value")
    match kind:
        case Primitive("float" | "double"):
            found = column.cast(pa.float64())
            if pc.any(pc.is_inf(found)).as_py():  # 1e400
                raise pa.ArrowInvalid("infinite")
            return _narrowed(found, wanted)
        case Primitive("date" | "timestamp_ntz"):
            return _within(_YEARS, column.cast(wanted))
        case Primitive("timestamp"):
            return _within(_YEARS, _instants(column, zone))
        case _:
            return column.cast(wanted)


def _pattern(kind: DataType) -> str | None:
    if isinstance(kind, Decimal):  # with an exponent, or more than 38 digits, it would overflow or round
        whole = max(kind.precision - kind.scale, 1)
        return rf"[+-]?[0-9]{{1,{whole}}}(\.[0-9]{{1,{38 - whole}}})?" if whole < 38 else "[+-]?[0-9]{1,38}"
    return _QUICK.get(kind.name) if isinstance(kind, Primitive) else None


def _all(found: pa.Array) -> bool:
    return pc.all(found).as_py() is not False


def _instants(column: pa.Array, zone: str) -> pa.Array:
    try:
        return column.cast(_UTC)
    except pa.ArrowInvalid:
        return _of_clocks(column.cast(_PLAIN), zone)


def _of_clocks(times: pa.Array, zone: str) -> pa.Array:
    """The instants at which clocks of a zone show these times; one that they show twice or never raises."""
    if zone == "UTC":
        return times.cast(_UTC)
    return pc.assume_timezone(_within(_YEARS_OF_ZONES, times), zone).cast(_UTC)


def _within(years: tuple[dt.datetime, dt.datetime], times: pa.Array) -> pa.Array:
    first, last = (pa.scalar(year, _UTC).cast(times.type, safe=False) for year in years)
    if not _all(pc.and_(pc.greater_equal(times, first), pc.less_equal(times, last))):
        raise pa.ArrowInvalid("out of range")
    return times


def from_values(values: Sequence[Any], kind: DataType, zone: str) -> pa.Array:
    """Python values, or those of a JSON file, one by one."""
    read = nullable_reader(kind, zone)
    found = []
    for row, value in enumerate(values):
        try:
            found.append(read(value))
        except UnfitError as error:
            raise UnfitRowError(row, error.value) from None
    return pa.array(found, to_arrow_type(kind))


# --- from Arrow ---


def from_arrow_column(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    """Typed data; that its type may fit was looked at before (`may_fit`), here each value is."""
    try:
        return _converted(column, kind, zone)
    except (pa.ArrowException, ValueError, OverflowError):
        row = first_unfit(column, lambda part: _converted(part, kind, zone))
        raise UnfitRowError(row, _shown(column.slice(row, 1))) from None


def _shown(column: pa.Array) -> Any:
    """The one value of a column; if Python has no such value, as Arrow prints it."""
    try:
        return column[0].as_py()
    except (ValueError, OverflowError):
        return " ".join(column.to_string().split())


def first_unfit(column: pa.Array, convert: Callable[[pa.Array], object]) -> int:
    """The place of the first value that cannot be converted, given that one cannot."""
    fitting, beyond = 0, len(column)
    while beyond - fitting > 1:
        middle = (fitting + beyond) // 2
        try:
            convert(column.slice(fitting, middle - fitting))
        except (pa.ArrowException, ValueError, OverflowError):
            beyond = middle
        else:
            fitting = middle
    return fitting


def _converted(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    wanted, types = to_arrow_type(kind), pa.types
    if column.type.equals(wanted):
        return column
    if types.is_dictionary(column.type):
        if kind == STRING:  # Arrow takes nothing from views of texts
            return column.dictionary.cast(wanted).take(column.indices)
        return _converted(column.dictionary.take(column.indices), kind, zone)
    if types.is_nested(wanted) and not types.is_null(column.type):
        return _converted_inside(column, kind, zone)
    if types.is_floating(column.type) and types.is_decimal(wanted):
        return from_texts(column.cast(pa.string()), kind, zone)  # exact means: as it is printed
    if types.is_timestamp(column.type) and types.is_date(wanted):
        return _same(column.cast(wanted), column)
    if types.is_date(column.type) and types.is_timestamp(wanted):
        column = column.cast(_PLAIN)
    if types.is_timestamp(column.type) and not _zone(column.type) and _zone(wanted):
        return _in_zone(column.cast(_PLAIN), zone)
    if types.is_integer(column.type) and types.is_decimal(wanted):
        column = column.cast(pa.decimal128(38, wanted.scale))  # wide first: then values are checked, not types
    if types.is_decimal(column.type) and types.is_integer(wanted):
        column = column.cast(pa.decimal128(38, 0))
    return _narrowed(column, wanted)


def _converted_inside(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    wanted, empty = to_arrow_type(kind), column.is_null()
    match kind:
        case Array(element):
            items = _converted(column.flatten(), element, zone)
            return pa.ListArray.from_arrays(_offsets(column), items, type=wanted, mask=empty)
        case Map(key, value):
            pair = [("key", column.type.key_type), ("value", column.type.item_type)]
            pairs = column.cast(pa.list_(pa.struct(pair)))
            keys, items = pairs.flatten().flatten()
            keys, items = _converted(keys, key, zone), _converted(items, value, zone)
            return pa.MapArray.from_arrays(_offsets(pairs), keys, items, type=wanted, mask=empty)
        case Struct(fields):
            given = dict(zip((f.name for f in column.type), column.flatten(), strict=True))
            inner = [_converted(given[f.name], f.type, zone) for f in fields]
            return pa.StructArray.from_arrays(inner, fields=list(wanted), mask=empty)
    raise pa.ArrowInvalid("no nested type")


def _offsets(column: pa.Array) -> pa.Array:
    """Where each list begins among the items of those that are not NULL."""
    lengths = pc.fill_null(pc.list_value_length(column), 0)
    return pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum_checked(lengths).cast(pa.int32())])


def _in_zone(times: pa.Array, zone: str) -> pa.Array:
    try:
        return _of_clocks(times, zone)
    except pa.ArrowInvalid:
        return from_values(times.to_pylist(), TIMESTAMP, zone)


def _same(converted: pa.Array, column: pa.Array) -> pa.Array:
    """A conversion that Arrow lets lose something, if it did not."""
    if not _all(pc.equal(converted.cast(column.type), column)):
        raise pa.ArrowInvalid("something would be lost")
    return converted


def _narrowed(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Arrow's safe cast lets a double that is too large become an infinite float."""
    converted = column.cast(wanted, safe=True)
    if pa.types.is_float32(wanted) and pc.any(pc.and_(pc.is_finite(column), pc.is_inf(converted))).as_py():
        raise pa.ArrowInvalid("too large for FLOAT")
    return converted


def may_fit(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values of one type can be values of the other: a text is no number, a zone not to be forgotten."""
    types = pa.types
    if types.is_dictionary(found):
        found = found.value_type
    if found.equals(wanted) or types.is_null(found):
        return True
    is_text = types.is_string(found) or types.is_large_string(found) or types.is_string_view(found)
    is_bytes = types.is_binary(found) or types.is_large_binary(found) or types.is_binary_view(found)
    is_number = types.is_integer(wanted) or types.is_decimal(wanted)
    pairs = (
        (types.is_integer(found) or types.is_floating(found), is_number or types.is_floating(wanted)),
        (types.is_decimal(found), is_number),
        (is_text, types.is_string(wanted)),
        (is_bytes, types.is_binary(wanted)),
        (types.is_date(found), types.is_date(wanted) or types.is_timestamp(wanted)),
        (types.is_timestamp(found) and not _zone(found), types.is_date(wanted)),
        (types.is_timestamp(found) and types.is_timestamp(wanted), not (_zone(found) and not _zone(wanted))),
    )
    return any(a and b for a, b in pairs) or _may_fit_inside(found, wanted)


def _zone(kind: pa.DataType) -> str | None:
    return getattr(kind, "tz", None)


def _may_fit_inside(found: pa.DataType, wanted: pa.DataType) -> bool:
    """The same types inside; a struct with other fields than the declared ones would lose or gain some."""
    types = pa.types
    if types.is_map(wanted):
        same = types.is_map(found)
        return same and may_fit(found.key_type, wanted.key_type) and may_fit(found.item_type, wanted.item_type)
    if types.is_list(wanted):
        is_list = types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found)
        return is_list and may_fit(found.value_type, wanted.value_type)
    if types.is_struct(wanted) and types.is_struct(found):
        inside = {f.name: f.type for f in found}
        same = found.num_fields == wanted.num_fields and inside.keys() == {f.name for f in wanted}
        return same and all(may_fit(inside[f.name], f.type) for f in wanted)
    return False
