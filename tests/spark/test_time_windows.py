"""Windows of time, and other texts that only Spark reads: what is stored equals the query, after changes too."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from tests.conftest import MakeProject

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, at TIMESTAMP, x INT", "key": ["id"]}}
VIEWS = {
    "hours": "SELECT window.start AS begins, window.end AS ends, sum(x) AS total FROM s GROUP BY window(at, '1 hour')",
    "structs": "SELECT window, count(*) AS n FROM s GROUP BY window(at, '7 minutes', '7 minutes', '2 minutes')",
    "each": "SELECT id, window(at, '1 day') AS day FROM s WHERE x > 1",
    "overlaps": "SELECT window.start AS begins, count(*) AS n FROM s GROUP BY window(at, '10 minutes', '5 minutes')",
    "sessions": "SELECT session_window.start AS begins, count(*) AS n FROM s GROUP BY session_window(at, '1 hour')",
    "pipes": "FROM s |> EXTEND x + 1 AS y |> DROP x",
    "shifted": "SELECT id, x >>> 1 AS h FROM s",
    "everything": "TABLE s",
}
FIRST = ["1969-12-31T23:59:59.999999", "1970-01-01T00:00:00", None, "2026-03-29T01:30:00.000001", "2026-03-29T02:00:00"]
LATER = ["2026-03-29T01:59:59", None, "1969-12-31T22:30:00"]


def rows(start: int, times: list[str | None]) -> pa.Table:
    moments = [None if t is None else dt.datetime.fromisoformat(t).replace(tzinfo=dt.UTC) for t in times]
    ids = list(range(start, start + len(times)))
    return pa.table(
        {"id": ids, "at": pa.array(moments, pa.timestamp("us", "UTC")), "x": pa.array([i % 5 for i in ids], pa.int32())}
    )


@pytest.mark.spark
def test_windows_equal_their_queries_from_changes_too(make_spark_project: MakeProject) -> None:
    project = make_spark_project(SOURCES, VIEWS)
    project.ingest("s", rows(0, FIRST))
    assert not project.refresh().failed
    project.ingest("s", rows(3, LATER), mode="upsert")
    run = project.refresh()
    assert not run.failed
    assert run.views["hours"].method == "merge"
    assert {name for name, view in run.views.items() if view.method == "full"} == {
        "overlaps", "sessions", "pipes", "shifted"
    }  # fmt: skip
    assert project.verify().differences == {}
