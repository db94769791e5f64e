"""Schemas as JSON: the format of a Delta table's schemaString, which is also Spark's StructType.json()."""

from __future__ import annotations

import functools
import json
import re
from typing import Any, assert_never

from tidewheel.errors import UserError
from tidewheel.types import PRIMITIVES, Array, DataType, Decimal, Field, Map, Primitive, Schema, Struct


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
