"""Several runners on one project, stopped and continued at random: nobody loses or doubles anything for another."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.checks import check_final
from tests.faults.forks import ForkServer
from tests.faults.ledger import PATIENT_VACUUM, REFRESH, VACUUM, Operation, Rows, accounts, ingest
from tests.faults.told import Told
from tests.faults.workers import (
    Worker,
    disturb_until_done,
    hired,
    wait_until_done,
    wait_until_stopped,
    wake_until_done,
)
from tidewheel.store.epochs import epoch_numbers

CHUNKS = 10
ROUNDS = 20
SPARK_ROUNDS = 10
VERIFY_EVERY = 5
FIRST_SEED = int(os.environ.get("TIDEWHEEL_RACE_SEED", "0"))
"""Set it to run other rounds than the usual ones; a failure prints the seed of its round."""
WORKERS = 4
STALLS = [
    f"{step}:{moment}"
    for step in ("claim.write", "stage.data", "epoch.prepare", "epoch.decide", "apply.commit", "apply.done")
    for moment in ("before", "after")
]
INGEST_STALLS = ["ingest.data:after", "ingest.prepare:after", "ingest.commit:before", "ingest.commit:after"]


class Race:
    """A project, its workers and its model, over many rounds."""

    def __init__(self, told: Told, workers: list[Worker], rng: random.Random) -> None:
        self.told, self.workers, self.rng = told, workers, rng
        self.next_id = 1000
        self.batches = 0

    def batch(self) -> Operation:
        """New accounts, or changes to old ones; no two batches of a round touch the same account, so order is free."""
        self.batches += 1
        name = f"batch-{self.batches}"
        kind = self.rng.choice(["append", "upsert", "delete"])
        ids = sorted(self.told.bank.accounts)
        mine = [i for i in ids if i % 7 == self.batches % 7][:3]
        if kind == "append" or not mine:
            self.next_id += 3
            return ingest("accounts", accounts(self.next_id, 3), "append", name)
        if kind == "upsert":
            rows: Rows = [[i, f"b{self.rng.randrange(4)}", self.rng.randrange(1000)] for i in mine]
            return ingest("accounts", rows, "upsert", name)
        return ingest("accounts", [[i] for i in mine[:1]], "delete", name)

    def newest(self) -> int:
        return epoch_numbers(self.told.warehouse)[-1]

    def play(self, seed: int) -> None:
        self.rng.seed(seed)
        try:
            self.round()
        except BaseException:
            print(f"seed {seed} failed in {self.told.project.root}")
            raise

    def round(self) -> None:
        """One ingest, then everybody at once; afterwards all is told by the answers, and the model holds."""
        self.told.tell(self.batch())
        before = self.newest()
        fencing = [self._with_vacuum, self._with_a_late_one]
        play = self.rng.choice([self._runners_only, self._with_ingests, self._with_patient_vacuum, *fencing])
        batches = play()
        answers = [answer for worker in self.workers for answer in worker.answers]
        published = sum(judge(answer, fenced=play in fencing) for answer in answers)
        assert self.newest() == before + published, (published, answers)
        for worker in self.workers:
            worker.answers.clear()
        for operation in batches:  # again, with the same ids: what came through is not taken twice
            self.told.tell(operation)
        self.told.tell(REFRESH)
        bank = self.told.bank
        check_final(self.told.project, {"sources": bank.source_rows(), "views": bank.view_rows()})

    def _runners_only(self) -> list[Operation]:
        runners = self.workers[: self.rng.randint(2, WORKERS)]
        for worker in runners:
            worker.ask(REFRESH)
        disturb_until_done(runners, self.rng)
        return []

    def _with_ingests(self) -> list[Operation]:
        """Two runners, and two ingests: of two batches, or twice of the same one."""
        one, two = self.batch(), self.batch()
        batches = [one, one] if self.rng.random() < 0.4 else [one, two]
        for worker, operation in zip(self.workers, [REFRESH, *batches, REFRESH], strict=True):
            worker.ask(operation)
        disturb_until_done(self.workers, self.rng)
        values = [answer.get("value", {}) for worker in self.workers for answer in worker.answers]
        applied = [value["applied"] for value in values if "applied" in value]
        assert sum(applied) == len({b["id"] for b in batches}), applied
        return batches

    def _with_patient_vacuum(self) -> list[Operation]:
        return self._with_vacuum(PATIENT_VACUUM)

    def _with_vacuum(self, vacuum: Operation = VACUUM) -> list[Operation]:
        one = self.batch()
        plans = [[REFRESH], [one], [vacuum, vacuum], [REFRESH, REFRESH]]
        self.rng.shuffle(plans)
        for worker, operations in zip(self.workers, plans, strict=True):
            worker.ask(*operations)
        disturb_until_done(self.workers, self.rng)
        return [one]

    def _with_a_late_one(self) -> list[Operation]:
        """One worker stalls at some point; the others publish epochs, and vacuum; then it wakes up and goes on."""
        late, *others = self.workers
        one, two, three = self.batch(), self.batch(), self.batch()
        if self.rng.random() < 0.7:
            late.ask(REFRESH, failpoint=f"{self.rng.choice(STALLS)}=stop")
        else:
            late.ask(one, failpoint=f"{self.rng.choice(INGEST_STALLS)}=stop")
        wait_until_stopped(late)
        others[0].ask(two, REFRESH)
        others[1].ask(three)
        wait_until_done(others[:2])
        if self.rng.random() < 0.6:
            others[2].ask(VACUUM, REFRESH, VACUUM)
            wait_until_done(others[2:])
        wake_until_done(late)
        return [one, two, three]


def judge(answer: dict[str, Any], *, fenced: bool) -> int:
    """Whether an answer says that an epoch was published. A conflict is the only error that may be."""
    error = answer.get("error")
    if error is None:
        return int(answer["value"].get("published", False))
    allowed = {"another-run-won", "ingest-abandoned"} if fenced else {"another-run-won"}
    assert error["code"] in allowed, error["trace"]
    assert (error["type"], error["exit_code"]) == ("ConflictError", 6)
    return 0


@pytest.fixture
def race(server: ForkServer, tmp_path: Path, quick_duckdb: None) -> Iterator[Race]:
    told = Told(tmp_path / "bank", ("by_branch", "grand"))
    told.tell(ingest("accounts", accounts(0, 30)), REFRESH)
    with hired(server, str(tmp_path), told.project.root, WORKERS) as workers:
        yield Race(told, workers, random.Random())
    shutil.rmtree(told.project.root)


@pytest.mark.parametrize(
    "chunk", [c if c < CHUNKS // 2 else pytest.param(c, marks=pytest.mark.long) for c in range(CHUNKS)]
)
def test_rounds_of_racing_runners_lose_nothing_and_double_nothing(race: Race, chunk: int) -> None:
    for number in range(ROUNDS):
        race.play(FIRST_SEED + 1000 * chunk + number)
        if number % VERIFY_EVERY == VERIFY_EVERY - 1:
            assert not race.told.project.verify().differences


@pytest.mark.spark
@pytest.mark.long
def test_rounds_of_racing_runners_on_spark(server: ForkServer, tmp_path: Path, spark: Any) -> None:
    told = Told(tmp_path / "bank", ("by_branch", "grand"), spark)
    told.tell(ingest("accounts", accounts(0, 30)), REFRESH)
    with hired(server, str(tmp_path), told.project.root, WORKERS) as workers:
        race = Race(told, workers, random.Random())
        for number in range(SPARK_ROUNDS):
            race.play(number)
    told.check()
