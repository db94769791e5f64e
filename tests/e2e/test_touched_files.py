"""A change within a hundredth of a view's keys rewrites few of its bytes, and many such changes leave it in order."""

from __future__ import annotations

import random
import shutil
import statistics
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.store.epochs import view_record

ROWS = 5_000_000
SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g INT, x INT", "key": ["id"]}}
VIEWS = {"v": "SELECT id, g, sum(x) AS total FROM s GROUP BY id, g"}


def rows(ids: pa.Array, x: int) -> pa.Table:
    digits = pc.bit_wise_and(ids, 7).cast(pa.int32())
    return pa.table({"id": ids, "g": digits, "x": pc.add(digits, pa.scalar(x, pa.int32()))})


def some(rng: random.Random, many: int = 200) -> pa.Array:
    """Keys within a hundredth of the range."""
    low = rng.randrange(ROWS - ROWS // 100)
    return pa.array(sorted(rng.sample(range(low, low + ROWS // 100), many)), pa.int64())


def files(project: tw.Project) -> dict[str, int]:
    return {f.path: f.size for f in view_record(project.warehouse(), project.epoch(), "v").files}


def change(project: tw.Project, rng: random.Random, number: int) -> float:
    """The share of the view's bytes that one refresh rewrites."""
    before = files(project)
    project.ingest("s", rows(some(rng), number), mode="upsert")
    run = project.refresh()
    assert run.views["v"].method == "merge"
    after = files(project)
    return sum(size for path, size in before.items() if path not in after) / sum(before.values())


def built(make: MakeProject) -> tw.Project:
    project = make(SOURCES, VIEWS, retention="0 seconds")
    project.ingest("s", rows(pa.array(range(ROWS), pa.int64()), 0))
    project.refresh()
    return project


def test_a_change_within_a_hundredth_of_the_keys_rewrites_a_twentieth_of_the_bytes(make_project: MakeProject) -> None:
    project, rng = built(make_project), random.Random(1)
    shares = [change(project, rng, number) for number in range(1, 6)]
    assert max(shares) <= 0.05, shares
    assert project.to_arrow("v").num_rows == ROWS


def test_a_change_with_too_many_rows_to_look_at_touches_all_files(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidewheel.run.building.changing.MOST_VALUES", 10)
    project = make_project(SOURCES, VIEWS | {"bag": "SELECT g, x FROM s"})
    project.ingest("s", rows(pa.array(range(1000), pa.int64()), 0))
    project.refresh()
    project.ingest("s", rows(pa.array(range(0, 1000, 7), pa.int64()), 5), mode="upsert")
    project.ingest("s", pa.table({"id": pa.array(range(3, 900, 11), pa.int64())}), mode="delete")
    run = project.refresh()
    assert {v.method for v in run.views.values()} == {"merge", "rows"}
    assert not project.verify(deep=True).differences


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_after_two_hundred_changes_the_view_is_in_order(make_project: MakeProject, tmp_path: Path) -> None:
    project, rng = built(make_project), random.Random(2)
    fresh = [str(shutil.copy(path, tmp_path)) for path in paths(project)]
    shares = [change(project, rng, number) for number in range(1, 201)]
    assert max(shares) <= 0.05, max(shares)
    assert len(files(project)) <= 2 * len(fresh), (len(fresh), len(files(project)))
    turns = [(scan(fresh), scan(paths(project))) for _ in range(15)]
    before, after = (statistics.median(turn[side] for turn in turns[1:]) for side in (0, 1))
    assert after <= 1.2 * before, (before, after)
    assert not project.verify(deep=True).differences


@pytest.mark.long
@pytest.mark.spark
def test_the_same_on_spark(make_spark_project: MakeProject) -> None:
    project, rng = built(make_spark_project), random.Random(3)
    shares = [change(project, rng, number) for number in range(1, 4)]
    assert max(shares) <= 0.05, shares


def paths(project: tw.Project) -> list[str]:
    table = Path(project.warehouse().table("v"))
    return [str(table / path) for path in files(project)]


def scan(some: list[str]) -> float:
    """Seconds for reading all rows of some files."""
    with duckdb.connect(config={"threads": 2}) as connection:
        began = time.perf_counter()
        connection.execute("SELECT sum(id), sum(g), sum(total) FROM read_parquet(?)", [some]).fetchall()
        return time.perf_counter() - began
