"""Puts the tables of the corpus into Spark and DuckDB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, assert_never

import pyarrow as pa

from tests.corpus.table import Table
from tidewheel.store.arrow import to_arrow
from tidewheel.types import Array, DataType, Decimal, Map, Primitive, Struct

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import SparkSession


def to_arrow_table(table: Table) -> pa.Table:
    schema = to_arrow(table.schema)
    columns = [
        pa.array([_to_arrow_value(field.type, row[index]) for row in table.rows], schema.field(index).type)
        for index, field in enumerate(table.schema)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _to_arrow_value(kind: DataType, value: Any) -> Any:
    """Arrow takes lists for arrays and dicts for structs; maps are lists of pairs in both."""
    if value is None:
        return None
    match kind:
        case Primitive() | Decimal():
            return value
        case Array(element):
            return [_to_arrow_value(element, item) for item in value]
        case Map(key, item):
            return [(_to_arrow_value(key, k), _to_arrow_value(item, v)) for k, v in value]
        case Struct(fields):
            return {f.name: _to_arrow_value(f.type, v) for f, v in zip(fields, value, strict=True)}
    assert_never(kind)


def in_spark(spark: SparkSession, tables: Iterable[Table]) -> None:
    """Make each table a temporary view of this session, with exactly the schema of the corpus."""
    for table in tables:
        frame: Any = spark.createDataFrame(to_arrow_table(table), schema=table.schema.to_sql())
        frame.createOrReplaceTempView(table.name)


def in_duckdb(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> None:
    """Make each table a table of this connection."""
    for table in tables:
        connection.register("incoming", to_arrow_table(table))
        connection.execute(f'CREATE OR REPLACE TABLE "{table.name}" AS SELECT * FROM incoming')
        connection.unregister("incoming")
