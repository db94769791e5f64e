"""What it will cost to bring one view up to date: from changes, and in full. Starts no engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tidewheel.delta.change import Change
from tidewheel.ir.props import is_empty
from tidewheel.ir.rel import Scan
from tidewheel.ir.tree import nodes
from tidewheel.optimize.arms import Arm, ArmName, Columns, Learned
from tidewheel.optimize.auxiliary import Aid, Worth
from tidewheel.optimize.cost import DEFAULTS, Place, Work, work_of
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.facts import Facts
from tidewheel.optimize.memo import Price
from tidewheel.optimize.upkeep import Statement
from tidewheel.refresh.facts import facts_of
from tidewheel.refresh.look import Where
from tidewheel.refresh.parts import Made, Part, Sharing
from tidewheel.refresh.reading import Asked, Reading, Shown
from tidewheel.refresh.run import Run
from tidewheel.store import learnt
from tidewheel.store.dictionaries import distinct_values
from tidewheel.store.log import DataFile
from tidewheel.store.tables import Snapshot
from tidewheel.store.warehouse import Warehouse

SMALL = 0.1
"""Auxiliary states may have so many rows, against those of what they are made from."""
LARGE = 100_000
"""Rows that are looked up quickly in any case: no state is kept because of fewer."""
UNSORTED = 0.25
"""What it takes to write rows as they come, against writing them in order."""
_TWICE = 2
"""A row that is scanned is also looked up, by the join that asks for the part."""


@dataclass(frozen=True, slots=True)
class Use:
    """A scan in a statement of a view, and what it asks for."""

    view: str
    reading: Reading
    scan: Scan
    asked: Asked

    def work(self) -> Work:
        """What reading for itself takes."""
        files = self.asked.files
        return Work(read=_size(files, self.scan), rows=_TWICE * files.share * files.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """Prices the arms of views, given what was learned and where statements run."""

    learned: Learned
    where: Where

    def arms(self, view: str, reading: Reading, statements: Sequence[Statement]) -> tuple[Arm, ...]:
        """From changes, and in full."""
        return self.from_changes(view, reading, statements), self.full(view, reading)

    def price(self, reading: Reading) -> Price:
        """What computing a change costs, for the choice between rules: in the driver, where most are computed."""
        scratch = reading.again()
        estimator = self._estimator(scratch.seen)

        def seconds(change: Change) -> float:
            plan = scratch.readable(change.rel)
            return DEFAULTS["driver"].seconds(work_of([plan], estimator, _sizes(scratch.seen), shared=True))

        return seconds

    def from_changes(self, view: str, reading: Reading, statements: Sequence[Statement]) -> Arm:
        made = [(s, plan) for s in statements if not is_empty(plan := reading.readable(s.rel))]
        read = sum(shown.bytes * shown.share for shown in reading.shown.values())
        place = self._place(read)
        estimator = self._estimator(reading.seen)
        work = work_of([p for _, p in made], estimator, _sizes(reading.seen), shared=place == "driver")
        rows, states = 0.0, dict[str, float]()
        for statement, plan in made:
            estimate, name = estimator.rows(plan), statement.stored.name
            if name == reading.upkeep.view.name:
                rows, changed = estimate, self.learned.rows(view, "changes", estimate)
            else:
                states[name], changed = estimate, self.learned.state_rows(view, name, estimate)
            work += _rewrite(reading.rows(statement.stored).files, changed, signed=statement.change.signed)
        shared = 0.0
        for sharing, files in reading.shares():
            shared += sharing.making / len(sharing.views)
            read += files.bytes * files.share / len(sharing.views)
        if any(s.change.signed for s, _ in made):
            work += Work(executions=1.0)
        method = statements[-1].method if statements else "none"
        arm = self.arm(view, "changes", method, place, work, rows, read)
        return replace(arm, seconds=arm.seconds + shared, shared=shared, states=states)

    def worth(self, names: Iterable[str], now: Callable[[str], Snapshot]) -> Worth:
        """Auxiliary states are worth it if they are small, and what they are made from is not."""
        spelled = {name.lower(): name for name in names}

        def facts(scan: Scan) -> Facts:
            name = spelled[scan.relation.lower()]
            return facts_of(now(name).files, scan.columns, self.learned.columns.get(name, Columns()).distinct)

        estimator = Estimator(facts)

        def small(aid: Aid) -> bool:
            scans = {node for state in aid.states for node in nodes(state) if isinstance(node, Scan)}
            read = sum(map(estimator.rows, scans))
            return read >= LARGE and sum(map(estimator.rows, aid.states)) <= SMALL * read

        return small

    def sharing(self, part: Part, uses: Sequence[Use]) -> Sharing:
        """What it costs to read a part once for some scans, and what these would cost if each read for itself."""
        files = uses[0].asked.files
        every = dict.fromkeys(f for use in uses for p in use.asked.files.parts for f in p.files)
        files = replace(files, name=f"{part.name}_files", parts=[replace(files.parts[0], files=tuple(every))])
        width = len(files.parts[0].schema)
        wanted = part.columns().union(c.name for use in uses for c in use.scan.columns)
        schema = files.parts[0].schema.only(wanted)
        shown = {**uses[0].reading.seen, files.name: files}
        estimator = self._estimator(shown)
        rel = part.query(schema, files.name, nulls=()).rel
        estimate = estimator.rows(rel)
        rows = min(estimate * self.learned.overlaps.get(part.kind, 1.0), float(files.rows))
        size = rows * files.bytes / max(files.rows, 1) * len(schema) / max(width, 1)
        work = work_of([rel], estimator, _sizes(shown), shared=True) + Work(written=UNSORTED * size)
        again = Work(rows=_TWICE * len(uses) * rows, read=size * len(uses))
        place = self._place(files.bytes)
        prices = self.learned.prices(place)
        return Sharing(
            part=part,
            serves=tuple(dict.fromkeys(use.asked.part for use in uses)),
            relation=files.relation,
            what=files.what,
            columns=schema.names,
            views=tuple(dict.fromkeys(use.view for use in uses)),
            place=place,
            work=work,
            making=prices.seconds(work),
            rows=rows,
            estimate=estimate,
            size=size,
            seconds=prices.seconds(work + again),
            alone=self.alone(uses),
        )

    def alone(self, uses: Sequence[Use]) -> float:
        """Seconds that some scans take if each reads for itself."""
        return sum(self.learned.prices(self._place(u.asked.files.bytes)).seconds(u.work()) for u in uses)

    def _place(self, size: float) -> Place:
        """Where so many bytes are read."""
        return "driver" if self.where.needs_spark(size, full=False) is None else "cluster"

    def full(self, view: str, reading: Reading) -> Arm:
        """Each stored relation by an execution of its own."""
        whole = reading.again()
        size = sum(reading.versions.now(name).bytes for name in reading.entry.inputs)
        place: Place = "driver" if self.where.needs_spark(size, full=True) is None else "cluster"
        work = Work()
        for stored in reading.upkeep.stored:
            plan = whole.readable(reading.upkeep.plan(stored.name))
            files = whole.rows(stored).files
            work += work_of(
                [plan],
                self._estimator(whole.seen),
                _sizes(whole.seen),
                shared=place == "driver",
            )
            work += Work(written=float(sum(f.size for f in files)))
        read = sum(shown.bytes for shown in whole.shown.values() if shown.what != "stored")
        return self.arm(view, "full", "full", place, work, float(sum(f.rows for f in reading.base.files)), read)

    def arm(self, view: str, name: ArmName, method: str, place: Place, work: Work, rows: float, read: float) -> Arm:
        """A way to bring a view up to date, with what such work will take."""
        seconds = self.learned.seconds(view, name, place, work)
        return Arm(
            name=name,
            method=method,
            place=place,
            work=work,
            seconds=seconds,
            rows=self.learned.rows(view, name, rows),
            estimate=rows,
            read=read,
        )

    def _estimator(self, shown: Mapping[str, Shown]) -> Estimator:
        def facts(scan: Scan) -> Facts:
            files = shown[scan.relation]
            known = self.learned.columns.get(files.relation, Columns()).distinct
            found = facts_of([f for part in files.parts for f in part.files], scan.columns, known)
            return found if files.share == 1.0 else found.limited(found.rows * files.share)

        return Estimator(facts)


def pricing_of(warehouse: Warehouse, where: Where) -> Pricing:
    """By what was learned so far."""
    return Pricing(learned=Learned.from_dict(learnt.read(warehouse)), where=where)


def learn(warehouse: Warehouse, run: Run, read: Mapping[str, Snapshot], made: Iterable[Made]) -> None:
    """Take in what the views of a run took and gave; nothing of one that read nothing, for it did not have to.

    Of relations that it read, and that have doubled since they were last looked at, it is seen how their values repeat.
    """
    new = {s.view for s in run.plan.steps if s.reason.code in {"first-build", "definition-changed"}}
    before = Learned.from_dict(learnt.read(warehouse))
    learned = before.only(run.views.keys() - new)
    for name, view in run.views.items():
        if view.arm is not None and view.read:
            rows = view.rows if view.arm.name == "full" else view.changed
            learned = learned.with_run(name, view.arm, view.seconds - view.shared, float(rows or 0), view.states)
    for one in made:
        learned = learned.with_overlap(one.sharing.part.kind, one.sharing.estimate, one.rows)
        learned = learned.with_sample(one.sharing.place, one.sharing.work, one.seconds)
    for name, snapshot in read.items():
        if snapshot.rows > 2 * learned.columns.get(name, Columns()).rows:
            with suppress(OSError, ValueError):  # it may be gone, or be no file of ours
                learned = learned.with_columns(name, snapshot.rows, distinct_values(snapshot.paths(), snapshot.rows))
    if learned != before:
        learnt.write(warehouse, learned.to_dict())


def _sizes(shown: Mapping[str, Shown]) -> Callable[[Scan], float]:
    return lambda scan: _size(shown[scan.relation], scan)


def _size(files: Shown, scan: Scan) -> float:
    """Bytes of the columns that a scan reads; they are taken to be of one size."""
    width = len(files.parts[0].schema.fields) if files.parts else 1
    return files.share * files.bytes * min(len(scan.columns) / max(width, 1), 1.0)


def _rewrite(files: Sequence[DataFile], changed: float, *, signed: bool) -> Work:
    """What it takes to put a change into stored files, anywhere in which its rows may be."""
    rows, size = sum(f.rows for f in files), sum(f.size for f in files)
    each = size / rows if rows else 50.0
    share = 1 - (1 - 1 / len(files)) ** changed if files and signed else 0.0
    return Work(read=share * size, rows=share * rows, written=share * size + changed * each)
