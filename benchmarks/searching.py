"""How often a second the search alone finds the plan of a view, and what a plan takes if only sizes have changed.

    python benchmarks/searching.py
    python benchmarks/searching.py --projects build/bench/planning/TPC-H build/bench/planning/TPC-DS

The first table takes no files and no engine: goals are priced over sizes as of SF1, then searched again and again.
The second plans a project (made by `planning.py`) in a fresh process, and once more with everything priced and chosen
anew, as after a change of other sizes: what there is to choose from is known then. Times are of the processor.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.arms import write  # noqa: E402
from tests.corpus.cases import tpcds_queries, tpch_queries  # noqa: E402
from tests.corpus.tpcds_data import tpcds_tables  # noqa: E402
from tests.corpus.tpch_data import tpch_tables  # noqa: E402
from tests.unit.optimize.test_valuation import DRIVER, Sizes  # noqa: E402

from tidewheel.delta.change import Kind  # noqa: E402
from tidewheel.ir.norm import normalize  # noqa: E402
from tidewheel.ir.tree import relations  # noqa: E402
from tidewheel.optimize.maintenance import explored, upkeep_of  # noqa: E402
from tidewheel.optimize.valuation import Appraisal, appraise  # noqa: E402
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view  # noqa: E402

QUERIES: Final = ("tpch q08", "tpch q21", "tpcds q14", "tpcds q64")
ROWS: Final = {
    "lineitem": 6e6, "orders": 1.5e6, "partsupp": 8e5, "customer": 1.5e5, "part": 2e5,
    "store_sales": 2.9e6, "catalog_sales": 1.4e6, "web_sales": 7.2e5, "inventory": 1.2e7,
}  # fmt: skip
REPLAN: Final = """
import json, sys, time
import tidewheel as tw
from tidewheel.optimize.options import PlannerOptions
project = tw.open(sys.argv[1])
seconds = []
for margin in (0.9, 0.899):
    project.planner = PlannerOptions(full_margin=margin)
    began = time.process_time()
    project.plan()
    seconds.append(time.process_time() - began)
print(json.dumps(seconds))
"""
"""With another option nothing that was chosen before is taken over, as if all sizes had changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One view: the size of what is searched, milliseconds to price it, and searches a second."""

    goals: int
    alternatives: int
    pricing: float
    searches: float


def appraised(name: str) -> tuple[Appraisal, float]:
    """All that a query's view may be computed by, if all it reads has changed; and the seconds that pricing took."""
    suite, query = name.split()
    cases, made = (tpch_queries, tpch_tables) if suite == "tpch" else (tpcds_queries, tpcds_tables)
    tables = {table.name.lower(): CatalogRelation.of(table.name, table.schema) for table in made()}
    case = next(case for case in cases() if case.name.startswith(query))
    bound = normalize(bind_view(SqlText(sql=case.sql), tables).query)
    mixed: dict[str, Kind] = {relation.lower(): "mixed" for relation in relations(bound.rel)}
    statements, memo = explored(upkeep_of(bound.rel, bound.names), mixed)
    began = time.process_time()
    found = appraise([statement.rel for statement in statements], memo, Sizes(ROWS), DRIVER)
    return found, time.process_time() - began


def searched(name: str, seconds: float) -> Searched:
    """As often as there is time."""
    found, pricing = appraised(name)
    goals = found.problem.goals
    began, count = time.process_time(), 0
    while (taken := time.process_time() - began) < seconds or not count:
        found.search()
        count += 1
    ways = sum(len(goal.alternatives) for goal in goals)
    return Searched(goals=len(goals), alternatives=ways, pricing=1000 * pricing, searches=count / taken)


def replanned(folder: Path, rounds: int) -> list[float]:
    """The least seconds of a first plan, and of a second that prices all anew."""
    command = [sys.executable, "-c", REPLAN, str(folder)]
    found = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(rounds)]
    return [min(each) for each in zip(*found, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", nargs="*", default=list(QUERIES))
    parser.add_argument("--seconds", type=float, default=2.0, help="for each query")
    parser.add_argument("--projects", type=Path, nargs="*", default=[], help="folders, to plan twice")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    results: dict[str, Any] = {"queries": {}, "projects": {}}
    print(f"{'query':<14}{'goals':>8}{'ways':>8}{'pricing ms':>13}{'searches a second':>20}")
    for name in options.queries:
        one = searched(name, options.seconds)
        print(f"{name:<14}{one.goals:>8}{one.alternatives:>8}{one.pricing:>13.1f}{one.searches:>20.0f}", flush=True)
        results["queries"][name] = {"goals": one.goals, "searches": one.searches}
    for folder in options.projects:
        first, second = results["projects"][folder.name] = replanned(folder, options.rounds)
        print(f"{folder.name}: {first:.2f} s, priced anew {second:.2f} s: {second / first:.2f} of it", flush=True)
    options.projects = [str(folder) for folder in options.projects]
    write(options.work, "searching", options, results)


if __name__ == "__main__":
    main()
