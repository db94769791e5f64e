"""DuckDB connections and the types both sides agree on."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, assert_never

from tidewheel.names import literal, quote_double
from tidewheel.types import Array, DataType, Decimal, Field, Map, Primitive, Schema, Struct

if TYPE_CHECKING:
    import duckdb

_TO_DUCK = {
    "boolean": "BOOLEAN", "byte": "TINYINT", "short": "SMALLINT", "integer": "INTEGER", "long": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "binary": "BLOB", "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip
_FROM_DUCK = {duck: name for name, duck in _TO_DUCK.items()} | {"HUGEINT": "long", "UINTEGER": "long"}


def connect(*, memory: int | None = None, scratch: str | None = None, threads: int = 2) -> duckdb.DuckDBPyConnection:
    """A connection of our own, in UTC, that spills to disk rather than grow."""
    import duckdb  # noqa: PLC0415  200 ms that most commands do not pay

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": threads,
        "autoinstall_known_extensions": "false",
    }
    if memory:
        config["memory_limit"] = f"{max(memory, 200_000_000) // 1_000_000}MB"
    if scratch:
        config["temp_directory"] = scratch
    connection = duckdb.connect(config=config)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def to_duck(kind: DataType) -> str:
    match kind:
        case Primitive(name):
            return _TO_DUCK[name]
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Array(element):
            return f"{to_duck(element)}[]"
        case Map(key, value):
            return f"MAP({to_duck(key)}, {to_duck(value)})"
        case Struct(fields):
            return f"STRUCT({', '.join(f'{quote_double(f.name)} {to_duck(f.type)}' for f in fields)})"
    assert_never(kind)


def from_duck(name: str, kind: str) -> Field:
    """A column of a DuckDB result as Spark would type it: a sum of integers is BIGINT in Spark, HUGEINT here."""
    if match := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind):
        return Field(name, Decimal(int(match[1]), int(match[2])))
    return Field(name, Primitive(_FROM_DUCK.get(kind, "string")))


def scan(paths: list[str], schema: Schema) -> str:
    """A FROM clause over data files, with exactly the declared columns and types; no files are no rows."""
    columns = ", ".join(f"CAST({quote_double(f.name)} AS {to_duck(f.type)}) AS {quote_double(f.name)}" for f in schema)
    if not paths:
        nothing = ", ".join(f"CAST(NULL AS {to_duck(f.type)}) AS {quote_double(f.name)}" for f in schema)
        return f"(SELECT {nothing} WHERE false)"
    files = ", ".join(literal(os.path.abspath(p)) for p in paths)
    return f"(SELECT {columns} FROM read_parquet([{files}], union_by_name=true, hive_partitioning=false))"
