"""Snapshots of Delta tables as delta-rs reads them: which files, which schema, at which version."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import uuid
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tidewheel.errors import StoreError, UserError
from tidewheel.names import quote_double
from tidewheel.schema_json import schema_from_json
from tidewheel.store import disk, log
from tidewheel.store.integrity import check_size, files_missing, find_damage, opened
from tidewheel.store.log import DataFile
from tidewheel.types import Primitive, Schema

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

READABLE_FEATURES = frozenset(
    {"timestampNtz", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck", "variantType", "appendOnly"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSnapshot:
    """A table at a version: everything an engine needs to read it, and nothing that can change."""

    table: str
    version: int
    schema: Schema
    files: tuple[DataFile, ...] = ()
    partition_columns: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return sum(f.rows for f in self.files)

    @property
    def bytes(self) -> int:
        return sum(f.size for f in self.files)

    def paths(self) -> list[str]:
        return [os.path.join(self.table, f.path) for f in self.files]


def require_files(snapshot: TableSnapshot, relation: str) -> TableSnapshot:
    """The same snapshot, if its files are all there, as long as they were: somebody's vacuum may have been faster."""
    for path, file in zip(snapshot.paths(), snapshot.files, strict=True):
        try:
            check_size(path, file.size)
        except FileNotFoundError:
            raise files_missing(path, relation, snapshot.version) from None
    return snapshot


def open_table(table: str, version: int | None = None) -> DeltaTable:
    """Open with delta-rs; what it cannot open is told in our words."""
    from deltalake import DeltaTable  # noqa: PLC0415  70 ms that commands without a table open do not pay
    from deltalake.exceptions import DeltaError, TableNotFoundError  # noqa: PLC0415

    try:
        opened = DeltaTable(table, version=version)
    except TableNotFoundError as error:
        raise StoreError(
            "there is no Delta table at this path",
            code="table-not-found",
            detail=f"Path: {table}.",
            hint="Check the path of the source.",
        ) from error
    except (DeltaError, OSError, ValueError) as error:
        text = str(error).splitlines()[0]
        if "not supported" in text:
            raise _unsupported(re.findall(r"'(\w+)'", text) or [text], table) from error
        raise log.corrupt_log(table, f"{text}.") from error
    log.refuse_empty_commits(table, opened.version())
    _check_features(opened, table)
    return opened


def _check_features(opened: DeltaTable, table: str) -> None:
    features = set(opened.protocol().reader_features or ())
    if opened.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        features.add("columnMapping")
    unknown = sorted(features - READABLE_FEATURES)
    if unknown:
        raise _unsupported(unknown, table)


def _unsupported(features: list[str], table: str) -> UserError:
    return UserError(
        f"the table uses Delta features that tidewheel cannot read: {', '.join(features)}",
        code="unsupported-feature",
        detail=f"Table: {table}.",
        hint="Rewrite the table without these features, or read it through a copy.",
    )


_SNAPSHOTS: OrderedDict[tuple[str, int, tuple[int, ...]], TableSnapshot] = OrderedDict()
_MOST_SNAPSHOTS = 64


def read_snapshot(table: str, version: int, *, cache: str) -> TableSnapshot:
    """The files of a table at a version; one with a deletion vector is replaced by a copy without the deleted rows.

    A version does not change as long as its commit is the same file: what was read once is remembered, for a plan and
    the run that follows it.
    """
    signature = disk.signature(log.commit_path(table, version))
    key = (table, version, tuple(signature or ()))
    known = _SNAPSHOTS.get(key)
    if known is not None and signature is not None:
        return known
    opened = open_table(table, version)
    found = _files_of(opened, table, version)
    if "deletionVectors" in (opened.protocol().reader_features or ()):
        return replace(found, files=_without_deleted(opened, table, found.files, cache))
    _SNAPSHOTS[key] = found
    while len(_SNAPSHOTS) > _MOST_SNAPSHOTS:
        _SNAPSHOTS.popitem(last=False)
    return found


def _files_of(opened: DeltaTable, table: str, version: int) -> TableSnapshot:
    metadata = opened.metadata()
    schema = schema_from_json(opened.schema().to_json())
    columns = tuple(metadata.partition_columns)
    actions = sorted(_add_actions(opened).to_pylist(), key=lambda a: (a["modification_time"], a["path"]))
    files = tuple(_data_file(a, columns) for a in actions)
    return TableSnapshot(table=table, version=version, schema=schema, files=files, partition_columns=columns)


def _add_actions(opened: DeltaTable) -> pa.Table:
    """Read as a stream: `pa.table` would import pandas, if it is there, to see whether it was given a frame."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.RecordBatchReader.from_stream(opened.get_add_actions(flatten=False)).read_all()


def read_delta(table: str, version: int | None) -> pa.RecordBatchReader:
    """A table's rows through delta-rs's own query engine: a second opinion on what a table holds."""
    import pyarrow as pa  # noqa: PLC0415
    from deltalake import QueryBuilder  # noqa: PLC0415

    opened = open_table(table, version)
    partitions = set(opened.metadata().partition_columns)
    # An empty string is how Delta spells NULL in a partition; this reader hands it out as it is.
    columns = ", ".join(
        f"nullif({quote_double(f.name)}, '') AS {quote_double(f.name)}"
        if f.name in partitions and f.type == Primitive("string")
        else quote_double(f.name)
        for f in schema_from_json(opened.schema().to_json())
    )
    result = QueryBuilder().register("t", opened).execute(f"SELECT {columns} FROM t")
    reader = pa.RecordBatchReader.from_stream(result)
    return pa.RecordBatchReader.from_batches(reader.schema, _explained(reader, table, opened.version()))


def _explained(reader: pa.RecordBatchReader, table: str, version: int) -> Iterator[pa.RecordBatch]:
    """The same rows; if they cannot be read because of a damaged file, the error names it."""
    try:
        yield from reader
    except Exception as error:
        damage = find_damage(os.path.join(table, path) for path in live_paths(table, version))
        raise damage or error from error


def live_paths(table: str, version: int) -> dict[str, str]:
    """The files of a version: their paths, and those paths as the log spells them (percent-encoded)."""
    spelled = _add_actions(open_table(table, version))["path"].to_pylist()
    return {unquote(path): path for path in spelled}


def _data_file(action: Mapping[str, Any], columns: tuple[str, ...]) -> DataFile:
    values = action.get("partition") or action.get("partition_values") or {}
    path = unquote(action["path"])
    if "://" in path:
        raise UserError(
            "the table refers to files outside its folder",
            code="unsupported-feature",
            detail=f"File: {path}.",
            hint="Shallow clones cannot be read; make a deep copy.",
        )
    if any(isinstance(values.get(c), bytes) for c in columns):
        raise UserError(
            "the table is partitioned by a binary column",
            code="unsupported-feature",
            detail=f"File: {path}.",
            hint="Writers disagree on how to spell such values; partition by another column.",
        )
    return DataFile(
        path=path,
        size=action["size_bytes"],
        rows=action["num_records"] or 0,
        stats=_bounds(action),
        partition=tuple((c, partition_text(values.get(c))) for c in columns),
    )


def _bounds(action: Mapping[str, Any]) -> str:
    """Statistics of integers and dates: bounds that no writer cuts or rounds. Of other columns none are kept."""
    found: dict[str, dict[str, Any]] = {"minValues": {}, "maxValues": {}, "nullCount": {}}
    lows, highs, nulls = (action.get(part) or {} for part in ("min", "max", "null_count"))
    for name, low in lows.items():
        high = highs.get(name)
        if type(low) in {int, dt.date} and type(high) is type(low):
            found["minValues"][name], found["maxValues"][name] = low, high
            if isinstance(nulls.get(name), int):
                found["nullCount"][name] = nulls[name]
    return json.dumps(found, default=str) if found["minValues"] else ""


def partition_text(value: Any) -> str | None:
    """A partition value as text that Spark and DuckDB cast back to the same value; an empty string is NULL in Delta."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        text = value.replace(tzinfo=None).isoformat(sep=" ")
        return text + "+00:00" if value.tzinfo else text
    return str(value)


def _without_deleted(opened: DeltaTable, table: str, files: tuple[DataFile, ...], cache: str) -> tuple[DataFile, ...]:
    """Copies are named by the file and its mask, so that each is made once."""
    masks = {}
    for batch in opened.deletion_vectors():
        for row in batch.to_pylist() if hasattr(batch, "to_pylist") else _rows(batch):
            masks[os.path.realpath(unquote(row["filepath"]).removeprefix("file://"))] = row["selection_vector"]
    replaced = []
    for file in files:
        path = os.path.realpath(os.path.join(table, file.path))
        replaced.append(_live_copy(path, masks[path], file, cache) if path in masks else file)
    return tuple(replaced)


def _rows(batch: Any) -> list[dict[str, Any]]:
    import pyarrow as pa  # noqa: PLC0415

    rows: list[dict[str, Any]] = pa.table(batch).to_pylist()
    return rows


def _live_copy(path: str, mask: list[bool], file: DataFile, cache: str) -> DataFile:
    """In the warehouse's cache; in a folder of our own if we may only read."""
    import hashlib  # noqa: PLC0415

    import pyarrow as pa  # noqa: PLC0415

    digest = hashlib.sha256(f"{path}|{bytes(mask)!r}".encode()).hexdigest()[:32]
    with opened(path) as whole:
        data = whole.read()
    keep = mask + [True] * (data.num_rows - len(mask))
    live = data.filter(pa.array(keep))
    try:
        copy = _cached(os.path.join(cache, f"{digest}.parquet"), live)
    except StoreError as error:
        if error.code != "not-writable":
            raise
        copy = _cached(os.path.join(disk.private_dir(), f"{digest}.parquet"), live)
    return DataFile(path=copy, size=os.path.getsize(copy), rows=sum(keep), partition=file.partition)


def _cached(copy: str, rows: pa.Table) -> str:
    """Write a copy, unless it is there."""
    from tidewheel.store.arrow import parquet_writer  # noqa: PLC0415

    if not os.path.exists(copy):
        with disk.io_step("cache.write", copy):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            part = f"{copy}.{uuid.uuid4().hex}"  # of our own: another run may make the same copy
            with parquet_writer(part, rows.schema) as writer:
                writer.write_table(rows)
            os.replace(part, copy)
    return copy
