"""Schemas as DDL: `o_id BIGINT NOT NULL, tags ARRAY<STRUCT<k: STRING, v: INT>>`."""

from __future__ import annotations

import re

from tidewheel.errors import UserError
from tidewheel.types import (
    _DDL_NAMES,
    UNKNOWN,
    Array,
    DataType,
    Decimal,
    Field,
    Map,
    Primitive,
    Schema,
    Struct,
)

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
