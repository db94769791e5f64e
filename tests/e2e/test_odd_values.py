"""Values that statistics do not tell of: NaN, days out of Python's calendar, files that are gone, moments elsewhere."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import tidewheel as tw
from tests.conftest import MakeProject

NAN = math.nan
NUMBERS = "id BIGINT, v DOUBLE"
VIEWS = {
    "same": "SELECT s.id AS a, t.id AS b FROM s JOIN t ON s.v = t.v",
    "is_nan": "SELECT id FROM s WHERE v = double('NaN')",
    "large": "SELECT id FROM s WHERE v > 100",
    "most": "SELECT id FROM s WHERE v = (SELECT max(v) FROM t)",
    "top": "SELECT id, v FROM s ORDER BY v DESC, id LIMIT 1",
}


def numbers(*rows: tuple[int, float]) -> pa.Table:
    return pa.table(
        {"id": pa.array([i for i, _ in rows], pa.int64()), "v": pa.array([v for _, v in rows], pa.float64())}
    )


def shown(project: tw.Project, view: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row.values()) for row in project.to_arrow(view).select([0]).to_pylist())


@pytest.mark.parametrize("kind", ["managed", "delta"])
def test_rows_with_nan_are_not_missed(make_project: MakeProject, tmp_path: Path, kind: str) -> None:
    """Other writers leave NaN out of the bounds of their files."""

    def add(source: str, table: pa.Table) -> None:
        if kind == "managed":
            project.ingest(source, table)
        else:
            write_deltalake(str(tmp_path / source), table, mode="append")

    if kind == "managed":
        sources = {n: {"kind": "managed", "schema": NUMBERS, "key": ["id"]} for n in "st"}
    else:
        sources = {n: {"kind": "delta", "path": str(tmp_path / n)} for n in "st"}
        for name in "st":
            write_deltalake(str(tmp_path / name), numbers((1000, -1.0)))
    project = make_project(sources, VIEWS)
    add("s", numbers((1, NAN), (2, 1.0), (3, 2.0)))
    add("t", numbers((1, NAN), (2, 5.0)))
    project.refresh()
    for epoch in range(2):
        found = project.to_arrow("same").to_pylist()
        assert {"a": 1, "b": 1} in found
        assert [shown(project, v) for v in ("is_nan", "large", "most")] == [
            [(i,) for i in range(1, 2 + epoch * 9) if i in (1, 9)]
        ] * 3
        assert shown(project, "top") == [(1,)]
        assert not project.verify(deep=True).differences
        if not epoch:
            add("s", numbers((9, NAN), (10, 7.0)))
            run = project.refresh()
            assert "full" not in {v.method for v in run.views.values()}


def test_nan_as_a_key(make_project: MakeProject) -> None:
    sources = {"k": {"kind": "managed", "schema": "v DOUBLE, y INT", "key": ["v"]}}
    project = make_project(sources, {"c": "SELECT v, y FROM k"})

    def rows(*values: tuple[float, int]) -> pa.Table:
        return pa.table({"v": [v for v, _ in values], "y": pa.array([y for _, y in values], pa.int32())})

    project.ingest("k", rows((NAN, 1), (1.0, 1), (2.0, 2)))
    project.refresh()
    assert project.ingest("k", rows((NAN, 5)), mode="upsert").removed == 1
    project.refresh()
    assert sorted(project.to_arrow("c")["y"].to_pylist()) == [1, 2, 5]
    assert not project.verify(deep=True).differences


def test_nan_within_arrays_structs_and_maps(make_project: MakeProject) -> None:
    kinds = "id BIGINT, a ARRAY<DOUBLE>, st STRUCT<f: DOUBLE, g: INT>, m MAP<STRING, DOUBLE>"
    views = {
        "arrays": "SELECT id FROM n WHERE a[0] > 100",
        "structs": "SELECT id FROM n WHERE st.f > 100",
        "maps": "SELECT id FROM n WHERE m['k'] > 100",
    }
    project = make_project({"n": {"kind": "managed", "schema": kinds}}, views)
    schema = pa.schema({
        "id": pa.int64(), "a": pa.list_(pa.float64()), "st": pa.struct({"f": pa.float64(), "g": pa.int32()}),
        "m": pa.map_(pa.string(), pa.float64()),
    })  # fmt: skip
    values = [NAN, 1.0, None]
    rows = [{"id": i, "a": [v], "st": {"f": v, "g": 1}, "m": [("k", v)]} for i, v in enumerate(values)]
    project.ingest("n", pa.Table.from_pylist([*rows, {"id": 9, "a": None, "st": None, "m": None}], schema=schema))
    run = project.refresh()
    for name, view in run.views.items():
        if view.error is None:
            assert shown(project, name) == [(0,)], name
    assert run.views["structs"].error is None


@pytest.mark.parametrize("day", [2_932_897, -719_528], ids=["the year 10000", "the year 0"])
def test_a_day_out_of_the_calendar_of_python(make_project: MakeProject, day: int) -> None:
    sources = {"s": {"kind": "managed", "schema": "id BIGINT, d DATE", "key": ["id"]}}
    project = make_project(sources, {"g": "SELECT d, count(*) AS n FROM s GROUP BY d", "r": "SELECT id, d FROM s"})

    def rows(*values: tuple[int, int]) -> pa.Table:
        days = pa.array([d for _, d in values], pa.int32()).cast(pa.date32())
        return pa.table({"id": pa.array([i for i, _ in values], pa.int64()), "d": days})

    project.ingest("s", rows((1, 0), (2, 5)))
    project.refresh()
    for change in (rows((3, day)), rows((3, 7)), rows((3, day), (4, day)), rows((4, 8))):
        project.ingest("s", change, mode="upsert")
        run = project.refresh()
        assert not run.failed
        assert "full" not in {v.method for v in run.views.values()}
        assert not project.verify(deep=True).differences


def test_files_of_the_version_before_may_be_gone(make_project: MakeProject, tmp_path: Path) -> None:
    """Compacted and vacuumed by somebody else: what changed is known, what was there before is not."""
    path = str(tmp_path / "foreign")
    write_deltalake(path, numbers((1, 1.0)))
    write_deltalake(path, numbers((2, 2.0)), mode="append")
    sources = {"s": {"kind": "delta", "path": path}, "r": {"kind": "managed", "schema": NUMBERS, "key": ["id"]}}
    project = make_project(sources, {"j": "SELECT r.id, r.v, s.v AS w FROM r LEFT JOIN s ON r.id = s.id"})
    project.ingest("r", numbers((1, 10.0), (2, 20.0), (3, 30.0)))
    project.refresh()
    DeltaTable(path).optimize.compact()
    DeltaTable(path).vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)
    write_deltalake(path, numbers((3, 3.0)), mode="append")
    project.ingest("r", numbers((2, 21.0)), mode="upsert")
    run = project.refresh()
    assert (run.views["j"].method, run.views["j"].reason.code) == ("full", "history-lost")
    assert not project.verify(deep=True).differences
    assert sorted(project.to_arrow("j")["w"].to_pylist()) == [1.0, 2.0, 3.0]


def test_moments_in_another_time_zone_are_kept_from_changes(make_project: MakeProject) -> None:
    sources = {"s": {"kind": "managed", "schema": "id BIGINT, ts TIMESTAMP", "key": ["id"]}}
    views = {
        "top": "SELECT id, ts FROM s ORDER BY ts DESC, id LIMIT 2",
        "groups": "SELECT ts, count(*) AS n, max(id) AS m FROM s GROUP BY ts",
        "both": "SELECT a.id, b.ts FROM s a FULL JOIN s b ON a.id = b.id + 1",
    }
    project = make_project(sources, views, timezone="America/New_York")

    def rows(*values: tuple[int, int]) -> pa.Table:
        moments = pa.array([m * 3_600_000_000 for _, m in values], pa.int64()).cast(pa.timestamp("us", "UTC"))
        return pa.table({"id": pa.array([i for i, _ in values], pa.int64()), "ts": moments})

    project.ingest("s", rows((1, 1), (2, 2), (3, 3)))
    project.refresh()
    project.ingest("s", rows((3, 1), (4, 9)), mode="upsert")
    run = project.refresh()
    assert {n: v.method for n, v in run.views.items()} == {"top": "topk", "groups": "merge", "both": "rows"}
    assert not project.verify(deep=True).differences
