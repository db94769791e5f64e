"""Data in hand as a stream of Arrow batches in a source's own schema, checked column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as option

import pyarrow as pa
import pyarrow.compute as pc

from tidewheel.errors import UserError
from tidewheel.ingest.columns import RAW, UnfitRowError, from_arrow_column, from_fields, from_texts, may_fit
from tidewheel.ingest.values import how_to_write, shown
from tidewheel.names import check_column_name
from tidewheel.project.values import is_delimiter
from tidewheel.store.arrow import from_arrow, to_arrow, to_arrow_type
from tidewheel.types import Field, Schema, to_sql

DELIMITERS = (";", "\t", "|", ",")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How data is read: times without a zone are in `timezone`; if `partial`, further columns are passed over.

    `given` has values of columns for rows of a JSON file that have none of their own.
    """

    timezone: str = "UTC"
    format: str | None = None
    delimiter: str = ","
    partial: bool = False
    given: Mapping[str, str | None] = option(default_factory=dict)


FORMATS = ("parquet", "csv", "json")


def check_options(options: ReadOptions) -> None:
    """Refuse a format or a delimiter that there is not."""
    if options.format not in {None, *FORMATS}:
        raise UserError(f'unknown format "{options.format}"', code="unknown-option", hint=f"Use {', '.join(FORMATS)}.")
    try:
        is_delimiter(options.delimiter)
    except ValueError as error:
        raise UserError(f"the delimiter {error}", code="bad-option", hint="Give the one that the file has.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Batches as they come, and what to call them in errors; the columns `texts` may come as texts that are parsed."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    what: str
    texts: frozenset[str] = frozenset()
    delimiter: str | None = None

    def with_constants(self, values: Mapping[str, str | None]) -> Input:
        """The same rows with further columns, each with one value: that which a folder's name says."""
        fields = [pa.field(name, pa.string()) for name in values]
        schema = pa.schema([*self.schema, *fields])
        return replace(
            self,
            schema=schema,
            batches=(extended(batch, values) for batch in self.batches),
            texts=self.texts | {name.lower() for name in values},
        )


def extended(batch: pa.RecordBatch, values: Mapping[str, str | None]) -> pa.RecordBatch:
    """The same rows with further columns of texts."""
    added = [pa.repeat(pa.scalar(value, pa.string()), batch.num_rows) for value in values.values()]
    return pa.RecordBatch.from_arrays([*batch.columns, *added], names=[*batch.schema.names, *values])


def conforming(
    data: Input, schema: Schema, options: ReadOptions, *, required: tuple[str, ...] = ()
) -> Iterator[pa.RecordBatch]:
    """The batches in the source's columns, order and types; what does not fit is refused with its column and row."""
    positions = _match_columns(data, schema, options)
    for field, position in zip(schema, positions, strict=True):
        found = data.schema.field(position).type
        if field.name.lower() not in data.texts and not may_fit(found, to_arrow_type(field.type)):
            raise _type_mismatch(data, field, found)
    key = {c.lower() for c in required}
    first = 1
    for batch in data.batches:
        columns = []
        for field, position in zip(schema, positions, strict=True):
            column = _converted(batch.column(position), field, data, options.timezone, first)
            is_key = field.name.lower() in key
            if column.null_count and (is_key or not field.nullable):
                raise _null(data, field.name, first + pc.index(column.is_null(), True).as_py(), is_key=is_key)
            columns.append(column)
        yield pa.RecordBatch.from_arrays(columns, schema=to_arrow(schema))
        first += batch.num_rows


def _converted(column: pa.Array, field: Field, data: Input, zone: str, first: int) -> pa.Array:
    is_text = pa.types.is_string(column.type) or column.type.equals(RAW)
    from_text = from_texts if data.delimiter is None else from_fields
    convert = from_text if is_text and field.name.lower() in data.texts else from_arrow_column
    try:
        return convert(column, field.type, zone)
    except UnfitRowError as error:
        raise unfit(data.what, field, first + error.row, error.value) from None


def unfit(what: str, field: Field, row: int, value: object) -> UserError:
    """A value that is not of its column's type, with its place: rows count from 1, a header is none."""
    wrong_bytes = isinstance(value, bytes)
    return UserError(
        f'column "{field.name}", row {row} of {what}: expected {to_sql(field.type)}, found {shown(value)}',
        code="wrong-encoding" if wrong_bytes else "type-mismatch",
        detail="Its bytes are not UTF-8." if wrong_bytes else how_to_write(field.type),
        hint="Save the file as UTF-8." if wrong_bytes else "Correct the value, or declare another type for the column.",
    )


def _match_columns(data: Input, schema: Schema, options: ReadOptions) -> list[int]:
    found = {name.lower(): i for i, name in enumerate(data.schema.names)}
    if len(found) != len(data.schema.names):
        raise UserError(
            f"{data.what} has two columns of the same name",
            code="duplicate-column",
            hint="Names compare without case: rename one of them.",
        )
    missing = [f.name for f in schema if f.name.lower() not in found]
    extra = [] if options.partial else [n for n in data.schema.names if schema.find(n) is None]
    if missing or extra:
        _refuse_delimiter(data)
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        parts += [f"not in the source: {', '.join(extra)}"] if extra else []
        raise UserError(
            f"the columns of {data.what} are not those of the source",
            code="missing-column" if missing else "extra-column",
            detail=f"{'; '.join(parts)}.".capitalize(),
            hint=f"The source has: {schema.to_sql()}.",
        )
    return [found[f.name.lower()] for f in schema]


def _refuse_delimiter(data: Input) -> None:
    """A header of one column that holds another delimiter was most likely meant as several."""
    [first, *more] = data.schema.names or [""]
    other = next((d for d in DELIMITERS if d in first), None)
    if data.delimiter is not None and not more and other is not None:
        raise UserError(
            f"the fields of {data.what} seem to be separated by {other!r}, not by {data.delimiter!r}",
            code="wrong-delimiter",
            detail=f"Its only column would be: {first}.",
            hint=f"Give {other!r} as the delimiter: `delimiter:` of a files source, --delimiter of `tidewheel ingest`.",
        )


def _type_mismatch(data: Input, field: Field, found: pa.DataType) -> UserError:
    return UserError(
        f'column "{field.name}" of {data.what}: expected {to_sql(field.type)}, found {found}',
        code="type-mismatch",
        detail="Typed columns are converted only where no value can be lost or mistaken.",
        hint="Convert the column first.",
    )


def _null(data: Input, column: str, row: int, *, is_key: bool) -> UserError:
    where = "key column" if is_key else "column"
    return UserError(
        f'{where} "{column}", row {row} of {data.what}: expected a value, found NULL',
        code="null-in-key" if is_key else "null-in-column",
        hint="A key identifies a row: give every row one." if is_key else "The column is declared NOT NULL.",
    )


def schema_of_input(data: Input) -> Schema:
    """The schema of a first file, when none is declared."""
    _refuse_delimiter(data)
    schema = from_arrow(data.schema)
    seen: set[str] = set()
    for name in schema.names:
        check_column_name(name, seen)
        seen.add(name.lower())
    return schema
