"""What other tools do to Delta tables: delta-rs operations, deletion vectors made by hand, and rows as bags."""

from __future__ import annotations

import json
import struct
import uuid
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

Rows = list[dict[str, Any]]
Bag = Counter[tuple[str, ...]]


def bag(rows: Iterable[Mapping[str, Any]]) -> Bag:
    """Rows as a multiset; NaN equals NaN, and so do values of one text."""
    return Counter(tuple(repr(value) for _, value in sorted(row.items())) for row in rows)


def delta_rows(path: str | Path, version: int | None = None) -> Rows:
    """A table's rows as delta-rs's own query engine reads them."""
    opened = DeltaTable(str(path), version=version)
    reader = pa.RecordBatchReader.from_stream(QueryBuilder().register("t", opened).execute("SELECT * FROM t"))
    rows: Rows = reader.read_all().to_pylist()
    return rows


def append(path: Path, rows: pa.Table, **options: Any) -> None:
    write_deltalake(str(path), rows, mode="append", **options)


def overwrite(path: Path, rows: pa.Table, **options: Any) -> None:
    write_deltalake(str(path), rows, mode="overwrite", **options)


def merge(path: Path, rows: pa.Table, key: str) -> None:
    merger = DeltaTable(str(path)).merge(rows, predicate=f"t.{key} = s.{key}", source_alias="s", target_alias="t")
    merger.when_matched_update_all().when_not_matched_insert_all().execute()


def vacuum(path: Path) -> None:
    DeltaTable(str(path)).vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)


def newest_version(path: Path) -> int:
    return int(DeltaTable(str(path)).version())


def commit_file(path: Path, version: int) -> Path:
    return path / "_delta_log" / f"{version:020d}.json"


def add_actions(path: Path) -> list[dict[str, Any]]:
    """The live `add` actions, newest spelling first to last, as the log's own JSON."""
    live: dict[str, dict[str, Any]] = {}
    for version in range(newest_version(path) + 1):
        for line in commit_file(path, version).read_text().splitlines():
            action = json.loads(line)
            if "remove" in action:
                live.pop(action["remove"]["path"], None)
            if "add" in action:
                live[action["add"]["path"]] = action["add"]
    return list(live.values())


# --- deletion vectors: the protocol's own format, which delta-rs reads and does not write ---

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_MAGIC = 1681511377
_NO_RUNS = 12346


def delete_by_vector(path: Path, rows: list[int], *, inline: bool) -> dict[str, Any]:
    """Mark rows of the first live file as deleted, as Spark does; returns that file's `add` action."""
    add = {k: v for k, v in add_actions(path)[0].items() if v is not None}
    features = ["deletionVectors"]
    actions: list[dict[str, Any]] = [
        {"commitInfo": {"timestamp": 1, "operation": "DELETE", "operationParameters": {"predicate": "[]"}}},
        {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": features,
                "writerFeatures": features,
            }
        },
        {
            "remove": {
                "path": add["path"],
                "deletionTimestamp": 1,
                "dataChange": True,
                "extendedFileMetadata": True,
                "partitionValues": add["partitionValues"],
                "size": add["size"],
            }
        },
        {"add": {**add, "deletionVector": _inline(rows) if inline else _in_file(path, rows)}},
    ]
    text = "\n".join(json.dumps(action) for action in actions) + "\n"
    commit_file(path, newest_version(path) + 1).write_text(text)
    return add


def _inline(rows: list[int]) -> dict[str, Any]:
    body = _bitmaps(rows)
    return {"storageType": "i", "pathOrInlineDv": _z85(body), "sizeInBytes": len(body), "cardinality": len(rows)}


def _in_file(path: Path, rows: list[int]) -> dict[str, Any]:
    body, name = _bitmaps(rows), uuid.uuid4()
    framed = b"\x01" + struct.pack(">i", len(body)) + body + struct.pack(">I", zlib.crc32(body))
    (path / f"deletion_vector_{name}.bin").write_bytes(framed)
    return {
        "storageType": "u",
        "pathOrInlineDv": _z85(name.bytes),
        "offset": 1,
        "sizeInBytes": len(body),
        "cardinality": len(rows),
    }


def _bitmaps(rows: list[int]) -> bytes:
    """One 32-bit Roaring bitmap of array containers, under the header of Delta's 64-bit array of them."""
    groups: dict[int, list[int]] = {}
    for row in sorted(rows):
        groups.setdefault(row >> 16, []).append(row & 0xFFFF)
    head = struct.pack("<II", _NO_RUNS, len(groups))
    keys = b"".join(struct.pack("<HH", key, len(values) - 1) for key, values in groups.items())
    begin = len(head) + len(keys) + 4 * len(groups)
    offsets, arrays = b"", b""
    for values in groups.values():
        offsets += struct.pack("<I", begin + len(arrays))
        arrays += struct.pack(f"<{len(values)}H", *values)
    return struct.pack("<iqi", _MAGIC, 1, 0) + head + keys + offsets + arrays


def _z85(data: bytes) -> str:
    padded = data + b"\x00" * (-len(data) % 4)
    text = ""
    for i in range(0, len(padded), 4):
        number, digits = int.from_bytes(padded[i : i + 4], "big"), ""
        for _ in range(5):
            number, rest = divmod(number, 85)
            digits = _Z85[rest] + digits
        text += digits
    return text
