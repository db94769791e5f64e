"""Which relations a query reads, and what it calls its columns."""

from __future__ import annotations

import pytest

from tidewheel.errors import UserError
from tidewheel.sql.query import check_outputs, is_query, parse_statements, references


def reads(sql: str) -> list[str]:
    (query,) = parse_statements(sql, "v.sql")
    return [reference.name for reference in references(query, sql, "v.sql")]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 AS x", []),
        ("SELECT a FROM t", ["t"]),
        ("SELECT a FROM t x, u JOIN `odd name` ON true", ["t", "u", "odd name"]),
        ("SELECT a FROM t JOIN T b ON true JOIN `T` c ON true", ["t"]),
        ("SELECT (SELECT max(a) FROM u) AS m FROM t WHERE a IN (SELECT b FROM v) AND EXISTS (SELECT 1 FROM w)",
         ["u", "t", "v", "w"]),
        ("SELECT a FROM (SELECT a FROM (SELECT a FROM t) x) y", ["t"]),
        ("SELECT a FROM t UNION ALL (SELECT a FROM u EXCEPT SELECT a FROM v)", ["t", "u", "v"]),
        ("SELECT CASE WHEN (SELECT count(*) FROM u) > 0 THEN 1 END AS x FROM t ORDER BY (SELECT 1 FROM v)",
         ["u", "t", "v"]),
        ("SELECT a FROM t GROUP BY a HAVING sum(b) > (SELECT avg(b) FROM u)", ["t", "u"]),
        ("SELECT a, e FROM t LATERAL VIEW explode(b) x AS e", ["t"]),
        ("SELECT a, x FROM t, LATERAL (SELECT b AS x FROM u WHERE u.k = t.k)", ["t", "u"]),
        ("SELECT id FROM range(10)", []),
        ("SELECT a FROM VALUES (1), (2) AS v(a)", []),
        ("SELECT sum(a) OVER (PARTITION BY (SELECT 1 FROM u)) AS s FROM t", ["t", "u"]),
        ("SELECT t.*, u.b FROM t FULL OUTER JOIN u ON t.k <=> u.k AND t.k IN (SELECT k FROM v)", ["t", "u", "v"]),
    ],
)  # fmt: skip
def test_every_relation_is_found_wherever_it_stands(sql: str, expected: list[str]) -> None:
    assert sorted(reads(sql)) == sorted(expected)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("WITH x AS (SELECT a FROM t) SELECT a FROM x", ["t"]),
        ("WITH X AS (SELECT a FROM t) SELECT a FROM x JOIN `X` y ON true", ["t"]),
        ("WITH t AS (SELECT a FROM t) SELECT a FROM t", ["t"]),
        ("WITH x AS (SELECT 1 AS a), y AS (SELECT a FROM x) SELECT a FROM y", []),
        ("WITH y AS (SELECT a FROM x), x AS (SELECT 1 AS a) SELECT a FROM y, x", ["x"]),
        ("WITH x AS (WITH t AS (SELECT 1 AS a) SELECT a FROM t) SELECT a FROM x, t", ["t"]),
        ("SELECT a FROM (WITH u AS (SELECT a FROM t) SELECT a FROM u) s, u", ["t", "u"]),
        (
            "WITH x AS (SELECT 1 AS a) SELECT a FROM t WHERE a IN (SELECT a FROM x) AND b IN (SELECT b FROM u)",
            ["t", "u"],
        ),
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n, t WHERE i < 9) SELECT i FROM n", ["t"]),
        ("WITH n AS (SELECT i FROM n) SELECT i FROM n", ["n"]),
        ("WITH x AS (SELECT 1 AS a) SELECT a FROM x UNION ALL SELECT a FROM t", ["t"]),
        ("WITH a AS (SELECT 1 AS v) SELECT v FROM a WHERE v IN (WITH a AS (SELECT v FROM b) SELECT v FROM a)", ["b"]),
    ],
)
def test_names_of_ctes_hide_relations_just_where_they_are_visible(sql: str, expected: list[str]) -> None:
    assert sorted(reads(sql)) == sorted(expected)


def test_a_reference_points_to_its_first_place() -> None:
    sql = "SELECT a\nFROM one\nJOIN two ON one.k = two.k\nJOIN `two` b ON true"
    (query,) = parse_statements(sql, "v.sql")
    assert [(r.name, r.span.place, r.span.length) for r in references(query, sql, "v.sql")] == [
        ("one", "v.sql:2:6", 3), ("two", "v.sql:3:6", 3)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT a FROM lake.t", "unknown-relation"),
        ("SELECT a FROM c.lake.t", "unknown-relation"),
        ("WITH t AS (SELECT 1 AS a) SELECT a FROM lake.t", "unknown-relation"),
        ("SELECT a FROM parquet.`/etc/passwd`", "unknown-relation"),
        ("SELECT a FROM IDENTIFIER('t')", "unsupported-statement"),
        ("SELECT a FROM stream(t)", "unsupported-statement"),
    ],
)
def test_a_relation_that_has_no_plain_name_is_refused(sql: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        reads(sql)
    assert caught.value.code == code


def test_long_texts_are_read_without_recursion() -> None:
    assert reads(f"SELECT {' + '.join(['a'] * 5000)} AS x FROM t") == ["t"]
    assert reads(f"SELECT a FROM t WHERE {' OR '.join(f'a = {i}' for i in range(3000))}") == ["t"]
    assert reads(" UNION ALL ".join(f"SELECT a FROM t{i}" for i in range(400))) == [f"t{i}" for i in range(400)]


def test_a_text_nested_beyond_reason_is_the_users_error() -> None:
    with pytest.raises(UserError, match="nested too deeply"):
        parse_statements(f"SELECT {'(' * 2000}1{')' * 2000} AS x", "v.sql")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a, t.b, c AS d, e f, t.* FROM t",
        "SELECT *, 1 AS x FROM t",
        "SELECT s.field, count(*) AS n FROM t GROUP BY 1",
        "SELECT a AS x FROM t UNION ALL SELECT b + 1 FROM u",
        "(SELECT a FROM t)",
        "VALUES (1, 2)",
        "WITH x AS (SELECT a + 1 FROM t) SELECT 1 AS a FROM x",
        "SELECT `A b` FROM t",
    ],
)
def test_named_columns_are_accepted(sql: str) -> None:
    (query,) = parse_statements(sql, "v.sql")
    check_outputs(query, sql, "v.sql")
    assert is_query(query)


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        ("SELECT a + 1 FROM t", "unnamed-column", "1:8"),
        ("SELECT a,\n  count(*) FROM t", "unnamed-column", None),
        ("SELECT (a) FROM t", "unnamed-column", "1:9"),
        ("SELECT cast(a AS int) FROM t", "unnamed-column", None),
        ("SELECT (SELECT 1 AS x) FROM t", "unnamed-column", None),
        ("SELECT a, b AS A FROM t", "duplicate-column", "1:11"),
        ("SELECT t.a, u.a FROM t, u", "duplicate-column", "1:13"),
        ("SELECT a AS _tw_key FROM t", "reserved-name", "1:8"),
        ("SELECT _TW_x FROM t", "reserved-name", "1:8"),
        ("SELECT 1 FROM t UNION SELECT 2 AS x", "unnamed-column", None),
        ("SELECT", "sql-syntax", None),
        ("SELECT FROM t", "sql-syntax", None),
    ],
)
def test_columns_without_a_name_of_their_own_are_refused(sql: str, code: str, place: str | None) -> None:
    (query,) = parse_statements(sql, "v.sql")
    with pytest.raises(UserError) as caught:
        check_outputs(query, sql, "v.sql")
    assert caught.value.code == code
    assert caught.value.hint
    if place:
        assert caught.value.span is not None
        assert caught.value.span.place == f"v.sql:{place}"


@pytest.mark.parametrize(
    "sql", ["INSERT INTO t SELECT 1", "DROP TABLE t", "SET x = 1", "CREATE TABLE t AS SELECT 1 AS x"]
)
def test_other_statements_are_no_queries(sql: str) -> None:
    assert not any(is_query(statement) for statement in parse_statements(sql, "v.sql"))


def test_a_syntax_error_points_at_the_word_it_fails_at() -> None:
    sql = "SELECT a\nFROM t\nWHERE a == = 1"
    with pytest.raises(UserError) as caught:
        parse_statements(sql, "v.sql")
    assert caught.value.code == "sql-syntax"
    assert caught.value.span is not None
    assert caught.value.span.line == 3
    assert "3 | WHERE a == = 1" in str(caught.value)
