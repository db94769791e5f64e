"""What the statements of a view read: files under names, of each relation those that can matter."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from tidewheel.delta import pruning
from tidewheel.delta.pruning import Origins
from tidewheel.errors import StoreError
from tidewheel.ir.forms import CHANGE, NOW, Delta, Form
from tidewheel.ir.norm import empty, without_empty
from tidewheel.ir.props import is_empty
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import types_of
from tidewheel.optimize.maintenance import MaintenanceLayout, StoredRelation
from tidewheel.plan.binding.names import made_name
from tidewheel.plan.binding.parts import PartBounds, RelationPart, Sharing
from tidewheel.plan.binding.requests import Limit, PartOrigin, PartRequest, Versions, coming_rows, kind_of
from tidewheel.plan.binding.shown import MadeIntermediate, PrunedOverMade, Shown
from tidewheel.plan.pricing.facts import file_like
from tidewheel.program import Intermediate, Program
from tidewheel.program.program import is_reference
from tidewheel.store.deltas import DeltaFiles, with_sign
from tidewheel.store.epochs import Kept, Rows, ViewEntry, ViewRecord
from tidewheel.store.log import DataFile
from tidewheel.store.prune import ColumnValues, files_with, united
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Field, Schema


class Reading:
    """One view's statements over files; `shown` grows with each plan that is made readable.

    `expected` are relations whose change is not written yet: how many rows it will have is known, not which. Each has
    how many times as many rows it will have as are written.
    """

    def __init__(
        self,
        versions: Versions,
        view: str,
        base: ViewRecord,
        upkeep: MaintenanceLayout,
        entry: ViewEntry,
        deltas: Mapping[str, DeltaFiles],
        *,
        expected: Mapping[str, float] | None = None,
    ) -> None:
        self.versions, self.view, self.base, self.upkeep = versions, view, base, upkeep
        self.entry, self.deltas, self.expected = entry, deltas, expected or {}
        self.kept = base.kept or Kept(layout="", columns=base.schema)
        self.shown: dict[str, Shown] = {}
        self.known: dict[Origins, ColumnValues | None] = {}
        self.seen: dict[str, Shown] = {}
        self.after: dict[str, float] = {}
        self.changed: dict[str, TableSnapshot] = {}
        """The changes of states that are written, or how large they are expected to be."""
        self._scans: dict[str, set[tuple[str, Form, tuple[Limit, ...]]]] = {}
        self.origins: dict[RelationPart, PartOrigin] = {}
        self._both: dict[str, frozenset[DataFile]] = {}
        self._parted: dict[str, list[Shown]] = {}
        self._chosen: dict[tuple[str, frozenset[Limit]], Shown] = {}
        self._nothing: list[Scan] = []
        self.made: dict[bytes, MadeIntermediate] = {}
        """Intermediates that are made, or how large they are expected to be, by the digests of their references."""
        self._pruned = PrunedOverMade(self.show, self.made)

    def again(self) -> Reading:
        """The reading with nothing read yet; what was looked at stays known."""
        other = copy.copy(self)
        other.shown = {}
        return other

    def anew(self) -> Reading:
        """The reading with nothing looked at yet, but for what holds whatever is read."""
        other = Reading(
            self.versions, self.view, self.base, self.upkeep, self.entry, self.deltas, expected=self.expected
        )
        other.after, other._both, other._parted = self.after, self._both, self._parted
        return other

    def size(self, name: str) -> int:
        """Rows of an input."""
        return self.versions.now(name).rows

    def growth(self, name: str) -> float:
        """How many times as many rows an input has after its change as it had before."""
        if name not in self.deltas or self.expected.get(name, 1.0) != 1.0:
            return self.expected.get(name, 1.0)
        after = max(self.versions.now(name).rows, 1)
        return after / max(after - self.deltas[name].net, 1)

    def expect(self, stored: StoredRelation, rows: float) -> None:
        """The change of a state before it is there."""
        before = self.rows(stored)
        file = file_like(before.files, max(1, round(rows)))
        self.changed[stored.name] = TableSnapshot(table="", version=-1, schema=with_sign(before.schema), files=(file,))
        shown = self._change(stored.name)
        if shown.name in self.seen:  # as something else was expected
            self.seen[shown.name] = shown

    def stage(self, stored: StoredRelation, change: TableSnapshot) -> None:
        """The change of a state, now that it is there."""
        self.changed[stored.name] = change

    def put(self, step: Intermediate, rows: float | None, size: float = 0.0) -> str:
        """An intermediate that is there, or will be, with the rows and bytes that it has; the name that it has.

        Files that it was made from are told from by what reads it, but not where what reads it would bound them.
        """
        name = made_name(self.view, step)
        schema = Schema(tuple(Field(c.name, c.type, c.nullable) for c in step.reference.columns))
        file = DataFile(path="", size=round(size), rows=1 if rows is None else round(rows))
        parts = [TableSnapshot(table="", version=-1, schema=schema, files=(file,) if file.rows else ())]
        self.made[step.reference.digest] = MadeIntermediate(step.rel, Shown(name, self.view, "made", parts))
        return name

    def rows(self, stored: StoredRelation) -> Rows:
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

    def show(self, scan: Scan, bounds: pruning.ColumnBounds) -> Rel:
        """What is read instead of a stored relation: a name that is registered, or nothing if no file can matter."""
        shown = self._shown(scan, bounds)
        if not any(part.files for part in shown.parts) and (none := empty(types_of(scan))) is not None:
            self._nothing.append(scan)
            return none
        self.seen[shown.name] = shown
        return Scan(relation=shown.name, columns=scan.columns)

    def shares(self) -> Iterator[tuple[Sharing, Shown]]:
        """What is shared and was asked for, and the files that it is made from."""
        for part, origin in self.origins.items():
            yield self.versions.parts.sharings[part], origin.files

    def asked(self, name: str) -> Iterator[PartRequest]:
        """The parts that are asked for under a name."""
        for relation, form, limits in sorted(self._scans.get(name, ()), key=repr):
            yield from self._asked(self._relation(relation, form), limits)

    def take(self, name: str, rows: Sequence[TableSnapshot]) -> None:
        """The rows of shared parts that are there now."""
        shown = self.seen[name]
        schema = shown.parts[0].schema
        there = [replace(snapshot, schema=schema) for snapshot in rows]
        self.shown[name] = self.seen[name] = replace(shown, parts=[*there, *shown.parts[len(rows) :]])

    def _shown(self, scan: Scan, bounds: pruning.ColumnBounds) -> Shown:
        """A relation, or those files of it that can matter, or what several views need of it."""
        if is_reference(scan):
            return self.made[scan.digest].shown
        whole = self._relation(scan.relation, scan.form)
        if not bounds.of:
            return whole
        files = self._pruned_by(whole, {scan.columns[i].name: origins for i, origins in bounds.of})
        if whole.what == "stored" or not any(part.files for part in files.parts) or self._is_own(bounds):
            return files
        columns = {c.name for c in scan.columns}
        limits = tuple(sorted((scan.columns[i].name, origins) for i, origins in bounds.of))
        self._scans.setdefault(files.name, set()).add((scan.relation, scan.form, limits))
        if not self.versions.parts.sharings:
            return files
        asked = list(self._asked(whole, limits))
        served = [self.versions.parts.serving(a.part, columns) for a in asked]
        if not any(served):
            return files
        schema = whole.parts[0].schema.only(columns)
        if all(name in p.partition_columns for p in whole.parts for name in schema.names):
            return files  # nothing of them is in the files
        shared = {s.part: coming_rows(s, schema) for s in served if s is not None}
        for part in shared:
            if part not in self.origins:
                self.origins[part] = self._origin(whole, part, limits)
        rest = [p for a, s in zip(asked, served, strict=True) if s is None for p in a.files.parts]
        parts = [*shared.values(), *(replace(p, schema=schema) for p in rest)]
        names = (*schema.names, *(part.name for part in shared), *(path for p in rest for path in p.paths()))
        return replace(whole, name=self._own_name(whole.name, names), parts=parts, shared=tuple(shared))

    def _is_own(self, bounds: pruning.ColumnBounds) -> bool:
        """Do changes of the view's own states bound it, so that no other view reads the same."""
        own = {stored.name for stored in self.upkeep.stored}
        return any(relation in own for _, origins in bounds.of for relation, _ in origins)

    def _own_name(self, name: str, what: Iterable[str]) -> str:
        digest = hashlib.sha256("\n".join([self.view, *what]).encode()).hexdigest()[:12]
        return f"{name}_{digest}"

    def _pruned_by(self, whole: Shown, bounds: Mapping[str, Origins]) -> Shown:
        """The files that can hold values that are asked for."""
        key = (whole.name, frozenset(bounds.items()))
        if key not in self._chosen:
            self._chosen[key] = self._choose(whole, bounds)
        return self._chosen[key]

    def _choose(self, whole: Shown, bounds: Mapping[str, Origins]) -> Shown:
        wanted = {column: values for column, origins in bounds.items() if (values := self._values(origins))}
        share = whole.share * min((self._share(whole, origins) for origins in bounds.values()), default=1.0)
        chosen = [replace(part, files=tuple(files_with(part.files, wanted))) for part in whole.parts]
        if sum(len(c.files) for c in chosen) == sum(len(p.files) for p in whole.parts):
            return whole if share == whole.share else replace(whole, name=f"{whole.name}_part", share=share)
        name = self._own_name(whole.name, (f.path for part in chosen for f in part.files))
        return replace(whole, name=name, parts=chosen, share=share)

    def _asked(self, whole: Shown, limits: Sequence[Limit]) -> Iterator[PartRequest]:
        """The parts that make up what is asked for: of files that were there all the time, and of the others."""
        for piece in self._pieces(whole):
            files = self._pruned_by(piece, dict(limits))
            if any(part.files for part in files.parts):
                yield PartRequest(
                    RelationPart(of=piece.name, bounds=self._bounds(limits), kind=kind_of(piece, limits)), files
                )

    def _pieces(self, whole: Shown) -> list[Shown]:
        """The files that a relation that changed had before and has now, and those that it does not share so."""
        if whole.relation not in self.deltas:
            return [whole]
        if whole.name not in self._parted:
            self._parted[whole.name] = self._cut(whole)
        return self._parted[whole.name]

    def _cut(self, whole: Shown) -> list[Shown]:
        both = self._files_of_both(whole.relation)
        pieces = [
            [replace(p, files=tuple(f for f in p.files if (f in both) is kept)) for p in whole.parts]
            for kept in (True, False)
        ]
        known = f"{whole.relation}_{self.entry.inputs[whole.relation]}".replace("-", "m")
        rest = "gone" if whole.what == "before" else "come"
        return [
            replace(whole, name=f"_tw_{what}_{known}", what_of=what, parts=parts)
            for what, parts in zip(("since", rest), pieces, strict=True)
        ]

    def _files_of_both(self, relation: str) -> frozenset[DataFile]:
        if relation not in self._both:
            self._both[relation] = frozenset()
            with suppress(StoreError):  # what was before may be gone, and not be needed
                before = self.versions.before(relation, self.entry.inputs[relation])
                now = self.versions.now(relation)
                if before.table == now.table:
                    self._both[relation] = frozenset(before.files) & frozenset(now.files)
        return self._both[relation]

    def _bounds(self, limits: Sequence[Limit]) -> PartBounds:
        found = []
        for column, origins in limits:
            found.append((column, tuple(sorted((self._change(r).name, name) for r, name in origins))))
        return tuple(sorted(found))

    def _origin(self, whole: Shown, part: RelationPart, limits: Sequence[Limit]) -> PartOrigin:
        """Of bounds those that the part has: it may hold more than is asked for."""
        own = [limit for limit in limits if self._bounds([limit])[0] in part.bounds]
        piece = next(p for p in self._pieces(whole) if p.name == part.of)
        files = replace(self._pruned_by(piece, dict(own)), name=f"{part.name}_files")
        changes = {shown.name: shown for _, o in own for r, _ in o for shown in [self._change(r)]}
        values = [(column, self._values(origins)) for column, origins in own]
        nulls = frozenset(column for column, known in values if known is None or known.has_null)
        return PartOrigin(files, tuple(changes.values()), nulls)

    def _share(self, whole: Shown, origins: Origins) -> float:
        """The share of files that the values of changes will be in that are yet to come: any."""
        coming = [self._change(r) for r, _ in origins if self._is_expected(r)]
        files = sum(len(part.files) for part in whole.parts)
        if not coming or not files:
            return 1.0
        return 1.0 - (1.0 - 1.0 / files) ** sum(shown.rows for shown in coming)

    def _is_expected(self, relation: str) -> bool:
        """Is the change of a relation not written yet."""
        for stored in self.upkeep.stored:
            if relation == stored.name:
                return not self._changed(stored).table
        return self._spelled(relation) in self.expected

    def _values(self, origins: Origins) -> ColumnValues | None:
        """The values that the columns of some changes hold together."""
        if origins not in self.known:
            self.known[origins] = united([self._values_of(*origin) for origin in sorted(origins)])
        return self.known[origins]

    def _values_of(self, relation: str, column: str) -> ColumnValues | None:
        if self._is_expected(relation):
            return None
        return self.versions.values(self._change(relation).parts, column)

    def _changed(self, stored: StoredRelation) -> TableSnapshot:
        """The change of a state; of one that nothing is said of yet, as many rows as those of the inputs have."""
        if stored.name not in self.changed:
            self.expect(stored, sum(delta.rows for delta in self.deltas.values()))
        return self.changed[stored.name]

    def _change(self, relation: str) -> Shown:
        return self._relation(relation, CHANGE)

    def _relation(self, relation: str, form: Form) -> Shown:
        """What a plan reads: a name that is this view's own where what it shows is, and the files.

        Names are made here and nowhere else, and nothing is read from them.
        """
        for stored in self.upkeep.stored:
            if relation == stored.name and isinstance(form, Delta):
                change = self._changed(stored)
                return Shown(self._own_name(f"_tw_change_{relation}", change.paths()), self.view, "staged", [change])
            if relation == stored.name:
                rows = self.rows(stored)
                snapshot = TableSnapshot(
                    table=self.versions.table(self.view), version=-1, schema=rows.schema, files=rows.files
                )
                return Shown(f"{relation}_{self.view}", self.view, "stored", [snapshot])
        name = self._spelled(relation)
        if form == NOW:
            return Shown(relation, name, "now", [self.versions.now(name)], share=self.expected.get(name, 1.0))
        known = self.entry.inputs[name]
        suffix = f"{relation}_{known}".replace("-", "m")
        if isinstance(form, Delta):
            return Shown(f"_tw_change_{suffix}", name, "change", self.deltas[name].parts)
        return Shown(f"_tw_old_{suffix}", name, "before", [self.versions.before(name, known)])

    def _spelled(self, name: str) -> str:
        """A relation as the project spells it."""
        return next(r for r in self.entry.inputs if r.lower() == name.lower())


def readable_steps(reading: Reading, program: Program) -> Iterator[Rel]:
    """The plans of a program over files; what its intermediates will be is not looked at."""
    for step in program.steps:
        plan = reading.readable(step.rel)
        if isinstance(step, Intermediate):
            reading.put(step, 0.0 if is_empty(plan) else None)
        yield plan
