"""A project that was copied, with new times on every file, has nothing to do: content is recognised, not file times."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

import tidewheel as tw
from tests.e2e.refusals import refused

Make = Callable[..., tw.Project]
FILES = {"landed": {"kind": "files", "path": "./landing", "schema": "x BIGINT"}}
HOUR = 3600


@pytest.fixture
def project(make_project: Make, tmp_path: Path) -> tw.Project:
    """All kinds of sources, a view on each, one epoch with a change behind it."""
    landing, table = tmp_path / "project" / "landing", tmp_path / "project" / "table"
    landing.mkdir(parents=True)
    pq.write_table(pa.table({"x": [1]}), landing / "a.parquet")
    (landing / "b.csv").write_text("x\n2\n")
    (landing / "c.json").write_text('{"x": 3}\n')
    write_deltalake(str(table), pa.table({"x": [4]}))
    made = make_project(
        {
            **FILES,
            "orders": {"kind": "managed", "schema": "x BIGINT", "key": ["x"]},
            "foreign_table": {"kind": "delta", "path": "./table"},
        },
        {
            "all_landed": "SELECT x FROM landed",
            "total": "SELECT sum(x) AS n FROM orders",
            "theirs": "SELECT x FROM foreign_table",
        },
    )
    made.ingest("orders", pa.table({"x": [1, 2]}))
    made.refresh()
    made.ingest("orders", pa.table({"x": [3]}), mode="upsert")
    made.refresh()
    return made


def copied(project: tw.Project) -> tw.Project:
    """What `cp -r` makes: the same content under another path, with other times, and no file shared."""
    target = f"{project.root}-copy"
    shutil.copytree(project.root, target, copy_function=shutil.copyfile)
    for folder, _, files in os.walk(target):
        for name in files:
            path = os.path.join(folder, name)
            later = os.stat(path).st_mtime + HOUR
            os.utime(path, (later, later))
    return tw.open(target, engine="local")


def test_a_copied_project_has_nothing_to_do(project: tw.Project) -> None:
    copy = copied(project)
    plan = copy.plan()
    assert {s.view: s.method for s in plan.steps} == {"all_landed": "none", "total": "none", "theirs": "none"}
    assert {str(p.change) for p in plan.sources.values()} == {"no change"}
    run = copy.refresh()
    assert (run.published, run.epoch) == (False, project.epoch().number)


def test_a_change_after_the_copy_is_computed_from_the_change(project: tw.Project) -> None:
    copy = copied(project)
    copy.ingest("orders", pa.table({"x": [10]}))
    run = copy.refresh()
    assert {v: r.method for v, r in run.views.items() if r.method != "none"} == {"total": "merge"}
    assert copy.to_arrow("total").to_pylist() == [{"n": 16}]


def test_a_landed_file_of_the_copy_that_changed_is_still_seen(project: tw.Project) -> None:
    copy = copied(project)
    Path(copy.root, "landing", "b.csv").write_text("x\n7\n")
    with refused(copy.root, "file-changed") as caught:
        copy.refresh()
    assert '"b.csv" changed' in caught.value.message


def test_a_landed_file_that_is_written_to_in_place_is_seen_though_its_copy_is_a_link(project: tw.Project) -> None:
    path = Path(project.root, "landing", "a.parquet")
    body = bytearray(path.read_bytes())
    body[8] ^= 1
    with path.open("r+b") as file:
        file.write(body)
    os.utime(path, (1, 1))
    with refused(project.root, "file-changed"):
        project.refresh()


def test_landed_files_of_another_time_are_compared_once(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = copied(project)
    copy.refresh()
    monkeypatch.setattr("tidewheel.ingest.recognition._holds", lambda *_: pytest.fail("compared again"))
    assert not copy.refresh().published


def test_an_epoch_of_an_earlier_release_is_gone_by_until_the_next(project: tw.Project) -> None:
    """It has the size and the time of a commit where there is a digest now."""
    number = project.epoch().number
    record = Path(project.root, "warehouse", "_tidewheel", "epochs", f"{number:020d}.json")
    commit = Path(project.root, "warehouse", "orders", "_delta_log", f"{1:020d}.json").stat()
    digest = project.epoch().sources["orders"].signature
    old = record.read_text().replace(f'"{digest}"', f"[{commit.st_size},{commit.st_mtime_ns}]")
    assert old != record.read_text()
    record.unlink()
    record.write_text(old)
    assert str(project.plan().sources["orders"].change) == "no change"
