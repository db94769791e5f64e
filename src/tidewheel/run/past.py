"""What the history says: which refreshes were from changes, what they saved, and what failed last."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidewheel.methods import BUILDING, FAILING
from tidewheel.plan.plan import CHOSEN, OWN_WISH
from tidewheel.store import history
from tidewheel.store.warehouse import Warehouse

LAST_RUNS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a run ended, or left a view as it was."""

    run: str
    started: str
    code: str
    message: str
    detail: str | None = None

    @property
    def text(self) -> str:
        """Message and cause, on one line."""
        cause = (self.detail or "").strip().partition("\n")[0].rstrip(".")
        return f"{self.message}: {cause}" if cause else self.message

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "started": self.started,
            "code": self.code,
            "message": self.message,
            "detail": self.detail,
        }


@dataclass(slots=True, kw_only=True)
class ViewPast:
    """Refreshes of a view because something changed, those of them from changes, and the seconds that these saved."""

    refreshes: int = 0
    from_changes: int = 0
    saved: float = 0.0
    failure: Failure | None = None
    """If it failed when it was last tried."""

    def count(self, view: Mapping[str, Any]) -> None:
        code = view["reason"]["code"]
        if code in OWN_WISH or (view["method"] not in BUILDING and code != "no-change"):
            return
        self.refreshes += 1
        if view["method"] != "full" and code not in CHOSEN:  # a difference that was chosen is a build in full, and more
            self.from_changes += 1
            self.saved += (view.get("instead") or view["seconds"]) - view["seconds"]


@dataclass(frozen=True, slots=True)
class Past:
    """The last runs, view by view; `failure` is that of the last one, if it failed."""

    views: Mapping[str, ViewPast] = field(default_factory=dict)
    failure: Failure | None = None


def past_of(warehouse: Warehouse) -> Past:
    """What the last runs say."""
    return summed(itertools.islice(history.read(warehouse), LAST_RUNS))


def failure_of_view(warehouse: Warehouse, name: str) -> dict[str, Any] | None:
    """How a view failed when it was last tried, as data; None if it did not."""
    past = past_of(warehouse).views.get(name)
    return past.failure.to_dict() if past is not None and past.failure else None


def summed(runs: Iterable[Mapping[str, Any]]) -> Past:
    """Of runs, newest first. A view has failed last if no later run published it or found it up to date."""
    views: dict[str, ViewPast] = {}
    settled: set[str] = set()
    failure: Failure | None = None
    for number, run in enumerate(runs):
        if number == 0 and is_failed(run):
            failure = failure_of(run)
        for name, view in run["views"].items():
            past = views.setdefault(name, ViewPast())
            past.count(view)
            if name in settled:
                continue
            if view["method"] in FAILING:
                past.failure = failure_of(run, name)
                settled.add(name)
            elif view["method"] == "none" or (run["published"] and view["method"] in BUILDING):
                settled.add(name)
    return Past(views, failure)


def is_failed(run: Mapping[str, Any] | None) -> bool:
    """Did a run end with an error, or leave views as they were because of one."""
    return run is not None and bool(run.get("error") or failed_in(run))


def failed_in(run: Mapping[str, Any]) -> list[str]:
    """The views that a run was asked for and did not bring up to date."""
    found: list[str] | None = run.get("failed")
    return [n for n, v in run["views"].items() if v["method"] in FAILING] if found is None else found


def failure_of(run: Mapping[str, Any], view: str | None = None) -> Failure:
    """Why a run failed, or a view in it: by its own error, or because of one that it reads."""
    error: Mapping[str, Any] | None = run.get("error") if view is None else None
    if error is None:
        name = view or failed_in(run)[0]
        seen = run["views"][name]
        error = seen.get("error") or {"code": seen["reason"]["code"], "message": seen["reason"]["text"]}
    return Failure(
        run=run["run"],
        started=run["started"],
        code=error["code"],
        message=error["message"],
        detail=error.get("detail"),
    )
