"""`plan --exit-code`, `refresh --fail-on full` and `refresh --wait`."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.cli.command import PROGRAM
from tests.cli.conftest import Tidewheel
from tests.e2e.refusals import refused


def add_row(root: Path, number: int) -> None:
    row = {"order_id": [number], "day": [None], "customer": ["eve"], "amount": [None]}
    tw.open(root).ingest("orders", pa.table({k: pa.array(v) for k, v in row.items()}), mode="upsert")


def rewrite(root: Path) -> None:
    """Another tool replaces the table of a view."""
    log = root / "warehouse" / "customers" / "_delta_log"
    newest = max(log.glob("*.json"))
    (log / f"{int(newest.stem) + 1:020d}.json").write_text(newest.read_text())


@pytest.fixture
def avoidable(fresh: Tidewheel, root: Path) -> Tidewheel:
    """A project in which somebody else wrote to the table of `customers`: it must be recomputed."""
    rewrite(root)
    return fresh


def test_a_plan_with_a_full_build_that_nobody_asked_for_ends_with_2(avoidable: Tidewheel) -> None:
    assert avoidable("plan").code == 0
    done = avoidable("plan", "--exit-code")
    assert done.code == 2
    assert "nobody asked for it: customers" in done.out
    assert avoidable("plan", "--exit-code", "--json").json["unasked_full"] == ["customers"]


def test_what_was_asked_for_does_not_count(tidewheel: Tidewheel, root: Path) -> None:
    assert tidewheel("plan", "--exit-code").code == 0, "first builds"
    assert tidewheel("refresh", "--fail-on", "full").code == 0
    assert tidewheel("plan", "--exit-code", "--full-refresh").code == 0, "asked for"
    (root / "views" / "daily.sql").write_text(
        "SELECT day, count(*) + 1 AS n, sum(amount) AS total FROM orders GROUP BY day"
    )
    assert tidewheel("plan", "--exit-code").code == 0, "a changed definition, and what is below it"


def test_options_of_a_view_ask_for_it(fresh: Tidewheel, root: Path) -> None:
    for name in ("daily", "best", "customers"):
        path = root / "views" / f"{name}.sql"
        path.write_text("-- tidewheel: {refresh: full}\n" + path.read_text().splitlines()[-1])
    fresh("refresh")
    add_row(root, 9)
    assert {v["method"] for v in fresh("plan", "--json").json["views"]} == {"full"}
    assert fresh("plan", "--exit-code").code == 0


def test_the_clock_does_not_excuse(fresh: Tidewheel, root: Path) -> None:
    (root / "views" / "late.sql").write_text("SELECT order_id FROM orders WHERE day < current_date()")
    fresh("refresh")
    add_row(root, 9)
    assert fresh("plan", "--exit-code", "--json").json["unasked_full"] == ["late"]


def test_a_refresh_can_be_refused_instead_of_recomputing(avoidable: Tidewheel, root: Path) -> None:
    done = avoidable("refresh", "--fail-on", "full")
    assert done.code == 2
    assert 'error [full-refused] a view would be recomputed in full: "customers"' in done.err
    assert "another tool wrote to its table" in done.err
    assert avoidable("status", "--json").json["epoch"] == 1
    assert avoidable("refresh").code == 0


def test_a_refused_refresh_changes_nothing(avoidable: Tidewheel, root: Path) -> None:
    with refused(root, "full-refused"):
        tw.open(root).refresh(fail_on="full")


def test_a_refresh_fails_on_nothing_else(fresh: Tidewheel) -> None:
    assert "bad-option" in fresh("refresh", "--fail-on", "rain").err


def stopped(root: Path, place: str, *command: str) -> subprocess.Popen[str]:
    """A refresh that stops itself at a failpoint."""
    environment = {**os.environ, "TIDEWHEEL_FAILPOINT": f"{place}=stop"}
    process = subprocess.Popen([*PROGRAM, "-p", str(root), *command], env=environment, text=True)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    return process


def test_a_refresh_waits_for_one_under_way_and_plans_again(fresh: Tidewheel, root: Path) -> None:
    add_row(root, 9)
    first = stopped(root, "epoch.decide:before", "refresh")
    second = subprocess.Popen([*PROGRAM, "-p", str(root), "refresh", "--wait"], stderr=subprocess.PIPE, text=True)
    assert second.stderr is not None
    assert f"waiting for process {first.pid}" in second.stderr.readline()
    first.send_signal(signal.SIGCONT)
    assert first.wait() == 0
    second.communicate()
    assert second.returncode == 0
    assert fresh("status", "--json").json["epoch"] == 2, "the second had nothing left to do"


def test_a_refresh_that_lost_is_tried_again(fresh: Tidewheel, root: Path) -> None:
    add_row(root, 9)
    slow = stopped(root, "epoch.decide:before", "refresh", "--wait", "--full-refresh")
    assert fresh("refresh").code == 0
    slow.send_signal(signal.SIGCONT)
    assert slow.wait() == 0
    assert fresh("status", "--json").json["epoch"] == 3
    assert fresh("verify", "--engine", "local").code == 0


def test_a_run_that_died_is_not_waited_for(fresh: Tidewheel, root: Path) -> None:
    dead = stopped(root, "epoch.decide:before", "refresh", "--full-refresh")
    dead.kill()
    dead.wait()
    assert fresh("refresh", "--wait", "--full-refresh").code == 0


# --- progress ---


def test_progress_of_json_is_on_standard_error(tidewheel: Tidewheel) -> None:
    done = tidewheel("refresh", "--json")
    assert done.json["epoch"] == 1
    assert "[3/3]" in done.err


def test_verify_tells_of_every_view(fresh: Tidewheel) -> None:
    done = fresh("verify", "--json")
    assert done.json["equal"] is True
    assert sorted(line.split(": ")[1] for line in done.err.splitlines()) == ["equal"] * 3


def test_a_terminal_shows_what_is_running(root: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "-p", str(root), "query", "SELECT 1 AS a"], stderr=follower, stdout=subprocess.PIPE, text=True
    )
    out, _ = process.communicate()
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert out == "a\n1\n"
    assert "running the query" in shown
