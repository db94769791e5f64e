"""Conversions in DuckDB that give what Spark's give; of those that do not, there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, assert_never

from tidewheel.errors import UserError
from tidewheel.ir.coercion import interval_units
from tidewheel.names import quote_double
from tidewheel.sql.unparse.texts import Text, made_of
from tidewheel.types import UNKNOWN, VOID, Array, DataType, Decimal, Map, Primitive, Struct, to_sql

_DUCK: Final = {
    "boolean": "BOOLEAN", "byte": "TINYINT", "short": "SMALLINT", "integer": "INTEGER", "long": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "binary": "BLOB", "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip
_FAMILY: Final = {
    "byte": "int", "short": "int", "integer": "int", "long": "int", "float": "float", "double": "double",
}  # fmt: skip
EXACT_DIGITS: Final = 15
"""A decimal of so many digits becomes the nearest double by one division."""


def not_local(what: str) -> UserError:
    return UserError(
        f"the local engine does not run {what}",
        code="not-local",
        detail="It runs only what was shown to give the same answers as Spark.",
        hint="Use the Spark engine: leave out `engine: local`.",
    )


def duck_type(kind: DataType) -> str:
    match kind:
        case Primitive(name) if name in _DUCK:
            return _DUCK[name]
        case Primitive() if kind == VOID:
            return '"NULL"'
        case Primitive() if interval_units(kind):
            return "INTERVAL"
        case Primitive():
            raise not_local("an expression whose type only Spark knows")
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Array(element):
            return f"{duck_type(element)}[]"
        case Map(key, value):
            return f"MAP({duck_type(key)}, {duck_type(value)})"
        case Struct(fields):
            return f"STRUCT({', '.join(f'{quote_double(f.name)} {duck_type(f.type)}' for f in fields)})"
    assert_never(kind)


Rule: TypeAlias = Callable[[str, DataType, DataType, str], str]
"""From the text, its type, the wanted type and the word CAST or TRY_CAST to the text of the conversion."""


def plain(text: str, _: DataType, to: DataType, word: str) -> str:
    return f"{word}({text} AS {duck_type(to)})"


def _truncated(text: str, _: DataType, to: DataType, word: str) -> str:
    """Spark cuts the fraction off, DuckDB rounds."""
    return f"{word}(trunc({text}) AS {duck_type(to)})"


def _through_text(text: str, _: DataType, to: DataType, word: str) -> str:
    return f"{word}(CAST({text} AS VARCHAR) AS {duck_type(to)})"


def _decimal_to_double(text: str, kind: DataType, to: DataType, word: str) -> str:
    exact = isinstance(kind, Decimal) and kind.precision <= EXACT_DIGITS
    return (plain if exact else _through_text)(text, kind, to, word)


def _float_to_decimal(text: str, kind: DataType, to: DataType, word: str) -> str:
    """By the shortest digits of the double; what is no number becomes NULL."""
    number = f"CAST({text} AS DOUBLE)" if kind == Primitive("float") else text
    return f"CASE WHEN isfinite({number}) THEN {_through_text(number, kind, to, word)} END"


def _text_to_number(check: str) -> Rule:
    """A text that DuckDB might read in ways that Spark would not is refused first."""

    def convert(text: str, _: DataType, to: DataType, word: str) -> str:
        invalid = "" if word == "TRY_CAST" else f" ELSE tw_invalid({text}, '{duck_type(to)}')"
        return (
            f"CASE WHEN {text} IS NULL THEN NULL WHEN regexp_full_match(trim({text}, ' '), '{check}')"
            f" THEN {word}(trim({text}, ' ') AS {duck_type(to)}){invalid} END"
        )

    return convert


def _text_to_boolean(text: str, _: DataType, to: DataType, word: str) -> str:
    invalid = "" if word == "TRY_CAST" else f" ELSE tw_invalid({text}, '{duck_type(to)}')"
    body = f"lower(trim({text}, ' '))"
    return (
        f"CASE WHEN {text} IS NULL THEN NULL WHEN {body} IN ('t', 'true', 'y', 'yes', '1') THEN TRUE"
        f" WHEN {body} IN ('f', 'false', 'n', 'no', '0') THEN FALSE{invalid} END"
    )


def _boolean_to_decimal(text: str, _: DataType, to: DataType, word: str) -> str:
    return f"{word}(CAST({text} AS INTEGER) AS {duck_type(to)})"


def _instant_to_text(text: str, kind: DataType, to: DataType, word: str) -> str:
    return plain(f"CAST({text} AS TIMESTAMP)", kind, to, word)


_NUMBER: Final = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
_DOUBLE: Final = rf"{_NUMBER}|(?i:[+-]?inf(inity)?|nan)"
_DATE: Final = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
CASTS: Final[dict[tuple[str, str], Rule]] = {
    **{("int", to): plain for to in ("int", "decimal", "float", "double", "string", "boolean")},
    ("float", "double"): plain,
    ("double", "float"): plain,
    **{(source, "int"): _truncated for source in ("float", "double", "decimal")},
    ("float", "decimal"): _float_to_decimal,
    ("double", "decimal"): _float_to_decimal,
    ("decimal", "decimal"): plain,
    ("decimal", "double"): _decimal_to_double,
    ("decimal", "float"): _through_text,
    ("decimal", "string"): plain,
    ("decimal", "boolean"): lambda text, kind, to, word: f"({text} <> 0)",  # noqa: ARG005
    ("boolean", "int"): plain,
    ("boolean", "double"): plain,
    ("boolean", "decimal"): _boolean_to_decimal,
    ("boolean", "string"): plain,
    ("string", "int"): _text_to_number("[+-]?[0-9]+"),
    ("string", "double"): _text_to_number(_DOUBLE),
    ("string", "float"): _text_to_number(_DOUBLE),
    ("string", "decimal"): _text_to_number(_NUMBER),
    ("string", "date"): _text_to_number(_DATE),
    ("string", "boolean"): _text_to_boolean,
    ("date", "string"): plain,
    ("date", "timestamp"): plain,
    ("date", "timestamp_ntz"): plain,
    ("timestamp", "date"): plain,
    ("timestamp", "timestamp_ntz"): plain,
    ("timestamp", "string"): _instant_to_text,
    ("timestamp_ntz", "date"): plain,
    ("timestamp_ntz", "timestamp"): plain,
    ("timestamp_ntz", "string"): plain,
}
"""Kinds of types that are converted, each with a case in tests/spark/test_duckdb_functions.py."""
_FRAGILE: Final = frozenset({"string", "float", "double"})


def family(kind: DataType) -> str:
    if isinstance(kind, Decimal):
        return "decimal"
    return _FAMILY.get(kind.name, kind.name) if isinstance(kind, Primitive) else "nested"


def convert(text: Text, to: DataType, *, lenient: bool = False) -> Text:
    """The text as a value of another type."""
    kind = text.type
    if kind == to:
        return text
    if UNKNOWN in {kind, to}:
        raise not_local("a conversion of a type that only Spark knows")
    if kind == VOID:
        return made_of(f"CAST({text.sql} AS {duck_type(to)})", [text], kind=to)
    rule = CASTS.get((family(kind), family(to)))
    if rule is None:
        raise not_local(f"a cast from {to_sql(kind)} to {to_sql(to)}")
    sql = rule(text.sql, kind, to, "TRY_CAST" if lenient else "CAST")
    fragile = family(kind) in _FRAGILE and not lenient
    return made_of(sql, [text], kind=to, fragile=fragile)
