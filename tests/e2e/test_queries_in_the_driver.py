"""Queries in the driver: what they give, when Spark is asked instead, and which rows of sources they see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.e2e.fake_spark import FakeSpark
from tests.e2e.refusals import refused
from tests.e2e.test_placement import orders
from tidewheel.engine.local.engine import LocalRun
from tidewheel.errors import ExecutionError
from tidewheel.plan import placement

SOURCES: dict[str, dict[str, Any]] = {
    "orders": {"kind": "managed", "schema": "id BIGINT, day DATE, amount BIGINT", "key": ["id"]},
    "people": {"kind": "managed", "schema": "id BIGINT"},
}
VIEWS = {
    "daily": "SELECT day, sum(amount) AS total FROM orders GROUP BY day",
    "best": "SELECT max(total) AS total FROM daily",
}


@pytest.fixture
def project(tmp_path: Path, starts: Any) -> tw.Project:
    made = tw.create(tmp_path / "shop", sources=SOURCES, views=VIEWS, options={"placement": "driver"})
    made.ingest("orders", orders(0, 30))
    made.refresh()
    return made


def values(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_a_query_of_small_tables_starts_no_spark(project: tw.Project, starts: Any) -> None:
    answer = project.answer("SELECT day, total FROM daily WHERE total > 0")
    assert (answer.rows.num_rows, answer.place, starts()) == (3, "driver", 0)


def test_rows_come_in_the_order_of_the_query(project: tw.Project) -> None:
    assert values(project.query("SELECT id FROM orders ORDER BY id DESC"))[:2] == [(29,), (28,)]
    assert values(project.query("SELECT id FROM orders WHERE id < 3 UNION ALL SELECT 7 ORDER BY id DESC")) == [
        (7,), (2,), (1,), (0,),
    ]  # fmt: skip
    assert values(project.query("SELECT id FROM orders ORDER BY id DESC -- the last\n;", limit=1)) == [(29,)]


@pytest.mark.parametrize(
    ("expression", "heading"),
    [
        ("count(*)", "count(1)"), ("COUNT(1)", "count(1)"), ("sum(amount)", "sum(amount)"), ("1", "1"),
        ("max(orders.id)", "max(id)"), ("count(DISTINCT day)", "count(DISTINCT day)"), ("avg(id * 2)", "avg((id * 2))"),
    ],
)  # fmt: skip
def test_columns_without_a_name_are_called_as_spark_calls_them(
    project: tw.Project, starts: Any, expression: str, heading: str
) -> None:
    assert project.query(f"SELECT {expression}, count(*) AS n FROM orders").column_names == [heading, "n"]
    assert starts() == 0


def test_columns_may_have_one_name(project: tw.Project) -> None:
    found = project.query("SELECT 1 AS a, 2 AS a, 3 AS b")
    assert (found.column_names, values(found)) == (["a", "a", "b"], [(1, 2, 3)])


def test_types_are_those_that_spark_gives(project: tw.Project) -> None:
    found = project.query(
        "SELECT sum(id) AS s, avg(id) AS a, count(*) AS n, 1 AS i, 1.50 AS d, max(day) AS day FROM orders"
    )
    assert [str(kind) for kind in found.schema.types] == [
        "int64", "double", "int64", "int32", "decimal128(3, 2)", "date32[day]"
    ]  # fmt: skip


def test_what_the_driver_does_not_run_is_run_on_spark(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int | None]] = []

    class Session(LocalRun):
        def __init__(self) -> None: ...

        def register(self, name: str, *_: Any) -> None: ...

        def collect(self, sql: str, limit: int | None = None) -> pa.Table:
            asked.append((sql, limit))
            return pa.table({"x": [1]})

        def close(self) -> None: ...

    monkeypatch.setattr(FakeSpark, "session", lambda *_: Session())
    text = "SELECT soundex('x') AS x FROM orders"
    assert project.answer(text, limit=5).place == "spark"
    assert asked == [(text, 5)]
    monkeypatch.setattr(LocalRun, "collect", _fail)
    assert project.answer("SELECT id FROM orders").place == "spark"


def _fail(*_: object) -> Any:
    raise ExecutionError("the query failed", code="query-failed")


def test_a_query_of_much_data_runs_on_spark(project: tw.Project, monkeypatch: pytest.MonkeyPatch, starts: Any) -> None:
    monkeypatch.setattr(placement, "ON_DRIVER", 1)
    assert project.answer("SELECT id FROM orders").place == "spark"
    assert starts() == 1


def test_placement_spark_is_kept_by_queries(project: tw.Project) -> None:
    assert tw.open(project.root, placement="spark").answer("SELECT id FROM orders").place == "spark"


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT nope FROM orders", "unknown-column"),
        ("SELECT 1 FROM nope", "unknown-relation"),
        ("SELECT FROM WHERE", "sql-syntax"),
        ("DROP TABLE orders", "sql-syntax"),
        ("SELECT 1; SELECT 2", "sql-syntax"),
    ],
)
def test_a_wrong_query_is_refused_before_spark_starts(project: tw.Project, starts: Any, sql: str, code: str) -> None:
    with refused(project.root, code):
        project.query(sql)
    assert starts() == 0


# --- which rows of sources ---


def test_a_query_of_sources_alone_sees_their_newest_rows(project: tw.Project) -> None:
    project.ingest("orders", orders(30, 5))
    answer = project.answer("SELECT count(*) AS n FROM orders")
    assert (values(answer.rows), answer.behind) == ([(35,)], ())
    assert values(project.query("SELECT count(*) AS n FROM orders", epoch=1)) == [(30,)]


def test_a_query_of_sources_needs_no_epoch(tmp_path: Path, starts: Any) -> None:
    project = tw.create(tmp_path / "new", sources=SOURCES, views=VIEWS)
    project.ingest("orders", orders(0, 4))
    assert values(project.query("SELECT count(*) AS n FROM orders")) == [(4,)]
    assert values(project.query("SELECT count(*) AS n FROM people")) == [(0,)]
    assert starts() == 0


def test_a_query_of_a_view_sees_one_cut_and_names_the_sources_that_are_ahead(project: tw.Project) -> None:
    project.ingest("orders", orders(30, 5))
    project.ingest("people", pa.table({"id": [1]}))
    both = "SELECT (SELECT count(*) FROM orders) AS n, total FROM best"
    answer = project.answer(both)
    assert (values(answer.rows), answer.behind) == ([(30, 155)], ("orders",))
    with project.snapshot() as snapshot:
        assert values(snapshot.query("SELECT count(*) AS n FROM orders")) == [(30,)]
    project.refresh()
    assert project.answer(both).behind == ()


def test_one_snapshot_answers_both_kinds_of_queries(project: tw.Project) -> None:
    project.ingest("orders", orders(30, 5))
    with project.snapshot() as snapshot:
        assert values(snapshot.answer("SELECT count(*) AS n FROM orders", newest=True).rows) == [(35,)]
        assert values(snapshot.query("SELECT count(*) AS n FROM orders")) == [(30,)]
