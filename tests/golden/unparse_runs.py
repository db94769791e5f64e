"""Running SQL texts on Spark and in DuckDB, and comparing rows whatever engine they come from."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from tests.golden.unparse_cases import TABLES
from tidewheel.engine.local.duck import connect, to_duck
from tidewheel.names import quote_double
from tidewheel.schema_json import schema_from_json, schema_to_json
from tidewheel.sql.unparse import PRELUDE
from tidewheel.tvr.reference.evaluate import Table
from tidewheel.types import Array, DataType, Field, Map, Schema, Struct


def schema_of(table: Table) -> Schema:
    return Schema(tuple(Field(c.name, c.type, c.nullable) for c in table.columns))


def load_spark(spark: Any, tables: dict[str, Table] | None = None) -> None:
    from pyspark.sql.types import StructType  # noqa: PLC0415

    for name, table in (TABLES if tables is None else tables).items():
        schema = StructType.fromJson(json.loads(schema_to_json(schema_of(table))))
        rows = [tuple(_given(v, f.type) for v, f in zip(row, schema_of(table), strict=True)) for row in table.rows]
        spark.createDataFrame(rows, schema).coalesce(1).cache().createOrReplaceTempView(f"`{name}`")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    spark.conf.set("spark.sql.adaptive.enabled", "false")


def load_duckdb(tables: dict[str, Table] | None = None) -> Any:
    connection = connect()
    for statement in PRELUDE:
        connection.execute(statement)
    for name, table in (TABLES if tables is None else tables).items():
        columns = ", ".join(f"{quote_double(c.name)} {to_duck(c.type)}" for c in table.columns)
        connection.execute(f"CREATE TABLE {quote_double(name)} ({columns})")
        marks = ", ".join("?" for _ in table.columns)
        for row in table.rows:
            given = [_duck(v, f.type) for v, f in zip(row, schema_of(table), strict=True)]
            connection.execute(f"INSERT INTO {quote_double(name)} VALUES ({marks})", given)
    return connection


def _given(value: Any, kind: DataType) -> Any:
    match kind:
        case Array(element) if value is not None:
            return [_given(v, element) for v in value]
        case Map(_, inner) if value is not None:
            return {k: _given(v, inner) for k, v in value}
        case Struct(fields) if value is not None:
            return tuple(_given(v, f.type) for v, f in zip(value, fields, strict=True))
    return value


def _duck(value: Any, kind: DataType) -> Any:
    match kind:
        case Array(element) if value is not None:
            return [_duck(v, element) for v in value]
        case Map() if value is not None:
            return {"key": [k for k, _ in value], "value": [v for _, v in value]}
        case Struct(fields) if value is not None:
            return {f.name: _duck(v, f.type) for v, f in zip(value, fields, strict=True)}
    return value


def run_spark(spark: Any, sql: str) -> tuple[Schema, list[tuple[Any, ...]]]:
    frame = spark.sql(sql)
    fields = schema_from_json(frame.schema.json().replace('"void"', '"integer"')) if _storable(frame) else Schema(())
    return fields, [tuple(row) for row in frame.collect()]


def _storable(frame: Any) -> bool:
    return "interval" not in frame.schema.simpleString()


def run_duckdb(connection: Any, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    relation = connection.sql(sql)
    return [str(t) for t in relation.types], relation.fetchall()


def comparable(rows: Iterable[Sequence[Any]]) -> list[str]:
    """Rows as sorted text: doubles to twelve digits, for sums depend on the order; scales are compared as types."""
    return sorted(repr(tuple(_plain(v) for v in row)) for row in rows)


def _plain(value: Any) -> Any:
    match value:
        case float():
            return "nan" if math.isnan(value) else 0.0 if value == 0 else float(f"{value:.12g}")
        case Decimal():
            text = format(value or abs(value), "f")
            return f"{text.rstrip('0').rstrip('.')}d" if "." in text else f"{text}d"
        case dt.datetime():
            return value.replace(tzinfo=None).isoformat()
        case dict():
            return tuple((k, _plain(v)) for k, v in value.items())
        case tuple() | list():
            return tuple(_plain(v) for v in value)
        case bytearray():
            return bytes(value)
    return value
