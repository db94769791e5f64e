"""A table with a column of every type, scalars as Spark SQL over it, and what Spark's analyzer says of many at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tidewheel.ddl import parse_type
from tidewheel.ir.scalar import Call, Case, Cast, Lambda, Lit, Scalar
from tidewheel.types import UNKNOWN, Array, DataType, Field, Map, Primitive, Struct

KINDS = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5,2)", "DECIMAL(38,18)",
    "DECIMAL(10,0)", "STRING", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "ARRAY<INT>", "ARRAY<STRING>",
    "MAP<STRING, INT>", "STRUCT<a: INT, b: STRING>", "VOID", "INTERVAL DAY", "INTERVAL DAY TO SECOND",
    "INTERVAL YEAR TO MONTH", "DECIMAL(38,38)", "ARRAY<ARRAY<INT>>", "ARRAY<STRUCT<k: STRING, v: DECIMAL(5,2)>>",
)  # fmt: skip
"""The types of c0, c1, ... of the view `every_type`."""


def our_type(text: str) -> DataType:
    return Primitive(text.lower()) if text == "VOID" or text.startswith("INTERVAL") else parse_type(text)


INPUTS = tuple(map(our_type, KINDS))


def make_view(spark: Any) -> None:
    columns = [("NULL" if k == "VOID" else f"CAST(NULL AS {k})") + f" AS c{i}" for i, k in enumerate(KINDS)]
    spark.sql(f"SELECT {', '.join(columns)}").createOrReplaceTempView("every_type")


def to_spark(scalar: Scalar) -> str:
    """Our text is Spark's, but for operators that SQL writes with words of its own."""
    match scalar:
        case Call(name, args):
            inner = [to_spark(a) for a in args]
            return _call(name, inner, args)
        case Cast(arg, to, lenient):
            return f"{'TRY_CAST' if lenient else 'CAST'}({to_spark(arg)} AS {to})"
        case Case(branches, otherwise):
            whens = " ".join(f"WHEN {to_spark(c)} THEN {to_spark(v)}" for c, v in branches)
            return f"CASE {whens}{'' if otherwise is None else f' ELSE {to_spark(otherwise)}'} END"
        case Lambda(params, body):
            names = ", ".join(p.text for p in params)
            return f"{names if len(params) == 1 else f'({names})'} -> {to_spark(body)}"
    return scalar.text


def _call(name: str, inner: list[str], args: Sequence[Scalar]) -> str:
    if scalar_is_infix(name):
        return f"({f' {name} '.join(inner)})"
    match name:
        case "not":
            return f"(NOT {inner[0]})"
        case "bit_not":
            return f"(~ {inner[0]})"
        case "in":
            return f"({inner[0]} IN ({', '.join(inner[1:])}))"
        case "get_item":
            return f"{inner[0]}[{inner[1]}]"
        case "get_field" if isinstance(args[1], Lit):
            return f"{inner[0]}.{args[1].value}"
        case "extract":
            return f"extract({inner[0]} FROM {inner[1]})"
    return f"{name}({', '.join(inner)})"


def scalar_is_infix(name: str) -> bool:
    return not name[0].isalpha() or name in {"and", "or", "div"}


def spark_types(spark: Any, expressions: Sequence[str], view: str = "every_type") -> list[DataType | str]:
    """The type of each, or the first line of Spark's complaint; many in one query, halved until the bad ones show."""
    if not expressions:
        return []
    try:
        frame = spark._jsparkSession.sql(f"SELECT {', '.join(expressions)} FROM {view}")
        return [type_from_json(f["type"]) for f in json.loads(frame.schema().json())["fields"]]
    except Exception as error:  # noqa: BLE001  whatever it says is the finding
        if len(expressions) == 1:
            return [str(error).split("\n")[0]]
    half = len(expressions) // 2
    return spark_types(spark, expressions[:half], view) + spark_types(spark, expressions[half:], view)


def type_from_json(body: Any) -> DataType:
    """Spark's JSON with the types that a table cannot have; nothing about NULLs inside."""
    if isinstance(body, str):
        if body == "void" or body.startswith("interval"):
            return Primitive(body)
        try:
            return parse_type(body)
        except Exception:  # noqa: BLE001  time, variant, geometry: we have no such types
            return UNKNOWN
    match body["type"]:
        case "array":
            return Array(type_from_json(body["elementType"]))
        case "map":
            return Map(type_from_json(body["keyType"]), type_from_json(body["valueType"]))
        case "struct":
            return Struct(tuple(Field(f["name"], type_from_json(f["type"])) for f in body["fields"]))
    return UNKNOWN
