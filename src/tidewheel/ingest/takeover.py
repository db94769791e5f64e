"""One landed file as a data file of its source's table: by hard link, by copy, or converted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pyarrow as pa

from tidewheel.errors import TidewheelError, UserError
from tidewheel.ingest.columns import UnfitRowError, from_values
from tidewheel.ingest.commit import IngestAttempt
from tidewheel.ingest.files import column_names, damaged, format_of, open_file
from tidewheel.ingest.inputs import Input, ReadOptions, conforming
from tidewheel.ingest.landed import Landed
from tidewheel.ingest.recognition import AS_IT_IS, content_digest
from tidewheel.ingest.values import how_to_write, shown
from tidewheel.store import disk
from tidewheel.store.arrow import parquet_writer, to_arrow
from tidewheel.store.footers import check_schema, describe_file, has_nanoseconds, read_footer
from tidewheel.store.log import DataFile
from tidewheel.types import Schema, to_sql

OF_THE_DISK = frozenset({"disk-full", "not-writable", "io-error"})
OF_THE_CONTENT = frozenset(
    {
        "corrupt-file",
        "empty-file",
        "malformed-row",
        "wrong-delimiter",
        "wrong-encoding",
        "type-mismatch",
        "null-in-column",
    }
)


def take_over(
    attempt: IngestAttempt, landed: Landed, schema: Schema, read: ReadOptions, *, link: bool
) -> DataFile | None:
    """Parquet by hard link or copy, others converted; None if the file changed while we worked."""
    digest = content_digest(landed.path)
    copy = f"{landed.stem}-{digest}.parquet"
    try:
        added = _checked_folders(landed, schema, read)
        if _is_ready(landed, schema, added):
            copy = f"{landed.stem}-{digest}-{AS_IT_IS}.parquet"
            disk.link_or_copy(landed.path, os.path.join(attempt.data, copy), step="files.import", link=link)
        else:
            _convert(landed, schema, os.path.join(attempt.data, copy), read, added)
    except TidewheelError as error:
        if error.code in OF_THE_DISK:
            raise  # our disk's fault, not the file's
        if not landed.same_now():
            return None
        raise UserError(
            f'file "{landed.name}" does not fit source "{attempt.source}": {error.message}',
            code=error.code if error.code in OF_THE_CONTENT else "schema-changed",
            detail=error.detail,
            relation=attempt.source,
            hint=error.hint if error.code == "wrong-delimiter" else "Remove or repair the file; nothing was taken.",
        ) from error
    if not landed.same_now():
        return None
    return describe_file(os.path.join(attempt.data, copy), attempt.relative(copy), schema)


def _checked_folders(landed: Landed, schema: Schema, read: ReadOptions) -> dict[str, str | None]:
    values = landed.folder_values(schema)
    for field in schema.only(values):
        value = values[field.name]
        try:
            from_values([value], field.type, read.timezone)
        except UnfitRowError:
            raise UserError(
                f'column "{field.name}", by its folder: expected {to_sql(field.type)}, found {shown(value)}',
                code="type-mismatch",
                detail=how_to_write(field.type),
            ) from None
    return values


def _is_ready(landed: Landed, schema: Schema, added: Iterable[str]) -> bool:
    """Whether the file can be part of the table as it is; refused if it can be none at all."""
    if format_of(landed.path) != "parquet":
        return False
    found = read_footer(landed.path).schema.to_arrow_schema()
    missing = tuple(name for name in added if name not in found.names)
    check_schema(found, schema.without(missing), landed.path)
    _refuse_extra(found.names, schema, landed)
    return not missing and not has_nanoseconds(found)


def _refuse_extra(names: list[str], schema: Schema, landed: Landed) -> None:
    extra = [n for n in names if schema.find(n) is None]
    if extra:
        raise UserError(
            f"it has columns that the source has not: {', '.join(extra)}",
            code="extra-column",
            detail=f"Path: {landed.path}.",
        )


def _opened(landed: Landed, schema: Schema, read: ReadOptions, added: Mapping[str, str | None]) -> Input:
    """The file with the columns of its folders; each row of a JSON file may have its own values, or none."""
    if (read.format or format_of(landed.path)) == "json":
        return open_file(landed.path, schema, replace(read, given=added), what="the file")
    there = {name.lower() for name in column_names(landed.path, read)} if added else set()
    missing = {name: value for name, value in added.items() if name.lower() not in there}
    return open_file(landed.path, schema.without(tuple(missing)), read, what="the file").with_constants(missing)


def _convert(landed: Landed, schema: Schema, target: str, read: ReadOptions, added: Mapping[str, str | None]) -> None:
    opened = _opened(landed, schema, read, added)
    with disk.io_step("files.import", target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            with parquet_writer(target, to_arrow(schema)) as writer:
                for batch in conforming(opened, schema, read):
                    writer.write_batch(batch)
        except pa.ArrowException as error:
            raise damaged("the file", error) from error
