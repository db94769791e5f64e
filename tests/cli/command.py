"""The command line as a user runs it: in a process of its own, or, where that is not the point, in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tidewheel.cli import app, options

PROGRAM = [sys.executable, "-c", "from tidewheel.cli.app import main; main()"]


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


def run(*arguments: str, cwd: str | Path | None = None, **environment: str | None) -> Outcome:
    """In a process of its own; a variable given as None is not set."""
    wanted = {**os.environ, **environment}
    done = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=cwd,
        env={k: v for k, v in wanted.items() if v is not None},
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    """In this process: the same code from `main` on."""
    capsys.readouterr()
    options.STATE.as_json = False
    with pytest.raises(SystemExit) as stopped:
        app.main(list(arguments))
    captured = capsys.readouterr()
    code = stopped.value.code
    return Outcome(code if isinstance(code, int) else 0, captured.out, captured.err)
