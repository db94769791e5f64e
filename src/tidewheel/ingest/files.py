"""Parquet, CSV and JSON files as streams of Arrow batches; what is wrong with one is told with its place."""

from __future__ import annotations

import csv
import io
import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidewheel.errors import UserError
from tidewheel.ingest.columns import RAW
from tidewheel.ingest.inputs import Input, ReadOptions, extended
from tidewheel.ingest.rows import read_rows
from tidewheel.ingest.values import parse_json, shown
from tidewheel.store.arrow import to_arrow, to_arrow_type
from tidewheel.store.footers import read_footer
from tidewheel.types import Array, DataType, Primitive, Schema, Struct

ENDINGS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
COMPRESSED = ".gz"
BLOCK = 16 * 2**20
"""The bytes that are parsed at once: no row of a text file may be longer."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PLAIN = frozenset({"boolean", "byte", "short", "integer", "long", "float", "double", "string"})
_AS_TEXT = frozenset({"binary", "date", "timestamp", "timestamp_ntz"})


def format_of(name: str) -> str | None:
    """The format of a file by its name; `.gz` counts only on text files."""
    stem = name.lower()
    kind = ENDINGS.get(os.path.splitext(stem.removesuffix(COMPRESSED))[1])
    return None if stem.endswith(COMPRESSED) and kind == "parquet" else kind


def open_file(path: str, declared: Schema | None, options: ReadOptions, *, what: str = "") -> Input:
    """A Parquet, CSV (with a header) or JSON file; text files may be compressed by gzip."""
    what = what or f'file "{path}"'
    if os.path.isdir(path):
        raise UserError(
            f'"{path}" is a folder',
            code="missing-file",
            hint="Give its files, for example with a pattern: folder/*.csv.",
        )
    kind = options.format or format_of(path)
    if kind is None:
        raise UserError(
            f"{what} is of no known format",
            code="unreadable-file",
            hint=f"Known endings: {', '.join(ENDINGS)}; text files also with {COMPRESSED}. Or name the format.",
        )
    if not os.path.isfile(path):
        raise UserError(f"{what} does not exist", code="missing-file", hint="Check the path.")
    if os.path.getsize(path) == 0:
        raise _empty(what)
    opener = {"parquet": _parquet, "csv": _csv, "json": _json}[kind]
    try:
        return opener(path, declared, options, what)
    except (pa.ArrowException, OSError, EOFError) as error:
        raise damaged(what, error) from error


def column_names(path: str, options: ReadOptions) -> list[str]:
    """The columns of a CSV or Parquet file."""
    if (options.format or format_of(path)) == "csv":
        return [name.strip() for name in _header(path, options.delimiter, "the file")]
    return list(read_footer(path).schema.to_arrow_schema().names)


def _empty(what: str) -> UserError:
    return UserError(f"{what} is empty", code="empty-file", hint="It should hold at least a header.")


def damaged(what: str, error: BaseException) -> UserError:
    return UserError(
        f"{what} cannot be read",
        code="corrupt-file",
        detail=(str(error).splitlines() or [type(error).__name__])[0],
        hint="The file is damaged or incomplete: write it again.",
    )


def guarded(
    batches: Iterator[pa.RecordBatch], explain: Callable[[BaseException], UserError]
) -> Iterator[pa.RecordBatch]:
    """The same batches; not `yield from`, so that an error of whoever consumes them is not taken for one of theirs."""
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, OSError, EOFError) as error:
            raise explain(error) from error
        if batch is None:
            return
        yield batch


def _parquet(path: str, declared: Schema | None, options: ReadOptions, what: str) -> Input:
    del declared, options  # a Parquet file knows its types
    file = pq.ParquetFile(path)
    batches = guarded(file.iter_batches(), lambda error: damaged(what, error))
    return Input(schema=file.schema_arrow, batches=batches, what=what)


# --- text ---


def _stream(path: str, what: str) -> pa.NativeFile:
    """The bytes of a text file, unpacked if it is packed, by its first bytes."""
    with open(path, "rb") as file:
        packing = "gzip" if file.read(2) == b"\x1f\x8b" else None
    with pa.input_stream(path, compression=packing) as look:
        start = look.read(2)
    if start in _UTF16:
        raise wrong_encoding(what, "it is UTF-16")
    if not start:
        raise _empty(what)
    return pa.input_stream(path, compression=packing)


def wrong_encoding(what: str, why: str) -> UserError:
    return UserError(
        f"{what} is not UTF-8: {why}",
        code="wrong-encoding",
        hint="Save it as UTF-8, for example with `iconv -f LATIN1 -t UTF-8`.",
    )


def _text(path: str, what: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(_stream(path, what), encoding="utf-8-sig", errors="surrogateescape", newline="")


def _is_text(text: str) -> bool:
    return not any("\udc80" <= c <= "\udcff" for c in text)


def _csv(path: str, declared: Schema | None, options: ReadOptions, what: str) -> Input:
    from pyarrow import csv as arrow_csv  # noqa: PLC0415

    header = _header(path, options.delimiter, what)
    _refuse_open_quote(path, options.delimiter, what)
    wrong: list[Any] = []

    def remember(row: Any) -> str:
        wrong.append(row)
        return "error"

    convert = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(header, RAW) if declared else None,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    parse = arrow_csv.ParseOptions(delimiter=options.delimiter, newlines_in_values=True, invalid_row_handler=remember)
    read = arrow_csv.ReadOptions(use_threads=False, block_size=BLOCK)  # with threads, rows have no numbers
    try:
        reader = arrow_csv.open_csv(
            _stream(path, what), read_options=read, parse_options=parse, convert_options=convert
        )
    except pa.ArrowInvalid as error:
        raise _malformed_csv(what, wrong, error) from error
    fields = [pa.field(name.strip(), f.type) for name, f in zip(header, reader.schema, strict=True)]
    return Input(
        schema=pa.schema(fields),
        batches=guarded(iter(reader), lambda error: _malformed_csv(what, wrong, error)),
        what=what,
        texts=frozenset(f.name.lower() for f in fields) if declared else frozenset(),
        delimiter=options.delimiter,
    )


def _header(path: str, delimiter: str, what: str) -> list[str]:
    with _text(path, what) as file:
        names = next((row for row in csv.reader(file, delimiter=delimiter) if row), None)
    if names is None:
        raise _empty(what)
    if not all(map(_is_text, names)):
        raise wrong_encoding(what, "its header holds other bytes")
    return names


def _refuse_open_quote(path: str, delimiter: str, what: str) -> None:
    """A quote that nothing closes would make one text of all rows after it; only files with an odd one can have it."""
    with _stream(path, what) as stream:
        quotes = sum(chunk.count(b'"') for chunk in iter(lambda: stream.read(BLOCK), b""))
    if quotes % 2 == 0:
        return
    rows = 0
    with _text(path, what) as file:
        try:
            for row in csv.reader(file, delimiter=delimiter, strict=True):
                rows += bool(row)
        except csv.Error as error:
            if "unexpected end" not in str(error) and "field limit" not in str(error):
                return
            raise UserError(
                f"row {rows} of {what} has a quote that is never closed",
                code="malformed-row",
                detail="Row 1 is the first after the header.",
                hint="Close it, or double a quote that is part of a text.",
            ) from None


def _malformed_csv(what: str, wrong: list[Any], error: BaseException) -> UserError:
    if not wrong:
        return damaged(what, error)
    row = wrong[-1]
    return UserError(
        f"row {row.number - 1} of {what} has {row.actual_columns} fields, the header has {row.expected_columns}",
        code="malformed-row",
        detail=f"The row is: {shown(row.text)}. Row 1 is the first after the header.",
        hint="Put quotes around texts that hold a delimiter, or name the delimiter.",
    )


def _json(path: str, declared: Schema | None, options: ReadOptions, what: str) -> Input:
    """One object per line, or an array of objects. Arrow reads what it can; the rest goes value by value."""
    if declared is None:
        return _inferred(path, what)
    kinds = {f.name: _quick_type(f.type) for f in declared if f.name not in options.given}
    all_quick = None not in kinds.values() and not options.partial  # it would pass over names in another case
    quick = pa.schema(list(kinds.items())) if all_quick else None
    batches = _quick_then_slow(path, quick, declared, options, what)
    return Input(
        schema=to_arrow(declared),
        batches=guarded(batches, lambda error: damaged(what, error)),
        what=what,
        texts=frozenset(f.name.lower() for f in declared),
    )


def _quick_then_slow(
    path: str, quick: pa.Schema | None, declared: Schema, options: ReadOptions, what: str
) -> Iterator[pa.RecordBatch]:
    """From the first block on that Arrow does not take, value by value: to the end, or to an error with its row."""
    done = 0
    try:
        for batch in _quick_batches(path, quick, what) if quick is not None else ():
            batch.validate(full=True)  # it takes any bytes for a text
            yield extended(batch, options.given).select(declared.names)
            done += batch.num_rows
    except pa.ArrowInvalid:
        quick = None
    if quick is None:
        rows = itertools.islice(_objects(path, what), done, None)
        yield from read_rows(rows, declared, options, what, first=done + 1)


def _quick_batches(path: str, schema: pa.Schema, what: str) -> Iterator[pa.RecordBatch]:
    from pyarrow import json  # noqa: PLC0415

    return iter(
        json.open_json(
            _stream(path, what),
            read_options=json.ReadOptions(block_size=BLOCK, use_threads=False),
            parse_options=json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
        )
    )


def _objects(path: str, what: str) -> Iterator[Any]:
    """The values of a JSON file: one a line, or those of the array that it is."""
    with _text(path, what) as file:
        start = file.read(1)
        while start.isspace():
            start = file.read(1)
        if start == "[":
            yield from _parsed(start + file.read(), what, "")
            return
        for number, line in enumerate(itertools.chain([start + file.readline()], file), start=1):
            if line.strip():
                yield _parsed(line, what, f", line {number}")


def _parsed(text: str, what: str, where: str) -> Any:
    if not _is_text(text):
        raise wrong_encoding(what, f"{where.removeprefix(', ') or 'it'} holds other bytes")
    try:
        return parse_json(text)
    except ValueError as error:
        raise UserError(
            f"{what}{where} is not valid JSON",
            code="malformed-row",
            detail=f"{error}.",
            hint="Write one JSON object per line, or one array of objects.",
        ) from None


def _inferred(path: str, what: str) -> Input:
    from pyarrow import json  # noqa: PLC0415

    try:
        table = json.read_json(_stream(path, what), read_options=json.ReadOptions(block_size=BLOCK))
    except pa.ArrowInvalid as error:
        raise UserError(
            f"the columns of {what} cannot be told from its rows",
            code="malformed-row",
            detail=str(error).splitlines()[0],
            hint="Declare `schema:` for the source, and write one JSON object per line.",
        ) from error
    return Input(schema=table.schema, batches=iter(table.to_batches()), what=what)


def _quick_type(kind: DataType) -> pa.DataType | None:
    """As what Arrow reads a JSON value so that nothing is lost: itself, or a text; None if it cannot."""
    match kind:
        case Primitive("float"):
            return pa.float64()  # a float that is too large would be infinite
        case Primitive(name) if name in _PLAIN:
            return to_arrow_type(kind)
        case Primitive(name) if name in _AS_TEXT:
            return pa.string()
        case Array(element) if _is_plain(element):
            return to_arrow_type(kind)
        case Struct(fields) if all(_is_plain(f.type) for f in fields):
            return to_arrow_type(kind)
    return None


def _is_plain(kind: DataType) -> bool:
    return isinstance(kind, Primitive) and kind.name in _PLAIN - {"float"}
