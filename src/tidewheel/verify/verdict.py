"""What `verify` found, view by view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tidewheel.errors import VERIFY_EXIT_CODE, ExecutionError, StoreError
from tidewheel.markup import html_table
from tidewheel.verify.compare import RowDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewVerdict:
    view: str
    as_of: int
    rows: int = 0
    missing: int = 0
    unexpected: int = 0
    examples: tuple[RowDifference, ...] = ()
    problem: str | None = None
    skipped: str | None = None
    damaged: bool = False
    """A data file cannot be read, or is not what was written: `problem` names it."""
    tolerance: float | None = None
    broken: bool = False
    """Was it skipped because it cannot be recomputed: its definition is wrong."""
    notes: tuple[str, ...] = ()
    """What the comparison leaves open, as Spark does."""

    @property
    def note(self) -> str:
        return self.problem or self.skipped or "; ".join(self.notes)

    @property
    def equal(self) -> bool:
        return not (self.missing or self.unexpected or self.problem)

    @property
    def verdict(self) -> str:
        return "skipped" if self.skipped else "equal" if self.equal else "DIFFERENT"

    def to_dict(self) -> dict[str, Any]:
        return {
            "view": self.view,
            "equal": self.equal,
            "as_of": self.as_of,
            "rows": self.rows,
            "missing": self.missing,
            "unexpected": self.unexpected,
            "examples": [e.to_dict() for e in self.examples],
            "problem": self.problem,
            "skipped": self.skipped,
            "damaged": self.damaged,
            "broken": self.broken,
            "tolerance": self.tolerance,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    epoch: int
    engine: str = "spark"
    """What the queries were run on; Spark defines what a view is, another engine gives a quick look."""
    views: dict[str, ViewVerdict] = field(default_factory=dict)

    @property
    def differences(self) -> dict[str, ViewVerdict]:
        """The views that do not equal their query; empty is good."""
        return {name: v for name, v in self.views.items() if not v.equal}

    @property
    def exit_code(self) -> int:
        """A damaged file is the store's fault; else a difference is what was found, or a view that cannot be run."""
        if any(v.damaged for v in self.views.values()):
            return StoreError.exit_code
        if self.differences:
            return VERIFY_EXIT_CODE
        return ExecutionError.exit_code if any(v.broken for v in self.views.values()) else 0

    @property
    def _title(self) -> str:
        wrong = self.differences
        found = f"{len(wrong)} of {len(self.views)} views differ: {', '.join(wrong)}" if wrong else "no difference"
        return f"epoch {self.epoch}, {len(self.views)} views on {self.engine}: {found}"

    def __repr__(self) -> str:
        return f"<Verification of {self._title}>"

    def _repr_html_(self) -> str:
        rows = [
            (name, v.verdict, v.rows, v.missing, v.unexpected, v.problem or v.skipped) for name, v in self.views.items()
        ]
        columns = ["view", "verdict", "rows", "missing", "unexpected", "note"]
        return html_table(f"verification of {self._title}", columns, rows)

    def to_dict(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch,
            "engine": self.engine,
            "equal": not self.differences,
            "views": {name: v.to_dict() for name, v in self.views.items()},
        }
