"""How good the choice between changes and full is: both arms of every TPC-H view, for changes of several sizes.

Three copies of one project take the same changes in one process and one Spark, in turn: one decides as it comes, one
always goes by the changes, one always recomputes. Regret is the time of the first over that of the better of the other
two, by medians, for each view and size; the first round of each size is not counted.

    python benchmarks/choice.py --scale 0.1 --rounds 4
    python benchmarks/choice.py --suite large --fractions 0.06    # views of dozens of CTEs instead
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.arms import Arm, Arms, predictions, write
from benchmarks.data import generate_tpch
from tests.corpus.large import large_queries
from tests.fuzz.ctes import FAMILIES, large_query
from tests.streams.saas import SaasStream
from tests.streams.tpch import SOURCES, VIEWS, TpchStream

from tidewheel.demo.shop import Batch

WAYS: Final = ("auto", "full", "changes")

SLOW: Final = 1.0
"""Seconds of a full build from which a single view is looked at for itself."""


def case(view: str, arms: Mapping[str, Arm], rounds: int) -> dict[str, Any]:
    """One view and size: medians of each way, trials apart."""
    runs = {name: [run.views[view] for run in arm.runs[1 - rounds :]] for name, arm in arms.items()}
    seconds = {name: statistics.median(v.seconds for v in found) for name, found in runs.items()}
    chosen = [v for v in runs["auto"] if not v.trial]
    return {
        "seconds": seconds,
        "methods": [v.method for v in runs["auto"]],
        "trials": sum(v.trial for v in runs["auto"]),
        "untried": statistics.median(v.seconds for v in chosen) if chosen else None,
        "best": min(seconds["changes"], seconds["full"]),
    }


def regret(cases: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    auto, best = (sum(c["seconds"]["auto"] for c in cases.values()), sum(c["best"] for c in cases.values()))
    worst = {
        name: c["untried"] / c["seconds"]["full"]
        for name, c in cases.items()
        if c["seconds"]["full"] >= SLOW and c["untried"] is not None
    }
    over = {name: round(times, 2) for name, times in worst.items() if times > 1.3}
    return {"auto": auto, "best": best, "regret": auto / best, "above_1.3_of_full": over}


class Suite(NamedTuple):
    """Copies of a project, what they take in each round, by the fraction of rows that change, and their views."""

    arms: Arms
    round: Callable[[float], list[Batch]]
    views: Collection[str]


def tpch(options: argparse.Namespace, work: Path) -> Suite:
    """The 22 queries of TPC-H."""
    data = work / f"tpch-{options.scale:g}"
    generate_tpch(options.scale, data)
    first = {"lineitem": pq.read_table(data / "lineitem", columns=["l_orderkey"])}
    stream = TpchStream(1, scale=options.scale, tables=first, spread=options.stream == "spread", updates=False)
    rows = [(name, data / name / f"{name}.parquet") for name in SOURCES]
    arms = Arms(work / "choice", SOURCES, VIEWS, rows, ways=WAYS, local=options.local)

    def batches(fraction: float) -> list[Batch]:
        stream.fraction = fraction
        return stream.round()

    return Suite(arms, batches, VIEWS)


def large(options: argparse.Namespace, work: Path) -> Suite:
    """Views of a dozen to sixty CTEs, written by hand and made up, over one small business."""
    stream = SaasStream(1, share=1.0, scale=round(1000 * options.scale))
    made = {f"{family}_{size}": large_query(family, size, 1) for family in FAMILIES for size in (20, 60)}
    views = large_queries() | made
    chosen = {name: sql for name, sql in views.items() if not options.views or name in options.views}
    rows = [(batch.source, batch.rows) for batch in stream.load()]
    arms = Arms(work / "choice-large", SaasStream.sources, chosen, rows, ways=WAYS, local=options.local)

    def batches(fraction: float) -> list[Batch]:
        stream.fraction = fraction
        return stream.round()

    return Suite(arms, batches, chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=4, help="with each fraction")
    parser.add_argument("--fractions", type=float, nargs="+", default=[0.0001, 0.001, 0.01, 0.1, 0.5])
    parser.add_argument("--stream", choices=["recent", "spread"], default="recent")
    parser.add_argument("--suite", choices=["tpch", "large"], default="tpch")
    parser.add_argument("--views", nargs="*", default=[], help="of the large ones; all if none is named")
    parser.add_argument("--local", action="store_true", help="without Spark")
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("a first round is not counted: --rounds must be at least 2")
    work = options.work.absolute()
    suite = tpch(options, work) if options.suite == "tpch" else large(options, work)
    arms, results, everything = suite.arms, dict[str, Any](), dict[str, Any]()
    for fraction in options.fractions:
        for _ in range(options.rounds):
            arms.round(suite.round(fraction))
        cases = {view: case(view, arms.arms, options.rounds) for view in suite.views}
        everything |= {f"{view} {fraction:g}": found for view, found in cases.items()}
        results[f"{fraction:g}"] = {"cases": cases, **regret(cases)}
        print(table(fraction, cases), flush=True)
        results["all"] = {**regret(everything), "predictions": predictions(arms.arms["auto"].runs)}
        write(work, f"choice-{options.suite}", options, results)
    total = results["all"]
    said = total["predictions"]
    print(f"\nall: auto {total['auto']:.1f} s, best arms {total['best']:.1f} s, regret {total['regret']:.2f}")
    print(f"above 1.3 times their own full: {total['above_1.3_of_full'] or 'none'}")
    print(f"predicted within a factor of 2: cost {said['cost']:.0%}, rows {said['rows']:.0%}")
    arms.stop()


def table(fraction: float, cases: Mapping[str, Mapping[str, Any]]) -> str:
    """One size, for people."""
    lines = [f"\n{fraction:.2%}: {'view':<22}{'auto s':>9}{'changes s':>11}{'full s':>9}  methods"]
    for view, found in cases.items():
        s = found["seconds"]
        lines.append(
            f"{view:>29}{s['auto']:>9.2f}{s['changes']:>11.2f}{s['full']:>9.2f}  {', '.join(found['methods'])}"
        )
    whole = regret(cases)
    lines.append(f"auto {whole['auto']:.1f} s, best arms {whole['best']:.1f} s, regret {whole['regret']:.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
