"""The table of a source that is no longer declared is an orphan: `drop` lists it and deletes it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from deltalake import write_deltalake

import tidewheel as tw
from tests.e2e.refusals import listing, refused
from tests.faults.hooks import after_first, before_first
from tidewheel.run import drop
from tidewheel.store import disk

Make = Callable[..., tw.Project]
ORDERS = {"kind": "managed", "schema": "x BIGINT", "key": ["x"]}


@pytest.fixture
def project(make_project: Make, tmp_path: Path) -> tw.Project:
    landing = tmp_path / "landing"
    landing.mkdir()
    (landing / "a.csv").write_text("x\n1\n")
    made = make_project(
        {
            "orders": ORDERS,
            "landed": {"kind": "files", "path": str(landing), "schema": "x BIGINT"},
            "kept": {"kind": "managed", "schema": "x BIGINT"},
        },
        {"v": "SELECT sum(x) AS n FROM kept", "w": "SELECT o.x FROM orders o JOIN landed l ON o.x = l.x"},
    )
    made.ingest("kept", pa.table({"x": [7]}))
    made.ingest("orders", pa.table({"x": [1]}))
    made.ingest("orders", pa.table({"x": [2]}), mode="upsert")
    made.refresh()
    made.drop_view("w")
    return made


def undeclare(project: tw.Project, *names: str) -> None:
    file = Path(project.root, "tidewheel.yml")
    body = yaml.safe_load(file.read_text())
    for name in names:
        del body["sources"][name]
    file.write_text(yaml.safe_dump(body))


def declare(project: tw.Project) -> None:
    file = Path(project.root, "tidewheel.yml")
    body = yaml.safe_load(file.read_text())
    body["sources"]["orders"] = ORDERS
    file.write_text(yaml.safe_dump(body))


def table(project: tw.Project, name: str) -> Path:
    return Path(project.root, "warehouse", name)


@pytest.mark.parametrize("refreshed", [True, False], ids=["after a refresh", "at once"])
@pytest.mark.parametrize("name", ["orders", "landed"])
def test_the_table_of_a_removed_source_is_listed_and_deleted(project: tw.Project, name: str, refreshed: bool) -> None:
    undeclare(project, "orders", "landed")
    if refreshed:
        project.refresh()
    assert project.orphans() == ["landed", "orders", "w"]
    project.drop(name)
    assert not table(project, name).exists()
    assert not Path(project.warehouse().own("changes", name)).exists()
    assert name not in project.epoch().sources
    assert name not in project.orphans()
    assert project.to_arrow("v").to_pylist() == [{"n": 7}]
    assert not project.refresh().failed


def test_a_source_that_was_dropped_begins_anew(project: tw.Project) -> None:
    undeclare(project, "orders")
    project.drop("orders")
    declare(project)
    project.ingest("orders", pa.table({"x": [9]}))
    project.add_view("o", "SELECT x FROM orders")
    project.refresh()
    assert project.to_arrow("o").to_pylist() == [{"x": 9}]


def test_a_declared_source_is_not_dropped(project: tw.Project) -> None:
    with refused(project.root, "view-in-use") as caught:
        project.drop("orders")
    assert "sources:" in (caught.value.hint or "")


def test_a_table_that_is_not_ours_is_no_orphan(project: tw.Project) -> None:
    """Somebody may keep a table of his own beside ours."""
    write_deltalake(str(table(project, "theirs")), pa.table({"x": [1]}))
    table(project, "notes").mkdir()
    assert "theirs" not in project.orphans()
    before = listing(table(project, "theirs"))
    with refused(project.root, "unknown-relation"):
        project.drop("theirs")
    with refused(project.root, "unknown-relation"):
        project.drop("notes")
    assert listing(table(project, "theirs")) == before


def test_a_source_into_which_somebody_ingests_is_not_dropped(project: tw.Project) -> None:
    undeclare(project, "orders")
    Path(project.warehouse().ingests("orders"), "abc").mkdir(parents=True)
    with refused(project.root, "busy-source"):
        project.drop("orders")


def test_an_ingest_that_comes_before_the_log_is_taken_keeps_its_rows(project: tw.Project) -> None:
    """Another user has declared the source again: his rows are in, and stay."""
    undeclare(project, "orders")
    project.refresh()
    undeclared = tw.open(project.root, engine="local").definition()

    def ingest() -> None:
        declare(project)
        project.ingest("orders", pa.table({"x": [5]}))

    with before_first(drop, "_is_shown", ingest), pytest.raises(tw.StoreError) as caught:
        drop.drop_orphan(undeclared, project.warehouse(), "orders")
    assert caught.value.code == "busy-source"
    project.add_view("o", "SELECT x FROM orders")
    project.refresh()
    assert sorted(project.to_arrow("o")["x"].to_pylist()) == [1, 2, 5]


def test_a_drop_that_died_after_its_epoch_is_finished_by_the_next(project: tw.Project) -> None:
    undeclare(project, "orders")
    with pytest.raises(KeyboardInterrupt), after_first(disk, "rename", _interrupt):
        project.drop("orders")
    assert not Path(table(project, "orders"), "_delta_log").exists()
    project.drop("orders")
    assert not table(project, "orders").exists()


def _interrupt() -> None:
    raise KeyboardInterrupt


def redeclared(project: tw.Project, source: str, change: Callable[[], object]) -> None:
    """Take a source out of the project, let something happen, and declare it again."""
    file = Path(project.root, "tidewheel.yml")
    text = file.read_text()
    body = yaml.safe_load(text)
    del body["sources"][source]
    file.write_text(yaml.safe_dump(body))
    change()
    file.write_text(text)


@pytest.mark.parametrize("ingests", [1, 2])
def test_views_of_a_source_that_was_dropped_and_declared_anew_are_built_anew(make_project: Make, ingests: int) -> None:
    project = make_project({"s": ORDERS}, {"v": "SELECT x FROM s", "n": "SELECT count(*) AS n FROM v"})
    project.ingest("s", pa.table({"x": [1, 2]}))
    project.refresh()
    redeclared(project, "s", lambda: project.drop("s"))
    for number in range(ingests):
        project.ingest("s", pa.table({"x": [100 + number]}))
    project.refresh()
    assert sorted(project.to_arrow("v").column("x").to_pylist()) == [100 + n for n in range(ingests)]
    assert project.verify().differences == {}


def test_so_are_those_that_were_left_out_when_it_came_back(make_project: Make, tmp_path: Path) -> None:
    for name, values in {"old": [1, 2], "new": [7, 8, 9]}.items():
        write_deltalake(str(tmp_path / name), pa.table({"x": values}))
    (tmp_path / "lake").symlink_to(tmp_path / "old")
    project = make_project(
        {"s": {"kind": "delta", "path": str(tmp_path / "lake")}, "o": ORDERS},
        {"v": "SELECT x FROM s", "w": "SELECT x FROM s WHERE x > 1", "u": "SELECT x FROM o"},
    )
    project.refresh()

    def elsewhere() -> None:
        project.ingest("o", pa.table({"x": [1]}))
        project.refresh()
        (tmp_path / "lake").unlink()
        (tmp_path / "lake").symlink_to(tmp_path / "new")

    redeclared(project, "s", elsewhere)
    project.refresh(exclude="w")
    project.refresh()
    assert sorted(project.to_arrow("w").column("x").to_pylist()) == [7, 8, 9]
    assert project.verify().differences == {}


def test_an_orphan_is_dropped_by_its_name_in_any_case(project: tw.Project) -> None:
    undeclare(project, "orders")
    assert (project.drop("Orders"), project.drop("W")) == ("orders", "w")
    assert project.orphans() == []


def test_status_shows_the_table_of_a_source_that_is_gone(project: tw.Project) -> None:
    undeclare(project, "orders")
    found = project.status()
    assert (found.sources["orders"].kind, found.sources["orders"].version) == ("orphan", 1)
    assert "orders" not in found.views
