"""Output that nobody reads ends no command: the run goes on, and its exit code is its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import tidewheel as tw
from tests.cli.command import PROGRAM


def unread(root: Path, *arguments: str, closed: str) -> int:
    """The exit code of a command of which one stream, or both, is a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    streams = {name: writing if closed in {name, "both"} else subprocess.DEVNULL for name in ("stdout", "stderr")}
    try:
        done = subprocess.run([*PROGRAM, "-p", str(root), *arguments], check=False, **streams)  # type: ignore[call-overload]
    finally:
        os.close(writing)
    code: int = done.returncode
    return code


@pytest.mark.parametrize("closed", ["stdout", "stderr", "both"])
def test_a_refresh_publishes_though_nobody_reads_its_output(root: Path, closed: str) -> None:
    assert unread(root, "refresh", closed=closed) == 0
    with tw.open(root) as project:
        assert project.epoch().number == 1
        assert [run["error"] for run in project.history()] == [None]


def test_the_exit_code_of_a_failed_run_is_kept_though_nobody_reads_its_output(root: Path) -> None:
    (root / "views" / "bad.sql").write_text("SELECT 1 DIV (count(*) - 3) AS x FROM orders")
    assert unread(root, "refresh", closed="both") == 4


def test_streams_that_were_closed_from_the_start_end_nothing(root: Path) -> None:
    command = " ".join(f"'{part}'" for part in [*PROGRAM, "-p", str(root), "refresh"])
    assert subprocess.run(["sh", "-c", f"{command} >&- 2>&-"], check=False).returncode == 0
    with tw.open(root) as project:
        assert project.epoch().number == 1
