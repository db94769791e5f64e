"""How relations stand, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tidewheel.markup import html_table
from tidewheel.run.past import Failure, ViewPast
from tidewheel.store.changes import ChangeKind

if TYPE_CHECKING:
    pass


STATES: Final = {
    "fresh": "it equals its query over its sources as they stand now",
    "behind": "it is part of the last epoch, and a refresh would build it",
    "stale": "it was left out of the last epoch, and stands as of an earlier one",
    "unknown": "a source that it reads cannot be looked at",
    "not built": "no refresh has built it yet",
    "broken": "its definition is wrong, or that of a view that it reads; it stands as of an earlier epoch",
    "orphan": "its definition is gone, its table is there",
}


COUNTED: Final = frozenset({ChangeKind.NONE, ChangeKind.APPEND, ChangeKind.MIXED})
"""Changes whose rows are known from the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What a view's sources have got since the cut that it reflects."""

    rows: int | None = 0
    """Rows that came and went; None if the log does not say."""
    files: int = 0
    """Landed files that no refresh has taken, and taken ones that have changed or gone since."""
    sources: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"rows": self.rows, "files": self.files, "sources": list(self.sources)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    kind: str
    version: int | None
    epoch_version: int | None
    change: str
    files: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "version": self.version,
            "epoch_version": self.epoch_version,
            "change": self.change,
            "files": self.files,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewStatus:
    """A view: `state` is one of STATES; ages in seconds."""

    state: str
    as_of: int | None = None
    built: int | None = None
    rows: int | None = None
    bytes: int | None = None
    note: str = ""
    pending: Pending = Pending()
    age: float | None = None
    """Since the cut was published that it reflects."""
    lag: float | None = None
    """How long the oldest change that it lacks has been waiting: 0 if it lacks none, None if nobody knows."""
    past: ViewPast = field(default_factory=ViewPast)

    def to_dict(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "as_of": self.as_of,
            "built": self.built,
            "rows": self.rows,
            "bytes": self.bytes,
            "note": self.note,
            "pending": self.pending.to_dict(),
            "age": None if self.age is None else round(self.age, 3),
            "lag": None if self.lag is None else round(self.lag, 3),
            "failure": self.past.failure.to_dict() if self.past.failure else None,
            "refreshes": self.past.refreshes,
            "from_changes": self.past.from_changes,
            "saved": self.past.saved,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A project at one moment. `failure` is that of the last run, if it failed."""

    project: str
    epoch: int
    time: str | None
    applied: bool
    failure: Failure | None
    sources: Mapping[str, SourceStatus]
    views: Mapping[str, ViewStatus]

    def to_dict(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "epoch": self.epoch,
            "time": self.time,
            "applied": self.applied,
            "failure": self.failure.to_dict() if self.failure else None,
            "sources": {name: source.to_dict() for name, source in self.sources.items()},
            "views": {name: view.to_dict() for name, view in self.views.items()},
        }

    @property
    def _title(self) -> str:
        counts = Counter(view.state for view in self.views.values())
        states = "".join(f", {counts[state]} {state}" for state in STATES if counts[state])
        failure = f"; the last run failed: {self.failure.message}" if self.failure else ""
        return f"project {self.project}: epoch {self.epoch}{states}{failure}"

    def __repr__(self) -> str:
        return f"<Status of {self._title}>"

    def _repr_html_(self) -> str:
        views = [(name, v.state, v.rows, v.pending.rows, v.note) for name, v in self.views.items()]
        sources = [(name, s.kind, s.version, s.change) for name, s in self.sources.items()]
        above = html_table(f"status of {self._title}", ["view", "state", "rows", "pending", "note"], views)
        return above + html_table("sources", ["source", "kind", "version", "since last epoch"], sources)

    def __str__(self) -> str:
        lines = [f"project {self.project}: epoch {self.epoch}"]
        lines += [f"  source {name}: {source.change}" for name, source in self.sources.items()]
        lines += [f"  view {name}: {v.state}{f' ({v.note})' if v.note else ''}" for name, v in self.views.items()]
        return "\n".join(lines)
