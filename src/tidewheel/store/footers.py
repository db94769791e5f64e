"""What a Parquet footer says about its file: rows, schema, and statistics that can only prove absence.

A bound that is missing, cut off or inexact is left out, and then every reader keeps the file: a bound that is a
little too tight would make readers drop rows without a word. Hence no bounds for floats (NaN stands outside them),
for long strings (writers cut them), for wide decimals (readers pass them through a double).
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidewheel.errors import StoreError
from tidewheel.store.arrow import to_arrow_type
from tidewheel.store.integrity import reading
from tidewheel.store.log import DataFile
from tidewheel.types import Decimal, Field, Primitive, Schema

MAX_STRING_BOUND = 32
EXACT_DOUBLE_DIGITS = 15
_INTEGERS = frozenset({"byte", "short", "integer", "long"})
_TRUSTED_WRITERS = ("parquet-mr", "parquet-cpp-arrow", "DuckDB")


def read_footer(path: str) -> pq.FileMetaData:
    with reading(path):
        return pq.read_metadata(path)


def describe_file(path: str, relative: str, schema: Schema) -> DataFile:
    """A data file of ours as the log and our records name it, checked against the declared schema."""
    footer = read_footer(path)
    check_schema(footer.schema.to_arrow_schema(), schema, path)
    return DataFile(
        path=relative,
        size=os.path.getsize(path),
        rows=footer.num_rows,
        stats=statistics(footer, schema),
        modified=int(os.path.getmtime(path) * 1000),
    )


def check_schema(found: pa.Schema, declared: Schema, path: str) -> None:
    """Every declared column is in the file with its type; columns beyond that are hidden ones and do no harm."""
    for field in declared:
        index = found.get_field_index(field.name)
        wanted = to_arrow_type(field.type)
        if index < 0:
            raise _mismatch(path, field, "the file has no such column")
        if not same_type(found.field(index).type, wanted):
            raise _mismatch(path, field, f"the file has {found.field(index).type}, declared is {wanted}")


def has_nanoseconds(schema: pa.Schema) -> bool:
    """Spark reads no timestamps of nanoseconds, and the old INT96 ones have no statistics."""
    todo = [field.type for field in schema]
    while todo:
        kind = todo.pop()
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            return True
        todo += [kind.field(i).type for i in range(kind.num_fields)] if pa.types.is_nested(kind) else []
    return False


def _mismatch(path: str, field: Field, what: str) -> StoreError:
    return StoreError(
        f'column "{field.name}" of a data file is not what was declared',
        code="schema-mismatch",
        detail=f"Path: {path}: {what}.",
        hint="Give it the declared columns and types, or leave it out.",
    )


def same_type(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Equal but for what Parquet does not keep: names inside lists, NOT NULL, units of old timestamps."""
    if pa.types.is_timestamp(found) and pa.types.is_timestamp(wanted):
        return (found.tz is None) == (wanted.tz is None) or found.unit == "ns"
    if pa.types.is_list(found) and pa.types.is_list(wanted):
        return same_type(found.value_type, wanted.value_type)
    if pa.types.is_map(found) and pa.types.is_map(wanted):
        return same_type(found.key_type, wanted.key_type) and same_type(found.item_type, wanted.item_type)
    if pa.types.is_struct(found) and pa.types.is_struct(wanted):
        return len(found) == len(wanted) and all(
            a.name == b.name and same_type(a.type, b.type) for a, b in zip(found, wanted, strict=True)
        )
    if pa.types.is_large_string(found) or pa.types.is_string_view(found):
        return bool(pa.types.is_string(wanted))
    if pa.types.is_large_binary(found):
        return bool(pa.types.is_binary(wanted))
    return bool(found.equals(wanted))


def statistics(footer: pq.FileMetaData, schema: Schema) -> str:
    """Delta statistics as JSON text, from the footer alone."""
    lows: dict[str, str] = {}
    highs: dict[str, str] = {}
    nulls: dict[str, int] = {}
    trusted = (footer.created_by or "").startswith(_TRUSTED_WRITERS)
    paths = [footer.schema.column(i).path for i in range(len(footer.schema))]
    columns = {path: i for i, path in enumerate(paths) if paths.count(path) == 1}  # a column `a.b`, a field b of a
    for field in schema:
        if field.name not in columns:
            continue
        chunks = [c.statistics for c in _chunks(footer, columns[field.name])]
        if any(c is None for c in chunks):
            continue
        if all(c.has_null_count for c in chunks):
            nulls[field.name] = sum(c.null_count for c in chunks)
        bounds = _bounds(field, [c for c in chunks if c.has_min_max or c.num_values], trusted=trusted)
        if bounds:
            lows[field.name], highs[field.name] = bounds
    body = [f'"numRecords":{footer.num_rows}']
    body += [
        f'"minValues":{_object(lows)}',
        f'"maxValues":{_object(highs)}',
        f'"nullCount":{json.dumps(nulls)}',
    ]
    return "{" + ",".join(body) + "}"


def _chunks(footer: pq.FileMetaData, column: int) -> Iterator[pq.ColumnChunkMetaData]:
    for group in range(footer.num_row_groups):
        yield footer.row_group(group).column(column)


def _object(parts: dict[str, str]) -> str:
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in parts.items()) + "}"


def _bounds(field: Field, chunks: list[Any], *, trusted: bool) -> tuple[str, str] | None:
    if not chunks or not all(c.has_min_max for c in chunks):
        return None
    try:
        low, high = min(c.min for c in chunks), max(c.max for c in chunks)
        rendered = (
            _literal(field, low, up=False, trusted=trusted),
            _literal(field, high, up=True, trusted=trusted),
        )
    except (ValueError, OverflowError, TypeError, NotImplementedError, pa.ArrowException):
        return None  # dates beyond year 9999 and their like: no bound is always right
    return None if rendered[0] is None or rendered[1] is None else (rendered[0], rendered[1])


def _literal(field: Field, value: Any, *, up: bool, trusted: bool) -> str | None:
    """One bound as JSON, rounded outward; None where it cannot be exact."""
    match field.type:
        case Primitive(name) if name in _INTEGERS:
            return str(int(value))
        case Primitive("string"):
            ok = trusted and isinstance(value, str) and len(value.encode()) <= MAX_STRING_BOUND
            return json.dumps(value) if ok else None
        case Primitive("date"):
            return json.dumps(value.isoformat()) if type(value) is dt.date else None
        case Primitive("timestamp" | "timestamp_ntz" as name):
            return _timestamp(value, up=up, zone="Z" if name == "timestamp" else "")
        case Decimal(precision, _) if precision <= EXACT_DOUBLE_DIGITS and isinstance(value, decimal.Decimal):
            return f"{value:f}"
        case _:
            return None


def _timestamp(value: Any, *, up: bool, zone: str) -> str | None:
    """Delta keeps milliseconds: the lower bound is cut, the upper one goes to the next."""
    if not isinstance(value, dt.datetime):
        return None
    if value.tzinfo is not None:
        value = value.astimezone(dt.UTC).replace(tzinfo=None)
    if up and value.microsecond % 1000:
        value += dt.timedelta(milliseconds=1)
    return json.dumps(value.isoformat(timespec="milliseconds") + zone)


def describe_folder(folder: str, prefix: str, schema: Schema) -> Iterable[DataFile]:
    """All data files that an engine wrote into a folder; what else it left there is removed by the caller."""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".parquet") and not name.startswith((".", "_")):
            yield describe_file(os.path.join(folder, name), f"{prefix}/{name}", schema)
