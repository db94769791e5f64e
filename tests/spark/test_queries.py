"""A query gives the same answer in the driver as on Spark: rows, their order, names and types of columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject

pytestmark = pytest.mark.spark

SOURCES: dict[str, dict[str, Any]] = {
    "t": {"kind": "managed", "schema": "id BIGINT, g INT, d DECIMAL(12,2), s STRING, day DATE, at TIMESTAMP, x DOUBLE"}
}
QUERIES = (
    "SELECT * FROM t ORDER BY id DESC",
    "SELECT id, s FROM t ORDER BY g, id LIMIT 3",
    "SELECT count(*), COUNT(1), count(DISTINCT g), sum(d), avg(d), min(s), max(T.day), 1 FROM t",
    "SELECT id + 1, id * 2, d / 2, avg(id + g) FROM t WHERE id < 3 GROUP BY id, d ORDER BY id",
    "SELECT g AS a, g AS a, id AS b FROM t WHERE id = 1",
    "SELECT array(id, 2) AS l, array(s) AS m FROM t WHERE id = 1",
    "SELECT g, sum(id) AS n FROM t GROUP BY g HAVING count(*) > 1 ORDER BY n DESC, g",
    "SELECT id FROM t WHERE g = 1 UNION ALL SELECT 7 ORDER BY id DESC",
    "WITH w AS (SELECT g, max(at) AS at FROM t GROUP BY g) SELECT * FROM w ORDER BY g",
    "SELECT id FROM t WHERE id < 0",
    "SELECT 01, sum(T.id) FROM t",
    "SELECT id FROM t ORDER BY id DESC; -- the last",
)
ORDERED_BY_SPARK = (
    "SELECT id FROM t ORDER BY id DESC LIMIT ALL",
    "SELECT id FROM (SELECT id FROM t ORDER BY id DESC) LIMIT 3",
    "WITH q AS (SELECT id FROM t ORDER BY id DESC) SELECT * FROM q LIMIT 3",
)


@pytest.fixture
def project(make_spark_project: MakeProject) -> tw.Project:
    made = make_spark_project(SOURCES, {})
    ids = list(range(6))
    days = pa.array([19000 + i for i in ids], pa.int32()).cast(pa.date32())
    moments = pa.array([i * 86_400_000_000 for i in ids], pa.int64()).cast(pa.timestamp("us", "UTC"))
    columns = {"id": ids, "g": [i % 3 for i in ids], "d": ids, "s": [f"s{i}" for i in ids]}
    rows = pa.table({**columns, "day": days, "at": moments, "x": [0.5, None, 1.5, 2.5, float("nan"), -0.0]})
    made.ingest("t", rows.set_column(1, "g", rows["g"].cast(pa.int32())))
    return made


def values(table: pa.Table) -> list[str]:
    return [repr(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def test_the_driver_answers_as_spark_does(project: tw.Project, spark: Any) -> None:
    on_spark = tw.open(project.root, spark=spark, placement="spark")
    for sql in QUERIES:
        ours, theirs = project.answer(sql), on_spark.answer(sql)
        assert (ours.place, theirs.place) == ("driver", "spark"), sql
        assert ours.rows.column_names == theirs.rows.column_names, sql
        assert [str(f.type) for f in ours.rows.schema] == [str(f.type) for f in theirs.rows.schema], sql
        assert values(ours.rows) == values(theirs.rows), sql


def test_a_limit_is_kept_on_spark_in_the_order_of_the_query(project: tw.Project, spark: Any) -> None:
    on_spark = tw.open(project.root, spark=spark, placement="spark")
    assert values(on_spark.query("SELECT id FROM t ORDER BY id DESC", limit=2)) == ["(5,)", "(4,)"]


def test_what_the_driver_does_not_run_is_answered_by_spark(project: tw.Project) -> None:
    answer = project.answer("SELECT soundex(s), upper(s) FROM t ORDER BY id", limit=1)
    assert (answer.place, answer.rows.column_names) == ("spark", ["soundex(s)", "upper(s)"])


@pytest.mark.parametrize("sql", ORDERED_BY_SPARK)
def test_an_order_that_the_driver_would_lose_is_kept_by_spark(project: tw.Project, sql: str) -> None:
    answer = project.answer(sql)
    assert (answer.place, values(answer.rows)[:3]) == ("spark", ["(5,)", "(4,)", "(3,)"])
