"""Fixed cost is the enemy: what a refresh asks of Spark is counted."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from tests.conftest import MakeProject

pytestmark = pytest.mark.spark

PEOPLE = "id BIGINT, name STRING"
SOURCES = {
    "orders": {"kind": "managed", "schema": "id BIGINT, day DATE, amount DECIMAL(12,2)", "key": ["id"]},
    "customers": {"kind": "managed", "schema": PEOPLE},
}
VIEWS = {
    "daily": "SELECT day, sum(amount) AS total FROM orders GROUP BY day",
    "named": "SELECT o.id, c.name, o.amount FROM orders o JOIN customers c ON o.id = c.id",
    "top": "SELECT name, sum(amount) AS total FROM named GROUP BY name",
    "nothing": "SELECT * FROM daily WHERE total < 0",
    "big": "SELECT total FROM daily WHERE total > 1000000",
}


def rows(start: int, count: int) -> pa.Table:
    ids = list(range(start, start + count))
    days = pa.array([18000 + i % 7 for i in ids], pa.int32()).cast(pa.date32())
    amounts = pa.array([i % 50 for i in ids], pa.int64())
    return pa.table({"id": pa.array(ids, pa.int64()), "day": days, "amount": amounts})


def people(count: int) -> pa.Table:
    return pa.table({"id": pa.array(range(count), pa.int64()), "name": [f"n{i % 5}" for i in range(count)]})


class Counter:
    """SQL executions and jobs, as Spark's own listeners have seen them."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.last = -1
        self.executions = 0

    def __call__(self) -> tuple[int, int]:
        bus = self.spark.sparkContext._jsc.sc().listenerBus()
        bus.waitUntilEmpty(10_000)
        listed = self.spark._jsparkSession.sharedState().statusStore().executionsList()
        at = listed.size() - 1  # the list is cut at a thousand: count what came since the last time
        newest = listed.apply(at).executionId() if listed.size() else self.last
        while at >= 0 and listed.apply(at).executionId() > self.last:
            self.executions += 1
            at -= 1
        self.last = newest
        jobs = self.spark.sparkContext._jsc.sc().statusStore().jobsList(None).size()
        return self.executions, int(jobs)


def test_a_full_refresh_runs_one_execution_per_view_and_nothing_else(
    make_spark_project: MakeProject, spark: Any
) -> None:
    project = make_spark_project(SOURCES, VIEWS)
    project.ingest("orders", rows(0, 1000))
    project.ingest("customers", people(100))
    count = Counter(spark)
    before = count()
    run = project.refresh()
    after = count()
    assert not run.failed
    assert after[0] - before[0] == len(VIEWS)


def test_a_small_change_costs_no_execution_at_all(make_spark_project: MakeProject, spark: Any) -> None:
    project = make_spark_project(SOURCES, VIEWS)
    project.ingest("orders", rows(0, 1000))
    project.refresh()
    project.ingest("orders", rows(1000, 10), mode="upsert")
    count = Counter(spark)
    before = count()
    run = project.refresh()
    assert run.views["daily"].method == "merge"
    assert count() == before


def test_a_small_change_starts_no_spark_and_what_needs_one_says_so(make_spark_project: MakeProject) -> None:
    """In a process of its own that cannot start a Spark."""
    project = make_spark_project(SOURCES, VIEWS)
    project.ingest("orders", rows(0, 1000))
    project.refresh()
    project.ingest("orders", rows(1000, 10), mode="upsert")
    code = f"""
import tidewheel as tw
project = tw.open({project.root!r})
run = project.refresh()
assert run.views["daily"].method == "merge", run
try:
    project.refresh(full_refresh=True)
except tw.TidewheelError as error:
    print(error.code)
"""
    environment = {**os.environ, "JAVA_HOME": "/nowhere", "PATH": "/nowhere"}
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "no-java"
    assert project.epoch().number == 2
    assert not project.verify(deep=True).differences


def test_a_small_change_in_another_zone_follows_its_clock(make_spark_project: MakeProject) -> None:
    """Near midnight a day in Auckland is another one than in UTC: what asks for the zone is Spark's work."""
    sources = {"s": {"kind": "managed", "schema": "id BIGINT, at TIMESTAMP", "key": ["id"]}}
    views = {
        "days": "SELECT id, CAST(at AS DATE) AS day FROM s",
        "hours": "SELECT hour(at) AS h, count(*) AS n FROM s GROUP BY hour(at)",
    }
    project = make_spark_project(sources, views, timezone="Pacific/Auckland")

    def moments(start: int, count: int) -> pa.Table:
        seconds = pa.array([(i * 5 + 1) * 3600 * 1_000_000 for i in range(start, start + count)], pa.int64())
        ids = pa.array(range(start, start + count), pa.int64())
        return pa.table({"id": ids, "at": seconds.cast(pa.timestamp("us", "UTC"))})

    project.ingest("s", moments(0, 50))
    project.refresh()
    project.ingest("s", moments(45, 20), mode="upsert")
    run = project.refresh()
    assert {v.method for v in run.views.values()} <= {"rows", "merge"}
    assert not project.verify(deep=True).differences


def test_a_changed_view_costs_two_executions_at_most_and_an_empty_change_none_below(
    make_spark_project: MakeProject, spark: Any
) -> None:
    """The change with those of all states, then what it touches; rows that only come are written once."""
    project = make_spark_project(SOURCES, VIEWS, placement="spark")
    project.ingest("orders", rows(0, 1000))
    project.ingest("customers", people(100))
    project.refresh()
    count = Counter(spark)

    def refreshed() -> tuple[dict[str, str], int]:
        before = count()
        run = project.refresh()
        assert not run.failed
        return {name: view.method for name, view in run.views.items()}, count()[0] - before[0]

    project.ingest("orders", rows(1000, 10), mode="upsert")
    methods, executions = refreshed()
    assert methods == {"daily": "merge", "named": "none", "nothing": "none", "top": "none", "big": "none"}
    assert executions == 2 + 1 + 1  # daily; nothing and big see a change of it; statistics tell that no customer fits

    project.ingest("customers", people(1))
    methods, executions = refreshed()
    assert methods == {"daily": "none", "named": "append", "nothing": "none", "top": "merge", "big": "none"}
    assert executions == 1 + 2

    project.ingest("orders", rows(0, 1), mode="delete")
    methods, executions = refreshed()
    assert "full" not in methods.values()
    assert executions <= 2 * sum(method != "none" for method in methods.values()) + 2


def test_a_refresh_with_nothing_to_do_asks_nothing_of_spark(make_spark_project: MakeProject, spark: Any) -> None:
    project = make_spark_project(SOURCES, VIEWS)
    project.ingest("orders", rows(0, 10))
    project.refresh()
    count = Counter(spark)
    before = count()
    assert not project.refresh().published
    project.plan()
    assert count() == before


def test_a_compaction_rebuilds_nothing(make_spark_project: MakeProject, spark: Any) -> None:
    from tidewheel.ingest.compaction import compact  # noqa: PLC0415

    project = make_spark_project(SOURCES, VIEWS)
    for i in range(10):
        project.ingest("customers", people(i + 1))
    project.refresh()
    for i in range(3):
        project.ingest("customers", people(i + 1))
    project.refresh()
    compact(project.warehouse(), "customers")
    count = Counter(spark)
    before = count()
    run = project.refresh()
    assert {v.method for v in run.views.values()} == {"none"}
    assert count() == before
