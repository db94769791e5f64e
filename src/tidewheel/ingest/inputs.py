"""Data in hand as a stream of Arrow batches in a source's own schema, checked column by column."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tidewheel.errors import UserError
from tidewheel.names import check_column_name
from tidewheel.store.arrow import from_arrow, to_arrow_type
from tidewheel.types import Field, Primitive, Schema

ENDINGS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Batches as they come, and what to call them in errors; from `text`, timestamps come as strings."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    what: str
    text: bool = False


def open_input(data: Any, declared: Schema | None = None) -> Input:
    """Arrow, pandas, Polars, DuckDB (anything that exports an Arrow stream), or the path of a file."""
    if isinstance(data, (str, os.PathLike)):
        return open_file(os.fspath(data), declared)
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__"):
        what = f"the {type(data).__name__}"
        try:
            reader = pa.RecordBatchReader.from_stream(data)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise _broken(what, error) from error
        return Input(schema=reader.schema, batches=_guarded(iter(reader), lambda e: _broken(what, e)), what=what)
    raise UserError(
        f"cannot ingest a {type(data).__name__}",
        code="bad-input",
        hint="Give an Arrow table, a pandas, Polars or Spark DataFrame, or the path of a Parquet, CSV or JSON file.",
    )


def _broken(what: str, error: BaseException) -> UserError:
    return UserError(
        f"{what} cannot be read as Arrow data",
        code="bad-input",
        detail=(str(error).splitlines() or [type(error).__name__])[0],
        hint="Give every column one type; convert mixed columns first.",
    )


def file_format(path: str) -> str:
    ending = os.path.splitext(path)[1].lower()
    if ending not in ENDINGS:
        raise UserError(
            f'file "{os.path.basename(path)}" is of no known format',
            code="unreadable-file",
            detail=f"Path: {path}.",
            hint=f"Known endings: {', '.join(ENDINGS)}.",
        )
    return ENDINGS[ending]


def open_file(path: str, declared: Schema | None, kind: str | None = None) -> Input:
    """A Parquet, CSV (with a header) or JSON-lines file."""
    kind = kind or file_format(path)
    if not os.path.isfile(path):
        raise UserError(f'file "{path}" does not exist', code="missing-file", hint="Check the path.")
    if os.path.getsize(path) == 0:
        raise UserError(f'file "{path}" is empty', code="empty-file", hint="It should hold at least a header.")
    try:
        schema, batches = {"parquet": _parquet, "csv": _csv, "json": _json}[kind](path, declared)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from error
    return Input(
        schema=schema,
        batches=_guarded(batches, lambda e: unreadable(path, e)),
        what=f'file "{path}"',
        text=kind != "parquet",
    )


def unreadable(path: str, error: BaseException) -> UserError:
    return UserError(
        f'file "{path}" cannot be read',
        code="corrupt-file",
        detail=(str(error).splitlines() or [type(error).__name__])[0],
        hint="The file is damaged, or its content does not fit the source's schema.",
    )


def _guarded(
    batches: Iterator[pa.RecordBatch], explain: Callable[[BaseException], UserError]
) -> Iterator[pa.RecordBatch]:
    """The same batches; not `yield from`, so that an error of whoever consumes them is not taken for one of theirs."""
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise explain(error) from error
        if batch is None:
            return
        yield batch


def _parquet(path: str, declared: Schema | None) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    del declared  # a Parquet file knows its types
    file = pq.ParquetFile(path)
    return file.schema_arrow, file.iter_batches()


def _csv(path: str, declared: Schema | None) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    from pyarrow import csv  # noqa: PLC0415

    types = {f.name: _text_type(f) for f in declared} if declared else None
    options = csv.ConvertOptions(
        column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    reader = csv.open_csv(path, convert_options=options)
    return reader.schema, iter(reader)


def _json(path: str, declared: Schema | None) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    from pyarrow import json  # noqa: PLC0415

    schema = pa.schema([pa.field(f.name, _text_type(f)) for f in declared]) if declared else None
    options = json.ParseOptions(explicit_schema=schema, newlines_in_values=False)
    table = json.read_json(path, parse_options=options)
    return table.schema, iter(table.to_batches())


def _text_type(field: Field) -> pa.DataType:
    """As which type a text file is parsed: timestamps later, for they may or may not name their zone."""
    return pa.string() if field.type == Primitive("timestamp") else to_arrow_type(field.type)


def _parse_timestamps(column: pa.Array, timezone: str) -> pa.Array:
    """Texts as timestamps: those without a zone are in the project's."""
    try:
        return column.cast(pa.timestamp("us", tz="UTC"))
    except pa.ArrowInvalid:
        return pc.assume_timezone(column.cast(pa.timestamp("us")), timezone).cast(pa.timestamp("us", tz="UTC"))


def conforming(data: Input, schema: Schema, *, required: tuple[str, ...], timezone: str) -> Iterator[pa.RecordBatch]:
    """The batches in the source's columns, order and types; what does not fit is refused, naming the column."""
    positions = _match_columns(data, schema)
    wanted = pa.schema([pa.field(f.name, to_arrow_type(f.type)) for f in schema])
    for field, position in zip(schema, positions, strict=True):
        parsed = data.text and field.type == Primitive("timestamp")
        if not parsed and not _fits(data.schema.field(position).type, to_arrow_type(field.type)):
            raise _type_mismatch(data, field, str(data.schema.field(position).type))
    not_null = {c.lower() for c in required} | {f.name.lower() for f in schema if not f.nullable}
    for batch in data.batches:
        columns = []
        for field, position in zip(schema, positions, strict=True):
            column = _convert(batch.column(position), field, data, timezone)
            if field.name.lower() in not_null and column.null_count:
                raise _null_in_key(data, field.name, is_key=field.name.lower() in {c.lower() for c in required})
            columns.append(column)
        yield pa.RecordBatch.from_arrays(columns, schema=wanted)


def _match_columns(data: Input, schema: Schema) -> list[int]:
    found = {name.lower(): i for i, name in enumerate(data.schema.names)}
    if len(found) != len(data.schema.names):
        raise UserError(
            f"{data.what} has two columns of the same name",
            code="duplicate-column",
            hint="Names compare without case: rename one of them.",
        )
    missing = [f.name for f in schema if f.name.lower() not in found]
    extra = [n for n in data.schema.names if schema.find(n) is None]
    if missing or extra:
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        parts += [f"not in the source: {', '.join(extra)}"] if extra else []
        raise UserError(
            f"the columns of {data.what} are not those of the source",
            code="missing-column" if missing else "extra-column",
            detail=f"{'; '.join(parts)}.".capitalize(),
            hint=f"The source has: {schema.to_sql()}.",
        )
    return [found[f.name.lower()] for f in schema]


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Only conversions that keep every value: a string is not a number, a fraction not an integer."""
    types = pa.types
    if types.is_dictionary(found):
        found = found.value_type
    if found.equals(wanted) or types.is_null(found):
        return True
    is_text = types.is_string(found) or types.is_large_string(found) or types.is_string_view(found)
    is_bytes = types.is_binary(found) or types.is_large_binary(found) or types.is_binary_view(found)
    pairs = (
        (
            types.is_integer(found),
            types.is_integer(wanted) or types.is_decimal(wanted) or types.is_floating(wanted),
        ),
        (types.is_decimal(found), types.is_decimal(wanted)),
        (types.is_floating(found), types.is_floating(wanted)),
        (is_text, types.is_string(wanted)),
        (is_bytes, types.is_binary(wanted)),
        (types.is_date(found), types.is_date(wanted)),
        (types.is_timestamp(found) and types.is_timestamp(wanted), not (_zone(found) and not _zone(wanted))),
    )
    return any(a and b for a, b in pairs) or _fits_inside(found, wanted)


def _zone(kind: pa.DataType) -> str | None:
    return getattr(kind, "tz", None)


def _fits_inside(found: pa.DataType, wanted: pa.DataType) -> bool:
    """The same rules for what is inside; a struct with other fields than the declared ones would lose or gain some."""
    types = pa.types
    if types.is_map(wanted):
        same = types.is_map(found)
        return same and _fits(found.key_type, wanted.key_type) and _fits(found.item_type, wanted.item_type)
    if types.is_list(wanted):
        is_list = types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found)
        return is_list and _fits(found.value_type, wanted.value_type)
    if types.is_struct(wanted) and types.is_struct(found):
        inside = {f.name: f.type for f in found}
        return inside.keys() == {f.name for f in wanted} and all(_fits(inside[f.name], f.type) for f in wanted)
    return False


def _convert(column: pa.Array, field: Field, data: Input, timezone: str) -> pa.Array:
    wanted = to_arrow_type(field.type)
    if column.type.equals(wanted):
        return column
    if pa.types.is_dictionary(column.type):
        return _convert(column.dictionary, field, data, timezone).take(column.indices)
    try:
        if data.text and pa.types.is_string(column.type) and pa.types.is_timestamp(wanted):
            return _parse_timestamps(column, timezone)
        if pa.types.is_timestamp(column.type) and column.type.tz is None and getattr(wanted, "tz", None):
            column = pc.assume_timezone(column, timezone)
        if pa.types.is_integer(column.type) and pa.types.is_decimal(wanted):
            column = column.cast(pa.decimal128(38, wanted.scale))  # wide first: then values are checked, not types
        return _checked(column, column.cast(wanted, safe=True))
    except (pa.ArrowException, ValueError) as error:
        raise UserError(
            f'a value in column "{field.name}" of {data.what} does not fit {wanted}',
            code="type-mismatch",
            detail=str(error).splitlines()[0],
            hint="Convert the column first.",
        ) from error


def _checked(column: pa.Array, converted: pa.Array) -> pa.Array:
    """Arrow's safe cast lets a double that is too large become an infinite float."""
    if pa.types.is_float32(converted.type) and pc.any(pc.and_(pc.is_finite(column), pc.is_inf(converted))).as_py():
        raise pa.ArrowInvalid("A value is too large for FLOAT.")
    return converted


def _type_mismatch(data: Input, field: Field, found: str) -> UserError:
    return UserError(
        f'column "{field.name}" of {data.what} has type {found}, the source has {to_arrow_type(field.type)}',
        code="type-mismatch",
        hint="Convert the column first.",
    )


def _null_in_key(data: Input, column: str, *, is_key: bool) -> UserError:
    where = "key column" if is_key else "column"
    return UserError(
        f'{where} "{column}" of {data.what} holds NULL',
        code="null-in-key" if is_key else "null-in-column",
        hint="A key identifies a row: give every row one." if is_key else "The column is declared NOT NULL.",
    )


def schema_of_input(data: Input) -> Schema:
    """The schema of a first file, when none is declared."""
    schema = from_arrow(data.schema)
    seen: set[str] = set()
    for name in schema.names:
        check_column_name(name, seen)
        seen.add(name.lower())
    return schema
