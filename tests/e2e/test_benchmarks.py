"""The benchmark of large queries reads what a project keeps of its plans: it must still find it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_growth_of_plans_is_measured(tmp_path: Path) -> None:
    options = "--large --families chain --sizes 10 --queries --rounds 1 --work"
    command = [sys.executable, "benchmarks/planning.py", *options.split(), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = json.loads(next(tmp_path.glob("planning-large*.json")).read_text())
    measured = written["results"]["queries"]["chain 10"]
    assert measured["stopped"] is None
    assert min(measured[name] for name in ("seconds", "megabytes", "goals", "nodes")) > 0
