"""How long a plan takes after a change, without Spark: the TPC-H views, the TPC-DS views, and made-up projects.

Tables are tiny, for what planning takes hangs on queries and files and not on rows. Each plan is made in a process of
its own, as `tidewheel plan` makes it, and then once more in the same process, as a refresh every minute would. Times
are of the processor, the best of some rounds.

    python benchmarks/planning.py --rounds 3
    python benchmarks/planning.py --large     # how plans of single views grow with the size of their queries
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import large  # noqa: E402
from benchmarks.arms import write  # noqa: E402
from tests.streams import tpcds, tpch  # noqa: E402

import tidewheel as tw  # noqa: E402
from tidewheel.demo.shop import Batch  # noqa: E402

PLAN = """
import sys, time, json
import tidewheel as tw
project = tw.open(sys.argv[1])
began = time.process_time()
plan = project.plan()
first = time.process_time() - began
began = time.process_time()
project.plan()
again = time.process_time() - began
assert "pyspark" not in sys.modules
print(json.dumps({"first": first, "again": again, "views": sum(step.builds for step in plan.steps)}))
"""


class Synthetic:
    """Views over eight tables and over each other: each reads one or two of the relations made before it."""

    def __init__(self) -> None:
        table = {"kind": "managed", "schema": "id BIGINT, k BIGINT, v BIGINT", "key": ["id"]}
        self.sources = {f"t{n}": table for n in range(8)}

    def views(self, count: int) -> dict[str, str]:
        names = list(self.sources)
        found: dict[str, str] = {}
        for n in range(count):
            left, right = names[n], names[(n * 7 + 3) % len(names)] if n % 8 else names[n + 1]
            found[f"v{n}"] = self._sql(n, left, right)
            names.append(f"v{n}")
        return found

    def _sql(self, n: int, left: str, right: str) -> str:
        forms = (
            f"SELECT l.id, l.k, r.v FROM {left} AS l JOIN {right} AS r ON l.id = r.id WHERE l.k <> {n}",
            f"SELECT k AS id, count(*) AS k, sum(v) AS v FROM {left} GROUP BY k HAVING sum(v) > {n % 50}",
            f"SELECT l.id, l.k, coalesce(r.v, 0) AS v FROM {left} AS l LEFT JOIN {right} AS r ON l.k = r.id",
            f"SELECT id, k, v FROM {left} WHERE k IN (SELECT k FROM {right} WHERE v > {n % 10})",
        )
        return forms[n % len(forms)]

    def load(self) -> Iterator[Batch]:
        for name in self.sources:
            yield Batch(name, "append", self._rows(0, 40))

    def round(self) -> Iterator[Batch]:
        for name in self.sources:
            yield Batch(name, "append", self._rows(40, 2))

    def _rows(self, start: int, count: int) -> pa.Table:
        ids = range(start, start + count)
        return pa.table({"id": list(ids), "k": [i % 7 for i in ids], "v": [i * 11 % 100 for i in ids]})


def make(folder: Path, stream: Any, views: Mapping[str, str]) -> None:
    """A project with a change that is not yet in its views, made once."""
    if (folder / "done").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    project = tw.create(folder, sources=stream.sources, views=views, engine="local")
    for batch in stream.load():
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    run = project.refresh()
    if run.failed:
        raise AssertionError({name: str(view.error) for name, view in run.failed.items()})
    for batch in stream.round():
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    (folder / "done").touch()


def measured(folder: Path, rounds: int) -> dict[str, float]:
    """Each of the best; a first process, whose plans others find in the cache, does not count."""
    command = [sys.executable, "-c", PLAN, str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    found = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(rounds)]
    return {name: min(one[name] for one in found) for name in found[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--counts", type=int, nargs="*", default=[50, 100, 250, 500], help="sizes of made-up projects")
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    large.add_options(parser)
    options = parser.parse_args()
    if options.large:
        large.run(options)
        return
    work = options.work.absolute() / "planning"
    streams: dict[str, tuple[Any, Mapping[str, str]]] = {
        "TPC-H": (tpch.TpchStream(1, fraction=0.01), tpch.VIEWS),
        "TPC-DS": (tpcds.TpcdsStream(1), tpcds.VIEWS),
    }
    synthetic = Synthetic()
    streams |= {f"{count} views": (synthetic, synthetic.views(count)) for count in options.counts}
    results = {}
    print(f"{'project':<14}{'views':>7}{'first s':>10}{'again s':>10}{'ms a view':>12}")
    for name, (stream, views) in streams.items():
        folder = work / name.replace(" ", "-")
        make(folder, stream, views)
        found = results[name] = measured(folder, options.rounds)
        each = 1000 * found["first"] / found["views"]
        print(f"{name:<14}{found['views']:>7}{found['first']:>10.2f}{found['again']:>10.2f}{each:>12.1f}", flush=True)
    write(options.work, "planning", options, results)


if __name__ == "__main__":
    main()
