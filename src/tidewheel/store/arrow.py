"""Our types as Arrow types and back, and the reading of data files without a JVM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

import pyarrow as pa
import pyarrow.parquet as pq

from tidewheel.errors import UserError
from tidewheel.store.integrity import opened
from tidewheel.types import Array, DataType, Decimal, Field, Map, Primitive, Schema, Struct

_TO_ARROW = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_FROM_ARROW = {kind: Primitive(name) for name, kind in _TO_ARROW.items()} | {
    pa.large_string(): Primitive("string"),
    pa.string_view(): Primitive("string"),
    pa.large_binary(): Primitive("binary"),
    pa.date64(): Primitive("date"),
    pa.uint8(): Primitive("short"),
    pa.uint16(): Primitive("integer"),
    pa.uint32(): Primitive("long"),
    pa.null(): Primitive("string"),
}


def to_arrow_type(kind: DataType) -> pa.DataType:
    match kind:
        case Primitive(name):
            return _TO_ARROW[name]
        case Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case Array(element):
            return pa.list_(pa.field("element", to_arrow_type(element)))
        case Map(key, value):
            return pa.map_(to_arrow_type(key), to_arrow_type(value))
        case Struct(fields):
            return pa.struct([pa.field(f.name, to_arrow_type(f.type)) for f in fields])
    assert_never(kind)


def parquet_writer(path: str, schema: pa.Schema) -> pq.ParquetWriter:
    """A new file with checksums, whose bounds hold for every reader: none are written for floating point numbers.

    Arrow leaves NaN out of them, and readers that go by them then miss rows with NaN, which is greater than all others.
    """
    plain = [f.name for f in schema if not (pa.types.is_floating(f.type) or pa.types.is_nested(f.type))]
    return pq.ParquetWriter(path, schema, compression="zstd", write_statistics=plain or False, write_page_checksum=True)


def to_arrow(schema: Schema) -> pa.Schema:
    return pa.schema([pa.field(f.name, to_arrow_type(f.type)) for f in schema])


def from_arrow(schema: pa.Schema) -> Schema:
    """The Spark schema of Arrow data; a type without a counterpart is refused by name."""
    return Schema(tuple(Field(f.name, _from_arrow_type(f.type, f.name)) for f in schema))


def _from_arrow_type(kind: pa.DataType, column: str) -> DataType:
    if kind in _FROM_ARROW:
        return _FROM_ARROW[kind]
    if pa.types.is_decimal(kind) and kind.precision <= 38:
        return Decimal(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return Primitive("timestamp_ntz" if kind.tz is None else "timestamp")
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return Array(_from_arrow_type(kind.value_type, column))
    if pa.types.is_map(kind):
        return Map(_from_arrow_type(kind.key_type, column), _from_arrow_type(kind.item_type, column))
    if pa.types.is_struct(kind):
        return Struct(tuple(Field(f.name, _from_arrow_type(f.type, column)) for f in kind))
    if pa.types.is_dictionary(kind):
        return _from_arrow_type(kind.value_type, column)
    raise UserError(
        f'column "{column}" has type {kind}, which Spark cannot store',
        code="unsupported-type",
        hint="Convert the column first.",
    )


def conform(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    """The batch in the wanted columns, order and types; a value that does not fit raises ArrowInvalid."""
    columns = []
    for field in wanted:
        index = batch.schema.get_field_index(field.name)
        if index < 0:  # a column that the table got later than this file
            columns.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(index)
        columns.append(column if column.type.equals(field.type) else column.cast(field.type, safe=True))
    return pa.RecordBatch.from_arrays(columns, schema=wanted)


def read_batches(paths: Sequence[str], schema: Schema) -> Iterator[pa.RecordBatch]:
    """The declared columns of data files, a batch at a time."""
    wanted = to_arrow(schema)
    for path in paths:
        with opened(path) as file:
            for batch in file.iter_batches(columns=list(schema.names)):
                batch.validate(full=True)  # a text that is none would be found only when somebody prints it
                yield conform(batch, wanted)


def read_table(paths: Sequence[str], schema: Schema) -> pa.Table:
    return pa.Table.from_batches(read_batches(paths, schema), schema=to_arrow(schema))
