"""Copies of one project that take the same changes, each refreshed in its own way, in turn, in one process."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.streams.shadow import Shadow, stored  # noqa: E402

import tidewheel as tw  # noqa: E402
from tidewheel.demo.shop import Batch  # noqa: E402
from tidewheel.engine.spark.session import connect  # noqa: E402
from tidewheel.engines import EngineName  # noqa: E402
from tidewheel.optimize.options import PlannerOptions  # noqa: E402
from tidewheel.project.config import SparkOptions  # noqa: E402
from tidewheel.run.outcome import Run, ViewRun  # noqa: E402

Refresh = Callable[[tw.Project], Run]


def from_changes(project: tw.Project) -> Run:
    """Whatever it costs."""
    project.planner = PlannerOptions().without_full()
    return project.refresh()


def apart(project: tw.Project) -> Run:
    """As it comes, but nothing is read once for several views."""
    project.planner = PlannerOptions(share_gain=math.inf)
    return project.refresh()


WAYS: Mapping[str, Refresh] = {
    "auto": lambda project: project.refresh(),
    "full": lambda project: project.refresh(full_refresh=True),
    "changes": from_changes,
    "apart": apart,
}


@dataclass
class Arm:
    """One copy, and what its refreshes did."""

    project: tw.Project
    refresh: Refresh
    runs: list[Run] = field(default_factory=list)
    executions: list[int] = field(default_factory=list)


class Arms:
    """The copies; what is built once is shared by hard links, for data files never change."""

    def __init__(
        self,
        work: Path,
        sources: Mapping[str, Any],
        views: Mapping[str, str],
        rows: Iterable[tuple[str, Any]],
        ways: Sequence[str] = ("auto", "full"),
        *,
        again: bool = False,
        local: bool = False,
    ) -> None:
        """With `again`, from what an earlier run has built in `work`; with `local`, without Spark."""
        self.views = list(views)
        self.spark = None if local else connect(SparkOptions(conf={"spark.driver.memory": "8g"}), "benchmark")
        engine: EngineName | None = "local" if local else None
        if not again:
            shutil.rmtree(work / "first", ignore_errors=True)
            first = tw.create(work / "first", sources=sources, views=views, spark=self.spark, engine=engine)
            for source, data in rows:
                first.ingest(source, data)
            print(f"built in {_sound(first.refresh()).seconds:.1f} s", flush=True)
        self.arms = {}
        for name in ways:
            shutil.rmtree(work / name, ignore_errors=True)
            shutil.copytree(work / "first", work / name, copy_function=_linked)
            self.arms[name] = Arm(tw.open(work / name, spark=self.spark, engine=engine), WAYS[name])

    def round(self, batches: Sequence[Batch], *, check: bool = False) -> None:
        """All copies take the batches and are refreshed, each round another one first."""
        for batch in batches:
            for arm in self.arms.values():
                arm.project.ingest(batch.source, batch.rows, mode=batch.mode)
        first, *rest = self.arms.items()
        self.arms = dict([*rest, first])
        for name, arm in self.arms.items():
            before = self._executions()
            run = _sound(arm.refresh(arm.project))
            arm.runs.append(run)
            arm.executions.append(self._executions() - before)
            print(f"epoch {run.epoch}: {name} {run.seconds:.2f} s", flush=True)
        if check:
            self.check()

    def check(self) -> None:
        """All copies hold the same rows."""
        compare = Shadow({}, {}).compare
        full = self.arms["full"].project.root
        for name, arm in self.arms.items():
            found = {view: compare(stored(arm.project.root, view), stored(full, view)) for view in self.views}
            wrong = {view: text for view, text in found.items() if text}
            if wrong:
                raise AssertionError(name, wrong)

    def _executions(self) -> int:
        if self.spark is None:
            return 0
        self.spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(10_000)  # noqa: SLF001
        listed = self.spark._jsparkSession.sharedState().statusStore().executionsList()  # noqa: SLF001
        return int(listed.apply(listed.size() - 1).executionId()) + 1 if listed.size() else 0

    def stop(self) -> None:
        if self.spark is not None:
            self.spark.stop()


def _sound(run: Run) -> Run:
    if run.failed:
        raise AssertionError({name: str(view.error) for name, view in run.failed.items()})
    return run


def _linked(source: str, target: str) -> None:
    if source.endswith(".parquet"):
        os.link(source, target)
    else:
        shutil.copy2(source, target)


WARM_UP = 3
"""Refreshes of a view after which predictions are held against it."""


def describe(view: ViewRun) -> dict[str, Any]:
    """What is kept of one refresh of a view."""
    left_out = {"read", "error", "files"}
    return {name: value for name, value in view.to_dict().items() if name not in left_out}


def predictions(runs: Sequence[Run]) -> dict[str, Any]:
    """How many refreshes of views were predicted within a factor of two: what they took, and how many rows changed."""
    seen = [v for run in runs[WARM_UP:] for v in run.views.values() if v.predicted is not None and v.way is not None]
    cost = sum(_is_near(v.predicted or 0.0, v.seconds, 0.01) for v in seen)
    rows = [v for v in seen if v.changed is not None]
    return {
        "refreshes": len(seen),
        "cost": cost / max(len(seen), 1),
        "rows": sum(_is_near(v.way.rows if v.way else 0.0, float(v.changed or 0), 1.0) for v in rows)
        / max(len(rows), 1),
    }


def _is_near(predicted: float, measured: float, least: float) -> bool:
    """Within a factor of two; less than `least` counts as that."""
    a, b = max(predicted, least), max(measured, least)
    return 0.5 <= a / b <= 2.0


def compared(arms: Mapping[str, Arm], last: int) -> dict[str, Any]:
    """The last so many rounds: each view in each arm by medians, whole runs, and how many times faster."""
    runs = {name: arm.runs[-last:] for name, arm in arms.items()}
    views: dict[str, Any] = {}
    for view in runs["full"][0].views:
        found = {name: [run.views[view] for run in some] for name, some in runs.items()}
        seconds = {name: statistics.median(v.seconds for v in some) for name, some in found.items()}
        read = {name: statistics.median(v.bytes_read for v in some) for name, some in found.items()}
        views[view] = {
            "method": found["auto"][-1].method,
            "seconds": seconds,
            "times": seconds["full"] / max(seconds["auto"], 1e-4),
            "read_share": read["auto"] / max(read["full"], 1),
            "runs": {name: [describe(v) for v in some] for name, some in found.items()},
        }
    whole = {name: [run.seconds for run in some] for name, some in runs.items()}
    return {
        "seconds": whole,
        "executions": {name: arm.executions[-last:] for name, arm in arms.items()},
        "times": statistics.median(f / a for f, a in zip(whole["full"], whole["auto"], strict=True)),
        "predictions": predictions(arms["auto"].runs),
        "views": views,
    }


def table(result: Mapping[str, Any]) -> str:
    """What was compared, for people."""
    lines = [f"{'view':<20}{'method':<12}{'auto s':>9}{'full s':>9}{'times':>8}{'read':>8}"]
    for name, view in result["views"].items():
        auto, full = view["seconds"]["auto"], view["seconds"]["full"]
        share = f"{view['read_share']:.1%}"
        times = f"{view['times']:.1f}" if auto else "-"  # nothing that it reads changed
        lines.append(f"{name:<20}{view['method']:<12}{auto:>9.2f}{full:>9.2f}{times:>8}{share:>8}")
    auto, full = (statistics.median(result["seconds"][arm]) for arm in ("auto", "full"))
    executions = {arm: statistics.median(counts) for arm, counts in result["executions"].items()}
    lines.append(f"{'whole refresh':<32}{auto:>9.2f}{full:>9.2f}{result['times']:>8.1f}")
    lines.append(f"{'executions on Spark':<32}{executions['auto']:>9.0f}{executions['full']:>9.0f}")
    if "apart" in result["seconds"]:
        alone = statistics.median(result["seconds"]["apart"])
        lines.append(f"{'without reading once for several':<32}{alone:>9.2f}{'':>9}{alone / auto:>8.2f}")
    said = result["predictions"]
    if said["refreshes"]:
        lines.append(f"predicted within a factor of 2: cost {said['cost']:.0%}, rows {said['rows']:.0%}")
    return "\n".join(lines)


def write(work: Path, name: str, options: argparse.Namespace, results: Any) -> None:
    """The figures, with what they were measured on."""
    machine = {"cores": os.cpu_count(), "platform": platform.platform(), "python": platform.python_version()}
    settings = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    found = {"benchmark": name, "options": settings, "machine": machine, "results": results}
    (work / f"{name}.json").write_text(json.dumps(found, indent=2))
