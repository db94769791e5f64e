"""Extremes and first rows: a change reads what changed and what is stored, and all rows only if it must."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g INT, x INT", "key": ["id"]}}
VIEWS = {
    "most": "SELECT g, max(x) AS most, count(*) AS n FROM s GROUP BY g",
    "first": "SELECT id FROM s ORDER BY x DESC, id LIMIT 3",
    "best": "SELECT g, most FROM most ORDER BY most DESC, g LIMIT 1",
    "all_of_it": "SELECT max(x) AS most FROM s",
}


def rows(*values: tuple[int, int, int | None]) -> pa.Table:
    schema = pa.schema({"id": pa.int64(), "g": pa.int32(), "x": pa.int32()})
    return pa.table([list(column) for column in zip(*values, strict=True)], schema=schema)


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("s", rows(*((i, i % 3, i * 10) for i in range(20)), (20, 7, None)))
    made.refresh()
    return made


def read(project: tw.Project) -> dict[str, set[str]]:
    """What each view read to follow a change; all of them are right after it."""
    run = project.refresh()
    assert not run.failed
    assert not project.verify(deep=True).differences
    return {name: {r.what for r in view.read} for name, view in run.views.items() if view.read}


QUICK = {"change", "stored"}


@pytest.mark.parametrize(
    "table",
    [
        rows((30, 1, 5)),  # behind all others
        rows((30, 1, 1000)),  # before all others
        rows((3, 0, 31), (30, 9, None)),  # one that is neither first nor an extreme
        rows((19, 1, 500)),  # the extreme of all, and the first row, get ahead
        rows((18, 0, 185), (30, 5, 186)),  # a first row falls back, and stays among them
    ],
)
def test_all_rows_are_not_read(project: tw.Project, table: pa.Table) -> None:
    project.ingest("s", table, mode="upsert")
    for view, what in read(project).items():
        assert what <= QUICK or view == "most", view


def test_all_rows_are_read_if_an_extreme_or_a_first_row_is_lost(project: tw.Project) -> None:
    project.ingest("s", pa.table({"id": pa.array([19], pa.int64())}), mode="delete")
    found = read(project)
    assert all("now" in found[view] for view in VIEWS)
    project.ingest("s", rows((18, 0, 1)), mode="upsert")
    found = read(project)
    assert all("now" in found[view] for view in ("most", "first", "all_of_it"))


def test_fewer_rows_than_the_limit(project: tw.Project) -> None:
    project.ingest("s", pa.table({"id": pa.array(range(19), pa.int64())}), mode="delete")
    read(project)
    assert project.to_arrow("first")["id"].to_pylist() == [19, 20]
    project.ingest("s", rows((40, 1, None), (41, 1, None)))
    assert read(project)["first"] == QUICK
    assert project.to_arrow("first")["id"].to_pylist() == [19, 20, 40]
    project.ingest("s", pa.table({"id": pa.array([19, 20, 40, 41], pa.int64())}), mode="delete")
    read(project)
    assert project.to_arrow("first").num_rows == 0
    assert project.to_arrow("all_of_it")["most"].to_pylist() == [None]
