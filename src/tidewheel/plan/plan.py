"""A plan: plain data that says what a refresh will do, and why. Made without an engine."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from tidewheel.errors import ExecutionError, PlanError, TidewheelError
from tidewheel.markup import html_table
from tidewheel.methods import Method, is_building, is_failing, is_full
from tidewheel.project.lookup import find_view
from tidewheel.store.changes import ChangeKind
from tidewheel.store.sources import Pin

if TYPE_CHECKING:
    from tidewheel.ingest.landing import Landing
    from tidewheel.optimize.priced import PricedWay, WayName
    from tidewheel.optimize.trace import Trace
    from tidewheel.plan.binding.parts import Sharing
    from tidewheel.project.graph import View

RunPlace: TypeAlias = Literal["driver", "spark"]
HINTS: Final = {
    "foreign-write": "Let no other tool write to the tables of views.",
    "input-rebuilt": "Its changes are known again from the next refresh on.",
    "input-rewritten": "Write upserts and deletes instead of overwriting the source, and keep its log for some time.",
    "rewritten": "Its changes are known again from the next refresh on.",
    "history-lost": "Keep the log and the files of the source longer than views are stale.",
    "deletion-vectors": "Switch off deletion vectors in the tool that writes the source.",
    "file-replaced": "Add files with changed rows instead of changing them in place.",
    "configured": "Take `refresh: full` out of its options.",
    "clock-in-query": "Put what needs no clock into a view of its own, and the clock into one above it.",
    "not-bound": "`tidewheel explain` says what has no plan; docs/sql-support.md names other ways to write it.",
    "no-key": "Leave out the column that cannot be compared, or select a key.",
    "too-deep": "Split the query into several views.",
    "rows-missing": "Round or cast floating point numbers before they are compared, grouped or joined.",
    "cheaper": "Use `refresh: incremental` to have it kept from changes all the same.",
    "change-failed": "Guard what may fail, for example by try_divide(a, b).",
}
"""For reasons to build a view in full that somebody can do something about."""


OWN_WISH: Final = frozenset({"first-build", "definition-changed", "columns-added", "asked"})
"""Reasons to build a view in full that its owner brought about."""
CHOSEN: Final = frozenset({"configured", "cheaper", "trial"})
"""Reasons for `full` where changes would do: its options say so, or the cost."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a method was chosen: a stable code and a sentence."""

    code: str
    text: str

    @property
    def hint(self) -> str | None:
        """What to do if the view shall be kept up to date from changes instead."""
        return HINTS.get(self.code)

    def to_dict(self) -> dict[str, Any]:
        return {"code": self.code, "text": self.text, "hint": self.hint}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What happens to one view.

    Methods that build: `full` (its query is run), `append`, `merge`, `groups`, `rows`, `topk` (its change is computed
    from the changes of its inputs) and `difference` (all rows are computed, by its query if `is_recomputed`, and
    compared with those that are stored). Others: `none` (it is up to date), `stale`, `orphan`, `broken`
    (its definition is wrong, or that of one that it reads), `failed` (it may not be refreshed in the way that it
    would have to be) and `blocked` (one that it reads fails).
    """

    view: str
    method: Method
    reason: Reason
    inputs: tuple[str, ...] = ()
    full: Reason | None = None
    """Why nothing less than `full` will do, if that is not what `reason` says already."""
    predicted: PricedWay | None = None
    """The way that it takes, as it was priced."""
    rejected: tuple[PricedWay, ...] = ()
    """The other ways that were priced."""
    trial: bool = False
    """Is it done the dearer way, to see whether it is the dearer one."""
    trace: Trace | None = None
    """What the search for its change looked at."""
    place: RunPlace | None = None
    """Where it will run, if it is built."""
    on_spark: Reason | None = None
    """Why it will run on Spark, if it will."""
    error: TidewheelError | None = None
    """What is wrong, if the view is broken or fails."""

    @property
    def builds(self) -> bool:
        return is_building(self.method)

    @property
    def is_recomputed(self) -> bool:
        """Is its query run over all rows of its inputs: in full, also if the difference to what was stored is taken."""
        return is_full(self.method) or (self.predicted is not None and self.predicted.name == "difference")

    @property
    def ways(self) -> tuple[PricedWay, ...]:
        """All that were priced, the one that is taken first."""
        return self.rejected if self.predicted is None else (self.predicted, *self.rejected)

    def priced(self, way: WayName) -> PricedWay | None:
        """What a way is predicted to take, if it was priced."""
        return next((p for p in self.ways if p.name == way), None)

    def taking(self, way: WayName, *, full: Reason | None, trial: bool = False) -> Step:
        """The step by another of the ways that were priced, and why, if that is one that reads everything."""
        (chosen,) = (p for p in self.ways if p.name == way)
        others = tuple(p for p in self.ways if p.name != way)
        return replace(self, method=chosen.method, full=full, predicted=chosen, rejected=others, trial=trial)

    def placed(self, on_spark: Reason | None) -> Step:
        """The step with its place: in the driver if nothing speaks for Spark."""
        return replace(self, place="driver" if on_spark is None else "spark", on_spark=on_spark)

    @property
    def text(self) -> str:
        return self.reason.text if self.full is None else f"{self.reason.text}; in full, for {self.full.text}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "view": self.view,
            "method": self.method,
            "reason": self.reason.to_dict(),
            "inputs": list(self.inputs),
            "full": self.full.to_dict() if self.full else None,
            "predicted": self.predicted.to_dict() if self.predicted else None,
            "place": self.place,
            "on_spark": self.on_spark.to_dict() if self.on_spark else None,
            "trial": self.trial,
            "rejected": [way.to_dict() for way in self.rejected],
            "error": self.error.to_dict() if self.error else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One refresh: from epoch `base` to `epoch`, with sources pinned and a step for each view in graph order."""

    project: str
    base: int
    epoch: int
    time: dt.datetime
    sources: Mapping[str, Pin]
    steps: tuple[Step, ...]
    landing: Mapping[str, Landing]
    """Files that have landed, changed or gone and are still to be taken over, by source."""
    unread: Mapping[str, TidewheelError] = field(default_factory=dict)
    """Sources that cannot be read."""
    selected: frozenset[str] = frozenset()
    """The views that it was asked for."""
    shared: tuple[Sharing, ...] = ()
    """What is read once for several views."""
    supposed: Mapping[str, str] = field(default_factory=dict)
    """Changes that have not happened, if it is a plan for them."""
    flips: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By view, how large those changes must be for it to be recomputed in full."""

    @property
    def to_build(self) -> tuple[Step, ...]:
        return tuple(s for s in self.steps if s.builds)

    @property
    def starts_spark(self) -> bool:
        """Will a view run on Spark; one that is for the driver may still turn out to be beyond it."""
        return any(step.place == "spark" for step in self.steps)

    @property
    def failing(self) -> tuple[Step, ...]:
        """Views that were asked for and will not be brought up to date."""
        return tuple(s for s in self.steps if is_failing(s.method) and s.view in self.selected)

    @property
    def exit_code(self) -> int:
        errors = [s.error for s in self.failing if s.method == "failed" and s.error is not None]
        return errors[0].exit_code if errors else ExecutionError.exit_code if self.failing else 0

    @property
    def unasked_full(self) -> tuple[Step, ...]:
        """Views that will be recomputed although nobody asked for it and it is not the cheaper way.

        One that is recomputed only because a view above it is, is excused if that one is.
        """
        found: dict[str, Step] = {}
        for step in self.steps:
            cause = (step.full or step.reason).code
            if not is_full(step.method) or step.reason.code in OWN_WISH or cause in CHOSEN:
                continue
            if cause != "input-rebuilt" or found.keys() & set(step.inputs):
                found[step.view] = step
        return tuple(found.values())

    @property
    def is_empty(self) -> bool:
        """Nothing to build, nothing to publish."""
        moved = any(p.change.kind is not ChangeKind.NONE or p.moved for p in self.sources.values())
        marked = any(s.reason.code in {"removed", "up-to-date-again"} for s in self.steps)
        return not (self.to_build or moved or marked or self.landing)

    @property
    def standing(self) -> list[tuple[str, int | None, str]]:
        """Each source with its version and how it changed, or why it cannot be read."""
        read = [(name, pinned.written_version, str(pinned.change)) for name, pinned in self.sources.items()]
        return read + [(name, None, f"cannot be read: {error.message}") for name, error in self.unread.items()]

    def step(self, view: str) -> Step:
        """What happens to a view, by its name in any case."""
        steps = {s.view: s for s in self.steps}
        return steps[find_view(view, steps, self.sources)]

    def to_dict(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "base": self.base,
            "epoch": self.epoch if not self.is_empty else self.base,
            "nothing_to_do": self.is_empty,
            "starts_spark": self.starts_spark,
            "sources": {name: p.to_dict() for name, p in self.sources.items()},
            "unread": {name: error.to_dict() for name, error in self.unread.items()},
            "landing": {name: landing.to_dict() for name, landing in self.landing.items()},
            "views": [s.to_dict() for s in self.steps],
            "shared": [s.to_dict() for s in self.shared],
            "unasked_full": [s.view for s in self.unasked_full],
            **({"what_if": dict(self.supposed), "flips": dict(self.flips)} if self.supposed else {}),
        }

    def __str__(self) -> str:
        lines = [f"project {self.project}: epoch {self.base} -> {self.base if self.is_empty else self.epoch}"]
        for name, version, change in self.standing:
            lines.append(f"  source {name}: {'no table' if version is None else f'version {version}'}, {change}")
        lines += [f"  view {s.view}: {s.method} ({s.text})" for s in self.steps]
        lines += [f"  {s}" for s in self.shared]
        if self.is_empty:
            lines.append("  nothing to do")
        return "\n".join(lines)

    @property
    def _title(self) -> str:
        if self.is_empty:
            return f"project {self.project}: nothing to do, epoch {self.base} is up to date"
        building = f"{len(self.to_build)} of {len(self.steps)} views to build"
        return f"project {self.project}: epoch {self.base} -> {self.epoch}, {building}"

    def __repr__(self) -> str:
        return f"<Plan of {self._title}>"

    def _repr_html_(self) -> str:
        rows = [
            (s.view, s.method, p and round(p.rows), p and p.seconds, s.text) for s in self.steps for p in [s.predicted]
        ]
        return html_table(f"plan of {self._title}", ["view", "method", "rows", "seconds", "why"], rows)


def full_refused(steps: tuple[Step, ...]) -> PlanError:
    """What nobody asked to be recomputed would be."""
    named = ", ".join(f'"{s.view}"' for s in steps)
    return PlanError(
        f"{'a view' if len(steps) == 1 else f'{len(steps)} views'} would be recomputed in full: {named}",
        code="full-refused",
        relation=steps[0].view,
        detail=" ".join(f"{s.view}: {s.text}." for s in steps),
        hint=(steps[0].full or steps[0].reason).hint
        or "Run without --fail-on full, or set `refresh: full` for views that are meant to be recomputed.",
    )


def no_plan(project: str, base: int) -> Plan:
    """The plan of a run that ended before there was one."""
    return Plan(project=project, base=base, epoch=base, time=dt.datetime.now(dt.UTC), sources={}, steps=(), landing={})


def strict_needs_full(view: View, reason: Reason, full: Reason | None) -> PlanError:
    """A view that may not be recomputed has to be."""
    return PlanError(
        f'view "{view.name}" is strict and can only be refreshed in full',
        code="strict-needs-full",
        span=view.option_span("strict"),
        relation=view.name,
        detail=f"It needs a refresh: {reason.text}." + (f" In full, for {full.text}." if full else ""),
        hint="Use `refresh: auto`, or --full-refresh to allow it once.",
    )


def strict_never(view: View, reason: Reason) -> PlanError:
    """A view that may not be recomputed can never be anything else."""
    return PlanError(
        f'view "{view.name}" is strict and can never be refreshed from changes',
        code="strict-needs-full",
        span=view.option_span("strict"),
        relation=view.name,
        detail=f"It is always built in full, for {reason.text}.",
        hint=reason.hint or "Use `refresh: auto`.",
    )
