"""What the statements of a view read: files under names, of each relation those that can matter."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tidewheel.delta.pruning import Bounds, Origins, Pruned
from tidewheel.ir.norm import empty, without_empty
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import types_of
from tidewheel.optimize.memo import CHANGE, OLD
from tidewheel.optimize.upkeep import Stored, Upkeep
from tidewheel.refresh.parts import Part, Parts, Sharing
from tidewheel.refresh.run import Read
from tidewheel.store.deltas import Delta
from tidewheel.store.epochs import Kept, Rows, ViewEntry, ViewRecord
from tidewheel.store.log import DataFile
from tidewheel.store.prune import ColumnValues, files_with, united
from tidewheel.store.tables import Snapshot


class Versions(Protocol):
    """Relations as they are, as they were, and parts of them that several views need."""

    @property
    def parts(self) -> Parts:
        """The parts that are read once."""

    def table(self, relation: str) -> str:
        """The folder of a relation."""

    def now(self, name: str) -> Snapshot:
        """A relation as it is."""

    def before(self, name: str, known: int) -> Snapshot:
        """A relation at the content that a view has seen."""

    def values(self, parts: Sequence[Snapshot], column: str) -> ColumnValues | None:
        """The values of a column of a change; None if they are too many, or of no kind that files have bounds for."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Files that statements read under a name, and what they are of which relation."""

    name: str
    relation: str
    what: str
    parts: Sequence[Snapshot]
    share: float = 1.0
    """Of the files, how many will be read, where it is not known yet which."""
    part: Part | None = None
    """What it is, if it is shared: its files are not there before it is made."""

    @property
    def rows(self) -> int:
        return sum(p.rows for p in self.parts)

    @property
    def bytes(self) -> int:
        return sum(p.bytes for p in self.parts)

    def read(self) -> Read:
        return Read(self.relation, self.what, self.rows, self.bytes)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a part is made from: files that may hold its rows, and the changes that say which. Some may hold NULLs."""

    files: Shown
    changes: tuple[Shown, ...]
    nulls: frozenset[str]


class Reading:
    """One view's statements over files; `shown` grows with each plan that is made readable.

    `expected` are relations whose change is not written yet: how many rows it will have is known, not which.
    """

    def __init__(
        self,
        versions: Versions,
        view: str,
        base: ViewRecord,
        upkeep: Upkeep,
        entry: ViewEntry,
        deltas: Mapping[str, Delta],
        *,
        expected: frozenset[str] = frozenset(),
    ) -> None:
        self.versions, self.view, self.base, self.upkeep = versions, view, base, upkeep
        self.entry, self.deltas, self.expected = entry, deltas, expected
        self.kept = base.kept or Kept(layout="", columns=base.schema)
        self.shown: dict[str, Shown] = {}
        self.known: dict[Origins, ColumnValues | None] = {}
        self.seen: dict[str, Shown] = {}
        self.asked: dict[str, set[Part]] = {}
        """Under each name, of which parts all rows are."""
        self.origins: dict[Part, Origin] = {}
        self._nothing: list[Scan] = []
        self._pruned = Pruned(lambda relation: relation.startswith(CHANGE), self._show)

    def again(self) -> Reading:
        """The same, with nothing read yet."""
        other = copy.copy(self)
        other.shown = {}
        return other

    def anew(self) -> Reading:
        """The same, with nothing looked at yet."""
        return Reading(
            self.versions, self.view, self.base, self.upkeep, self.entry, self.deltas, expected=self.expected
        )

    def size(self, name: str) -> int:
        """Rows of an input."""
        return self.versions.now(name).rows

    def rows(self, stored: Stored) -> Rows:
        """A stored relation before the change."""
        if stored.name == self.upkeep.view.name:
            return Rows(files=self.base.files, schema=self.kept.columns)
        return self.kept.states[stored.name]

    def readable(self, rel: Rel) -> Rel:
        """The plan over names that are registered, each with the files that it can need; without what has none."""
        plan = self._pruned.plan(rel)
        if self._nothing:
            plan = without_empty(plan)
        self.shown |= {name: self.seen[name] for name in relations(plan)}
        return plan

    def _show(self, scan: Scan, bounds: Bounds) -> Rel:
        shown = self._shown(scan, bounds)
        if not any(part.files for part in shown.parts) and (none := empty(types_of(scan))) is not None:
            self._nothing.append(scan)
            return none
        self.seen[shown.name] = shown
        return Scan(relation=shown.name, columns=scan.columns)

    def shares(self) -> Iterator[tuple[Sharing, Shown]]:
        """The parts that were asked for and are shared, and the files that they are made from."""
        for part, origin in self.origins.items():
            yield self.versions.parts.planned[part], origin.files

    def take(self, name: str, rows: Snapshot) -> None:
        """The rows of a part that is there now."""
        self.shown[name] = self.seen[name] = replace(self.seen[name], parts=[rows])

    def _shown(self, scan: Scan, bounds: Bounds) -> Shown:
        """A relation, or those files of it that can matter, or the part of it that several views need."""
        whole = self._relation(scan.relation)
        if not bounds.of:
            return whole
        files = self._files(whole, scan, bounds)
        if whole.what == "stored":
            return files
        part = self._part(whole, scan, bounds)
        sharing = self.versions.parts.sharing(part, [c.name for c in scan.columns])
        if sharing is None or not any(p.files for p in files.parts):
            self.asked.setdefault(files.name, set()).add(part)
            return files
        if part not in self.origins:
            self.origins[part] = self._origin(part, files, scan, bounds)
        schema = whole.parts[0].schema.only(sharing.columns)
        coming = DataFile(path="", size=round(sharing.size), rows=round(sharing.rows))
        expected = Snapshot(table="", version=-1, schema=schema, files=(coming,))
        return replace(whole, name=part.name, parts=[expected], part=part)

    def _files(self, whole: Shown, scan: Scan, bounds: Bounds) -> Shown:
        wanted = {scan.columns[i].name: values for i, origins in bounds.of if (values := self._values(origins))}
        share = min((self._share(whole, origins) for _, origins in bounds.of), default=1.0)
        chosen = [replace(part, files=tuple(files_with(part.files, wanted))) for part in whole.parts]
        if sum(len(c.files) for c in chosen) == sum(len(p.files) for p in whole.parts):
            return whole if share == 1.0 else replace(whole, name=f"{whole.name}_part", share=share)
        paths = "\n".join(f.path for part in chosen for f in part.files)
        digest = hashlib.sha256(f"{self.view}\n{paths}".encode()).hexdigest()[:12]
        return replace(whole, name=f"{whole.name}_{digest}", parts=chosen, share=share)

    def _part(self, whole: Shown, scan: Scan, bounds: Bounds) -> Part:
        found = []
        for i, origins in bounds.of:
            changes = sorted((self._relation(relation).name, column) for relation, column in origins)
            found.append((scan.columns[i].name, tuple(changes)))
        return Part(of=whole.name, bounds=tuple(sorted(found)))

    def _origin(self, part: Part, files: Shown, scan: Scan, bounds: Bounds) -> Origin:
        changes = {shown.name: shown for _, o in bounds.of for r, _ in o for shown in [self._relation(r)]}
        values = [(scan.columns[i].name, self._values(origins)) for i, origins in bounds.of]
        nulls = frozenset(name for name, known in values if known is None or known.has_null)
        return Origin(files, tuple(changes[name] for name in part.changes()), nulls)

    def _share(self, whole: Shown, origins: Origins) -> float:
        """The share of files that the values of changes will be in that are yet to come: any."""
        coming = [self._relation(r) for r, _ in origins if self._is_expected(r)]
        files = sum(len(part.files) for part in whole.parts)
        if not coming or not files:
            return 1.0
        return 1.0 - (1.0 - 1.0 / files) ** sum(shown.rows for shown in coming)

    def _is_expected(self, relation: str) -> bool:
        return relation.startswith(CHANGE) and self._spelled(relation.removeprefix(CHANGE)) in self.expected

    def _values(self, origins: Origins) -> ColumnValues | None:
        """The values that the columns of some changes hold together."""
        if origins not in self.known:
            self.known[origins] = united([self._values_of(*origin) for origin in sorted(origins)])
        return self.known[origins]

    def _values_of(self, relation: str, column: str) -> ColumnValues | None:
        if self._is_expected(relation):
            return None
        return self.versions.values(self._relation(relation).parts, column)

    def _relation(self, relation: str) -> Shown:
        """What a plan calls by this name: a name that is this view's own where what it shows is, and the files."""
        for stored in self.upkeep.stored:
            if relation == stored.name:
                rows = self.rows(stored)
                snapshot = Snapshot(
                    table=self.versions.table(self.view), version=-1, schema=rows.schema, files=rows.files
                )
                return Shown(f"{relation}_{self.view}", self.view, "stored", [snapshot])
        for prefix, what in ((CHANGE, "change"), (OLD, "before")):
            if relation.startswith(prefix):
                name = self._spelled(relation.removeprefix(prefix))
                known = self.entry.inputs[name]
                parts = self.deltas[name].parts if prefix == CHANGE else [self.versions.before(name, known)]
                return Shown(f"{relation}_{known}".replace("-", "m"), name, what, parts)
        name = self._spelled(relation)
        return Shown(relation, name, "now", [self.versions.now(name)])

    def _spelled(self, name: str) -> str:
        """A relation as the project spells it."""
        return next(r for r in self.entry.inputs if r.lower() == name.lower())
