"""What the statements of a view read: files under names, of each relation those that can matter."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tidewheel.delta.pruning import Bounds, Origins, Pruned
from tidewheel.ir.norm import empty, without_empty
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import types_of
from tidewheel.optimize.memo import CHANGE, OLD
from tidewheel.optimize.upkeep import Stored, Upkeep
from tidewheel.refresh.run import Read
from tidewheel.store.deltas import Delta
from tidewheel.store.epochs import Kept, Rows, ViewEntry, ViewRecord
from tidewheel.store.prune import ColumnValues, files_with, united
from tidewheel.store.tables import Snapshot


class Versions(Protocol):
    """Relations as they are, and as they were."""

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

    @property
    def rows(self) -> int:
        return sum(p.rows for p in self.parts)

    @property
    def bytes(self) -> int:
        return sum(p.bytes for p in self.parts)

    def read(self) -> Read:
        return Read(self.relation, self.what, self.rows, self.bytes)


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

    def again(self) -> Reading:
        """The same, with nothing read yet."""
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
        found: dict[str, Shown] = {}
        nothing: list[Shown] = []

        def show(scan: Scan, bounds: Bounds) -> Rel:
            shown = self._shown(scan, bounds)
            if not any(part.files for part in shown.parts) and (none := empty(types_of(scan))) is not None:
                nothing.append(shown)
                return none
            found[shown.name] = shown
            return Scan(relation=shown.name, columns=scan.columns)

        plan = Pruned((name for name in relations(rel) if name.startswith(CHANGE)), show).plan(rel)
        if nothing:
            plan = without_empty(plan)
            found = {name: found[name] for name in relations(plan)}
        self.shown |= found
        return plan

    def _shown(self, scan: Scan, bounds: Bounds) -> Shown:
        """A relation, or those files of it that can matter."""
        whole = self._relation(scan.relation)
        if not bounds.of:
            return whole
        wanted = {scan.columns[i].name: values for i, origins in bounds.of if (values := self._values(origins))}
        share = min((self._share(whole, origins) for _, origins in bounds.of), default=1.0)
        chosen = [replace(part, files=tuple(files_with(part.files, wanted))) for part in whole.parts]
        if sum(len(c.files) for c in chosen) == sum(len(p.files) for p in whole.parts):
            return whole if share == 1.0 else replace(whole, name=f"{whole.name}_part", share=share)
        paths = "\n".join(f.path for part in chosen for f in part.files)
        digest = hashlib.sha256(f"{self.view}\n{paths}".encode()).hexdigest()[:12]
        return replace(whole, name=f"{whole.name}_{digest}", parts=chosen, share=share)

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
