"""Mutants of the delta rules: `python -m tests.mutants --count 200 --jobs 2`. Exits with 1 if too many survive."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.run import PACKAGE, chosen, run, suite

WANTED = 0.95
"""The share that must be killed."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Mutants of the delta rules.")
    parser.add_argument("--count", type=int, default=200, help="how many; 0 for all")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of them first")
    parser.add_argument("--only", default="", help="part of a mutant's name: a file, a function")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--list", action="store_true", help="show them and stop")
    options = parser.parse_args(arguments)
    some = chosen(options.count, options.only)[options.skip :]
    if options.list:
        print(*some, sep="\n")
        return 0
    if suite(PACKAGE.parent) != "survived":
        print("the tests fail without any mutant", file=sys.stderr)
        return 1
    counts: Counter[str] = Counter()
    for result in run(some, options.jobs):
        counts[result.outcome] += 1
        reason = EQUIVALENT.get(result.mutant.key, "")
        print(f"{result.outcome:10} {result.seconds:5.0f} s  {result.mutant}  {reason}".rstrip(), flush=True)
    tried = counts["killed"] + counts["survived"]
    share = counts["killed"] / max(tried, 1)
    print(f"{counts['killed']} of {tried} killed, {share:.1%}; {counts['equivalent']} equivalent")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
