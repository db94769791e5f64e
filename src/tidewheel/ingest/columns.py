"""Whole columns into a declared type: by Arrow where it reads as we do, else value by value.

Only conversions that keep every value: a whole float may be an integer, a midnight a date; no fraction, no hour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewheel.ingest.values import UnfitError, nullable_reader
from tidewheel.store.arrow import to_arrow_type
from tidewheel.types import STRING, DataType, Decimal, Primitive

_WHOLE = r"^-?[0-9]+$"
_INTEGERS = ("byte", "short", "integer", "long")
RAW = pa.large_binary()
"""Bytes of a text file, which may or may not be UTF-8; no declared column comes as this type."""


class UnfitRowError(ValueError):
    """The first value of a column that does not fit: its place among the others, and the value."""

    def __init__(self, row: int, value: Any) -> None:
        super().__init__(row, value)
        self.row, self.value = row, value


# --- from text ---


def from_texts(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    """Texts as values; white space around them does not count, and an empty one is NULL, unless texts are wanted."""
    if column.type.equals(RAW):
        column = _decoded(column)
    if kind == STRING:
        return column
    trimmed = pc.utf8_trim_whitespace(column)
    trimmed = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)
    try:
        return _quickly(trimmed, kind, zone)
    except pa.ArrowException:
        return from_values(trimmed.to_pylist(), kind, zone)


def _decoded(column: pa.Array) -> pa.Array:
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        row = first_unfit(column, lambda part: part.cast(pa.string()))
        raise UnfitRowError(row, column[row].as_py()) from None


def _quickly(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    """What Arrow reads exactly as `values.py` does; whatever it does not take raises."""
    wanted = to_arrow_type(kind)
    match kind:
        case Primitive(name) if name in _INTEGERS:
            if not _all(pc.match_substring_regex(column, _WHOLE)):  # it would take 0x10
                raise pa.ArrowInvalid("not plain digits")
            return column.cast(wanted)
        case Primitive("float" | "double"):
            found = column.cast(pa.float64())
            if pc.any(pc.is_inf(found)).as_py():  # as it is written, or 1e400
                raise pa.ArrowInvalid("infinite")
            return _narrowed(found, wanted)
        case Primitive("boolean" | "date" | "timestamp_ntz") | Decimal():
            return column.cast(wanted)
        case Primitive("timestamp"):
            return _instants(column, zone)
        case _:
            raise pa.ArrowInvalid("value by value")


def _all(found: pa.Array) -> bool:
    return pc.all(found).as_py() is not False


def _instants(column: pa.Array, zone: str) -> pa.Array:
    try:
        return column.cast(pa.timestamp("us", tz="UTC"))
    except pa.ArrowInvalid:
        return pc.assume_timezone(column.cast(pa.timestamp("us")), zone).cast(pa.timestamp("us", tz="UTC"))


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
    except (pa.ArrowException, UnfitRowError, ValueError):
        row = first_unfit(column, lambda part: _converted(part, kind, zone))
        raise UnfitRowError(row, column[row].as_py()) from None


def first_unfit(column: pa.Array, convert: Callable[[pa.Array], object]) -> int:
    """The place of the first value that cannot be converted, given that one cannot."""
    fitting, beyond = 0, len(column)
    while beyond - fitting > 1:
        middle = (fitting + beyond) // 2
        try:
            convert(column.slice(fitting, middle - fitting))
        except (pa.ArrowException, ValueError):
            beyond = middle
        else:
            fitting = middle
    return fitting


def _converted(column: pa.Array, kind: DataType, zone: str) -> pa.Array:
    wanted, types = to_arrow_type(kind), pa.types
    if column.type.equals(wanted):
        return column
    if types.is_dictionary(column.type):
        return _converted(column.dictionary, kind, zone).take(column.indices)
    if types.is_floating(column.type) and types.is_decimal(wanted):
        return from_texts(column.cast(pa.string()), kind, zone)  # exact means: as it is printed
    if types.is_timestamp(column.type) and types.is_date(wanted):
        return _same(column.cast(wanted), column)
    if types.is_date(column.type) and types.is_timestamp(wanted):
        column = column.cast(pa.timestamp("us"))
    if types.is_timestamp(column.type) and column.type.tz is None and getattr(wanted, "tz", None):
        column = pc.assume_timezone(column, zone)
    if types.is_integer(column.type) and types.is_decimal(wanted):
        column = column.cast(pa.decimal128(38, wanted.scale))  # wide first: then values are checked, not types
    if types.is_decimal(column.type) and types.is_integer(wanted):
        column = column.cast(pa.decimal128(38, 0))
    return _narrowed(column, wanted)


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
        return same and _casts(found.key_type, wanted.key_type) and _casts(found.item_type, wanted.item_type)
    if types.is_list(wanted):
        is_list = types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found)
        return is_list and _casts(found.value_type, wanted.value_type)
    if types.is_struct(wanted) and types.is_struct(found):
        inside = {f.name: f.type for f in found}
        return inside.keys() == {f.name for f in wanted} and all(_casts(inside[f.name], f.type) for f in wanted)
    return False


def _casts(found: pa.DataType, wanted: pa.DataType) -> bool:
    """What Arrow casts by itself inside of others without losing anything."""
    types = pa.types
    by_value = (
        (types.is_floating(found), not types.is_floating(wanted)),
        (types.is_timestamp(found), types.is_date(wanted)),
        (types.is_date(found), types.is_timestamp(wanted)),
        (types.is_decimal(found), types.is_integer(wanted)),
    )
    return may_fit(found, wanted) and not any(a and b for a, b in by_value)
