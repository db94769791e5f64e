"""The demo as a newcomer runs it, and what commands on it cost when there is nothing to do."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

RUN = "import sys; from tidewheel.cli.app import main; main(sys.argv[1:])"
HEAVY = "import deltalake, pyarrow, sqlglot"
NO_JVM = """
import sys
from tidewheel.cli.app import app
app(sys.argv[1:], standalone_mode=False)
found = sorted(m for m in sys.modules if m.split(".")[0] in {"pyspark", "py4j"})
sys.exit(f"imported: {found[:3]}" if found else 0)
"""


def tidewheel(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, check=False)


def seconds(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "shop"
    done = tidewheel("demo", str(folder), "--scale", "0.05", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    body = json.loads(done.stdout)
    assert body["verify"]["equal"]
    assert not any(v["error"] for v in body["second"]["views"].values())
    assert (folder / "tidewheel.yml").exists()
    return folder


@pytest.mark.parametrize("command", ["plan", "status", "refresh", "history"])
def test_nothing_to_do_imports_no_spark(shop: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_JVM, "-p", str(shop), command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["plan", "status", "refresh"])
def test_nothing_to_do_costs_less_than_three_imports(shop: Path, command: str) -> None:
    ratios = []
    for _ in range(5):
        base = seconds(sys.executable, "-c", HEAVY)
        ratios.append(seconds(sys.executable, "-c", RUN, "-p", str(shop), command) / base)
    assert statistics.median(ratios) < 3, ratios


def test_show_and_explain_tell_about_a_view(shop: Path) -> None:
    shown = tidewheel("-p", str(shop), "show", "daily_revenue", "-n", "3", "--json")
    assert len(json.loads(shown.stdout)) == 3
    explained = tidewheel("-p", str(shop), "explain", "overview", "--json")
    body = json.loads(explained.stdout)
    assert body["level"] >= 3
    assert body["next"]["method"] == "none"


def test_a_second_demo_in_the_same_folder_is_refused(shop: Path) -> None:
    done = tidewheel("demo", str(shop))
    assert done.returncode == 1
    assert "project-exists" in done.stderr
    assert os.listdir(shop)
