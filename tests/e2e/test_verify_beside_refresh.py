"""`verify` while another process refreshes: it compares one epoch with itself, however far the tables move on."""

from __future__ import annotations

import threading

import pyarrow as pa

import tidewheel as tw
from tests.conftest import MakeProject

SOURCES = {"s": {"kind": "managed", "schema": "k BIGINT, g BIGINT, v BIGINT", "key": ["k"]}}
VIEWS = {
    "sums": "SELECT g, sum(v) AS total FROM s GROUP BY g",
    "top": "SELECT max(total) AS best FROM sums",
}


def test_verify_beside_running_refreshes_finds_no_difference(make_project: MakeProject) -> None:
    project = make_project(SOURCES, VIEWS)
    project.ingest("s", pa.table({"k": list(range(10)), "g": [1] * 10, "v": list(range(10))}))
    project.refresh()
    other = tw.open(project.root, engine="local")
    done = threading.Event()

    def keep_refreshing() -> None:
        for round_ in range(15):
            other.ingest("s", pa.table({"k": [100 + round_], "g": [2], "v": [round_]}))
            other.refresh()
        done.set()

    thread = threading.Thread(target=keep_refreshing)
    thread.start()
    epochs = set()
    while not done.is_set():
        found = project.verify()
        assert not found.differences
        epochs.add(found.epoch)
    thread.join()
    assert len(epochs) > 1
