"""How long a plan takes, and how much memory, as a query grows: part of `planning.py --large`.

Each query is the only view of a project. The project is made, and the plan is made, in processes of their own, which
are stopped when they take too long or too much: that is reported as a figure would be.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.arms import write  # noqa: E402
from tests.corpus.large import CATALOG, large_queries  # noqa: E402
from tests.fuzz.ctes import FAMILIES, large_query  # noqa: E402
from tests.streams.saas import SaasStream  # noqa: E402

import tidewheel as tw  # noqa: E402
from tidewheel.ir.tree import nodes  # noqa: E402
from tidewheel.sql.bind import bind  # noqa: E402

SEED: Final = 1
SIZES: Final = (10, 20, 40, 60, 100)
ENOUGH: Final = 10.0
"""Seconds of measuring after which a query is not measured again."""
HANGING: Final = 10
"""A process that has not used its seconds after so many times as long does not use any."""
COPY: Final = "SELECT account_id, segment FROM accounts"
"""The least of views: what its plan takes, programs that are loaded first of all, is not what queries make grow."""
PLAN: Final = """
import json, resource, sys, time
import tidewheel as tw
project = tw.open(sys.argv[1])
began = time.process_time()
plan = project.plan()
first = time.process_time() - began
try:  # what a process had before it was replaced by this program counts in ru_maxrss, and not here
    lines = open("/proc/self/status").read().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024)
assert "pyspark" not in sys.modules
from tidewheel.ir.tree import nodes
memos, programs = project._memory.memos.values(), project._memory.programs.values()
print(json.dumps({
    "seconds": first,
    "megabytes": peak,
    "goals": sum(len(memo.goals) for _, memo in memos),
    "nodes": sum(1 for program, _ in programs for step in program.steps for _ in nodes(step.rel)),
    "methods": [step.method for step in plan.steps],
}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a process may take: seconds of the processor, and gigabytes of addresses."""

    seconds: float
    gigabytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One query: what planning took, the goals of its memo, the operators of what would run.

    `stopped` says what ended its first build or its plan before they were done.
    """

    family: str
    ctes: int
    operators: int
    build: float | None = None
    seconds: float | None = None
    megabytes: float | None = None
    goals: int | None = None
    nodes: int | None = None
    methods: tuple[str, ...] = ()
    stopped: str | None = None

    def line(self, name: str) -> str:
        build, plan, memory = _shown(self.build, ".1f"), _shown(self.seconds, ".2f"), _shown(self.megabytes, ".0f")
        if self.stopped is not None:
            build, plan = (self.stopped, "") if self.build is None else (build, self.stopped)
        goals, nodes, method = _shown(self.goals, "d"), _shown(self.nodes, "d"), ", ".join(self.methods)
        made = f"{goals:>8}{nodes:>8}"
        return f"{name:<22}{self.ctes:>6}{self.operators:>11}{build:>10}{plan:>10}{memory:>10}{made}  {method}"


COLUMNS: Final = f"{'build s':>10}{'plan s':>10}{'peak MB':>10}{'goals':>8}{'nodes':>8}  method"
HEADER: Final = f"{'query':<22}{'CTEs':>6}{'operators':>11}{COLUMNS}"


SLOPES: Final = ("seconds", "seconds above", "memory above")


class StoppedError(Exception):
    """A process that was not done, with the limit that it reached or how it failed."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--large", action="store_true", help="single views of 10 to 100 CTEs instead")
    parser.add_argument("--families", nargs="*", default=list(FAMILIES), choices=FAMILIES, help="of made-up queries")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES), help="their numbers of CTEs")
    parser.add_argument("--queries", nargs="*", default=list(large_queries()), help="those written by hand")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds of the processor for each process")
    parser.add_argument("--memory", type=float, default=8.0, help="gigabytes for each process")


def run(options: argparse.Namespace) -> None:
    """Measure all queries, print them and how they grow, and write the figures."""
    work = options.work.absolute() / "planning" / "large"
    limits = Limits(seconds=options.timeout, gigabytes=options.memory)
    least = _measured(work, "least", COPY, limits, options.rounds)
    print(f"{HEADER}\n{least.line('a copy of a source')}", flush=True)
    found: dict[str, Measured] = {}
    for name, (family, sql) in _cases(options).items():
        found[name] = _measured(work, family, sql, limits, options.rounds)
        print(found[name].line(name), flush=True)
    slopes = {
        family: _slopes([one for one in found.values() if one.family == family], least) for family in options.families
    }
    print(f"\n{'family':<22}{'done':>8}" + "".join(f"{name:>15}" for name in SLOPES) + "  as powers of operators")
    for family, slope in slopes.items():
        shown = "".join(f"{_shown(slope[name], '.2f'):>15}" for name in SLOPES)
        print(f"{family:<22}{slope['done']:>8}{shown}")
    queries = {name: asdict(one) for name, one in found.items()}
    results = {"least": asdict(least), "queries": queries, "slopes": slopes}
    write(options.work, "planning-large", options, results)


def _cases(options: argparse.Namespace) -> dict[str, tuple[str, str]]:
    """The family and the text of each query by its name."""
    made = {
        f"{family} {size}": (family, large_query(family, size, SEED))
        for family in options.families
        for size in options.sizes
    }
    return made | {name: ("by hand", large_queries()[name]) for name in options.queries}


def _measured(work: Path, family: str, sql: str, limits: Limits, rounds: int) -> Measured:
    rel = bind(sql, CATALOG).rel
    about: dict[str, Any] = {
        "family": family,
        "ctes": len(re.findall(r"^(?:WITH )?\w+ AS \($", sql, re.MULTILINE)),
        "operators": sum(1 for _ in nodes(rel)),
    }
    folder = work / hashlib.sha256(sql.encode()).hexdigest()[:16]
    found: dict[str, Any] = {}
    try:
        found["build"] = _built(folder, sql, limits)
        found |= _best(folder, limits, rounds)
    except StoppedError as stopped:
        found["stopped"] = str(stopped)
    return Measured(**about, **found)


def _built(folder: Path, sql: str, limits: Limits) -> float:
    """What the first build took, in this run or in an earlier one."""
    if not (folder / "done").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.with_suffix(".sql").write_text(sql)
        _call([sys.executable, __file__, str(folder), str(folder.with_suffix(".sql"))], limits)
    return float((folder / "done").read_text())


def _best(folder: Path, limits: Limits, rounds: int) -> dict[str, Any]:
    """The least of some processes; one that takes long stands for all."""
    found = [_call([sys.executable, "-c", PLAN, str(folder)], limits)]
    while len(found) < rounds and sum(one["seconds"] for one in found) < ENOUGH:
        found.append(_call([sys.executable, "-c", PLAN, str(folder)], limits))
    best = {name: min(one[name] for one in found) for name in ("seconds", "megabytes")}
    return best | {name: found[0][name] for name in ("goals", "nodes")} | {"methods": tuple(found[0]["methods"])}


def _call(command: Sequence[str], limits: Limits) -> dict[str, Any]:
    """What a process prints; its whole life counts against the limits."""
    addresses, seconds = int(limits.gigabytes * 2**30), math.ceil(limits.seconds)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    try:
        done = subprocess.run(command, capture_output=True, timeout=HANGING * seconds, preexec_fn=limit, check=False)
    except subprocess.TimeoutExpired:
        raise StoppedError(f">{seconds}") from None
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        raise StoppedError(f">{seconds}")
    if done.returncode:
        text = done.stderr.decode(errors="replace").strip()
        if "MemoryError" in text or "ut of memory" in text or "bad_alloc" in text:
            raise StoppedError(f">{limits.gigabytes:.0f} GB")
        print(text[-2000:], file=sys.stderr)
        raise StoppedError("failed")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _slopes(some: Sequence[Measured], least: Measured) -> dict[str, Any]:
    """How seconds and megabytes grow with operators, also above those of the least view: 1 is in proportion."""
    done = [(one.operators, one.seconds, one.megabytes) for one in some if one.seconds and one.megabytes]
    seconds, megabytes = least.seconds or 0.0, least.megabytes or 0.0
    return {
        "done": f"{len(done)} of {len(some)}",
        "seconds": _slope([(operators, second) for operators, second, _ in done]),
        "seconds above": _slope([(operators, second - seconds) for operators, second, _ in done]),
        "memory above": _slope([(operators, megabyte - megabytes) for operators, _, megabyte in done]),
    }


def _slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Of the line through the logarithms with the least squares; None for fewer than two points."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    middle, height = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    return float(sum((x - middle) * (y - height) for x, y in logs) / sum((x - middle) ** 2 for x, _ in logs))


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _make(folder: Path, sql: str) -> None:
    """A project with a change that is not yet in its views; the file `done` holds what its first build took."""
    stream = SaasStream(SEED, share=1.0)
    shutil.rmtree(folder, ignore_errors=True)
    project = tw.create(folder, sources=stream.sources, views={"report": sql}, engine="local")
    for batch in stream.load():
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    began = time.monotonic()
    run = project.refresh()
    seconds = time.monotonic() - began
    if run.failed:
        raise AssertionError({name: str(view.error) for name, view in run.failed.items()})
    for batch in stream.round():
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    (folder / "done").write_text(str(seconds))
    print(json.dumps({"build": seconds}))


if __name__ == "__main__":
    _make(Path(sys.argv[1]), Path(sys.argv[2]).read_text())
