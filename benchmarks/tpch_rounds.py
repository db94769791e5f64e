"""Rounds of small changes to TPC-H: the 22 queries brought up to date from what changed, against recomputing them.

Two projects in one process and one Spark get the same rounds: new orders, old orders that go, updates of customers,
parts and suppliers. One refreshes as it comes, the other with `full_refresh=True`, in turn; after each round their
views must hold the same rows.

    python benchmarks/tpch_rounds.py --scale 1 --rounds 5
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.full_refresh import generate  # noqa: E402
from tests.streams.rounds import methods_table  # noqa: E402
from tests.streams.shadow import Shadow, stored  # noqa: E402
from tests.streams.tpch import SOURCES, VIEWS, TpchStream  # noqa: E402

import tidewheel as tw  # noqa: E402
from tidewheel.engine.spark.session import connect  # noqa: E402
from tidewheel.project.config import SparkOptions  # noqa: E402
from tidewheel.refresh.run import Run, ViewRun  # noqa: E402

MEASURES = ("rows", "bytes", "rows_read", "bytes_read")


class Arms:
    """The two projects, and their runs so far; the first of each builds everything."""

    def __init__(self, data: Path, work: Path, stream: TpchStream, views: dict[str, str]) -> None:
        self.stream, self.views = stream, views
        self.spark = connect(SparkOptions(conf={"spark.driver.memory": "8g"}), "tpch_rounds")
        self.projects: dict[str, tw.Project] = {}
        self.runs: dict[str, list[Run]] = {"incremental": [], "full": []}
        for arm in self.runs:
            folder = work / f"rounds-{arm}"
            shutil.rmtree(folder, ignore_errors=True)
            project = tw.create(folder, sources=SOURCES, views=views, spark=self.spark)
            for table in SOURCES:
                project.ingest(table, data / table / f"{table}.parquet")
            self.projects[arm] = project
            self._refresh(arm)

    def round(self, number: int) -> None:
        for batch in self.stream.round():
            for project in self.projects.values():
                project.ingest(batch.source, batch.rows, mode=batch.mode)
        for arm in sorted(self.runs, reverse=number % 2 == 0):
            self._refresh(arm)
        compare = Shadow({}, {}).compare
        roots = [project.root for project in self.projects.values()]
        wrong = {view: found for view in self.views if (found := compare(*(stored(root, view) for root in roots)))}
        if wrong:
            raise AssertionError(f"round {number}: {wrong}")

    def _refresh(self, arm: str) -> None:
        began = time.monotonic()
        run = self.projects[arm].refresh(full_refresh=arm == "full")
        if run.failed:
            raise AssertionError({name: str(view.error) for name, view in run.failed.items()})
        self.runs[arm].append(run)
        print(f"epoch {run.epoch}: {arm} {time.monotonic() - began:.1f} s", flush=True)


def describe(view: ViewRun) -> dict[str, Any]:
    measured = {name: getattr(view, name) for name in MEASURES}
    return {"method": view.method, "seconds": round(view.seconds, 3), **measured}


def median(runs: list[Run], view: str) -> float:
    """Of one view's seconds, after the first build."""
    return statistics.median(run.views[view].seconds for run in runs[1:])


def report(options: argparse.Namespace, runs: dict[str, list[Run]]) -> None:
    incremental, full = runs["incremental"], runs["full"]
    views = list(incremental[0].views)
    ratios = [one.seconds / other.seconds for one, other in zip(incremental[1:], full[1:], strict=True)]
    result = {
        "benchmark": "tpch_rounds",
        "scale": options.scale,
        "fraction": options.fraction,
        "spread": options.spread,
        "machine": {"cores": os.cpu_count(), "platform": platform.platform(), "python": platform.python_version()},
        "seconds": {arm: [run.seconds for run in found] for arm, found in runs.items()},
        "views": {v: {arm: [describe(run.views[v]) for run in found] for arm, found in runs.items()} for v in views},
        "ratio": statistics.median(ratios),
    }
    (options.work / "tpch_rounds.json").write_text(json.dumps(result, indent=2))
    print(f"\n{methods_table(incremental)}\n\n{'view':<8}{'incremental s':>15}{'full s':>10}{'ratio':>8}")
    for view in views:
        mine, other = median(incremental, view), median(full, view)
        print(f"{view:<8}{mine:>15.2f}{other:>10.2f}{mine / other:>8.2f}")
    print(f"whole refreshes, incremental / full: {result['ratio']:.2f} (median of {len(ratios)} rounds)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--fraction", type=float, default=0.001, help="of the orders come and go in each round")
    parser.add_argument("--spread", action="store_true", help="orders come and go anywhere, not at the ends")
    parser.add_argument("--views", nargs="+", choices=list(VIEWS), default=list(VIEWS), metavar="VIEW")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    options.work = options.work.absolute()
    data = options.work / f"tpch-{options.scale:g}"
    generate(options.scale, data)
    tables = {"lineitem": pq.read_table(data / "lineitem", columns=["l_orderkey"])}
    given = {"scale": options.scale, "tables": tables, "fraction": options.fraction, "spread": options.spread}
    views = {name: VIEWS[name] for name in options.views}
    arms = Arms(data, options.work, TpchStream(options.seed, **given), views)
    for number in range(options.rounds):
        arms.round(number)
    report(options, arms.runs)
    arms.spark.stop()


if __name__ == "__main__":
    main()
