"""What a query reads, where only its words tell."""

from __future__ import annotations

import datetime as dt

import pytest

from tidewheel.errors import UserError
from tidewheel.ir.rel import Opaque
from tidewheel.sql.bind import bind
from tidewheel.sql.query import references
from tidewheel.sql.repair import beyond_parser, stand_in
from tidewheel.sql.text import find_moving, pin_clock, tokenize

READS = {
    "FROM t |> DROP a": ["t"],
    "FROM t, u |> DROP a": ["t", "u"],
    "FROM t |> JOIN u ON t.a = u.a |> DROP a": ["t", "u"],
    "FROM (SELECT a FROM t, u AS v) |> SET a = 1": ["t", "u"],
    "WITH c AS (SELECT a FROM t) FROM c |> DROP a": ["t"],
    "FROM t |> WHERE a IS DISTINCT FROM b |> DROP b": ["t"],
    "FROM t |> EXTEND extract(YEAR FROM d) AS y |> DROP d": ["t"],
    "FROM t |> WHERE a IN (SELECT a FROM `two words`) |> DROP d": ["t", "two words"],
    "FROM range(3) |> DROP id": [],
    "SELECT TRANSFORM(a, b) USING 'cat' AS (x, y) FROM t": ["t"],
    "SELECT v:a.b[0]::string AS x, b FROM t JOIN u USING (a)": ["t", "u"],
    "SELECT v:a.b AS x FROM (t JOIN u USING (a))": ["t", "u"],
    "SELECT v:a.b AS x FROM t, (u CROSS JOIN w)": ["t", "u", "w"],
    "SELECT v:a.b AS x, k FROM t LATERAL VIEW explode(m) e AS k, w": ["t"],
    "FROM t MAP a, b USING 'cat' AS x, y |> LIMIT 1": ["t"],
}
GUESSED = {
    "FROM t JOIN u ON t.a = u.a, w |> SELECT a": {"t", "u", "w"},
    "FROM t JOIN u USING (a), w |> SELECT a": {"t", "u", "w"},
    "FROM date JOIN row |> SELECT a": {"date", "row"},
    "SELECT v:a.b FROM values": {"values"},
    "WITH t AS (SELECT * FROM t WHERE a > 1) FROM t |> DROP a": {"t"},
    "FROM t |> SELECT count(*) OVER u AS n WINDOW u AS (PARTITION BY a) |> JOIN u": {"t", "u"},
    "FROM t |> SELECT u.a AS w |> WHERE date(a) = 'u' |> DROP a": {"t", "u"},
}
RELATIONS = {"t", "u", "w", "date", "row", "values"}
NESTED = [
    "ARRAY<ARRAY<ARRAY<INT>>>",
    "MAP<STRING, ARRAY<STRUCT<a: ARRAY<INT>>>>",
    "STRUCT<a: MAP<STRING, ARRAY<DECIMAL(10, 2)>>>",
    "ARRAY<ARRAY<ARRAY<ARRAY<ARRAY<ARRAY<INT>>>>>>",
]


@pytest.mark.parametrize("kind", NESTED)
def test_types_nest_as_deeply_as_one_likes(kind: str) -> None:
    query = bind(f"SELECT CAST(NULL AS {kind}) AS x, 8 > 1 AS y", {})
    assert not isinstance(query.rel, Opaque)


@pytest.mark.parametrize(
    "sql", ["SELECT 8 >>> 1 AS x", "SELECT CAST(NULL AS ARRAY<ARRAY<ARRAY<INT>>>) AS x, 8>>>1 AS y"]
)
def test_an_unsigned_shift_is_none_of_a_type(sql: str) -> None:
    rel = bind(sql, {}).rel
    assert isinstance(rel, Opaque)
    assert rel.reason == "unsigned-shift"


@pytest.mark.parametrize("sql", READS)
def test_reads(sql: str) -> None:
    tokens = tokenize(sql)
    assert beyond_parser(tokens) is not None
    found = references(stand_in(tokens), sql, "v.sql")
    assert [r.name for r in found if not r.guessed] == READS[sql]


@pytest.mark.parametrize("sql", GUESSED)
def test_a_relation_that_a_word_may_mean_is_read(sql: str) -> None:
    found = references(stand_in(tokenize(sql)), sql, "v.sql")
    assert {r.name for r in found} & RELATIONS == GUESSED[sql]


@pytest.mark.parametrize(
    "sql",
    [
        "SELEC a FROM t",
        "SELECT CAST(a AS STRUCT<x:INT>) FROM FROM t",
        "SELECT transform(xs, x -> x) FROM t JOIN u USING (a) WHERE",
        "SELECT a FROM t WHERE a = :x AND",
    ],
)
def test_a_mistake_stays_a_mistake(sql: str) -> None:
    assert beyond_parser(tokenize(sql)) is None


def test_a_function_may_be_called_by_a_quoted_name() -> None:
    assert bind("SELECT `upper`('a') AS x, `count`(*) AS n", {}) == bind("SELECT upper('a') AS x, count(*) AS n", {})


def test_a_quoted_name_hides_no_function_without_a_fixed_answer() -> None:
    assert [call.name for call in find_moving(tokenize("SELECT `rand`() AS x, `uuid` AS y"))] == ["rand"]


def test_a_quoted_name_hides_no_clock() -> None:
    pinned = pin_clock("SELECT `current_date`() AS x, `current_date` AS y", dt.datetime(2026, 1, 2, tzinfo=dt.UTC))
    assert pinned == "SELECT DATE '2026-01-02' AS x, `current_date` AS y"


def test_an_operator_that_is_called_needs_two_sides() -> None:
    with pytest.raises(UserError) as caught:
        bind("SELECT 1 AS x WHERE true AND AND (true)", {})
    assert caught.value.code == "wrong-arguments"
