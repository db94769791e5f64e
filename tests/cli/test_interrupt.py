"""Ctrl-C at any step: exit code 130, nothing half-done, and the next run finishes or repeats."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import tidewheel as tw
from tests.conftest import MakeProject

RUN = "import sys; from tidewheel.cli.app import main; main(sys.argv[1:])"
REFRESH = ["claim.write", "stage.data", "epoch.prepare", "epoch.decide", "apply.commit", "apply.done", "history.append"]
INGEST = ["ingest.attempt", "ingest.data", "ingest.change", "ingest.prepare", "ingest.commit", "ingest.done"]
SOURCES = {"t": {"kind": "managed", "schema": "id BIGINT, v BIGINT", "key": ["id"]}}
VIEWS = {"total": "SELECT sum(v) AS s, count(*) AS c FROM t", "again": "SELECT s, c FROM total"}


def interrupted(project: tw.Project, place: str, *command: str) -> tuple[int, str]:
    """Run a command that stops at a failpoint, interrupt it there, let it go on: its exit code, and what it says."""
    env = os.environ | {"TIDEWHEEL_FAILPOINT": f"{place}=stop"}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, "-p", project.root, *command],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), process.stderr and process.stderr.read()
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate()
    return process.returncode, said


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("t", pa.table({"id": [1, 2, 3], "v": [10, 20, 30]}))
    made.refresh()
    return made


@pytest.mark.parametrize("place", [f"{step}:{moment}" for step in REFRESH for moment in ("before", "after")])
def test_an_interrupted_refresh_leaves_a_good_project(project: tw.Project, place: str) -> None:
    project.ingest("t", pa.table({"id": [4], "v": [40]}))
    code, said = interrupted(project, place, "refresh")
    assert (code, "error [interrupted] interrupted" in said) == (130, True)
    assert project.to_arrow("again").to_pylist()[0]["c"] in {3, 4}
    project.refresh()
    assert project.to_arrow("again").to_pylist() == [{"s": 100, "c": 4}]
    assert not project.verify().differences
    assert not os.listdir(project.warehouse().own("intents"))


@pytest.mark.parametrize("place", [f"{step}:{moment}" for step in INGEST for moment in ("before", "after")])
def test_an_interrupted_ingest_is_all_or_nothing(project: tw.Project, place: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    pacsv.write_csv(pa.table({"id": [3, 4], "v": [33, 44]}), file)
    command = ("ingest", "t", str(file), "--mode", "upsert", "--id", "b1")
    assert interrupted(project, place, *command)[0] == 130
    project.refresh()
    assert project.to_arrow("total").to_pylist() in ([{"s": 60, "c": 3}], [{"s": 107, "c": 4}])
    project.ingest("t", str(file), mode="upsert", id="b1")
    project.refresh()
    assert project.to_arrow("total").to_pylist() == [{"s": 107, "c": 4}]
    assert not project.verify().differences
    assert not os.listdir(project.warehouse().ingests("t"))
