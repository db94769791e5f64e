"""The faults of a refresh once more with Spark: a driver that dies leaves the same as a local run that dies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.faults.forks import ForkServer
from tests.faults.ledger import REFRESH, accounts, ingest, words
from tests.faults.told import Told, upsert

STEPS = (
    "claim.write",
    "stage.data",
    "epoch.prepare",
    "epoch.decide",
    "apply.commit",
    "apply.done",
    "discard.attempt",
    "history.append",
)

pytestmark = [pytest.mark.spark, pytest.mark.long]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_driver_killed_anywhere_in_a_refresh_loses_nothing_and_doubles_nothing(
    server: ForkServer, tmp_path: Path, spark: Any, step: str, moment: str
) -> None:
    told = Told(tmp_path / "bank", spark=spark)
    told.tell(ingest("accounts", accounts(0, 9)), ingest("notes", words(0, 6)), REFRESH)
    upsert(told, 3, 700)()
    driver = server.start(
        "jobs.perform", root=told.project.root, operations=[REFRESH], failpoint=f"{step}:{moment}=kill"
    )
    ended = driver.ended()
    assert ended.was_killed, driver.describe(ended)
    told.check()
    assert told.project.epoch().number == 2
