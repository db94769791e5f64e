"""Binding the 99 TPC-DS queries in one process, against reading their plans back from text as the cache keeps them.

Parsing by sqlglot alone is measured beside it: it is the share of binding that is not ours. Times are of the processor,
the best of some rounds in one run.

    python benchmarks/binding.py --rounds 5
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.corpus import tpcds_queries  # noqa: E402
from tests.corpus.cases import HERE  # noqa: E402
from tests.corpus.table import read_schemas  # noqa: E402

from tidewheel.ir import reader, text  # noqa: E402
from tidewheel.ir.text import parse_query, print_query  # noqa: E402
from tidewheel.sql.bind import CatalogRelation, bind  # noqa: E402
from tidewheel.sql.dialect import PlainSpark  # noqa: E402


def seconds(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def forget() -> None:
    """A process that reads plans has read none before."""
    reader.parse_scalar.cache_clear()
    text._leaf.cache_clear()  # noqa: SLF001


def measure(rounds: int) -> dict[str, list[float]]:
    schemas = read_schemas(HERE / "tpcds" / "schema.sql")
    catalog = {name.lower(): CatalogRelation.of(name, schema) for name, schema in schemas.items()}
    queries = [case.sql for case in tpcds_queries()]
    plans = [print_query(bind(sql, catalog)) for sql in queries]
    found: dict[str, list[float]] = {"parse SQL": [], "bind": [], "read plans": []}
    for _ in range(rounds):
        found["parse SQL"].append(seconds(lambda: [PlainSpark().parse(sql) for sql in queries]))
        found["bind"].append(seconds(lambda: [bind(sql, catalog) for sql in queries]))
        forget()
        found["read plans"].append(seconds(lambda: [parse_query(plan) for plan in plans]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    found = measure(options.rounds)
    best = {name: min(values) for name, values in found.items()}
    result = {
        "benchmark": "binding",
        "queries": len(tpcds_queries()),
        "machine": {"cores": os.cpu_count(), "platform": platform.platform(), "python": platform.python_version()},
        "seconds": found,
        "ratio": best["read plans"] / best["bind"],
    }
    options.work.mkdir(parents=True, exist_ok=True)
    (options.work / "binding.json").write_text(json.dumps(result, indent=2))
    print(f"{'99 TPC-DS queries':<20}{'best s':>10}{'all':>40}")
    for name, values in found.items():
        print(f"{name:<20}{best[name]:>10.2f}{', '.join(f'{v:.2f}' for v in values):>40}")
    print(f"read plans / bind: {result['ratio']:.2f} (binding should take 3 s at most, reading plans 0.3 s)")


if __name__ == "__main__":
    main()
