"""Readers while others write, clean up and die: never an empty, partial, mixed or older result."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.faults.forks import Child, ForkServer
from tests.faults.ledger import PATIENT_VACUUM, REFRESH, Operation, accounts, ingest
from tests.faults.told import Told
from tests.faults.workers import Worker, hired, wait_until_done
from tidewheel.failpoints import STEPS

ACCOUNTS = 30
SNAPSHOT_READS = 1000
KILLS = 20
WRITING = [s for s in STEPS if s.split(".")[0] in {"ingest", "claim", "stage", "epoch", "apply", "discard", "history"}]


@pytest.fixture
def bank(tmp_path: Path, quick_duckdb: None) -> Told:
    told = Told(tmp_path / "bank", ("by_branch", "grand"))
    told.tell(ingest("accounts", accounts(0, ACCOUNTS)), REFRESH)
    return told


def transfer(told: Told, rng: random.Random, number: int) -> Operation:
    """Money from one account to another, and a deposit of one, in one batch: seen as a whole or not at all."""
    giver, taker = rng.sample(sorted(told.bank.accounts), 2)
    (branch_a, balance_a), (branch_b, balance_b) = told.bank.accounts[giver], told.bank.accounts[taker]
    amount = rng.randrange(100)
    rows = [[giver, branch_a, balance_a - amount], [taker, branch_b, balance_b + amount + 1]]
    return ingest("accounts", rows, "upsert", f"t{number}")


def start_reader(server: ForkServer, told: Told, ways: list[str], at_least: int) -> tuple[Child, str]:
    root = told.project.root
    until = os.path.join(os.path.dirname(root), "enough")
    return server.start("readers.poll", root=root, ways=ways, count=ACCOUNTS, at_least=at_least, until=until), until


def end_reader(reader: Child, until: str) -> dict[str, int]:
    with open(until, "w", encoding="utf-8"):
        pass
    seen = reader.value()
    assert seen["violations"] == []
    assert seen["changes"] > 3, "the reader saw hardly any change: the test tells nothing"
    return dict(seen)


def test_a_thousand_snapshots_during_transfers_refreshes_and_vacuums_never_mix_two_cuts(
    server: ForkServer, tmp_path: Path, bank: Told
) -> None:
    rng = random.Random(7)
    reader, until = start_reader(server, bank, ["views"], SNAPSHOT_READS)
    with open(until, "w", encoding="utf-8"), hired(server, str(tmp_path), bank.project.root, 3) as workers:
        transferring, refreshing, cleaning = workers
        number = 0
        while reader.is_running():
            number += 1
            operation = transfer(bank, rng, number)
            transferring.ask(operation)
            refreshing.ask(REFRESH)
            if number % 4 == 0:
                cleaning.ask(PATIENT_VACUUM)
            wait_until_done(workers)
            check_answers(workers)
            bank.bank = bank.bank.after([operation])
    assert end_reader(reader, until)["reads"] >= SNAPSHOT_READS
    bank.check()


def check_answers(workers: list[Worker]) -> None:
    for worker in workers:
        for answer in worker.answers:
            assert "error" not in answer, answer["error"]["trace"]
        worker.answers.clear()


def test_a_reader_sees_only_whole_versions_while_writers_die(server: ForkServer, bank: Told) -> None:
    rng = random.Random(11)
    reader, until = start_reader(server, bank, ["snapshot", "latest", "plain"], 10)
    killed = 0
    for number in range(KILLS):
        operation = transfer(bank, rng, number)
        failpoint = f"{rng.choice(WRITING)}:{rng.choice(['before', 'after'])}=kill"
        writer = server.start(
            "jobs.perform", root=bank.project.root, operations=[operation, REFRESH], failpoint=failpoint
        )
        killed += writer.ended().was_killed
        bank.tell(operation, REFRESH)
    assert killed > KILLS / 2
    end_reader(reader, until)
    bank.check()
