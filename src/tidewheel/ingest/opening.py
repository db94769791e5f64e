"""Whatever a caller hands over, as inputs: files by path or pattern, frames, rows, streams."""

from __future__ import annotations

import glob
import io
import os
import sys
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Self

import pyarrow as pa

from tidewheel.errors import UserError
from tidewheel.ingest.files import guarded, open_file
from tidewheel.ingest.inputs import FORMATS, Input, ReadOptions
from tidewheel.ingest.rows import open_rows
from tidewheel.project.paths import local_path
from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema


class Spool:
    """Copies of streams, for as long as they are read: a stream passes once, and a file may be looked at twice."""

    def __init__(self, warehouse: Warehouse) -> None:
        self.folder = warehouse.scratch
        self.copies: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for copy in self.copies:
            disk.remove(copy, step="ingest.spool")

    def copy(self, stream: BinaryIO) -> str:
        self.copies.append(os.path.join(self.folder, f"stream-{uuid.uuid4().hex[:12]}"))
        disk.copy_stream(stream, self.copies[-1], step="ingest.spool")
        return self.copies[-1]


def open_inputs(data: Any, declared: Schema, options: ReadOptions, spool: Spool) -> list[Input]:
    """Arrow, pandas, Polars, DuckDB (anything that exports an Arrow stream), a list of dictionaries, files, streams."""
    if isinstance(data, (str, os.PathLike)):
        return [open_file(path, declared, options) for path in _paths(os.fspath(data))]
    if isinstance(data, Sequence) and not isinstance(data, (bytes, bytearray)):
        return _open_list(data, declared, options, spool)
    if hasattr(data, "read") and not hasattr(data, "__arrow_c_stream__"):
        return [_open_stream(data, declared, options, spool)]
    return [_open_frame(data)]


def _open_stream(data: Any, declared: Schema, options: ReadOptions, spool: Spool) -> Input:
    stream = getattr(data, "buffer", data)  # the bytes below a text
    what = "standard input" if stream is getattr(sys.stdin, "buffer", None) else "the stream"
    if options.format is None:
        raise UserError(
            f"{what} has no name that tells its format", code="unreadable-file", hint=f"Name it: {', '.join(FORMATS)}."
        )
    if isinstance(stream, io.TextIOBase):
        raise UserError(f"{what} gives texts", code="bad-input", hint="Open it for bytes, as `rb`.")
    return open_file(spool.copy(stream), declared, options, what=what)


def _paths(text: str) -> list[str]:
    """The file of this name, or else those that match it as a pattern, in order; a name may be a `file:` URL."""
    text = text if os.path.exists(text) else local_path(text)
    if os.path.exists(text) or not glob.has_magic(text):
        return [text]
    found = sorted(path for path in glob.glob(text, recursive=True) if os.path.isfile(path))
    if not found:
        raise UserError(f'no file matches "{text}"', code="missing-file", hint="Check the pattern.")
    return found


def _open_list(data: Sequence[Any], declared: Schema, options: ReadOptions, spool: Spool) -> list[Input]:
    if all(isinstance(item, Mapping) for item in data):
        return [open_rows(data, declared, options)]
    return [opened for item in data for opened in open_inputs(item, declared, options, spool)]


def _open_frame(data: Any) -> Input:
    if type(data).__module__.startswith("polars.") and hasattr(data, "collect"):
        data = data.collect()  # a lazy frame is a query that has not run yet
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if not hasattr(data, "__arrow_c_stream__"):
        raise UserError(
            f"no rows can be read from: {type(data).__name__}",
            code="bad-input",
            hint="Give an Arrow table, a pandas, Polars or Spark DataFrame, a list of dictionaries, or paths of files.",
        )
    what = f"the {type(data).__name__}"
    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _broken(what, error) from error
    return Input(schema=reader.schema, batches=guarded(iter(reader), lambda e: _broken(what, e)), what=what)


def _broken(what: str, error: BaseException) -> UserError:
    return UserError(
        f"{what} cannot be read as Arrow data",
        code="bad-input",
        detail=(str(error).splitlines() or [type(error).__name__])[0],
        hint="Give every column one type; convert mixed columns first.",
    )
