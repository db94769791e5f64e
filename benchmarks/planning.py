"""How long a plan takes after a change, without Spark: the TPC-H views, the TPC-DS views, and made-up projects.

Tables are tiny, for what planning takes hangs on queries and files and not on rows. Each plan is made in a process of
its own, as `tidewheel plan` makes it (`first`), then once more in the same process with nothing changed (`again`), and
once more after other rows arrived in the same sources, as a refresh every minute would (`resized`). Times are of the
processor, the best of some rounds. Another commit plans projects of its own, in turn with this one.

    python benchmarks/planning.py --rounds 3
    python benchmarks/planning.py --against 8a018cb
    python benchmarks/planning.py --large     # how plans of single views grow with the size of their queries
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import large  # noqa: E402
from benchmarks.arms import write  # noqa: E402
from benchmarks.commits import environment, worktree  # noqa: E402

FIGURES: Final = ("first", "again", "resized")
PLAN: Final = """
import sys, time, json
from pathlib import Path
import tidewheel as tw
project = tw.open(Path(sys.argv[1]) / "project")

def planned():
    began = time.process_time()
    plan = project.plan()
    return time.process_time() - began, plan

first, plan = planned()
again, _ = planned()
assert "pyspark" not in sys.modules
for batch in sorted((Path(sys.argv[1]) / "more").iterdir()):
    _, source, mode, _ = batch.name.split(".")
    project.ingest(source, str(batch), mode=mode)
resized, after = planned()
kinds = [{name: pin.change.kind for name, pin in each.sources.items()} for each in (plan, after)]
assert kinds[0] == kinds[1]
figures = {"first": first, "again": again, "resized": resized, "views": sum(step.builds for step in plan.steps)}
print(json.dumps(figures))
"""


@dataclass(frozen=True, slots=True)
class Code:
    """A commit's code, and where the projects are that it has made."""

    tree: Path
    projects: Path

    @classmethod
    def of(cls, commit: str, work: Path) -> Code:
        """Of another commit, in a worktree of its own."""
        return cls(worktree(commit, work / commit / "tree"), work / commit)

    def run(self, *arguments: str | Path) -> str:
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, env=environment(self.tree), stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()

    def project(self, name: str) -> Path:
        """A project with a change that is not yet in its views, made once."""
        folder = self.projects / name.replace(" ", "-")
        if not (folder / "done").exists():
            self.run(ROOT / "benchmarks" / "projects.py", folder, name)
        return folder

    def planned(self, name: str) -> dict[str, float]:
        """What plans of a project took; of a copy, for more rows arrive in it."""
        folder = self.project(name)
        copy = folder.with_suffix(".copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        found: dict[str, float] = json.loads(self.run("-c", PLAN, copy))
        shutil.rmtree(copy)
        return found


def measured(codes: Sequence[Code], name: str, rounds: int) -> list[dict[str, float]]:
    """Each of the best; a first process, whose parsed queries others find in the cache, does not count."""
    for code in codes:
        code.run("-c", "import sys, tidewheel as tw; tw.open(sys.argv[1]).plan()", code.project(name) / "project")
    found = [[code.planned(name) for code in codes] for _ in range(rounds)]
    return [{figure: min(one[figure] for one in each) for figure in each[0]} for each in zip(*found, strict=True)]


def line(name: str, found: Sequence[Mapping[str, float]]) -> str:
    """The figures of this commit, and how many times those of another they are."""
    ours, *others = found
    text = f"{name:<14}{ours['views']:>7.0f}" + "".join(f"{ours[figure]:>11.2f}" for figure in FIGURES)
    text += f"{ours['resized'] / ours['first']:>16.2f}"
    for other in others:
        text += "".join(f"{other[figure]:>11.2f}{ours[figure] / other[figure]:>7.2f}" for figure in FIGURES)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--suites", nargs="*", default=["TPC-H", "TPC-DS"])
    parser.add_argument("--counts", type=int, nargs="*", default=[50, 100, 250, 500], help="sizes of made-up projects")
    parser.add_argument("--against", metavar="COMMIT", help="plan with its code as well, and print ratios")
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    large.add_options(parser)
    options = parser.parse_args()
    if options.large:
        large.run(options)
        return
    work = options.work.absolute() / "planning"
    codes = [Code(ROOT, work), *([Code.of(options.against, work)] if options.against else [])]
    header = f"{'project':<14}{'views':>7}" + "".join(f"{f'{figure} s':>11}" for figure in FIGURES)
    header += f"{'resized/first':>16}"
    print(header + "".join(f"{f'{figure} s':>11}{'times':>7}" for _ in codes[1:] for figure in FIGURES))
    results = {}
    for name in (*options.suites, *(f"{count} views" for count in options.counts)):
        found = measured(codes, name, options.rounds)
        results[name] = found[0] if len(found) == 1 else {"here": found[0], options.against: found[1]}
        print(line(name, found), flush=True)
    write(options.work, "planning", options, results)


if __name__ == "__main__":
    main()
