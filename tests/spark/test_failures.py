"""A failure stays on its branch, says where it is, and leaves the last good version."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.engine.base import Output
from tidewheel.engine.local.engine import LocalRun
from tidewheel.errors import ExecutionError
from tidewheel.project.graph import View
from tidewheel.types import Schema

pytestmark = pytest.mark.spark

SOURCES = {"numbers": {"kind": "managed", "schema": "n BIGINT, d BIGINT"}}
VIEWS = {
    "base": "SELECT n, d FROM numbers",
    "good": "SELECT count(*) AS c, sum(n) AS s FROM base",
    "bad": "SELECT n, n / d AS ratio FROM base",
    "below_bad": "SELECT max(ratio) AS m FROM bad",
    "both": "SELECT g.c, b.m FROM good g CROSS JOIN below_bad b",
}


def numbers(*pairs: tuple[int, int]) -> pa.Table:
    return pa.table({"n": [p[0] for p in pairs], "d": [p[1] for p in pairs]})


def test_a_diamond_with_one_failed_branch_publishes_the_other(make_spark_project: MakeProject) -> None:
    project = make_spark_project(SOURCES, VIEWS)
    project.ingest("numbers", numbers((1, 1), (4, 2)))
    first = project.refresh()
    assert not first.failed
    project.ingest("numbers", numbers((5, 0)))

    run = project.refresh()

    assert {n: v.method for n, v in run.views.items()} == {
        "base": "append", "good": "merge", "bad": "failed", "below_bad": "blocked", "both": "blocked",
    }  # fmt: skip
    assert run.exit_code == 4
    assert run.views["bad"].error is not None
    assert "zero" in str(run.views["bad"].error).lower()
    epoch = project.epoch()
    assert epoch.views["good"].stale is None
    assert epoch.views["bad"].stale is not None
    assert epoch.views["bad"].as_of == first.epoch
    assert project.to_arrow("good").to_pylist() == [{"c": 3, "s": 10}]
    assert project.to_arrow("both").to_pylist() == [{"c": 2, "m": 2.0}]
    with project.snapshot() as snapshot, pytest.raises(tw.UserError, match="stale"):
        snapshot.to_arrow("both")
    assert not project.verify().differences

    project.ingest("numbers", numbers((7, 7)))
    (Path(project.root) / "views" / "bad.sql").write_text("SELECT n, n / nullif(d, 0) AS ratio FROM base")
    healed = project.refresh()
    assert not healed.failed
    assert project.to_arrow("both").to_pylist() == [{"c": 4, "m": 2.0}]
    assert not project.verify().differences


def test_what_is_too_much_for_the_driver_goes_to_spark(
    make_spark_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    tight, told = LocalRun.run, []

    def run(session: LocalRun, view: View, outputs: Sequence[Output]) -> list[Schema]:
        before = session.connection.execute("SELECT current_setting('memory_limit')").fetchone()
        session.connection.execute("SET memory_limit = '1MB'")
        try:
            return tight(session, view, outputs)
        except ExecutionError as error:
            told.append(error.code)
            raise
        finally:
            session.connection.execute(f"SET memory_limit = '{before[0] if before else '1GB'}'")

    project = make_spark_project(SOURCES, {"many": "SELECT n, sum(d) AS s FROM numbers GROUP BY n"})
    project.ingest("numbers", numbers((1, 1)))
    project.refresh()
    monkeypatch.setattr(LocalRun, "run", run)
    project.ingest("numbers", numbers(*((n, n) for n in range(300_000))))
    assert project.refresh().views["many"].method == "merge"
    assert "out-of-memory" in told
    monkeypatch.undo()
    assert project.verify().differences == {}


def test_if_every_view_fails_nothing_is_published(make_spark_project: MakeProject) -> None:
    project = make_spark_project(SOURCES, {"bad": VIEWS["bad"].replace("base", "numbers")})
    project.ingest("numbers", numbers((1, 0)))
    with pytest.raises(tw.ExecutionError):
        project.refresh()
    assert project.epoch().number == 0
    assert project.history()[0]["published"] is False


def test_spark_that_dies_mid_run_publishes_nothing_and_the_next_run_succeeds(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import sys, os, signal
        import tidewheel as tw
        project = tw.open(sys.argv[1])
        def kill(event, view, result):
            if event == "start" and view == "slow":
                from pyspark import SparkContext
                os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
        try:
            project.refresh(listener=kill)
        except tw.ExecutionError as error:
            print(error.code, flush=True)
            os._exit(error.exit_code)
        os._exit(0)
        """
    )
    views = {"first": "SELECT count(*) AS c FROM numbers", "slow": "SELECT a.c FROM first a"}
    project = tw.create(tmp_path / "p", sources=SOURCES, views=views)
    project.ingest("numbers", numbers((1, 1)))
    env = os.environ | {"PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "p")], capture_output=True, text=True, env=env, check=False
    )
    assert done.stdout.strip() == "spark-died", done.stderr
    assert done.returncode == 4
    assert project.epoch().number == 0
    assert not list((tmp_path / "p" / "warehouse" / "_tidewheel" / "intents").iterdir())
