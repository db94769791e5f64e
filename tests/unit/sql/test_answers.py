"""Which queries the driver may answer: those whose order and whose headings are surely Spark's."""

from __future__ import annotations

import pytest

from tests.unit.sql.test_constructs import CATALOG
from tidewheel.ddl import parse_schema
from tidewheel.sql.answers import bind_answer
from tidewheel.sql.bind import CatalogRelation

TABLES = {**CATALOG, "n": CatalogRelation.of("n", parse_schema("a INT, r STRUCT<x: INT, y: STRUCT<z: INT>>"))}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t ORDER BY a DESC LIMIT ALL",
        "SELECT a FROM (SELECT a FROM t ORDER BY a DESC) LIMIT 3",
        "WITH q AS (SELECT a FROM t ORDER BY a DESC) SELECT * FROM q LIMIT 2",
        "SELECT * FROM (SELECT a FROM t ORDER BY a LIMIT 3)",
        "SELECT collect_list(a) AS l FROM (SELECT a FROM t ORDER BY a)",
        "SELECT a FROM t SORT BY a DESC",
        "SELECT a FROM t CLUSTER BY a",
        "SELECT a FROM t DISTRIBUTE BY b SORT BY a",
        "SELECT a FROM (SELECT a FROM t SORT BY a) LIMIT 3",
        "(SELECT a FROM t ORDER BY a LIMIT 2) UNION ALL SELECT 1",
    ],
)
def test_an_order_that_only_spark_keeps_is_left_to_it(sql: str) -> None:
    assert bind_answer(sql, TABLES) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t ORDER BY a; -- the last",
        "SELECT a FROM (SELECT a, b FROM t ORDER BY b LIMIT 3) ORDER BY a",
        "SELECT a, row_number() OVER (ORDER BY a) AS n FROM t",
        "SELECT a FROM t LIMIT 3",
    ],
)
def test_a_plain_order_is_kept_in_the_driver(sql: str) -> None:
    assert bind_answer(sql, TABLES) is not None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(t.*) FROM t",
        "SELECT sum(r.x) FROM n",
        "SELECT sum(n.r.x) FROM n",
        "SELECT a AS k, k + 1 FROM t",
        "SELECT named_struct('u', a).u FROM t",
    ],
)
def test_a_heading_that_only_spark_knows_is_left_to_it(sql: str) -> None:
    assert bind_answer(sql, TABLES) is None


@pytest.mark.parametrize(
    ("sql", "heading"),
    [
        ("SELECT 01", "1"),
        ("SELECT sum(v.a) FROM t AS v", "sum(a)"),
        ("SELECT r.x FROM n", "x"),
        ("SELECT r.y.z FROM n", "z"),
    ],
)
def test_headings(sql: str, heading: str) -> None:
    query = bind_answer(sql, TABLES)
    assert query is not None
    assert query.names == (heading,)
