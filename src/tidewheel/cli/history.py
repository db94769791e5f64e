"""What `history` prints: runs, and what they did with one view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidewheel.cli import output
from tidewheel.methods import BUILDING, FAILING
from tidewheel.project.lookup import find_view
from tidewheel.run.past import failure_of, is_failed

if TYPE_CHECKING:
    from tidewheel.api import Project


def find_any(project: Project, name: str) -> str:
    """A view by its name; orphans have a history, too."""
    return find_view(name, [*project.views, *project.orphans()], project.sources)


def emit_runs(runs: Sequence[dict[str, Any]]) -> None:
    columns = ["epoch", "started", "seconds", "built", "failed", "engine", "published", "error"]
    output.emit_table("", columns, map(_run, runs), drop=["engine", "published", "seconds"])


def emit_runs_of(view: str, runs: Sequence[dict[str, Any]]) -> None:
    columns = [
        "epoch",
        "started",
        "method",
        "on",
        "changed",
        "predicted rows",
        "seconds",
        "predicted",
        "instead",
        "why",
    ]
    drop = ["predicted rows", "instead", "predicted", "changed", "on"]
    output.emit_table(view, columns, [_past(run, view) for run in runs], drop=drop)


def touches(run: dict[str, Any], view: str) -> bool:
    """Did a run do something with a view; one that ended with an error concerns all."""
    return bool(run.get("error")) or run["views"].get(view, {}).get("method") not in {None, "none"}


def _run(run: dict[str, Any]) -> tuple[Any, ...]:
    """One run: how many views were built, how many failed, and the error of the run or of the first of them."""
    methods = [v["method"] for v in run["views"].values()]
    failed, built = sum(m in FAILING for m in methods), sum(m in BUILDING for m in methods) * run["published"]
    why = failure_of(run).text if is_failed(run) else None
    return (run["epoch"], run["started"], run["seconds"], built, failed, run["engine"] or "-", run["published"], why)


def _past(run: dict[str, Any], name: str) -> tuple[Any, ...]:
    """One refresh of a view: what was predicted, and what happened."""
    view = run["views"].get(name)
    if view is None:
        failure = failure_of(run)
        method = "interrupted" if failure.code == "interrupted" else "failed"
        return (run["epoch"], run["started"], method, *[None] * 6, failure.text)
    found = [view.get(k) for k in ("place", "changed", "predicted_rows", "seconds", "predicted", "instead")]
    why = failure_of(run, name).text if view["method"] in FAILING else view["reason"]["text"]
    return (run["epoch"], run["started"], view["method"], *found, why)
