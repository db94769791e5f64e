"""Other tools write to the tables of our own views; the next refresh notices, says so, and puts the rows right."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import tidewheel as tw
from tests.e2e import foreign
from tests.e2e.foreign import bag

Write = Callable[[Path], object]
ROWS = [{"a": i, "p": ["x y", "z%", None][i % 3]} for i in range(10)]
ALIEN = pa.table({"a": pa.array([3, 77], pa.int64()), "p": ["q/%", "x y"]})


def in_turn(path: Path, *writes: Write) -> None:
    for write in writes:
        write(path)


WRITES: dict[str, Write] = {
    "append": lambda path: foreign.append(path, ALIEN),
    "delete some": lambda path: DeltaTable(str(path)).delete("a = 3"),
    "delete all": lambda path: DeltaTable(str(path)).delete(),
    "update": lambda path: DeltaTable(str(path)).update(predicate="a = 3", updates={"p": "'boo'"}),
    "merge": lambda path: foreign.merge(path, ALIEN, "a"),
    "overwrite": lambda path: foreign.overwrite(path, ALIEN),
    "other columns": lambda path: foreign.overwrite(path, pa.table({"zz": [1.5]}), schema_mode="overwrite"),
    "other partitions": lambda path: foreign.overwrite(path, ALIEN, schema_mode="overwrite", partition_by=["p"]),
    "one column more": lambda path: foreign.append(
        path, ALIEN.append_column("c", pa.array([1, 2])), schema_mode="merge"
    ),
    "z-order": lambda path: DeltaTable(str(path)).optimize.z_order(["a"]),
    "append, compact": lambda path: in_turn(path, WRITES["append"], lambda p: DeltaTable(str(p)).optimize.compact()),
    "delete, vacuum": lambda path: in_turn(path, lambda p: DeltaTable(str(p)).delete("a > 2"), foreign.vacuum),
    "overwrite, checkpoint": lambda path: in_turn(
        path, WRITES["overwrite"], lambda p: DeltaTable(str(p)).create_checkpoint()
    ),
    "restore": lambda path: DeltaTable(str(path)).restore(0),
    "properties": lambda path: DeltaTable(str(path)).alter.set_table_properties({"delta.appendOnly": "false"}),
    "deletion vector": lambda path: foreign.delete_by_vector(path, [0, 2], inline=True),
    "deletion vector, append": lambda path: in_turn(
        path, lambda p: foreign.delete_by_vector(p, [1], inline=False), WRITES["append"]
    ),
    "last commit lost": lambda path: foreign.commit_file(path, foreign.newest_version(path)).unlink(),
    "log gone": lambda path: shutil.rmtree(path / "_delta_log"),
    "table gone": shutil.rmtree,
}


@pytest.fixture
def project(make_project: Callable[..., tw.Project]) -> tw.Project:
    made = make_project(
        {"s": {"kind": "managed", "schema": "a BIGINT, p STRING"}},
        {"v": "SELECT a, p FROM s", "size": "SELECT count(*) AS n FROM v"},
    )
    schema = pa.schema([("a", pa.int64()), ("p", pa.string())])
    made.ingest("s", pa.Table.from_pylist(ROWS[:6], schema=schema))
    made.refresh()
    made.ingest("s", pa.Table.from_pylist(ROWS[6:], schema=schema))
    made.refresh()
    return made


def table_of(project: tw.Project) -> Path:
    return Path(project.root) / "warehouse" / "v"


def assert_right(project: tw.Project) -> None:
    assert bag(foreign.delta_rows(table_of(project))) == bag(ROWS)
    assert bag(project.to_arrow("v").to_pylist()) == bag(ROWS)
    assert project.verify().differences == {}
    assert not project.refresh().published, "one refresh was enough"


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_foreign_write_to_a_view_is_noticed_and_its_rows_are_replaced(project: tw.Project, write: Write) -> None:
    write(table_of(project))
    assert project.plan().step("v").reason.code == "foreign-write"
    run = project.refresh()
    assert run.views["v"].method == "full"
    assert run.views["v"].reason.code == "foreign-write"
    assert run.foreign == ("v",)
    assert_right(project)


@pytest.mark.parametrize(
    "name", ["append", "delete some", "z-order", "append, compact", "deletion vector", "last commit lost"]
)
def test_after_a_foreign_write_views_are_kept_up_to_date_from_changes_again(project: tw.Project, name: str) -> None:
    """The write comes together with a change; nothing that is computed from changes may build on it."""
    project.ingest("s", pa.table({"a": [100], "p": ["late"]}))
    WRITES[name](table_of(project))
    run = project.refresh()
    assert (run.views["v"].method, run.views["v"].reason.code) == ("full", "foreign-write")
    assert (run.views["size"].method, run.views["size"].reason.code) == ("full", "input-rebuilt")
    assert project.verify(deep=True).differences == {}
    project.ingest("s", pa.table({"a": [101], "p": ["later"]}))
    run = project.refresh()
    assert {n: v.method for n, v in run.views.items()} == {"v": "append", "size": "merge"}
    assert project.verify(deep=True).differences == {}
    assert project.to_arrow("size")["n"].to_pylist() == [len(ROWS) + 2]


@pytest.mark.parametrize("name", ["append", "merge", "other columns", "other partitions", "deletion vector"])
def test_verify_tells_of_a_foreign_write_before_any_refresh(project: tw.Project, name: str) -> None:
    WRITES[name](table_of(project))
    assert set(project.verify().differences) == {"v"}


@pytest.mark.parametrize("full", [False, True], ids=["lite", "full"])
def test_a_foreign_vacuum_takes_nothing_from_a_view_or_its_older_epochs(project: tw.Project, *, full: bool) -> None:
    DeltaTable(str(table_of(project))).vacuum(
        retention_hours=0, dry_run=False, enforce_retention_duration=False, full=full
    )
    assert bag(project.to_arrow("v", epoch=1).to_pylist()) == bag(ROWS[:6])
    project.refresh()
    assert_right(project)


def die_before_applying(project: tw.Project, commit: int) -> None:
    """A refresh in a process of its own that is killed just before its n-th Delta commit."""
    code = f"import tidewheel as tw; tw.open({project.root!r}).refresh()"
    environment = {**os.environ, "TIDEWHEEL_FAILPOINT": f"apply.commit:before=kill@{commit}"}
    child = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert child.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    "name", ["append", "overwrite", "other columns", "other partitions", "deletion vector", "log gone"]
)
def test_a_foreign_write_between_decide_and_apply_is_replaced_by_what_was_decided(
    project: tw.Project, name: str
) -> None:
    project.ingest("s", pa.table({"a": [100], "p": ["late"]}))
    die_before_applying(project, 1)
    assert project.epoch().number == 3, "the epoch was decided"
    WRITES[name](table_of(project))
    run = project.refresh()
    assert not run.published, "the decided epoch is finished, not built again"
    assert run.foreign == ("v",)
    wanted = bag([*ROWS, {"a": 100, "p": "late"}])
    assert bag(foreign.delta_rows(table_of(project))) == bag(project.to_arrow("v").to_pylist()) == wanted
    assert project.verify().differences == {}
    assert not project.refresh().published


def test_a_foreign_table_that_takes_a_views_place_before_its_first_commit_is_replaced(
    make_project: Callable[..., tw.Project],
) -> None:
    project = make_project({"s": {"kind": "managed", "schema": "a BIGINT"}}, {"v": "SELECT a FROM s"})
    project.ingest("s", pa.table({"a": [1, 2]}))
    die_before_applying(project, 1)
    foreign.append(table_of(project), pa.table({"other": ["x"]}))
    assert project.refresh().foreign == ("v",)
    assert bag(foreign.delta_rows(table_of(project))) == bag([{"a": 1}, {"a": 2}])
    assert project.verify().differences == {}


def test_epochs_go_on_after_a_views_table_was_deleted(project: tw.Project) -> None:
    shutil.rmtree(table_of(project))
    project.refresh()
    for i in range(3):
        project.ingest("s", pa.table({"a": [200 + i], "p": ["more"]}))
        assert project.refresh().foreign == ()
    assert len(foreign.delta_rows(table_of(project))) == len(ROWS) + 3
    assert project.verify().differences == {}


def test_a_data_file_that_somebody_deleted_is_named(project: tw.Project) -> None:
    data = Path(project.root, "warehouse", "v", "_data")
    for file in data.rglob("*.parquet"):
        file.unlink()
    with pytest.raises(tw.StoreError) as caught:
        project.to_arrow("v")
    assert caught.value.code == "files-missing"
    assert str(data) in (caught.value.detail or "")
    project.refresh(full_refresh=True)
    assert_right(project)
