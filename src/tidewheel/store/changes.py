"""What happened to a table between two versions, from its log alone."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tidewheel.store import log
from tidewheel.store.log import Commit


class ChangeKind(enum.StrEnum):
    NONE = "none"
    FIRST = "first"
    APPEND = "append"
    MIXED = "mixed"
    REWRITTEN = "rewritten"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """The change of one source since the last epoch."""

    kind: ChangeKind
    added: int = 0
    removed: int | None = 0
    """None if another tool replaced files and does not say how many rows were gone or changed."""
    bytes: int = 0
    content: int = -1
    change_files: tuple[str, ...] = ()
    since: int | None = None
    """When the first of its commits was made, in milliseconds since 1970, if that says so."""
    widened: bool = False
    """Have columns been added: older files have NULL for them."""
    landing: str = ""
    """In words, what files that are not taken yet will add to it."""

    def __str__(self) -> str:
        known = self._known()
        return f"{known}, {self.landing}" if known and self.landing else known or self.landing

    def _known(self) -> str:
        if self.landing and not (self.added or self.removed):
            return ""
        if self.is_only_wider:
            return "new columns"
        match self.kind:
            case ChangeKind.NONE:
                return "no change"
            case ChangeKind.FIRST:
                return "first seen"
            case ChangeKind.APPEND:
                return f"{self.added:,} rows added"
            case ChangeKind.MIXED:
                gone = "an unknown number" if self.removed is None else f"{self.removed:,} rows"
                return f"{self.added:,} rows written, {gone} replaced or removed"
            case ChangeKind.REWRITTEN:
                return "rewritten"
            case ChangeKind.LOST:
                return "history no longer in the log"

    @property
    def is_only_wider(self) -> bool:
        """Have columns been added, and nothing else happened."""
        return self.widened and self.kind is ChangeKind.APPEND and not (self.bytes or self.landing)

    def to_dict(self) -> dict[str, Any]:
        body: dict[str, Any] = {"kind": self.kind.value}
        if self.kind not in {ChangeKind.NONE, ChangeKind.FIRST}:
            body |= {"added": self.added, "removed": self.removed, "bytes": self.bytes}
        if self.change_files:
            body["files"] = list(self.change_files)
        return body


def classify(table: str, known: int, now: int, *, content: int) -> SourceChange:
    """The change from version `known` (whose content dates from version `content`) to version `now`."""
    commits: list[Commit] = []
    for version in range(known + 1, now + 1):
        commit = log.read_commit(table, version)
        if commit is None:
            return SourceChange(kind=ChangeKind.LOST, content=now)
        commits.append(commit)
    real = [c for c in commits if changes_data(c)]
    if not real:
        return SourceChange(kind=ChangeKind.NONE, content=content)
    return SourceChange(
        kind=_kind(real),
        added=sum(_rows_added(c) for c in real),
        removed=_sum(_rows_removed(c) for c in real),
        bytes=sum(a.get("size", 0) for c in real for a in c.adds if a.get("dataChange", True)),
        content=real[-1].version,
        change_files=tuple(c.ours["change"] for c in real if c.ours.get("change")),
        since=_time(real[0]),
        widened=any(c.is_widening for c in real),
    )


def changes_data(commit: Commit) -> bool:
    """Compaction says so in each action; a new schema or table id is a change even if no file moved."""
    moved = any(a.get("dataChange", True) for a in (*commit.adds, *commit.removes))
    return moved or commit.metadata is not None


def _time(commit: Commit) -> int | None:
    found = commit.info.get("timestamp")
    return found if isinstance(found, int) else None


def _kind(commits: list[Commit]) -> ChangeKind:
    if any(c.metadata is not None and c.version > 0 and not c.is_widening for c in commits):
        return ChangeKind.REWRITTEN
    if any(_is_overwrite(c) for c in commits):
        return ChangeKind.REWRITTEN
    if any(r.get("dataChange", True) for c in commits for r in c.removes):
        return ChangeKind.MIXED
    if any(a.get("deletionVector") for c in commits for a in c.adds):
        return ChangeKind.MIXED
    return ChangeKind.APPEND


def _is_overwrite(commit: Commit) -> bool:
    parameters = commit.info.get("operationParameters") or {}
    return str(parameters.get("mode", "")).lower() == "overwrite" and bool(commit.removes)


def _rows_added(commit: Commit) -> int:
    """Rows that are new: commits that also carry rows over from rewritten files say how many those are."""
    if isinstance(commit.ours.get("rows"), int):
        return int(commit.ours["rows"])
    written = sum(_rows(a) for a in commit.adds if a.get("dataChange", True) and not a.get("deletionVector"))
    return max(0, written - (_metric(commit, "numcopiedrows", "numtargetrowscopied") or 0))


def _rows_removed(commit: Commit) -> int | None:
    """Rows that are gone or were replaced, as the commit says; None if it replaces files and does not say."""
    if commit.ours:
        return int(commit.ours.get("removed", 0))
    if not any(r.get("dataChange", True) for r in commit.removes):
        return 0
    said = _metric(commit, "numdeletedrows", "numupdatedrows", "numtargetrowsdeleted", "numtargetrowsupdated")
    return _newly_marked(commit) if said is None else said


def _newly_marked(commit: Commit) -> int | None:
    """Rows that deletion vectors of the commit mark as deleted; None if it does anything else with files."""
    if {a["path"] for a in commit.adds} != {r["path"] for r in commit.removes}:
        return None
    marked = [sum(_cardinality(a) for a in actions) for actions in (commit.adds, commit.removes)]
    return max(0, marked[0] - marked[1])


def _cardinality(action: Mapping[str, Any]) -> int:
    return int((action.get("deletionVector") or {}).get("cardinality") or 0)


def _metric(commit: Commit, *names: str) -> int | None:
    """The sum of what a commit says of itself by these names, which writers spell in two ways; None if it does not."""
    metrics = commit.info.get("operationMetrics")
    if not isinstance(metrics, dict):
        return None
    plain = {str(name).replace("_", "").lower(): value for name, value in metrics.items()}
    try:
        return _sum(int(plain[name]) for name in names if name in plain) if plain.keys() & set(names) else None
    except (TypeError, ValueError):
        return None


def _sum(counts: Iterable[int | None]) -> int | None:
    """None if one of them is not known."""
    known = list(counts)
    return None if None in known else sum(c for c in known if c is not None)


def _rows(add: Mapping[str, Any]) -> int:
    stats = add.get("stats")
    if not stats:
        return 0
    try:
        return int(json.loads(stats).get("numRecords", 0))
    except (ValueError, AttributeError, TypeError):
        return 0
