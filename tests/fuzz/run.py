"""Seeds over processes, or against Spark; what differs is shrunk and written down."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz import cases
from tests.fuzz.compare import Comparison, Difference, Verdict, agree, reference
from tests.fuzz.generate import SEEDS_PER_WORLD, generate
from tests.fuzz.summary import Summary


@dataclass(slots=True)
class Found:
    """What one worker did."""

    summary: Summary = field(default_factory=Summary)
    differences: list[str] = field(default_factory=list)


def run_seeds(seeds: range, folder: Path, shrink_seconds: float) -> Found:
    """Every seed of a range, in this process."""
    comparison, found = Comparison(), Found()
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


def run_spark(seeds: range, folder: Path) -> Found:
    """Reference against Spark; differences are written as they are, since asking Spark again and again is slow."""
    from tests.fuzz.spark import Spark  # noqa: PLC0415  it starts a JVM
    from tidewheel.engine.spark.session import connect  # noqa: PLC0415
    from tidewheel.project.config import SparkOptions  # noqa: PLC0415

    warnings.simplefilter("ignore")
    session = connect(SparkOptions(master="local[2]", conf={"spark.driver.memory": "3g"}), "fuzz")
    spark, found, start = Spark(session), Found(), time.monotonic()
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


def run_parallel(seeds: range, folder: Path, *, jobs: int, minutes: float, shrink_seconds: float) -> Found:
    """Ranges of seeds, whole worlds each, over some processes, until they are done or the time is up."""
    total, begun = Found(), time.monotonic()
    until = begun + minutes * 60 if minutes else float("inf")
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        todo = _chunks(seeds, 10 * SEEDS_PER_WORLD)
        running = {pool.submit(run_seeds, c, folder, shrink_seconds) for _, c in zip(range(jobs), todo, strict=False)}
        while running:
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                found = future.result()
                total.summary.merge(found.summary)
                total.differences += found.differences
                for text in found.differences:
                    print(text, flush=True)
                following = next(todo, None) if time.monotonic() < until else None
                if following is not None:
                    running.add(pool.submit(run_seeds, following, folder, shrink_seconds))
            progress = f"{total.summary.cases} cases, {len(total.differences)} differences"
            print(f"{progress}, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    total.summary.seconds = time.monotonic() - begun
    return total
