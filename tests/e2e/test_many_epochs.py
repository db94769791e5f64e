"""Many epochs of small ingests: planning, opening and refreshing stay as quick, and files stay few.

Times are compared side by side: a copy kept from the thirtieth epoch, and the project after the last, take turns.
"""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject

EPOCHS = [150, pytest.param(500, marks=pytest.mark.long)]
YOUNG = 30
TURNS = 25
SOURCES = {"events": {"kind": "managed", "schema": "id BIGINT, k BIGINT, v BIGINT", "key": ["id"]}}
VIEWS = {
    "by_key": "SELECT k, sum(v) AS total, count(*) AS n FROM events GROUP BY k",
    "grand": "SELECT sum(total) AS total, sum(n) AS n FROM by_key",
}


def batch(number: int) -> pa.Table:
    ids = [number * 10 + i for i in range(10)]
    return pa.table({"id": ids, "k": [i % 3 for i in ids], "v": [1] * 10})


def ingest(project: tw.Project, number: int) -> None:
    mode = "upsert" if number % 10 == 9 else "append"
    project.ingest("events", batch(number), mode=mode, id=f"batch-{number}")  # type: ignore[arg-type]


def timed(action: Callable[[], object]) -> float:
    """Seconds of the processor: what else the machine does is no matter of this."""
    began = time.process_time()
    action()
    return time.process_time() - began


def count_files(root: str) -> int:
    return sum(len(files) for _, _, files in os.walk(root))


def one_turn(project: tw.Project, number: int) -> dict[str, float]:
    ingest(project, number)
    return {
        "plan": timed(project.plan),
        "refresh": timed(project.refresh),
        "open": timed(lambda: tw.open(Path(project.root))),
    }


@pytest.mark.parametrize("epochs", EPOCHS)
def test_time_and_files_stay_flat_over_many_epochs(make_project: MakeProject, tmp_path: Path, epochs: int) -> None:
    project = make_project(SOURCES, VIEWS, retention="0 seconds")
    files = []
    for number in range(epochs):
        if number == YOUNG:
            shutil.copytree(project.root, tmp_path / "young")
        ingest(project, number)
        project.refresh()
        files.append(count_files(project.root))
    fifth = epochs // 5
    early, late = files[fifth : 2 * fifth], files[-fifth:]
    assert max(late) <= 2 * max(early), (early[::10], late[::10])

    young = tw.open(tmp_path / "young", planner=project.planner)
    turns = [(one_turn(young, YOUNG + i), one_turn(project, epochs + i)) for i in range(TURNS)]
    rows = (epochs + TURNS) * 10
    assert project.to_arrow("grand").to_pylist() == [{"total": rows, "n": rows}]
    assert not project.verify().differences
    for what in ("plan", "refresh", "open"):
        before, after = (statistics.median(turn[side][what] for turn in turns) for side in (0, 1))
        assert after <= 1.5 * before, (what, before, after)
