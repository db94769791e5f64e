"""A Delta table as another tool writes it: with a deletion vector, which delta-rs itself only reads."""

from __future__ import annotations

import json
import os
import struct

import pyarrow as pa
import pyarrow.parquet as pq

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
FOREIGN_ROWS = [[1, "kept"], [3, "kept"]]


def write_foreign_table(path: str) -> None:
    """Rows 1, 2 and 3, of which the deletion vector takes row 2 away: FOREIGN_ROWS are left."""
    os.makedirs(os.path.join(path, "_delta_log"))
    table = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "word": ["kept", "deleted", "kept"]})
    pq.write_table(table, os.path.join(path, "part-0.parquet"))
    schema = {
        "type": "struct",
        "fields": [
            {"name": "id", "type": "long", "nullable": True, "metadata": {}},
            {"name": "word", "type": "string", "nullable": True, "metadata": {}},
        ],
    }
    features = ["deletionVectors"]
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features}
    metadata = {
        "id": "5fba94ed-9794-4965-ba6e-6ee3c0d22af9",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(schema),
        "partitionColumns": [],
        "configuration": {"delta.enableDeletionVectors": "true"},
        "createdTime": 0,
    }
    add = {
        "path": "part-0.parquet",
        "partitionValues": {},
        "size": os.path.getsize(os.path.join(path, "part-0.parquet")),
        "modificationTime": 0,
        "dataChange": True,
        "stats": json.dumps({"numRecords": 3}),
        "deletionVector": _inline_vector([1]),
    }
    actions = [{"protocol": {**protocol, "writerFeatures": features}}, {"metaData": metadata}, {"add": add}]
    with open(os.path.join(path, "_delta_log", f"{0:020d}.json"), "w", encoding="utf-8") as file:
        file.write("".join(json.dumps(action) + "\n" for action in actions))


def _inline_vector(rows: list[int]) -> dict[str, object]:
    """Deleted rows as the protocol's RoaringBitmapArray, in Z85."""
    values = b"".join(struct.pack("<H", r) for r in rows)
    bitmap = struct.pack("<IIHHI", 12346, 1, 0, len(rows) - 1, 16) + values
    body = struct.pack("<IQI", 1681511377, 1, 0) + bitmap
    size = len(body)
    body += b"\0" * (-size % 4)
    return {
        "storageType": "i",
        "pathOrInlineDv": _z85(body),
        "sizeInBytes": size,
        "cardinality": len(rows),
    }


def _z85(data: bytes) -> str:
    text = []
    for (word,) in struct.iter_unpack(">I", data):
        digits = [word // 85**power % 85 for power in (4, 3, 2, 1, 0)]
        text += [Z85[d] for d in digits]
    return "".join(text)
