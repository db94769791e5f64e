"""Tests in two lanes side by side: those that start a JVM, and all others on several workers.

What a lane prints goes to a file in build/lanes, and to standard output once it is done. The exit code is 0 only if no
lane failed. A lane is in a process group of its own: an interrupt reaches it once, through us, and what is left of it
after a while is killed.

    python -m tests.lanes --workers 2 [--all] [arguments for pytest]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

LOGS = Path("build") / "lanes"
POLL = 0.2
PATIENCE = 30.0
"""Seconds that a lane has to end by itself after an interrupt."""
NO_TESTS = 5
"""What pytest ends with if nothing was selected: not a failure if the arguments leave a lane nothing to do."""


def lanes(workers: int, *, everything: bool) -> dict[str, list[str]]:
    """The arguments for pytest of each lane: everything, or all but what is long or was proven before."""
    spark, local = ("spark", "not spark") if everything else ("spark and not long", "not spark and not long")
    return {
        "spark": ["-m", spark, *(["--prove-all"] if everything else [])],
        "local": ["-m", local, "-n", str(workers), "--dist", "worksteal"],
    }


@dataclass(slots=True)
class Lane:
    """A run of pytest."""

    name: str
    arguments: Sequence[str]
    began: float = field(default_factory=time.monotonic)
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        command = [sys.executable, "-m", "pytest", "-q", "--durations=15", *self.arguments]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, process_group=0)

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    def show(self) -> None:
        print(f"--- {self.name}: ended with {self.process.returncode} after {time.monotonic() - self.began:.0f} s ---")
        print(self.log.read_text("utf-8", "replace"), flush=True)

    def end(self) -> None:
        """Interrupt it, so that it says what failed so far; then make sure that nothing of it is left."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def run(wanted: dict[str, list[str]]) -> int:
    LOGS.mkdir(parents=True, exist_ok=True)
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell in the background had us ignore the first
        signal.signal(number, signal.default_int_handler)
    running = [Lane(name, arguments) for name, arguments in wanted.items()]
    done: list[Lane] = []
    print("side by side:", ", ".join(f"{lane.name} (tail -f {lane.log})" for lane in running), flush=True)
    try:
        while len(done) < len(running):
            time.sleep(POLL)
            for lane in running:
                if lane not in done and lane.process.poll() is not None:
                    lane.show()
                    done.append(lane)
    except KeyboardInterrupt:
        for lane in running:
            lane.end()
            if lane not in done:
                lane.show()
        return 130
    return judge([lane.process.returncode for lane in running])


def judge(codes: Sequence[int]) -> int:
    """0 if every lane passed, and at least one of them had something to do."""
    if all(code in {0, NO_TESTS} for code in codes) and 0 in codes:
        return 0
    return next(code for code in codes if code != 0) % 256


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lanes", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, default=2, help="for the tests that start no JVM")
    parser.add_argument("--all", action="store_true", help="the long ones too, and what was proven on Spark before")
    options, more = parser.parse_known_args()
    wanted = lanes(options.workers, everything=options.all)
    return run({name: [*arguments, *more] for name, arguments in wanted.items()})


if __name__ == "__main__":
    sys.exit(main())
