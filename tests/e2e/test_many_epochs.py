"""Five hundred epochs of small ingests: planning, opening and refreshing stay as quick, and files stay few."""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import pyarrow as pa

import tidewheel as tw
from tests.conftest import MakeProject

EPOCHS = 500
WINDOW = 25
SOURCES = {"events": {"kind": "managed", "schema": "id BIGINT, k BIGINT, v BIGINT", "key": ["id"]}}
VIEWS = {
    "by_key": "SELECT k, sum(v) AS total, count(*) AS n FROM events GROUP BY k",
    "grand": "SELECT sum(total) AS total, sum(n) AS n FROM by_key",
}


def batch(number: int) -> pa.Table:
    ids = [number * 10 + i for i in range(10)]
    return pa.table({"id": ids, "k": [i % 3 for i in ids], "v": [1] * 10})


def timed(action: object) -> float:
    began = time.perf_counter()
    action()  # type: ignore[operator]
    return time.perf_counter() - began


def count_files(root: str) -> int:
    return sum(len(files) for _, _, files in os.walk(root))


def test_time_and_files_stay_flat_over_500_epochs(make_project: MakeProject) -> None:
    project = make_project(SOURCES, VIEWS, retention="0 seconds")
    refreshes, plans, opens, files = [], [], [], []
    for number in range(EPOCHS):
        mode = "upsert" if number % 10 == 9 else "append"
        project.ingest("events", batch(number), mode=mode, id=f"batch-{number}")  # type: ignore[arg-type]
        plans.append(timed(project.plan))
        refreshes.append(timed(project.refresh))
        opens.append(timed(lambda: tw.open(Path(project.root))))
        files.append(count_files(project.root))
    assert project.to_arrow("grand").to_pylist() == [{"total": EPOCHS * 10, "n": EPOCHS * 10}]
    assert not project.verify().differences
    for what, series in (("plan", plans), ("refresh", refreshes), ("open", opens)):
        first, last = statistics.median(series[10 : 10 + WINDOW]), statistics.median(series[-WINDOW:])
        assert last <= 1.5 * first, (what, first, last)
    assert max(files[-100:]) <= 2 * max(files[100:200]), (files[100:200:10], files[-100::10])
