"""The 22 TPC-H queries as views, brought up to date after changes of several sizes: as it comes, and in full.

Streams: `recent` (new orders have the highest keys, the oldest go: what TPC-H's refresh functions do), `spread` (orders
come and go anywhere), `mixed` (recent, and updates of customers, parts and suppliers). Two copies of one project take
the same changes in one process and one Spark, in turn; with --check their views are compared after each round.

    python benchmarks/tpch_refresh.py --scale 1 --stream recent --fractions 0.001 --rounds 3
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.arms import Arms, compared, table, write
from benchmarks.data import generate_tpch
from tests.streams.rounds import methods_table
from tests.streams.tpch import SOURCES, VIEWS, TpchStream


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3, help="with each fraction")
    parser.add_argument("--fractions", type=float, nargs="+", default=[0.0001, 0.001, 0.01, 0.1, 0.5])
    parser.add_argument("--stream", choices=["recent", "spread", "mixed"], nargs="+", default=["recent"])
    parser.add_argument("--views", nargs="+", choices=list(VIEWS), default=list(VIEWS), metavar="VIEW")
    parser.add_argument("--check", action="store_true", help="compare all views after each round")
    parser.add_argument("--apart", action="store_true", help="also without reading once for several views")
    parser.add_argument("--again", action="store_true", help="from what the last run has built, with the same options")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    work = options.work.absolute()
    data = work / f"tpch-{options.scale:g}"
    generate_tpch(options.scale, data)
    lines = pq.read_table(data / "lineitem", columns=["l_orderkey"])
    stream = TpchStream(options.seed, scale=options.scale, tables={"lineitem": lines})
    rows = [(name, data / name / f"{name}.parquet") for name in SOURCES]
    views = {name: VIEWS[name] for name in options.views}
    ways = ("auto", "full", "apart") if options.apart else ("auto", "full")
    arms = Arms(work, SOURCES, views, rows, ways=ways, again=options.again)
    results = {}
    for kind, fraction in itertools.product(options.stream, options.fractions):
        stream.fraction, stream.spread, stream.updates = fraction, kind == "spread", kind == "mixed"
        for _ in range(options.rounds):
            arms.round(stream.round(), check=options.check)
        found = results[f"{kind} {fraction:g}"] = compared(arms.arms, options.rounds)
        title = f"\n{kind}, {fraction:.2%} of the orders come and go, scale {options.scale:g}, medians"
        print(f"{title}\n{table(found)}\n", flush=True)
        write(work, "tpch_refresh", options, results)
    print(methods_table(arms.arms["auto"].runs))
    arms.stop()


if __name__ == "__main__":
    main()
