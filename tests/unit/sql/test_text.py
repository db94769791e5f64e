"""Fingerprints, the clock, and what has no fixed answer: all from tokens."""

from __future__ import annotations

import datetime as dt

import pytest

from tidewheel.errors import UserError
from tidewheel.sql.text import clock_of, day_of, escape_quotes, find_moving, fingerprint, pin_clock, tokenize

MOMENT = dt.datetime(2026, 11, 15, 23, 30, 0, 1500, tzinfo=dt.UTC)


def mark(sql: str, *settings: str) -> str:
    return fingerprint(tokenize(sql), *settings)


BASE = "SELECT t.a, Sum(b) AS total FROM t WHERE c = 'x' AND d <= CAST(e AS INT) GROUP BY t.a"


@pytest.mark.parametrize(
    "variant",
    [
        "select t.a, SUM(b) as total from t where c = 'x' and d <= cast(e as int) group by t.a",
        "SELECT  t.a,\n\tSum( b )\r\n AS total\nFROM t\nWHERE c='x' AND d<=CAST(e AS INT)\nGROUP   BY t . a",
        "-- why\nSELECT /*this*/ t.a, Sum(b) AS total FROM t --\nWHERE c = 'x' AND d <= CAST(e AS INT) GROUP BY t.a",
        'SELECT t.a, Sum(b) AS total FROM t WHERE c = "x" AND d <= CAST(e AS INT) GROUP BY t.a',
    ],
)
def test_layout_comments_and_the_case_of_keywords_do_not_count(variant: str) -> None:
    assert mark(variant) == mark(BASE)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("SELECT 'a' AS x", "SELECT 'A' AS x"),
        ("SELECT r'abc' AS x", "SELECT r'ABC' AS x"),
        ("SELECT X'0a' AS x", "SELECT X'0b' AS x"),
        ("SELECT 'a b' AS x", "SELECT 'a  b' AS x"),
        ("SELECT '-- a' AS x", "SELECT '-- b' AS x"),
        ("SELECT 'it''s' AS x", "SELECT 'it' 's' AS x"),
        ("SELECT a AS x", "SELECT `a` AS x"),
        ("SELECT `A` AS x", "SELECT `a` AS x"),
        ("SELECT a AS x", "SELECT A AS x"),
        ("SELECT a AS x", "SELECT a AS X"),
        ("SELECT a AS date", "SELECT a AS Date"),
        ("SELECT a date FROM t", "SELECT a DATE FROM t"),
        ("SELECT date FROM t", "SELECT Date FROM t"),
        ("SELECT t.date FROM t", "SELECT t.DATE FROM t"),
        ("SELECT 1 AS x", "SELECT 1L AS x"),
        ("SELECT 1.0 AS x", "SELECT 1.00 AS x"),
        ("SELECT a - b AS x", "SELECT a -- b\n AS x"),
        ("SELECT a AS x FROM t", "SELECT DISTINCT a AS x FROM t"),
        ("SELECT a AS x FROM t LEFT JOIN u", "SELECT a AS x FROM t RIGHT JOIN u"),
        ("SELECT (a + b) * c AS x", "SELECT a + b * c AS x"),
        ("SELECT a AS x UNION SELECT b", "SELECT a AS x UNION ALL SELECT b"),
        ("SELECT a AS x ORDER BY a LIMIT 1", "SELECT a AS x ORDER BY a LIMIT 11"),
        ("SELECT cast(a AS int) AS x", "SELECT cast(a AS bigint) AS x"),
    ],
)
def test_whatever_may_change_the_answer_or_a_name_counts(left: str, right: str) -> None:
    assert mark(left) != mark(right)


def test_two_tokens_are_not_one() -> None:
    assert mark("SELECT 'a' 'b' AS x") != mark("SELECT 'ab' AS x")
    assert mark("SELECT a b FROM t") != mark("SELECT ab FROM t")


def test_settings_that_change_answers_count() -> None:
    assert len({mark(BASE), mark(BASE, "tz=UTC"), mark(BASE, "tz=Asia/Tokyo"), mark(BASE, "tz=UTC", "ansi=true")}) == 4


@pytest.mark.parametrize(
    ("sql", "clock"),
    [
        ("SELECT a FROM t", "none"),
        ("SELECT current_date() AS d", "day"),
        ("SELECT CURRENT_DATE AS d", "day"),
        ("SELECT curdate() AS d", "day"),
        ("SELECT now() AS d, current_date AS e", "time"),
        ("SELECT current_timestamp AS d", "time"),
        ("SELECT localtimestamp() AS d", "time"),
        ("SELECT unix_timestamp() AS d", "time"),
        ("SELECT unix_timestamp(a) AS d FROM t", "none"),
        ("SELECT 'now()' AS d", "none"),
        ("SELECT `now`, t.current_date, a AS current_date FROM t", "none"),
        ("SELECT a FROM t -- now()", "none"),
    ],
)
def test_the_clock_is_found_where_it_is_called(sql: str, clock: str) -> None:
    assert clock_of(tokenize(sql)) == clock


def test_every_call_of_the_clock_becomes_a_literal() -> None:
    sql = (
        "SELECT current_date, now() AS n, LOCALTIMESTAMP() AS l, unix_timestamp() AS u, unix_timestamp(a) AS v, 'now()'"
    )
    assert pin_clock(sql, MOMENT) == (
        "SELECT DATE '2026-11-15', TIMESTAMP '2026-11-15 23:30:00.001500+00:00' AS n, "
        "TIMESTAMP_NTZ '2026-11-15 23:30:00.001500' AS l, 1794785400L AS u, unix_timestamp(a) AS v, 'now()'"
    )


def test_dates_and_local_times_are_those_of_the_projects_time_zone() -> None:
    assert pin_clock("SELECT curdate() AS d, now() AS n, localtimestamp AS l", MOMENT, "Asia/Tokyo") == (
        "SELECT DATE '2026-11-16' AS d, TIMESTAMP '2026-11-15 23:30:00.001500+00:00' AS n, "
        "TIMESTAMP_NTZ '2026-11-16 08:30:00.001500' AS l"
    )
    assert (day_of(MOMENT, "UTC"), day_of(MOMENT, "Asia/Tokyo"), day_of(MOMENT, "America/Lima")) == (
        "2026-11-15", "2026-11-16", "2026-11-15"
    )  # fmt: skip


def test_a_pinned_text_has_no_clock_left() -> None:
    for call in (
        "current_date",
        "now()",
        "current_timestamp",
        "localtimestamp()",
        "unix_timestamp()",
        "current_time()",
    ):
        assert clock_of(tokenize(pin_clock(f"SELECT {call} AS x", MOMENT, "Europe/Rome"))) == "none", call


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT rand() AS r", ["rand"]),
        ("SELECT RAND(42) AS r, uuid() AS u", ["rand", "uuid"]),
        ("SELECT monotonically_increasing_id() AS i", ["monotonically_increasing_id"]),
        ("SELECT current_user AS u", ["current_user"]),
        ("SELECT input_file_name() AS f", ["input_file_name"]),
        ("SELECT a FROM t TABLESAMPLE (10 PERCENT)", ["TABLESAMPLE"]),
        ("SELECT DATE 'today' AS d", ["'today'"]),
        ("SELECT TIMESTAMP ' Now UTC' AS d", ["' Now UTC'"]),
        ("SELECT CAST('yesterday' AS DATE) AS d", ["'yesterday'"]),
        ("SELECT rand, t.uuid, `rand`, 'rand()', user AS rand FROM t", []),
        ("SELECT a FROM t WHERE state = 'now'", []),
        ("SELECT DATE '2026-01-01' AS d, 'today' AS e", []),
    ],
)
def test_what_gives_another_answer_each_time_is_found(sql: str, found: list[str]) -> None:
    assert [call.name for call in find_moving(tokenize(sql))] == found


def test_doubled_quotes_are_written_with_a_backslash() -> None:
    assert escape_quotes("SELECT 'it''s', '''', 'a' 'b', \"q\"\"r\"") == "SELECT 'it\\'s', '\\'', 'a' 'b', \"q\\\"r\""
    assert escape_quotes("SELECT 'plain', 'back\\'slash'") == "SELECT 'plain', 'back\\'slash'"


@pytest.mark.parametrize("sql", ["SELECT 'open", "SELECT `open", "SELECT 1 /* open"])
def test_a_text_that_ends_too_early_is_the_users_error(sql: str) -> None:
    with pytest.raises(UserError) as caught:
        tokenize(sql, "v.sql")
    assert caught.value.code == "sql-syntax"
    assert caught.value.span is not None
