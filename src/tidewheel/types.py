"""Spark's data types and schemas as plain values: from DDL text, to and from the JSON that Spark and Delta share."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from tidewheel.errors import UserError

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

MAX_PRECISION = 38
_KEPT_SCALE = 6
_DIGITS = {BYTE: 3, SHORT: 5, INT: 10, LONG: 20}


def decimal_of(kind: DataType) -> Decimal | None:
    """The decimal that holds every value of an integer type, or the decimal itself."""
    if isinstance(kind, Decimal):
        return kind
    return Decimal(_DIGITS[kind], 0) if isinstance(kind, Primitive) and kind in _DIGITS else None


def widest_decimal(a: Decimal, b: Decimal) -> Decimal:
    """What both are cast to when compared or united; digits before the point go before those after it."""
    scale, whole = max(a.scale, b.scale), max(a.precision - a.scale, b.precision - b.scale)
    return Decimal(min(whole + scale, MAX_PRECISION), min(scale, MAX_PRECISION - whole))


def decimal_result(operator: str, a: Decimal, b: Decimal) -> Decimal:
    """The type of a + b, a - b, a * b, a / b or a % b."""
    scale, whole = max(a.scale, b.scale), a.precision - a.scale
    match operator:
        case "+" | "-":
            precision = max(whole, b.precision - b.scale) + scale + 1
        case "*":
            precision, scale = a.precision + b.precision + 1, a.scale + b.scale
        case "/":
            scale = max(_KEPT_SCALE, a.scale + b.precision + 1)
            precision = whole + b.scale + scale
        case "%":
            precision = min(whole, b.precision - b.scale) + scale
        case _:
            raise ValueError(f"{operator} has no decimal rule")
    if precision <= MAX_PRECISION:
        return Decimal(precision, scale)
    return Decimal(MAX_PRECISION, max(MAX_PRECISION - (precision - scale), min(scale, _KEPT_SCALE)))


def decimal_sum(a: Decimal) -> Decimal:
    return Decimal(min(a.precision + 10, MAX_PRECISION), a.scale)


def decimal_avg(a: Decimal) -> Decimal:
    return Decimal(min(a.precision + 4, MAX_PRECISION), min(a.scale + 4, MAX_PRECISION))


# --- JSON: the format of a Delta table's schemaString, which is also Spark's StructType.json() ---


def schema_to_json(schema: Schema) -> str:
    return json.dumps(_struct_to_json(schema.fields), separators=(",", ":"))


def _struct_to_json(fields: tuple[Field, ...]) -> dict[str, Any]:
    body = [{"name": f.name, "type": _type_to_json(f.type), "nullable": f.nullable, "metadata": {}} for f in fields]
    return {"type": "struct", "fields": body}


def _type_to_json(kind: DataType) -> Any:
    match kind:
        case Primitive(name):
            return name
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case Array(element, contains_null):
            return {"type": "array", "elementType": _type_to_json(element), "containsNull": contains_null}
        case Map(key, value, contains_null):
            return {
                "type": "map",
                "keyType": _type_to_json(key),
                "valueType": _type_to_json(value),
                "valueContainsNull": contains_null,
            }
        case Struct(fields):
            return _struct_to_json(fields)
    assert_never(kind)


@functools.lru_cache(maxsize=2000)
def schema_from_json(text: str) -> Schema:
    """Read a schema; a type that a Delta table cannot hold is refused by name."""
    return Schema(tuple(_field_from_json(f) for f in json.loads(text)["fields"]))


def _field_from_json(body: dict[str, Any]) -> Field:
    try:
        return Field(body["name"], _type_from_json(body["type"]), bool(body["nullable"]))
    except _UnknownTypeError as error:
        raise UserError(
            f'column "{body["name"]}" has type {error}, which cannot be stored',
            code="unsupported-type",
            hint="Cast the column to a type that a Delta table can hold.",
        ) from None


class _UnknownTypeError(Exception):
    pass


def _type_from_json(body: Any) -> DataType:
    if isinstance(body, str):
        if body in PRIMITIVES:
            return Primitive(body)
        if match := re.fullmatch(r"decimal\((\d+), *(-?\d+)\)", body):
            return Decimal(int(match[1]), int(match[2]))
        if re.match(r"(var)?char\(", body):
            return Primitive("string")
        raise _UnknownTypeError(body)
    match body["type"]:
        case "array":
            return Array(_type_from_json(body["elementType"]), body["containsNull"])
        case "map":
            return Map(
                _type_from_json(body["keyType"]),
                _type_from_json(body["valueType"]),
                body["valueContainsNull"],
            )
        case "struct":
            return Struct(tuple(_field_from_json(f) for f in body["fields"]))
        case other:
            raise _UnknownTypeError(str(other))


# --- DDL: `o_id BIGINT NOT NULL, tags ARRAY<STRUCT<k: STRING, v: INT>>` ---

_TOKEN = re.compile(r"\s*(?:(`(?:[^`]|``)+`)|(\w+)|([<>(),:]))")


def parse_schema(text: str, *, unknown: bool = False) -> Schema:
    """Read Spark's DDL form of a schema; `unknown` admits columns whose type nobody knows yet."""
    parser = _DdlParser(text, unknown=unknown)
    fields = parser.fields(end=None)
    seen: set[str] = set()
    for field in fields:
        if field.name.lower() in seen:
            raise parser.error(f'column "{field.name}" appears twice')
        seen.add(field.name.lower())
    return Schema(fields)


def parse_type(text: str) -> DataType:
    parser = _DdlParser(text)
    kind = parser.type()
    parser.expect_end()
    return kind


class _DdlParser:
    def __init__(self, text: str, *, unknown: bool = False) -> None:
        self.text = text
        self.unknown = unknown
        self.tokens: list[str] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise self.error(f'unexpected "{text[position:].strip()[0]}"')
            self.tokens.append(match[0].strip())
            position = match.end()
        self.at = 0

    def error(self, what: str) -> UserError:
        return UserError(
            f"{what} in schema",
            code="bad-schema",
            detail=f"The schema is: {self.text}",
            hint='Write it as Spark does, for example "id BIGINT, day DATE, amount DECIMAL(12,2)".',
        )

    def peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self) -> str:
        token = self.peek()
        if token is None:
            raise self.error("unexpected end")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if (self.peek() or "").lower() == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise self.error(f'expected "{token}" but found "{self.peek() or "the end"}"')

    def expect_end(self) -> None:
        if self.peek() is not None:
            raise self.error(f'unexpected "{self.peek()}"')

    def name(self) -> str:
        token = self.next()
        if token.startswith("`"):
            return token[1:-1].replace("``", "`")
        if not re.fullmatch(r"\w+", token):
            raise self.error(f'expected a name but found "{token}"')
        return token

    def fields(self, end: str | None) -> tuple[Field, ...]:
        fields: list[Field] = []
        while True:
            name = self.name()
            self.accept(":")
            kind = self.type()
            nullable = True
            if self.accept("not"):
                self.expect("null")
                nullable = False
            fields.append(Field(name, kind, nullable))
            if not self.accept(","):
                break
        if end is None:
            self.expect_end()
        else:
            self.expect(end)
        return tuple(fields)

    def type(self) -> DataType:
        name = self.name().lower()
        if name in _DDL_NAMES:
            return Primitive(_DDL_NAMES[name])
        if name in {"decimal", "dec", "numeric"}:
            return self.decimal()
        if name == "array":
            self.expect("<")
            element = self.type()
            self.expect(">")
            return Array(element)
        if name == "map":
            self.expect("<")
            key = self.type()
            self.expect(",")
            value = self.type()
            self.expect(">")
            return Map(key, value)
        if name == "struct":
            self.expect("<")
            return Struct(self.fields(end=">"))
        if name == UNKNOWN.name and self.unknown:
            return UNKNOWN
        raise self.error(f'unknown type "{name}"')

    def decimal(self) -> Decimal:
        if not self.accept("("):
            return Decimal(10, 0)
        precision = self.number()
        scale = self.number() if self.accept(",") else 0
        self.expect(")")
        if not 1 <= precision <= 38 or not 0 <= scale <= precision:
            raise self.error(f"DECIMAL({precision},{scale}) is out of range")
        return Decimal(precision, scale)

    def number(self) -> int:
        token = self.next()
        if not token.isdecimal():
            raise self.error(f'expected a number but found "{token}"')
        return int(token)


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
