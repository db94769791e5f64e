"""`vacuum` while others work: each case once lost data, or stopped a project for good."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import tidewheel as tw
from tests.faults.checks import check_no_garbage
from tests.faults.hooks import after_first, before_first
from tests.faults.jobs import to_table
from tests.faults.ledger import REFRESH, accounts, ingest, words
from tests.faults.told import Told, die_before_apply, upsert
from tidewheel.ingest import commit as commits
from tidewheel.store import epochs, log, vacuum
from tidewheel.store.epochs import epoch_numbers, latest_epoch


def test_an_ingest_that_ends_while_vacuum_works_keeps_its_files(filled: Told) -> None:
    schema = filled.project.definition().config.sources["notes"].declared
    assert schema is not None
    attempt = commits.begin(filled.warehouse, "notes")
    rows = words(6, 3)
    files = commits.write_batches(attempt, to_table("notes", rows).to_batches(), schema, "given")
    work = commits.CommitWork(actions=tuple(log.add_action(f) for f in files), about={})

    def publish() -> None:
        commits.commit(attempt, schema, None, lambda _: work)
        attempt.done()

    with after_first(vacuum, "_paths_since", publish):
        filled.vacuum()
    filled.bank = filled.bank.after([ingest("notes", rows)])
    filled.check()


def test_a_refresh_that_ends_while_vacuum_works_keeps_its_files(filled: Told) -> None:
    upsert(filled, 0, 500)()

    def vacuum_meanwhile() -> None:
        with after_first(vacuum, "_kept", told_refresh):
            filled.vacuum()

    def told_refresh() -> None:
        filled.project.refresh()

    vacuum_meanwhile()
    filled.check()


def test_a_version_that_is_committed_while_vacuum_works_does_not_hide_what_the_epoch_needs(filled: Told) -> None:
    before = filled.project.to_arrow("accounts").to_pylist()
    with before_first(vacuum, "live_paths", upsert(filled, 0, 700)):
        filled.vacuum()
    assert filled.project.to_arrow("accounts").to_pylist() == before
    filled.check()


def test_a_first_epoch_that_is_decided_but_not_applied_keeps_its_files(told: Told) -> None:
    told.tell(ingest("accounts", accounts(0, 5)))
    with after_first(vacuum, "_newest_applied", lambda: die_before_apply(told)):
        told.vacuum(abandoned="0 seconds")
    told.check()


def test_an_epoch_that_is_decided_while_vacuum_works_can_still_be_applied(filled: Told) -> None:
    upsert(filled, 0, 300)()

    def die_and_vanish() -> None:
        die_before_apply(filled)
        for folder in vacuum.attempts_under_way(filled.warehouse):
            os.rename(folder, os.path.join(filled.warehouse.scratch, os.path.basename(folder)))

    with after_first(vacuum, "attempts_under_way", lambda: None), after_first(vacuum, "_fence", die_and_vanish):
        filled.vacuum()
    filled.check()


def test_an_attempt_that_ends_while_it_is_fenced_does_not_stop_vacuum(filled: Told) -> None:
    attempt = epochs.begin(filled.warehouse)
    with after_first(vacuum, "attempts_under_way", attempt.close):
        assert filled.vacuum(abandoned="0 seconds").attempts == 0


def test_a_claim_cut_short_by_a_crash_does_not_stop_vacuum(filled: Told) -> None:
    attempt = epochs.begin(filled.warehouse)
    with open(os.path.join(attempt.folder, "claim.json"), "w", encoding="utf-8") as file:
        file.write('{"pid": 1, "sour')
    filled.vacuum()
    filled.check()


def test_an_attempt_that_has_not_said_yet_what_it_reads_keeps_every_version(told: Told) -> None:
    told.tell(ingest("accounts", accounts(0, 5)))
    epochs.begin(told.warehouse)
    upsert(told, 0, 200)()
    told.vacuum()
    for version, balances in ((0, accounts(0, 5)), (1, [*accounts(0, 3, 200), *accounts(3, 2)])):
        table = pa.table(_read(told, "accounts", version))
        assert sorted(list(r.values()) for r in table.to_pylist()) == sorted(balances)


def _read(told: Told, source: str, version: int) -> Any:
    return DeltaTable(told.warehouse.table(source), version=version).to_pyarrow_table()


def test_a_checkpoint_that_was_never_finished_is_no_checkpoint(told: Told) -> None:
    told.tell(*(ingest("notes", words(i, 2), id=f"n{i}") for i in range(16)), REFRESH)
    unfinished = f"{3:020d}.checkpoint.parquet#1"
    with open(os.path.join(log.log_dir(told.warehouse.table("notes")), unfinished), "wb") as file:
        file.write(b"PAR1")
    told.vacuum()
    told.check()


def test_a_hint_at_a_checkpoint_that_vacuum_deleted_does_no_harm(told: Told) -> None:
    told.tell(*(ingest("notes", words(i, 2), id=f"n{i}") for i in range(30)))
    folder = log.log_dir(told.warehouse.table("notes"))
    hint = os.path.join(folder, "_last_checkpoint")
    _checkpoint(told, 5)
    with open(hint, encoding="utf-8") as file:
        old_hint = file.read()
    _checkpoint(told, 12)
    with open(hint, "w", encoding="utf-8") as file:  # as if the process had died between checkpoint and hint
        file.write(old_hint)
    told.tell(REFRESH)
    assert told.vacuum().commits > 5
    told.check()


def _checkpoint(told: Told, version: int) -> None:
    DeltaTable(told.warehouse.table("notes"), version=version).create_checkpoint()


def test_an_id_is_remembered_when_its_commit_is_gone(told: Told) -> None:
    told.tell(*(ingest("notes", words(i, 2), id=f"n{i}") for i in range(30)))
    _checkpoint(told, 20)
    told.tell(REFRESH)
    told.vacuum()
    assert log.read_commit(told.warehouse.table("notes"), 3) is None
    again = told.project.ingest("notes", to_table("notes", words(3, 2)), id="n3")
    assert not again.applied
    told.check()


def test_a_view_that_never_changes_holds_back_no_other_files(filled: Told) -> None:
    for balance in (200, 300):
        upsert(filled, 0, balance)()
        filled.tell(REFRESH)
    filled.vacuum()
    assert filled.project.epoch().views["words"].built == 1
    check_no_garbage(filled.project)
    assert epoch_numbers(filled.warehouse) == [1, 3]


def test_an_epoch_that_was_the_last_one_in_the_window_is_kept_however_old(filled: Told) -> None:
    path = filled.warehouse.epoch(1)
    with open(path, encoding="utf-8") as file:
        body = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**body, "time": "2020-01-01T00:00:00+00:00"}, file)
    upsert(filled, 0, 200)()
    filled.tell(REFRESH)
    assert filled.vacuum(retention="1 hour").kept_epochs == [1, 2]
    assert filled.project.to_arrow("grand", epoch=1).num_rows == 1


def test_two_vacuums_at_once_do_not_stop_each_other(filled: Told) -> None:
    for balance in (200, 300):
        upsert(filled, 0, balance)()
        filled.tell(REFRESH)
    with before_first(vacuum, "_read", filled.vacuum):
        filled.vacuum(retention="1 hour")
    filled.check()


def test_the_latest_epoch_is_found_while_others_publish_and_vacuum(filled: Told) -> None:
    def publish_and_vacuum() -> None:
        upsert(filled, 0, 200)()
        filled.tell(ingest("notes", words(0, 1)), REFRESH)
        filled.vacuum()

    with after_first(epochs, "epoch_numbers", publish_and_vacuum):
        assert latest_epoch(filled.warehouse).number == 2


def test_a_snapshot_holds_its_epoch_however_late_it_is_entered(filled: Told) -> None:
    snapshot = filled.project.snapshot()
    upsert(filled, 0, 200)()
    filled.tell(REFRESH)
    filled.vacuum()
    with snapshot:
        upsert(filled, 0, 300)()
        filled.tell(REFRESH)
        filled.vacuum()
        assert snapshot.to_arrow("grand").num_rows == 1
        total = snapshot.to_arrow("grand").to_pylist()[0]["total"]
        assert sum(r["total"] for r in snapshot.to_arrow("by_branch").to_pylist()) == total


def test_a_warehouse_may_stand_in_a_folder_of_any_name(tmp_path: Path) -> None:
    told = Told(tmp_path / "my wëird+dir #1 100%" / "bank")
    told.tell(ingest("accounts", accounts(0, 5)), REFRESH)
    upsert(told, 0, 200)()
    told.check()


def test_a_folder_whose_name_the_delta_reader_would_misread_is_refused(tmp_path: Path) -> None:
    told = Told(tmp_path / "a%20b")
    with pytest.raises(tw.UserError) as raised:
        told.tell(ingest("accounts", accounts(0, 5)))
    assert raised.value.code == "bad-path"
    assert not os.path.exists(told.warehouse.root)
