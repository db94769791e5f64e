"""What a command loads: nothing heavy before it is needed, and never Spark where Spark has nothing to do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw

HEAVY = ["pyspark", "py4j", "deltalake", "pyarrow", "duckdb", "sqlglot", "pydantic", "pandas", "numpy"]
REPORT = f"""
import atexit, json, sys
atexit.register(lambda: sys.stderr.write(json.dumps([m for m in {HEAVY} if m in sys.modules])))
"""


def loaded_by(code: str, *arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", REPORT + code, *arguments], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_import_tidewheel_loads_nothing_heavy() -> None:
    assert loaded_by("import tidewheel; tidewheel.UserError") == set()


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by("from tidewheel.cli.app import main; main()", "--help") == set()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project on Spark whose views are up to date (built by the local engine)."""
    root = tmp_path_factory.mktemp("imports") / "shop"
    views = {"v": "SELECT a FROM s"}
    project = tw.create(root, sources={"s": {"kind": "managed", "schema": "a BIGINT"}}, views=views)
    project.ingest("s", pa.table({"a": [1]}))
    tw.open(root, engine="local").refresh()
    (root / "rows.csv").write_text("a\n")
    return root


@pytest.mark.parametrize(
    "command",
    [
        ["plan"], ["status"], ["history"], ["show", "v"], ["explain", "v"], ["graph"], ["refresh"], ["drop"],
        ["ingest", "s", "rows.csv"], ["vacuum", "--dry-run"],
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_commands_that_need_no_engine_never_load_spark(root: Path, command: list[str]) -> None:
    arguments = [str(root / "rows.csv") if a == "rows.csv" else a for a in command]
    loaded = loaded_by("from tidewheel.cli.app import main; main()", "-p", str(root), *arguments)
    assert not loaded & {"pyspark", "py4j"}


@pytest.mark.parametrize("command", ["plan", "status", "history", "graph"])
def test_looking_does_not_load_arrow_duckdb_or_delta(root: Path, command: str) -> None:
    loaded = loaded_by("from tidewheel.cli.app import main; main()", "-p", str(root), command)
    assert not loaded & {"pyarrow", "duckdb", "deltalake", "pandas", "numpy"}
