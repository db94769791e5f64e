"""What a refresh did, view by view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tidewheel.errors import TidewheelError
from tidewheel.markup import html_table
from tidewheel.methods import Method, is_failing
from tidewheel.plan.plan import Plan, Reason, RunPlace

if TYPE_CHECKING:
    from tidewheel.optimize.priced import PricedWay
    from tidewheel.plan.binding.shown import Shown


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a relation: its rows of `now` or `before`, its `change`, or what is `stored` for the view."""

    relation: str
    what: str
    rows: int
    bytes: int

    @classmethod
    def of(cls, shown: Shown) -> Read:
        """All rows that are read under a name."""
        return cls(shown.relation, shown.what, shown.rows, shown.bytes)

    def to_dict(self) -> dict[str, Any]:
        return {"relation": self.relation, "what": self.what, "rows": self.rows, "bytes": self.bytes}


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRun:
    """One view in one run.

    `method` is what happened: a method that builds, none, stale, failed, blocked, broken or orphan.
    """

    method: Method
    reason: Reason
    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    read: tuple[Read, ...] = ()
    rows_written: int = 0
    bytes_written: int = 0
    seconds: float = 0.0
    shared: float = 0.0
    """Of the seconds, its share of what was read once for several views."""
    changed: int | None = None
    """Rows that came and went; None if that is not known, as after a build in full."""
    states: Mapping[str, int] = field(default_factory=dict)
    """Rows that came and went in each of its states."""
    way: PricedWay | None = None
    """What was done, as it was priced."""
    place: RunPlace | None = None
    """Where its statements ran: on Spark if one of them did."""
    on_spark: Reason | None = None
    """Why they did."""
    planned: bool = False
    """Was it priced before the run."""
    instead: float | None = None
    """Seconds that the best other way was predicted to take."""
    trial: bool = False
    error: TidewheelError | None = None

    @property
    def predicted(self) -> float | None:
        """Seconds, as the plan had them."""
        return self.way.seconds if self.way is not None and self.planned else None

    @property
    def rows_read(self) -> int:
        return sum(r.rows for r in self.read)

    @property
    def bytes_read(self) -> int:
        return sum(r.bytes for r in self.read)

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "reason": self.reason.to_dict(),
            "rows": self.rows,
            "bytes": self.bytes,
            "files": self.files,
            "rows_read": self.rows_read,
            "bytes_read": self.bytes_read,
            "read": [r.to_dict() for r in self.read],
            "rows_written": self.rows_written,
            "bytes_written": self.bytes_written,
            "seconds": round(self.seconds, 3),
            "shared": round(self.shared, 3),
            "changed": self.changed,
            "predicted": None if self.predicted is None else round(self.predicted, 4),
            "predicted_rows": round(self.way.rows) if self.way is not None and self.planned else None,
            "place": self.place,
            "on_spark": self.on_spark.to_dict() if self.on_spark else None,
            "instead": None if self.instead is None else round(self.instead, 4),
            "trial": self.trial,
            "error": self.error.to_dict() if self.error else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One refresh. `published` is False if there was nothing to do, or if it ended with an error."""

    id: str
    epoch: int
    base: int
    plan: Plan
    views: Mapping[str, ViewRun]
    published: bool
    started: str
    seconds: float
    engine: str
    foreign: tuple[str, ...] = field(default=())
    error: TidewheelError | None = None
    """What ended it, in the history: `refresh` raises it."""

    @property
    def failed(self) -> dict[str, ViewRun]:
        """Views that were asked for and were not brought up to date."""
        return {n: v for n, v in self.views.items() if is_failing(v.method) and n in self.plan.selected}

    @property
    def places(self) -> tuple[RunPlace, ...]:
        """Where something ran."""
        return tuple(sorted({v.place for v in self.views.values() if v.place is not None}))

    @property
    def exit_code(self) -> int:
        return 4 if self.failed else 0

    @property
    def _title(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        if not self.published:
            return f"run {self.id}: nothing published, epoch {self.epoch} stands{failed}"
        built = sum(v.rows is not None for v in self.views.values())
        return f"run {self.id}: epoch {self.epoch} published, {built} views built{failed}, {self.seconds:.1f} s"

    def __repr__(self) -> str:
        return f"<Run {self._title.removeprefix('run ')}>"

    def _repr_html_(self) -> str:
        rows = [
            (name, v.method, v.rows, v.seconds, v.predicted, v.place, v.error.message if v.error else v.reason.text)
            for name, v in self.views.items()
        ]
        return html_table(self._title, ["view", "method", "rows", "seconds", "predicted", "on", "why"], rows)

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.id,
            "project": self.plan.project,
            "base": self.base,
            "epoch": self.epoch,
            "published": self.published,
            "started": self.started,
            "seconds": round(self.seconds, 3),
            "engine": self.engine,
            "foreign_writes": list(self.foreign),
            "error": self.error.to_dict() if self.error else None,
            "sources": {name: p.to_dict() for name, p in self.plan.sources.items()},
            "views": {name: v.to_dict() for name, v in self.views.items()},
            "failed": list(self.failed),
        }
