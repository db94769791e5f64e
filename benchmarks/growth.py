"""How refreshes grow with the tables: the 22 TPC-H views at two scales take changes of the same number of rows.

New orders have the highest keys, the oldest go. Both projects are refreshed in one process and one Spark, in turn.

    python benchmarks/growth.py --scales 1 10 --orders 1500 --rounds 4
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.arms import Arms, describe, write
from benchmarks.data import generate_tpch
from tests.streams.tpch import SOURCES, VIEWS, TpchStream


def built(scale: float, work: Path, *, again: bool) -> tuple[Arms, TpchStream]:
    data = work / f"tpch-{scale:g}"
    generate_tpch(scale, data)
    lines = pq.read_table(data / "lineitem", columns=["l_orderkey"])
    rows = [(name, data / name / f"{name}.parquet") for name in SOURCES]
    arms = Arms(work / f"growth-{scale:g}", SOURCES, VIEWS, rows, ways=("auto",), again=again)
    return arms, TpchStream(1, scale=scale, tables={"lineitem": lines}, updates=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scales", type=float, nargs=2, default=[1.0, 10.0])
    parser.add_argument("--orders", type=int, default=1500, help="that come, and go, in each round")
    parser.add_argument("--rounds", type=int, default=4, help="the first is not counted")
    parser.add_argument("--again", action="store_true", help="from what the last run has built, with the same options")
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("a first round is not counted: --rounds must be at least 2")
    work = options.work.absolute()
    projects = {scale: built(scale, work, again=options.again) for scale in options.scales}
    for _ in range(options.rounds):
        for arms, stream in projects.values():
            stream.fraction = options.orders / len(stream.orders)
            arms.round(stream.round())
    runs = {scale: arms.arms["auto"].runs[1:] for scale, (arms, _) in projects.items()}
    small, large = (runs[scale] for scale in options.scales)
    views = {
        view: [statistics.median(run.views[view].seconds for run in some) for some in (small, large)] for view in VIEWS
    }
    whole = [statistics.median(run.seconds for run in some) for some in (small, large)]
    times = statistics.median(b.seconds / a.seconds for a, b in zip(small, large, strict=True))
    names = [f"scale {scale:g}" for scale in options.scales]
    print(
        f"\n{options.orders} orders come and go, seconds, medians\n{'view':<16}{names[0]:>12}{names[1]:>12}{'times':>8}"
    )
    for view, (a, b) in views.items():
        print(f"{view:<16}{a:>12.2f}{b:>12.2f}{b / max(a, 1e-4):>8.1f}")
    print(f"{'whole refresh':<16}{whole[0]:>12.2f}{whole[1]:>12.2f}{times:>8.1f}")
    kept = {f"{s:g}": [{n: describe(v) for n, v in run.views.items()} for run in some] for s, some in runs.items()}
    write(work, "growth", options, {"seconds": whole, "times": times, "runs": kept})
    next(iter(projects.values()))[0].stop()


if __name__ == "__main__":
    main()
