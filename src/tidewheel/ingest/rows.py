"""Rows as dictionaries, from JSON or from Python, as Arrow batches in a source's own schema."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tidewheel.errors import UserError
from tidewheel.ingest.columns import UnfitRowError, from_values
from tidewheel.ingest.inputs import Input, ReadOptions, unfit
from tidewheel.ingest.values import shown
from tidewheel.store.arrow import to_arrow
from tidewheel.types import Schema

ROWS_AT_ONCE = 10_000


def open_rows(rows: Sequence[Any], declared: Schema, options: ReadOptions) -> Input:
    """A list of dictionaries: what JSON may hold, and Python's own dates, decimals and bytes."""
    what = "the list"
    return Input(schema=to_arrow(declared), batches=read_rows(iter(rows), declared, options, what), what=what)


def read_rows(
    rows: Iterator[Any], declared: Schema, options: ReadOptions, what: str, *, first: int = 1
) -> Iterator[pa.RecordBatch]:
    """Rows in the declared columns; a column that a row does not have is NULL in it."""
    while chunk := list(itertools.islice(rows, ROWS_AT_ONCE)):
        named = [_named(row, declared, options, what, first + i) for i, row in enumerate(chunk)]
        columns = [_column(named, field.name.lower(), declared, options, what, first) for field in declared]
        yield pa.RecordBatch.from_arrays(columns, schema=to_arrow(declared))
        first += len(chunk)


def _named(row: Any, declared: Schema, options: ReadOptions, what: str, number: int) -> dict[str, Any]:
    """The values of a row by the lower-case names of its columns."""
    if not isinstance(row, Mapping):
        raise UserError(
            f"row {number} of {what} is not an object: {shown(row)}",
            code="malformed-row",
            hint='Give each row as an object, {"column": value}.',
        )
    found = {str(name).lower(): value for name, value in row.items()}
    if len(found) != len(row):
        raise UserError(
            f"row {number} of {what} has two columns of the same name",
            code="duplicate-column",
            hint="Names compare without case: rename one of them.",
        )
    extra = [str(name) for name in row if declared.find(str(name)) is None]
    if extra and not options.partial:
        raise _extra(extra, declared, what, number)
    return found


def _extra(names: Iterable[str], declared: Schema, what: str, number: int) -> UserError:
    quoted = ", ".join(f'"{name}"' for name in names)
    return UserError(
        f"row {number} of {what} has columns that the source has not: {quoted}",
        code="extra-column",
        hint=f"The source has: {declared.to_sql()}.",
    )


def _column(
    rows: list[dict[str, Any]], name: str, declared: Schema, options: ReadOptions, what: str, first: int
) -> pa.Array:
    field = declared.find(name)
    assert field is not None  # noqa: S101  it is one of them
    try:
        default = options.given.get(field.name)
        return from_values([row.get(name, default) for row in rows], field.type, options.timezone)
    except UnfitRowError as error:
        raise unfit(what, field, first + error.row, error.value) from None
