"""Spark's data types and schemas as plain values: from DDL text, to and from the JSON that Spark and Delta share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias, assert_never

PRIMITIVES = frozenset(
    {
        "boolean", "byte", "short", "integer", "long", "float", "double",
        "string", "binary", "date", "timestamp", "timestamp_ntz",
    }
)  # fmt: skip
"""Names as Delta and Spark write them in schema JSON; these are the types a relation may have."""

_DDL_NAMES = {
    "boolean": "boolean", "bool": "boolean",
    "byte": "byte", "tinyint": "byte",
    "short": "short", "smallint": "short",
    "int": "integer", "integer": "integer",
    "long": "long", "bigint": "long",
    "float": "float", "real": "float",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamp", "timestamp_ltz": "timestamp", "timestamp_ntz": "timestamp_ntz",
}  # fmt: skip
_SQL_NAMES = {
    "byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Primitive:
    name: str


@dataclass(frozen=True, slots=True)
class Decimal:
    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class Array:
    element: DataType
    contains_null: bool = True


@dataclass(frozen=True, slots=True)
class Map:
    key: DataType
    value: DataType
    contains_null: bool = True


@dataclass(frozen=True, slots=True)
class Struct:
    fields: tuple[Field, ...]


DataType: TypeAlias = Primitive | Decimal | Array | Map | Struct

UNKNOWN = Primitive("unknown")
"""The type of an expression that only Spark's analyzer can tell; never the type of a stored column."""
VOID = Primitive("void")
"""The type of a bare NULL."""
BOOLEAN, STRING, BINARY = Primitive("boolean"), Primitive("string"), Primitive("binary")
BYTE, SHORT, INT, LONG = Primitive("byte"), Primitive("short"), Primitive("integer"), Primitive("long")
FLOAT, DOUBLE = Primitive("float"), Primitive("double")
DATE, TIMESTAMP, TIMESTAMP_NTZ = Primitive("date"), Primitive("timestamp"), Primitive("timestamp_ntz")


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: DataType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a relation, in order; names compare without case, as in Spark."""

    fields: tuple[Field, ...]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    def find(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name.lower() == name.lower()), None)

    def only(self, names: Collection[str]) -> Schema:
        return Schema(tuple(f for f in self.fields if f.name in names))

    def without(self, names: tuple[str, ...]) -> Schema:
        return Schema(tuple(f for f in self.fields if f.name not in names))

    def nullable(self) -> Schema:
        """The same columns with every NOT NULL forgotten, at every depth: what a file may hold."""
        return Schema(tuple(Field(f.name, nullable(f.type)) for f in self.fields))

    def to_sql(self) -> str:
        return ", ".join(f"{name_to_sql(f.name)} {to_sql(f.type)}" for f in self.fields)


def nullable(kind: DataType) -> DataType:
    """The type with every NOT NULL inside it forgotten."""
    match kind:
        case Primitive() | Decimal():
            return kind
        case Array(element):
            return Array(nullable(element))
        case Map(key, value):
            return Map(nullable(key), nullable(value))
        case Struct(fields):
            return Struct(tuple(Field(f.name, nullable(f.type)) for f in fields))
    assert_never(kind)


def to_sql(kind: DataType) -> str:
    """The type as Spark SQL writes it."""
    match kind:
        case Primitive(name):
            return _SQL_NAMES.get(name, name.upper())
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Array(element):
            return f"ARRAY<{to_sql(element)}>"
        case Map(key, value):
            return f"MAP<{to_sql(key)}, {to_sql(value)}>"
        case Struct(fields):
            return f"STRUCT<{', '.join(f'{name_to_sql(f.name)}: {to_sql(f.type)}' for f in fields)}>"
    assert_never(kind)


def name_to_sql(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else "`" + name.replace("`", "``") + "`"


# --- Decimals: the types of results, with spark.sql.decimalOperations.allowPrecisionLoss=true, the default ---


# --- JSON: the format of a Delta table's schemaString, which is also Spark's StructType.json() ---


# --- DDL: `o_id BIGINT NOT NULL, tags ARRAY<STRUCT<k: STRING, v: INT>>` ---


def holds(kind: DataType, wanted: Callable[[DataType], bool]) -> bool:
    """Is a type, or one that is nested in it, a wanted one."""
    if wanted(kind):
        return True
    match kind:
        case Array(element):
            return holds(element, wanted)
        case Map(key, value):
            return holds(key, wanted) or holds(value, wanted)
        case Struct(fields):
            return any(holds(f.type, wanted) for f in fields)
    return False


def has_floats(kind: DataType) -> bool:
    """Is a floating point number in values of this type. Bounds of files do not tell of NaN, the greatest of them."""
    return holds(kind, lambda inner: inner in {FLOAT, DOUBLE})


def has_map(kind: DataType) -> bool:
    """Is there a map in it; maps have no order and no equality."""
    return holds(kind, lambda inner: isinstance(inner, Map))
