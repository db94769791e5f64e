"""How much bad input is tried: each kind has its cases, and there are no fewer than a user would find in a year."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [*sorted(ROOT.glob("tests/e2e/test_bad_input*.py")), ROOT / "tests/cli/test_bad_arguments.py"]
KINDS = {
    # kind: (at least so many cases, words in the names of their tests); the first kind that fits counts
    "arguments": (80, ("bad_call", "selection", "standard_error")),
    "environment": (12, ("java", "disk", "variable", "environment", "outside", "written", "spark")),
    "configuration": (60, ("configuration", "yaml", "elsewhere", "target", "bad_name", "declared", "sound")),
    "SQL": (60, ("view", "query", "cycle")),
    "data": (40, ("row", "stream", "upsert", "ingest", "schema")),
    "files": (30, ("file", "folder", "damaged", "format", "table", "log", "record")),
}
LEAST = 150


@pytest.fixture(scope="module")
def cases() -> list[str]:
    """Every case by its test's name."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *map(str, FILES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_there_are_enough_cases(cases: list[str]) -> None:
    assert len(cases) >= LEAST


def kind_of(case: str) -> str | None:
    name = case.split("::")[1].split("[", maxsplit=1)[0]
    return next((kind for kind, (_, words) in KINDS.items() if any(word in name for word in words)), None)


def test_there_are_enough_of_each_kind(cases: list[str]) -> None:
    counts = Counter(map(kind_of, cases))
    assert {kind: counts[kind] for kind, (least, _) in KINDS.items() if counts[kind] < least} == {}
