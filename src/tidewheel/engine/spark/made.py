"""Results of Spark's that are computed once and read under a name.

A frame that is persisted is read by its plan, which Spark analyzes again for every reader before it finds that the rows
are there: a chain of them grows without bound. What is read as rows cuts the plan. Few rows go through the driver, as a
relation whose rows are part of the plan: Spark knows its size exactly, broadcasts it, and leaves out what is joined
with none. More are written as Parquet files: they do not hang on a single executor, and can be counted and removed
(docs/design/0013-large-queries.md has what was measured).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from tidewheel.errors import UserError
from tidewheel.schema_json import schema_from_json
from tidewheel.types import Array, DataType, Decimal, Map, Primitive, Schema, Struct

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BY_ARROW = frozenset(
    {
        "boolean", "string", "binary", "byte", "short", "integer", "long",
        "float", "double", "date", "timestamp", "timestamp_ntz",
    }
)  # fmt: skip
"""Types that come back as they went."""


@dataclass(frozen=True, slots=True)
class Held:
    """A frame of rows that are there, how many, and the bytes that they take."""

    frame: DataFrame
    rows: int
    bytes: int


def collected(session: SparkSession, frame: DataFrame) -> Held:
    """Through the driver."""
    rows = frame.toArrow()
    return Held(session.createDataFrame(rows, frame.schema), rows.num_rows, rows.nbytes)


def can_be_collected(frame: DataFrame) -> bool:
    """Do all columns come back as they went: not a NULL in place of a struct whose fields are never NULL."""
    schema = schema_of(frame)
    return schema is not None and len(schema) > 0 and all(_travels(field.type) for field in schema)


def schema_of(frame: DataFrame) -> Schema | None:
    """The columns of a frame; None if one is of a type that is never stored, such as an interval."""
    try:
        return schema_from_json(frame.schema.json())
    except UserError:
        return None


def _travels(kind: DataType) -> bool:
    match kind:
        case Primitive(name):
            return name in BY_ARROW
        case Decimal():
            return True
        case Array() | Struct() | Map():
            return False


def size_of(folder: str) -> tuple[int, int]:
    """Rows and bytes of the files in a folder."""
    paths = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".parquet")]
    return sum(pq.read_metadata(path).num_rows for path in paths), sum(os.path.getsize(path) for path in paths)
