"""Runners that were stalled, beaten or fenced off while they worked: what they do when they go on does no harm."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

import tidewheel as tw
from tests.faults.forks import ForkServer
from tests.faults.hooks import after_first, before_first
from tests.faults.jobs import add_source, land, to_table
from tests.faults.ledger import LANDED_SOURCE, MORE_VIEWS, REFRESH, accounts, ingest, words
from tests.faults.told import Told, upsert
from tidewheel.ingest import compaction, landing, merge
from tidewheel.ingest.ingest import ingest as run_ingest
from tidewheel.run import drop
from tidewheel.run import runner as refreshing
from tidewheel.run.stage import Stage
from tidewheel.store import apply, checkpoint, disk, epochs, log
from tidewheel.store.epochs import epoch_numbers


def publish_and_vacuum(told: Told, *, epochs_to_publish: int = 3) -> Callable[[], None]:
    """Others publish several epochs and clean up after everybody, the stalled one too."""

    def action() -> None:
        for i in range(epochs_to_publish):
            upsert(told, 0, 1000 + i)()
            told.tell(REFRESH)
        told.vacuum(abandoned="0 seconds")

    return action


@pytest.mark.parametrize("place", ["decide", "apply", "commit"])
def test_a_runner_that_wakes_up_after_others_published_and_vacuumed_does_no_harm(filled: Told, place: str) -> None:
    upsert(filled, 3, 500)()
    others = publish_and_vacuum(filled)
    hooks = {
        "decide": before_first(epochs.Attempt, "decide", others),
        "apply": before_first(refreshing, "apply_epoch", others),
        "commit": before_first(apply, "_apply_view", others),
    }
    with hooks[place]:
        if place == "decide":
            with pytest.raises(tw.ConflictError):
                filled.project.refresh()
        else:
            assert filled.project.refresh().published
    filled.check()
    assert epoch_numbers(filled.warehouse)[-1] == {"decide": 4, "apply": 5, "commit": 5}[place]


def test_a_late_commit_below_a_checkpoint_is_not_the_newest_and_hides_nothing(filled: Told) -> None:
    """Even if it comes between the look and the commit itself: the table goes on from its checkpoint."""
    upsert(filled, 3, 500)()

    def others() -> None:
        for i in range(12):
            upsert(filled, 0, 1000 + i)()
            filled.tell(REFRESH)
        for view in ("by_branch", "grand"):
            DeltaTable(filled.warehouse.table(view), version=2).create_checkpoint()
        assert filled.vacuum(abandoned="0 seconds").commits

    with before_first(disk, "create", others):
        filled.project.refresh()
    filled.check()


@pytest.mark.parametrize("place", ["write_batches", "commit"])
def test_an_ingest_that_was_taken_for_abandoned_says_so_and_leaves_nothing(filled: Told, place: str) -> None:
    source = run_ingest.__globals__
    with pytest.MonkeyPatch.context() as patch:
        original = source[place]

        def fenced(*arguments: Any, **named: Any) -> Any:
            filled.vacuum(abandoned="0 seconds")
            return original(*arguments, **named)

        patch.setitem(source, place, fenced)
        with pytest.raises(tw.ConflictError) as raised:
            filled.project.ingest("accounts", to_table("accounts", accounts(0, 2, 900)), mode="upsert", id="x")
    assert raised.value.code == "ingest-abandoned"
    filled.tell(ingest("accounts", accounts(0, 2, 900), "upsert", "x"))
    filled.check()


def test_an_ingest_that_is_fenced_off_as_it_begins_says_so(filled: Told) -> None:
    with (
        after_first(disk, "make_dirs", lambda: filled.vacuum(abandoned="0 seconds")),
        pytest.raises(tw.ConflictError) as raised,
    ):
        filled.project.ingest("notes", to_table("notes", words(0, 2)))
    assert raised.value.code == "ingest-abandoned"
    filled.check()


@pytest.mark.parametrize("place", ["begin", "read_snapshot", "_merge"])
def test_an_ingest_whose_compaction_is_fenced_off_has_still_happened(told: Told, place: str) -> None:
    told.tell(*(ingest("notes", words(i, 2)) for i in range(7)))
    with after_first(compaction, place, lambda: told.vacuum(abandoned="0 seconds")):
        told.tell(ingest("notes", words(7, 2)))
    told.check()


def test_a_compaction_whose_files_are_replaced_and_vacuumed_is_just_lost(told: Told) -> None:
    told.tell(*(ingest("accounts", accounts(i, 1)) for i in range(7)))

    def replace_and_vacuum() -> None:
        told.tell(ingest("accounts", accounts(0, 4, 700), "upsert"))
        told.vacuum()

    with before_first(compaction, "_merge", replace_and_vacuum):
        told.tell(ingest("accounts", accounts(7, 1)))
    told.check()


def test_an_upsert_whose_base_is_replaced_and_vacuumed_is_made_again_on_the_newer_one(filled: Told) -> None:
    def replace_and_vacuum() -> None:
        upsert(filled, 0, 700)()
        filled.tell(REFRESH)
        filled.vacuum()

    with before_first(merge.Merge, "_on", replace_and_vacuum):
        done = filled.project.ingest("accounts", to_table("accounts", accounts(2, 3, 800)), mode="upsert", id="x")
    assert done.applied
    filled.bank = filled.bank.after([ingest("accounts", accounts(2, 3, 800), "upsert")])
    filled.check()


def test_a_refresh_whose_files_are_taken_from_under_it_says_that_it_was_abandoned(filled: Told) -> None:
    upsert(filled, 0, 700)()
    with (
        before_first(refreshing, "compose", lambda: filled.vacuum(abandoned="0 seconds")),
        pytest.raises(tw.ConflictError) as raised,
    ):
        filled.project.refresh()
    assert raised.value.code == "another-run-won"
    filled.check()


def test_a_refresh_that_was_beaten_and_whose_inputs_were_vacuumed_says_that_it_was_beaten(tmp_path: Path) -> None:
    told = Told(tmp_path / "bank", ("by_branch",))
    told.project.add_view(
        "both", "SELECT b.branch AS branch, n.word AS word FROM by_branch b JOIN notes n ON n.id < b.n"
    )
    told.tell(ingest("accounts", accounts(0, 9)), ingest("notes", words(0, 3)), REFRESH, ingest("notes", words(3, 1)))

    def others() -> None:
        upsert(told, 0, 700)()
        told.tell(REFRESH)
        told.vacuum()

    with before_first(Stage, "run", others), pytest.raises(tw.ConflictError) as raised:
        told.project.refresh()
    assert raised.value.exit_code == 6
    assert not told.project.verify().differences


def test_an_ingest_whose_checkpoint_cannot_be_written_has_still_happened(told: Told) -> None:
    def full_disk(_: object) -> None:
        raise DeltaError("Generic LocalFileSystem error: No space left on device (os error 28)")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "EVERY", 1)
        patch.setattr(DeltaTable, "create_checkpoint", full_disk)
        told.tell(ingest("notes", words(0, 3)), REFRESH)
    told.check()


def test_a_run_is_remembered_though_the_line_before_it_was_cut_short(filled: Told) -> None:
    [file] = os.listdir(filled.warehouse.own("history"))
    with open(filled.warehouse.own("history", file), "a", encoding="utf-8") as torn:
        torn.write('{"run": "abc", "epo')
    upsert(filled, 0, 200)()
    filled.tell(REFRESH)
    assert [run["epoch"] for run in filled.project.history()] == [2, 1]


def test_two_runs_that_see_the_same_landed_files_take_them_once(filled: Told) -> None:
    root = filled.project.root
    add_source(root, "landed", LANDED_SOURCE)
    filled.tell({"do": "add_view", "view": "landed_words", "sql": MORE_VIEWS["landed_words"]})
    for name, first in (("a.parquet", 0), ("b.csv", 10)):
        land(root, name, [[first + i, f"w{i}"] for i in range(3)])
        filled.bank = filled.bank.after([{"do": "land", "rows": [[first + i, f"w{i}"] for i in range(3)]}])
    with after_first(landing, "look", filled.project.refresh), pytest.raises(tw.ConflictError):
        filled.project.refresh()
    filled.check()


def test_a_view_defined_anew_survives_the_drop_that_was_stalled(told: Told) -> None:
    old = {"do": "add_view", "view": "old", "sql": MORE_VIEWS["old"]}
    told.tell(ingest("accounts", accounts(0, 5)), old, REFRESH, {"do": "drop_view", "view": "old"}, REFRESH)
    with before_first(drop, "_delete_table", lambda: told.tell(old, REFRESH)):
        told.project.drop("old")
    told.check()


def test_a_view_defined_anew_after_a_drop_that_died_shows_its_rows_to_every_reader(told: Told) -> None:
    old = {"do": "add_view", "view": "old", "sql": MORE_VIEWS["old"]}
    told.tell(ingest("accounts", accounts(0, 5)), old, REFRESH)
    for i in range(12):  # so many versions that vacuum deletes the first ones
        told.tell(ingest("accounts", [[100 + i, f"c{i}", 1]]), REFRESH)
    DeltaTable(told.warehouse.table("old"), version=2).create_checkpoint()
    told.vacuum()
    assert log.read_commit(told.warehouse.table("old"), 0) is None
    told.tell({"do": "drop_view", "view": "old"}, REFRESH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drop, "_delete_table", lambda *_: None)  # as if it had died there
        told.project.drop("old")
    told.tell(old)
    told.check()


def test_a_write_that_fails_half_way_leaves_nothing(server: ForkServer, tmp_path: Path) -> None:
    """A real error in the middle of a real file: the operating system allows no file above a certain size."""
    root = str(tmp_path / "bank")
    server.run("jobs.build", root=root, operations=[ingest("accounts", accounts(0, 9)), REFRESH])
    for mode in ("append", "upsert"):
        ended = server.start("jobs.ingest_with_small_files", root=root, mode=mode).ended()
        assert ended.error is not None
        assert (ended.error["type"], ended.error["code"]) == ("StoreError", "io-error"), ended.error["trace"]
        told = server.run("checks.observe", root=root)
        assert told["sources"]["accounts"] == accounts(0, 9)
