"""Random plans on every evaluator: `python -m tests.fuzz --seed 0 --count 10000 --jobs 2`.

With --changes: views over tables that change, kept up to date and compared with recomputation.

Differences are shrunk and written to --keep (tests/fuzz/cases unless said otherwise); the exit code is then 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import cases
from tests.fuzz.maintain import Seen
from tests.fuzz.run import Found, run_histories, run_parallel, run_seeds, run_spark
from tests.fuzz.summary import Summary


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random plans on every evaluator.")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--minutes", type=float, default=0, help="stop early after so many minutes")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--shrink", type=float, default=30, help="seconds to shrink one difference")
    parser.add_argument("--keep", type=Path, default=cases.FOLDER, help="where differences are written")
    parser.add_argument("--spark", action="store_true", help="reference against Spark instead")
    parser.add_argument("--changes", action="store_true", help="maintenance against recomputation instead")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + options.count)
    limits = {"jobs": options.jobs, "minutes": options.minutes, "shrink_seconds": options.shrink}
    found: Found[Summary] | Found[Seen]
    if options.spark:
        found = run_spark(seeds, options.keep)
        print("\n".join(found.differences))
    elif options.changes:
        found = run_parallel(run_histories, Seen(), seeds, options.keep, **limits)
    else:
        found = run_parallel(run_seeds, Summary(), seeds, options.keep, **limits)
    print(found.summary)
    print(f"{len(found.differences)} differences, seeds {options.seed} to {options.seed + found.summary.cases - 1}")
    return 1 if found.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
