"""The first hour of a newcomer, against an earlier version in the same run: demo, first refresh, query, check.

The earlier version is checked out beside this one and run by the same interpreter, command by command, in turns with
this one; each keeps a cache folder of its own, which is empty at the start, as on a new machine. What is compared are
whole commands, from the shell's point of view. `check` has no counterpart: it is held against its targets.

    python benchmarks/first_hour.py --against 3d395a2 --rounds 3
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.arms import write  # noqa: E402

TARGETS = {"demo": 1.5, "refresh": 1.6, "refresh in the driver": 5.0, "query": 5.0}
"""How many times faster than the earlier version."""
CHECKS = {"check, warm": 2.0, "check, cold": 5.0}
"""Seconds for 300 views of the demo's kind."""
VIEWS = 300
QUERY = "SELECT * FROM daily_revenue ORDER BY day DESC LIMIT 5"
MAIN = "from tidewheel.cli.app import main; main()"

TUTORIAL = """
import sys, tidewheel as tw
tw.create(sys.argv[1], name="tutorial", sources={
    "orders": {"kind": "managed", "schema": "id BIGINT, day DATE, customer STRING, amount DECIMAL(12,2)"},
    "customers": {"kind": "managed", "schema": "name STRING, city STRING", "key": ["name"]},
}, views={
    "daily_revenue": "SELECT day, count(*) AS orders, sum(amount) AS revenue FROM orders GROUP BY day",
    "by_customer": "SELECT o.customer, c.city, sum(o.amount) AS revenue FROM orders o "
    "JOIN customers c ON o.customer = c.name GROUP BY o.customer, c.city",
    "by_city": "SELECT city, count(*) AS customers, sum(revenue) AS revenue FROM by_customer GROUP BY city",
})
"""
ORDERS = "id,day,customer,amount\n1,2026-01-01,ada,19.90\n2,2026-01-01,bob,5.00\n3,2026-01-02,ada,42.50\n"
CUSTOMERS = "name,city\nada,Oslo\nbob,Bergen\n"
MANY = """
import sys, tidewheel as tw
from tidewheel.demo import shop
names = shop.views()
views = {}
for n in range(int(sys.argv[2]) // len(names)):
    views |= {f"{name}_{n}": sql for name, sql in names.items()} if n else names
tw.create(sys.argv[1], name="many", sources=shop.SOURCES, views=views)
"""


@dataclass(frozen=True)
class Version:
    """A checkout, and the cache folder that it has for itself."""

    name: str
    source: Path
    cache: Path

    def run(self, *arguments: str, code: str = MAIN) -> float:
        """Seconds that a command takes, with all that it starts and waits for."""
        environment = {**os.environ, "PYTHONPATH": str(self.source / "src"), "XDG_CACHE_HOME": str(self.cache)}
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{self.name}: {' '.join(arguments)}\n{done.stdout}\n{done.stderr}")
        return time.monotonic() - began

    def settle(self) -> None:
        """Let what the first run leaves behind be over: nobody's next command comes at that very moment."""
        until = time.monotonic() + 180
        while time.monotonic() < until and any(self.cache.glob("tidewheel/*.try")):
            time.sleep(0.5)


@contextmanager
def checkout(commit: str, folder: Path) -> Iterator[Path]:
    """Another version beside this one: a folder that is there, or a commit in a worktree of its own."""
    if Path(commit).is_dir():
        yield Path(commit)
        return
    place = folder / "before"
    subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--detach", "--quiet", str(place), commit], check=True)
    try:
        yield place
    finally:
        subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(place)], check=True)


def tutorial(version: Version, folder: Path) -> str:
    project = folder / "tutorial"
    shutil.rmtree(project, ignore_errors=True)
    version.run(str(project), code=TUTORIAL)
    for name, text in {"orders": ORDERS, "customers": CUSTOMERS}.items():
        (folder / f"{name}.csv").write_text(text)
        version.run("-p", str(project), "ingest", name, str(folder / f"{name}.csv"))
    return str(project)


def measure(version: Version, folder: Path, *, is_new: bool) -> dict[str, float]:
    """Seconds of each command, once. Of the earlier version there is one refresh, and it counts for both."""
    folder.mkdir(parents=True, exist_ok=True)
    shop = folder / "shop"
    shutil.rmtree(shop, ignore_errors=True)
    found = {"demo": version.run("demo", str(shop))}
    version.settle()
    found["query"] = version.run("-p", str(shop), "query", QUERY)
    found["refresh"] = version.run("-p", tutorial(version, folder), "refresh")
    found["refresh in the driver"] = found["refresh"]
    if is_new:
        project = tutorial(version, folder)
        found["refresh in the driver"] = version.run("-p", project, "refresh", "--placement", "driver")
    return found


def checks(version: Version, folder: Path) -> dict[str, float]:
    project = folder / "many"
    shutil.rmtree(project, ignore_errors=True)
    version.run(str(project), str(VIEWS), code=MANY)
    shutil.rmtree(project / "warehouse", ignore_errors=True)  # creating a project binds its views, and keeps the plans
    cold = version.run("-p", str(project), "check")
    return {"check, cold": cold, "check, warm": version.run("-p", str(project), "check")}


def table(before: Sequence[dict[str, float]], after: Sequence[dict[str, float]]) -> list[dict[str, Any]]:
    rows = []
    for name, target in TARGETS.items():
        old, new = (statistics.median(run[name] for run in runs) for runs in (before, after))
        rows.append({"what": name, "before": old, "after": new, "times": old / new, "target": target})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", default="3d395a2", help="a commit, or the folder of a checkout")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="first-hour-") as made:
        folder = Path(made)
        with checkout(options.against, folder) as earlier:
            versions = [
                Version("before", earlier, folder / "cache-before"),
                Version("after", ROOT, folder / "cache-after"),
            ]
            runs: dict[str, list[dict[str, float]]] = {v.name: [] for v in versions}
            for number in range(options.rounds):
                for version in versions if number % 2 == 0 else reversed(versions):
                    is_new = version.name == "after"
                    runs[version.name].append(measure(version, folder / version.name, is_new=is_new))
                    print(f"round {number + 1}, {version.name}: {runs[version.name][-1]}", file=sys.stderr)
            rows = table(runs["before"], runs["after"])
            checked = checks(versions[1], folder)
    report(rows, checked)
    write(options.work, "first_hour", options, {"commands": rows, "checks": checked, "runs": runs})


def report(rows: list[dict[str, Any]], checked: dict[str, float]) -> None:
    print(f"{'command':<24}{'before':>9}{'after':>9}{'times':>8}{'target':>8}")
    for row in rows:
        print(f"{row['what']:<24}{row['before']:>9.2f}{row['after']:>9.2f}{row['times']:>8.2f}{row['target']:>8.1f}")
    for name, seconds in checked.items():
        print(f"{name:<24}{'':>9}{seconds:>9.2f}{'':>8}{CHECKS[name]:>6.1f} s")


if __name__ == "__main__":
    main()
