"""Refreshes by the code of another commit and by this, in turn, in one run.

Each code has a process of its own that builds the views and then takes one round of changes whenever it is told to: the
same rounds, one after the other. Only refreshes as they come are measured. What is printed are medians over the rounds
but the first, and their ratio.

    python benchmarks/against.py 8a018cb --suites tpch channels customers stock --rounds 6
    python benchmarks/against.py HEAD~1 --suites tpch --placement spark --rounds 3
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

sys.path.append(str(Path(__file__).parents[1]))  # last: the code that is to be measured comes first

from benchmarks.commits import ROOT, environment, worktree

SUITES: Final = ("tpch", "channels", "customers", "stock")
READY: Final = "measured"
"""Begins the lines that a process prints for its driver."""


class Suite(NamedTuple):
    """What a process builds, and the changes that it takes."""

    sources: Any
    views: Any
    rows: Any
    round: Callable[[], Any]


def suite_of(name: str, data: Path, fraction: float, rounds: int) -> Suite:
    """By the modules of whatever code runs this."""
    if name == "tpch":
        return _tpch(data / "tpch-1", fraction)
    return _graph(name, data / "tpcds-1", fraction, rounds)


def _tpch(folder: Path, fraction: float) -> Suite:
    import pyarrow.parquet as pq  # noqa: PLC0415  only in the processes that measure
    from tests.streams.tpch import SOURCES, VIEWS, TpchStream  # noqa: PLC0415

    lines = pq.read_table(folder / "lineitem", columns=["l_orderkey"])
    stream = TpchStream(1, scale=1.0, tables={"lineitem": lines})
    stream.fraction, stream.spread, stream.updates = fraction, False, False
    rows = [(table, folder / table / f"{table}.parquet") for table in SOURCES]
    return Suite(SOURCES, VIEWS, rows, stream.round)


def _graph(name: str, folder: Path, fraction: float, rounds: int) -> Suite:
    from benchmarks.graph_refresh import SCHEMAS, Facts, key_of  # noqa: PLC0415
    from tests.streams.graphs import graph  # noqa: PLC0415
    from tests.streams.tpch import managed  # noqa: PLC0415

    facts = Facts(folder, held_back=fraction * rounds)
    sources = {table: managed(schema, key_of(table)) for table, schema in SCHEMAS.items()}
    return Suite(sources, graph(name), facts.load(), lambda: facts.round(fraction))


def measure(options: argparse.Namespace) -> None:
    """In a process of its own: build, and then a round for each line that is read."""
    from benchmarks.arms import Arms  # noqa: PLC0415

    suite = suite_of(options.suite, options.data, options.fraction, options.rounds)
    arms = Arms(options.work, suite.sources, suite.views, suite.rows, ways=("auto",))
    arm = arms.arms["auto"]
    print(READY, 0.0, flush=True)
    for _ in sys.stdin:
        for batch in suite.round():
            arm.project.ingest(batch.source, batch.rows, mode=batch.mode)
        run = arm.project.refresh(placement=options.placement)
        if run.failed:
            raise AssertionError(run.failed)
        print(READY, run.seconds, flush=True)
    arms.stop()


class Code:
    """A process that runs the code in a folder."""

    def __init__(self, folder: Path, options: argparse.Namespace, suite: str, work: Path) -> None:
        work.mkdir(parents=True, exist_ok=True)
        words = {
            "suite": suite, "work": work, "data": options.work.absolute(), "fraction": options.fraction,
            "rounds": options.rounds, "placement": options.placement,
        }  # fmt: skip
        command = [sys.executable, __file__, "-", *(f"--{name}={value}" for name, value in words.items())]
        self.process = subprocess.Popen(
            command, env=environment(folder), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.seconds = [self._next()]

    def round(self) -> float:
        pipe = self._pipe(self.process.stdin)
        pipe.write("\n")
        pipe.flush()
        self.seconds.append(self._next())
        return self.seconds[-1]

    def stop(self) -> None:
        self._pipe(self.process.stdin).close()
        self.process.wait()

    @property
    def median(self) -> float:
        return statistics.median(self.seconds[2:])

    def _next(self) -> float:
        for line in self._pipe(self.process.stdout):
            if line.startswith(READY):
                return float(line.split()[1])
        raise RuntimeError(f"it ended with {self.process.wait()}")

    def _pipe(self, found: IO[str] | None) -> IO[str]:
        if found is None:
            raise RuntimeError("it has no pipe")
        return found


def compared(name: str, options: argparse.Namespace, other: Path) -> Iterator[str]:
    """One suite: builds one after the other, then rounds in turn."""
    work = options.work.absolute() / "against" / name
    codes = {"here": Code(ROOT, options, name, work / "here"), "there": Code(other, options, name, work / "there")}
    for number in range(options.rounds):
        for code in [*codes.values()][:: 1 if number % 2 else -1]:
            code.round()
    for code in codes.values():
        code.stop()
    here, there = codes["here"], codes["there"]
    yield f"{name:<12}{here.median:>9.2f}{there.median:>9.2f}{here.median / there.median:>8.2f}  {here.seconds[1:]}"
    yield f"{'':<38}  {there.seconds[1:]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="- in the processes that this one starts")
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=["tpch"])
    parser.add_argument("--fraction", type=float, default=0.001)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--placement", choices=["auto", "spark", "driver"], default="auto")
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    parser.add_argument("--suite", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.commit == "-":
        measure(options)
        return
    from benchmarks.data import generate_tpcds, generate_tpch  # noqa: PLC0415

    generate_tpch(1, options.work.absolute() / "tpch-1")
    generate_tpcds(1, options.work.absolute() / "tpcds-1")
    other = worktree(options.commit, options.work.absolute() / "against" / "code")
    print(f"{'suite':<12}{'here s':>9}{'there s':>9}{'ratio':>8}  {options.placement}, {options.fraction:.2%} changed")
    for name in options.suites:
        for line in compared(name, options, other):
            print(line, flush=True)


if __name__ == "__main__":
    main()
