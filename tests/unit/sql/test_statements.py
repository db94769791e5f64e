"""A view file taken apart."""

from __future__ import annotations

import pytest

from tidewheel.sql.statements import BadStatement, ViewStatement, names_in, split_statements


def statements_of(text: str) -> list[ViewStatement]:
    """The statements of a file that is sound."""
    return [s for s in split_statements(text, "v.sql") if isinstance(s, ViewStatement)]


def test_a_bare_select_has_no_name_and_keeps_its_text_to_the_letter() -> None:
    text = "-- a comment\n\n  SELECT a,\n\tb FROM t ; \n-- the end\n"
    (statement,) = statements_of(text)
    assert statement.name is None
    assert statement.query == "SELECT a,\n\tb FROM t"
    assert text[statement.start :].startswith(statement.query)


@pytest.mark.parametrize(
    "head",
    [
        "CREATE MATERIALIZED VIEW v AS",
        "create or replace materialized view v as",
        "CREATE OR REFRESH MATERIALIZED VIEW v AS",
        "CREATE MATERIALIZED VIEW IF NOT EXISTS v AS",
        "CREATE MATERIALIZED VIEW `v` COMMENT 'with; a semicolon' AS",
    ],
)
def test_a_create_statement_gives_the_name_and_the_query(head: str) -> None:
    (statement,) = statements_of(f"{head}\n  WITH x AS (SELECT 1 AS a) SELECT a FROM x;")
    assert statement.name == "v"
    assert statement.query == "WITH x AS (SELECT 1 AS a) SELECT a FROM x"


def test_several_statements_each_have_their_own_options() -> None:
    text = (
        "-- tidewheel: {tags: [x]}\nCREATE MATERIALIZED VIEW a AS SELECT ';' AS x;\n"
        "CREATE MATERIALIZED VIEW b AS SELECT 2 AS x;\n"
        "-- about c\n  --  tidewheel:  {refresh: full}\nCREATE MATERIALIZED VIEW c AS SELECT 3 AS x"
    )
    found = statements_of(text)
    assert [(s.name, s.options) for s in found] == [("a", "{tags: [x]}"), ("b", None), ("c", "{refresh: full}")]
    for statement in found:
        assert text[statement.start :].startswith(statement.query)
        if statement.options:
            assert text[statement.options_start :].startswith(statement.options)


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("SELECT 1 AS x -- not this", ""),
        ("-- One line.\n-- tidewheel: {tags: [x]}\n--  Another.\n\nSELECT 1 AS x", "One line.\n Another."),
        ("CREATE MATERIALIZED VIEW v COMMENT 'it\\'s said' AS SELECT 1 AS x", "it's said"),
        ("-- Above.\nCREATE MATERIALIZED VIEW v COMMENT 'said' AS SELECT 1 AS x", "said\nAbove."),
    ],
)
def test_a_view_keeps_what_its_author_says_of_it(text: str, comment: str) -> None:
    (statement,) = statements_of(text)
    assert statement.comment == comment


def test_a_comment_belongs_to_the_statement_below_it() -> None:
    text = (
        "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x; -- of a\n-- About b.\nCREATE MATERIALIZED VIEW b AS SELECT 2 AS x"
    )
    assert [s.comment for s in statements_of(text)] == ["", "About b."]


@pytest.mark.parametrize("text", ["", "  \n", "-- only a comment", "/* only */", ";;"])
def test_a_file_without_a_statement_gives_none(text: str) -> None:
    assert statements_of(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CREATE STREAMING TABLE t AS SELECT 1 AS x", "streaming tables"),
        ("CREATE OR REFRESH STREAMING TABLE t AS SELECT 1 AS x", "streaming tables"),
        ("CREATE FLOW f AS INSERT INTO t SELECT 1 AS x", "flows"),
        ("CREATE TEMPORARY VIEW t AS SELECT 1 AS x", "temporary views"),
        ("CREATE TEMP VIEW t AS SELECT 1 AS x", "temporary views"),
        ("CREATE GLOBAL TEMPORARY VIEW t AS SELECT 1 AS x", "temporary views"),
        ("CREATE TEMPORARY FUNCTION f() RETURNS INT RETURN 1", "functions of your own"),
        ("CREATE OR REPLACE TEMPORARY FUNCTION f() RETURNS INT RETURN 1", "functions of your own"),
        ("CREATE FUNCTION f() RETURNS INT RETURN 1", "functions of your own"),
        ("CREATE VIEW t AS SELECT 1 AS x", "only CREATE MATERIALIZED VIEW"),
        ("CREATE", "only CREATE MATERIALIZED VIEW"),
        ("CREATE MATERIALIZED VIEW", "no name"),
        ("CREATE MATERIALIZED VIEW v SELECT 1 AS x", "expected AS"),
        ("CREATE MATERIALIZED VIEW v AS", "expected AS"),
        ("CREATE MATERIALIZED VIEW v COMMENT", "expected AS"),
        ("CREATE MATERIALIZED VIEW v COMMENT AS SELECT 1 AS x", "expected a text in quotes"),
        ("CREATE MATERIALIZED VIEW db.v AS SELECT 1 AS x", "expected AS"),
    ],
)
def test_other_statements_are_refused_by_name_and_place(text: str, said: str) -> None:
    (statement,) = split_statements(text, "v.sql")
    assert isinstance(statement, BadStatement)
    assert said in statement.error.message
    assert statement.error.code == "unsupported-statement"
    assert statement.error.span is not None
    assert statement.error.hint


def test_a_statement_that_is_wrong_leaves_the_others_and_has_a_name_if_that_can_be_told() -> None:
    text = "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x; CREATE MATERIALIZED VIEW b SELECT 2; CREATE FLOW f"
    assert [(type(s), s.name) for s in split_statements(text, "v.sql")] == [
        (ViewStatement, "a"),
        (BadStatement, "b"),
        (BadStatement, None),
    ]


def test_the_names_of_views_are_found_in_a_text_that_is_no_sql() -> None:
    text = "create or replace materialized view if not exists a as select 'open; CREATE MATERIALIZED VIEW `B c` AS"
    assert names_in(text) == ["a", "B c"]
