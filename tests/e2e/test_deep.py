"""`verify --deep`: what readers do not see is compared, too."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.store.epochs import view_record

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g INT, x INT", "key": ["id"]}}
VIEWS = {
    "means": "SELECT g, avg(x) AS mean FROM s GROUP BY g",
    "big": "SELECT g, sum(x) AS total FROM s GROUP BY g HAVING sum(x) > 100",
}


def rows(*values: tuple[int, int, int]) -> pa.Table:
    schema = pa.schema({"id": pa.int64(), "g": pa.int32(), "x": pa.int32()})
    return pa.table([list(column) for column in zip(*values, strict=True)], schema=schema)


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    """Two epochs, the second of which is incremental."""
    project = make_project(SOURCES, VIEWS)
    project.ingest("s", rows((1, 1, 10), (2, 1, 20), (3, 2, 30), (4, 3, 400)))
    project.refresh()
    project.ingest("s", rows((2, 1, 25), (5, 2, 7), (6, 3, 1)), mode="upsert")
    run = project.refresh()
    assert {name: view.method for name, view in run.views.items()} == {"means": "merge", "big": "rows"}
    assert project.verify(deep=True).differences == {}
    return project


def spoil(project: tw.Project, view: str, path: str, column: str) -> None:
    """Add one to a column of a stored file, in place; the log learns the file's new size, for readers rely on it."""
    file = Path(project.warehouse().table(view), path)
    size = file.stat().st_size
    table = pq.read_table(file, partitioning=None)
    at = table.column_names.index(column)
    pq.write_table(table.set_column(at, column, pc.add(table[column], 1)), file)
    for commit in Path(project.warehouse().table(view), "_delta_log").glob("*.json"):
        commit.write_text(commit.read_text().replace(f'"size":{size},', f'"size":{file.stat().st_size},'))


def problem(project: tw.Project, view: str) -> str:
    assert project.verify().differences == {}
    found = project.verify(deep=True).differences
    assert list(found) == [view]
    return found[view].problem or ""


def test_a_wrong_hidden_column_is_found(project: tw.Project) -> None:
    record = view_record(project.warehouse(), project.epoch(), "means")
    assert record.kept is not None
    hidden = [n for n in record.kept.columns.names if n not in record.schema.names]
    spoil(project, "means", record.files[0].path, hidden[0])
    assert "hidden columns" in problem(project, "means")


def test_a_wrong_state_is_found(project: tw.Project) -> None:
    record = view_record(project.warehouse(), project.epoch(), "big")
    assert record.kept is not None
    [(name, state)] = record.kept.states.items()
    spoil(project, "big", state.files[0].path, state.schema.names[-1])
    assert f"state {name}" in problem(project, "big")


def test_a_wrong_change_file_is_found(project: tw.Project) -> None:
    record = view_record(project.warehouse(), project.epoch(), "means")
    assert record.change is not None
    spoil(project, "means", record.change.files[0].path, "mean")
    assert "its change since epoch 1" in problem(project, "means")


def test_views_of_a_source_that_has_no_table_yet_are_verified(make_project: MakeProject) -> None:
    project = make_project(
        {**SOURCES, "empty": {"kind": "managed", "schema": "id BIGINT"}}, {"n": "SELECT count(*) AS n FROM empty"}
    )
    project.refresh()
    found = project.verify(deep=True)
    assert (found.exit_code, found.views["n"].rows) == (0, 1)
