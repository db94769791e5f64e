"""Seeds over processes, or against Spark; what differs is shrunk and written down."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from tests.fuzz import cases
from tests.fuzz.compare import Comparison, Difference, Verdict, agree, reference
from tests.fuzz.generate import SEEDS_PER_WORLD, generate
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.maintain import Maintenance, Seen
from tests.fuzz.summary import Summary


class Counts(Protocol):
    """What was covered: adds up over workers."""

    cases: int
    seconds: float

    def merge(self, other: Any) -> None: ...


S = TypeVar("S", bound=Counts)


@dataclass(slots=True)
class Found(Generic[S]):
    """What one worker did."""

    summary: S
    differences: list[str] = field(default_factory=list)


def run_seeds(seeds: range, folder: Path, shrink_seconds: float) -> Found[Summary]:
    """Every seed of a range, in this process."""
    comparison, found = Comparison(), Found(Summary())
    start = time.monotonic()
    spent = 0.0
    for seed in seeds:
        verdict = comparison.check(generate(seed))
        if verdict.difference is not None:
            before = time.monotonic()
            small = cases.shrunk(verdict.difference, comparison, shrink_seconds)
            found.differences.append(f"{cases.write(small, folder)}\n{small}\n{small.case}")
            spent += time.monotonic() - before
        found.summary.add(generate(seed), verdict)
    found.summary.seconds = time.monotonic() - start - spent
    return found


def run_histories(seeds: range, folder: Path, shrink_seconds: float) -> Found[Seen]:
    """The history of every seed of a range, in this process."""
    maintenance, start = Maintenance(), time.monotonic()
    found = Found(maintenance.seen)
    spent = 0.0
    for seed in seeds:
        failure = maintenance.check(generate_history(seed))
        if failure is not None:
            before = time.monotonic()
            small = cases.shrunk_history(failure, shrink_seconds)
            found.differences.append(f"{cases.write_history(small, folder)}\n{small}\n{small.history}")
            spent += time.monotonic() - before
    found.summary.seconds = time.monotonic() - start - spent
    return found


def run_spark(seeds: range, folder: Path) -> Found[Summary]:
    """Reference against Spark; differences are written as they are, since asking Spark again and again is slow."""
    from tests.fuzz.spark import Spark  # noqa: PLC0415  it starts a JVM
    from tidewheel.engine.spark.session import connect  # noqa: PLC0415
    from tidewheel.project.config import SparkOptions  # noqa: PLC0415

    warnings.simplefilter("ignore")
    session = connect(SparkOptions(master="local[2]", conf={"spark.driver.memory": "3g"}), "fuzz")
    spark, found, start = Spark(session), Found(Summary()), time.monotonic()
    for some in _chunks(seeds, 50):
        batch = [generate(seed) for seed in some]
        outcomes = spark.run_all([(case, case.query) for case in batch])
        for case, outcome in zip(batch, outcomes, strict=True):
            expected = reference(case)
            found.summary.add(case, Verdict(outcomes={"reference": expected, "spark": outcome}))
            if not agree(expected, outcome):
                difference = Difference(case=case, who="spark", expected=expected, found=outcome)
                found.differences.append(f"{cases.write(difference, folder)}\n{difference}")
        print(f"{some.stop - seeds.start} cases, {len(found.differences)} differences", file=sys.stderr, flush=True)
    found.summary.seconds = time.monotonic() - start
    session.stop()
    return found


def _chunks(seeds: range, size: int) -> Iterator[range]:
    for start in range(seeds.start, seeds.stop, size):
        yield range(start, min(start + size, seeds.stop))


Worker = Callable[[range, Path, float], Found[S]]


def run_parallel(
    worker: Worker[S], total: S, seeds: range, folder: Path, *, jobs: int, minutes: float, shrink_seconds: float
) -> Found[S]:
    """Ranges of seeds, whole worlds each, over some processes, until they are done or the time is up."""
    found, begun = Found(total), time.monotonic()
    until = begun + minutes * 60 if minutes else float("inf")
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        todo = _chunks(seeds, 4 * SEEDS_PER_WORLD)
        running = {pool.submit(worker, c, folder, shrink_seconds) for _, c in zip(range(jobs), todo, strict=False)}
        while running:
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                part = future.result()
                found.summary.merge(part.summary)
                found.differences += part.differences
                for text in part.differences:
                    print(text, flush=True)
                following = next(todo, None) if time.monotonic() < until else None
                if following is not None:
                    running.add(pool.submit(worker, following, folder, shrink_seconds))
            progress = f"{found.summary.cases} cases, {len(found.differences)} differences"
            print(f"{progress}, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    found.summary.seconds = time.monotonic() - begun
    return found
