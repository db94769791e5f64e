"""Types and schemas: from DDL and back, to JSON and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidewheel.ddl import parse_schema, parse_type
from tidewheel.errors import UserError
from tidewheel.schema_json import schema_from_json, schema_to_json
from tidewheel.types import PRIMITIVES, Array, DataType, Decimal, Field, Map, Primitive, Schema, Struct, to_sql

INT = Primitive("integer")
decimals = st.integers(1, 38).flatmap(lambda p: st.builds(Decimal, st.just(p), st.integers(0, p)))
leaves: st.SearchStrategy[DataType] = st.one_of(st.sampled_from(sorted(PRIMITIVES)).map(Primitive), decimals)
names = st.one_of(
    st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True), st.text("aZ é`<>,:()-'\" \n1", min_size=1, max_size=6)
)


def fields(
    types: st.SearchStrategy[DataType], nullable: st.SearchStrategy[bool]
) -> st.SearchStrategy[tuple[Field, ...]]:
    one = st.builds(Field, names, types, nullable)
    return st.lists(one, min_size=1, max_size=4, unique_by=lambda f: f.name.lower()).map(tuple)


def types(flags: st.SearchStrategy[bool]) -> st.SearchStrategy[DataType]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Array, inner, flags), st.builds(Map, inner, inner, flags), st.builds(Struct, fields(inner, flags))
        ),
        max_leaves=6,
    )


@settings(deadline=None)
@given(fields(types(st.booleans()), st.booleans()).map(Schema))
def test_json_and_back_is_the_same_schema(schema: Schema) -> None:
    assert schema_from_json(schema_to_json(schema)) == schema


@settings(deadline=None)
@given(fields(types(st.just(value=True)), st.just(value=True)).map(Schema))
def test_ddl_and_back_is_the_same_schema(schema: Schema) -> None:
    assert parse_schema(schema.to_sql()) == schema


@settings(deadline=None)
@given(types(st.just(value=True)))
def test_a_types_own_text_is_read_as_that_type(kind: DataType) -> None:
    assert parse_type(to_sql(kind)) == kind
    assert parse_type(to_sql(kind).lower()) == parse_type(to_sql(kind).lower())


@settings(deadline=None)
@given(fields(types(st.booleans()), st.booleans()).map(Schema))
def test_nullable_forgets_not_null_at_every_depth_and_nothing_else(schema: Schema) -> None:
    loose = schema.nullable()
    assert loose.nullable() == loose
    assert loose.names == schema.names
    assert "false" not in schema_to_json(loose)
    assert parse_schema(loose.to_sql()) == loose


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("bigint", Primitive("long")),
        ("LONG", Primitive("long")),
        ("Int", Primitive("integer")),
        ("tinyint", Primitive("byte")),
        ("real", Primitive("float")),
        ("timestamp_ltz", Primitive("timestamp")),
        ("decimal", Decimal(10, 0)),
        ("dec(5)", Decimal(5, 0)),
        ("NUMERIC ( 38 , 38 )", Decimal(38, 38)),
        ("array<map<string, array<int>>>", Array(Map(Primitive("string"), Array(Primitive("integer"))))),
        (
            "struct<a int, b: string not null>",
            Struct((Field("a", INT), Field("b", Primitive("string"), nullable=False))),
        ),
    ],
)
def test_types_as_spark_writes_them(text: str, kind: DataType) -> None:
    assert parse_type(text) == kind


def test_a_schema_with_quoted_names_and_not_null() -> None:
    schema = parse_schema("`odd name` BIGINT NOT NULL, `a``b` STRING,\n c DECIMAL(12,2)")
    assert schema.names == ("odd name", "a`b", "c")
    assert [f.nullable for f in schema] == [False, True, True]
    assert schema.find("ODD NAME") == schema.fields[0]
    assert schema.find("nope") is None
    assert schema.without(("c",)).names == ("odd name", "a`b")


@pytest.mark.parametrize(
    "text",
    [
        "", "a", "a BIGINT,", ", a BIGINT", "a BIGINT b INT", "a BIGNUM", "a DECIMAL(39,0)", "a DECIMAL(5,6)",
        "a DECIMAL(0)", "a DECIMAL(x)", "a DECIMAL(²)", "a DECIMAL(5", "a ARRAY", "a ARRAY<", "a ARRAY<INT",
        "a MAP<INT>", "a STRUCT<>", "a INT NOT",
        "a INT; b INT", "a INT, A STRING", "a VARCHAR(5)", "a INTERVAL", "`a INT",
    ],
)  # fmt: skip
def test_what_is_no_schema_is_the_users_error(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_schema(text)
    assert caught.value.code == "bad-schema"
    assert caught.value.hint


@pytest.mark.parametrize("kind", ["void", "variant", "interval day to second", "time(6)", {"type": "udt"}])
def test_a_type_that_delta_cannot_hold_is_refused_by_name(kind: object) -> None:
    text = json.dumps({"type": "struct", "fields": [{"name": "x", "type": kind, "nullable": True, "metadata": {}}]})
    with pytest.raises(UserError, match='column "x"') as caught:
        schema_from_json(text)
    assert caught.value.code == "unsupported-type"


@pytest.mark.parametrize("kind", ["char(5)", "varchar(20)"])
def test_char_and_varchar_are_strings(kind: str) -> None:
    text = json.dumps({"type": "struct", "fields": [{"name": "x", "type": kind, "nullable": True, "metadata": {}}]})
    assert schema_from_json(text).fields[0].type == Primitive("string")
