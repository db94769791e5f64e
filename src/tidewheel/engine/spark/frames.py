"""A user's Spark DataFrame as a stream of Arrow batches, through files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidewheel.engine.spark.errors import translate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def write_frame(frame: DataFrame, folder: str) -> pa.RecordBatchReader:
    """Let Spark write the rows, then read them back a batch at a time."""
    try:
        options: Any = frame.write.option("timestampType", "TIMESTAMP_MICROS")
        options.parquet(folder)
    except Exception as error:
        raise translate(error, None) from error
    files = sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(".parquet"))
    schema = pq.read_schema(files[0]) if files else pa.schema([])

    def batches() -> Iterator[pa.RecordBatch]:
        for path in files:
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches()

    return pa.RecordBatchReader.from_batches(schema.remove_metadata(), batches())
