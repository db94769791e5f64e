"""After `vacuum` an epoch can be read as a whole or not at all, and `epochs` lists which."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.e2e.refusals import refused
from tests.faults.hooks import after_first, before_first
from tidewheel.store import readers, vacuum
from tidewheel.store.warehouse import Warehouse

Make = Callable[..., tw.Project]
SOURCES = {
    "orders": {"kind": "managed", "schema": "k BIGINT, x BIGINT", "key": ["k"]},
    "rates": {"kind": "managed", "schema": "r BIGINT"},
}
VIEWS = {"total": "SELECT sum(x) AS n FROM orders", "top_rate": "SELECT max(r) AS r FROM rates"}


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    """Three epochs; the last still shows a view that the first one built, whose record stays because of that."""
    made = make_project(SOURCES, VIEWS)
    made.ingest("rates", pa.table({"r": [7]}))
    for number in range(3):
        made.ingest("orders", pa.table({"k": [1], "x": [number]}), mode="upsert")
        made.refresh()
    return made


def let_go(project: tw.Project) -> None:
    project.vacuum(retention="0 seconds")


READS: dict[str, Callable[[tw.Project, int], Any]] = {
    "view built there": lambda p, n: p.to_arrow("top_rate", epoch=n),
    "view that is gone": lambda p, n: p.to_arrow("total", epoch=n),
    "source": lambda p, n: p.to_arrow("rates", epoch=n),
    "query": lambda p, n: p.query("SELECT * FROM top_rate", epoch=n),
    "snapshot": lambda p, n: p.snapshot(n),
    "record": lambda p, n: p.epoch(n),
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("number", [1, 2])
def test_nothing_of_an_epoch_that_vacuum_let_go_can_be_read(project: tw.Project, read: str, number: int) -> None:
    let_go(project)
    assert Path(Warehouse(project.definition().warehouse).epoch(1)).exists()
    with refused(project.root, "unknown-epoch") as caught:
        READS[read](project, number)
    assert "tidewheel epochs" in (caught.value.hint or "")


@pytest.mark.parametrize("read", READS)
def test_the_last_epoch_can_be_read_after_vacuum(project: tw.Project, read: str) -> None:
    let_go(project)
    READS[read](project, 3)


def test_a_longer_retention_does_not_bring_back_what_was_let_go(project: tw.Project) -> None:
    let_go(project)
    assert project.vacuum(retention="7 days").kept_epochs == [3]
    assert [e.number for e in project.epochs()] == [3]


@pytest.mark.parametrize("dry_run", [True, False])
def test_vacuum_counts_the_epochs_that_can_be_read_no_more(project: tw.Project, *, dry_run: bool) -> None:
    done = project.vacuum(retention="0 seconds", dry_run=dry_run)
    assert (done.epochs, done.kept_epochs) == (2, [3])
    assert len(project.epochs()) == (3 if dry_run else 1)
    if not dry_run:
        assert project.vacuum(retention="0 seconds").epochs == 0, (
            "the record of epoch 1 is there, and was let go before"
        )


def test_an_epoch_inside_the_retention_stays_readable(project: tw.Project) -> None:
    project.vacuum()
    assert [e.number for e in project.epochs()] == [3, 2, 1]
    assert project.to_arrow("total", epoch=2).to_pylist() == [{"n": 1}]


def test_a_dry_run_lets_nothing_go(project: tw.Project) -> None:
    project.vacuum(retention="0 seconds", dry_run=True)
    assert project.to_arrow("total", epoch=1).to_pylist() == [{"n": 0}]


def test_an_epoch_that_a_reader_holds_stays_whole(project: tw.Project) -> None:
    with project.snapshot(2) as held:
        let_go(project)
        assert held.to_arrow("total").to_pylist() == [{"n": 1}]
        assert [e.number for e in project.epochs()] == [3, 2]
    let_go(project)
    assert [e.number for e in project.epochs()] == [3]


def test_a_reader_that_registers_while_vacuum_marks_is_seen(project: tw.Project) -> None:
    """It looked for the mark before there was one; the second look at the readers takes the mark back."""
    held = []
    with before_first(vacuum, "expire", lambda: held.append(project.snapshot(2).__enter__())):
        let_go(project)
    assert held[0].to_arrow("total").to_pylist() == [{"n": 1}]
    assert project.to_arrow("total", epoch=2).to_pylist() == [{"n": 1}]
    held[0].__exit__()


def test_a_reader_that_registers_after_the_mark_is_told(project: tw.Project) -> None:
    snapshot = project.snapshot(2)
    let_go(project)
    with refused(project.root, "unknown-epoch"), snapshot:
        pass
    assert readers.held_epochs(project.warehouse()) == set()


def test_files_that_vacuum_takes_while_a_reader_without_a_registration_reads_are_not_blamed_on_others(
    project: tw.Project,
) -> None:
    snapshot = project.snapshot(2)
    let_go(project)
    with refused(project.root, "unknown-epoch"):
        snapshot.to_arrow("total")


def test_records_that_an_earlier_release_left_half_readable_are_unknown_epochs(project: tw.Project) -> None:
    let_go(project)
    for mark in Path(project.warehouse().own("expired")).iterdir():
        mark.unlink()
    with refused(project.root, "unknown-epoch"):
        project.to_arrow("total", epoch=1)


def test_a_vacuum_that_died_after_the_marks_is_finished_by_the_next(project: tw.Project) -> None:
    with pytest.raises(KeyboardInterrupt), after_first(vacuum, "expire", _interrupt):
        let_go(project)
    let_go(project)
    assert [e.number for e in project.epochs()] == [3]
    assert sorted(p.name for p in Path(project.warehouse().own("expired")).iterdir()) == [f"{1:020d}"]


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_epochs_say_what_they_built_and_what_is_stale(project: tw.Project) -> None:
    project.add_view("twice", "SELECT 2 * sum(x) AS n FROM orders")
    project.refresh()
    project.ingest("orders", pa.table({"k": [2], "x": [5]}))
    project.refresh(select="total")
    found = [e.to_dict() for e in project.epochs(limit=2)]
    assert [(e["epoch"], e["kind"], e["built"], e["stale"]) for e in found] == [
        (5, "built", ["total"], ["twice"]),
        (4, "built", ["twice"], []),
    ]
    assert found[0]["time"] > found[1]["time"]


def test_an_epoch_that_built_nothing_is_carried(project: tw.Project) -> None:
    Path(project.root, "views", "top_rate.sql").unlink()
    project.drop("top_rate")
    assert project.epochs(limit=1)[0].kind == "carried"
