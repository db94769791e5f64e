"""What it will cost to bring one view up to date: from changes, and in full. Starts no engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidewheel.ir.props import is_empty
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes
from tidewheel.methods import Method
from tidewheel.names import WEIGHT
from tidewheel.optimize.auxiliary import Decomposition, Worth
from tidewheel.optimize.cost import HEAVY, Place, Work, work_of
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.facts import Facts
from tidewheel.optimize.learning import Columns, Learned
from tidewheel.optimize.maintenance import Decide, Statement, StoredRelation
from tidewheel.optimize.options import PlannerOptions
from tidewheel.optimize.priced import PricedWay, WayName
from tidewheel.optimize.valuation import VALUE_BYTES, Venue, decide
from tidewheel.plan.binding.parts import RelationPart, Sharing
from tidewheel.plan.binding.reading import Reading
from tidewheel.plan.binding.shown import Shown
from tidewheel.plan.memory import PlanMemory
from tidewheel.plan.placement import Placement
from tidewheel.plan.pricing.facts import facts_of
from tidewheel.plan.pricing.work import (
    TWICE,
    UNSORTED,
    ReadingStock,
    Use,
    by_view,
    bytes_of_row,
    rewriting_work,
    sizes_of,
)
from tidewheel.plan.request import RefreshRequest
from tidewheel.program import Intermediate, Program, ProgramOptions, pieces
from tidewheel.project.config import Config, ManagedSource
from tidewheel.store import learnt
from tidewheel.store.tables import TableSnapshot
from tidewheel.store.warehouse import Warehouse


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """Prices the ways of views, given what was learned and where statements run."""

    learned: Learned
    placement: Placement
    options: PlannerOptions
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Declared keys of sources. Nobody checks them: they are for estimates only."""
    memory: PlanMemory = field(default_factory=PlanMemory)
    """What was worked out for earlier plans."""

    def decide(self, reading: Reading) -> Decide:
        """Chooses among alternatives by what they cost where most of them will be computed."""
        place: Place = "cluster" if self.placement.is_for_spark else "driver"
        venue = Venue(place=place, prices=self.learned.prices(place), options=self.options.search)
        scratch = reading.again()
        stock = ReadingStock(scratch, self._facts(scratch.seen))
        return lambda statements, memo: decide([statement.rel for statement in statements], memo, stock, venue)

    def from_changes(self, view: str, reading: Reading, program: Program) -> PricedWay:
        statements = program.statements
        made, before, estimator = self._readable(view, reading, program)
        read = sum(shown.bytes * shown.share for shown in reading.shown.values() if shown.what != "made")
        place = self._place(read)
        work = work_of([p for _, p in made], estimator, sizes_of(reading.seen), shared=place == "driver")
        for step, plan in before:
            work += work_of([plan], estimator, sizes_of(reading.seen), shared=place == "driver")
            work += Work(written=reading.made[step.reference.digest].shown.bytes)
        rows, states = 0.0, dict[str, float]()
        for statement, plan in made:
            estimate = self._bounded(estimator.rows(plan), reading, statement.stored)
            if statement.stored.name == reading.upkeep.view.name:
                rows = estimate
            else:
                states[statement.stored.name] = estimate
            changed = self._changed(view, reading, statement.stored, estimate)
            work += rewriting_work(reading.rows(statement.stored).files, changed, signed=statement.change.signed)
        shared = 0.0
        for sharing, files in reading.shares():
            shared += sharing.making / len(sharing.views)
            read += files.bytes * files.share / len(sharing.views)
        if any(s.change.signed for s, _ in made):
            work += Work(executions=1.0)
        method: Method = statements[-1].method if statements else "none"
        way = self.way(view, "changes", method, place, work, rows, read)
        bounded = self._bounded(way.rows, reading, reading.upkeep.view)
        return replace(way, rows=bounded, seconds=way.seconds + shared, shared=shared, states=states)

    def _readable(
        self, view: str, reading: Reading, program: Program
    ) -> tuple[list[tuple[Statement, Rel]], list[tuple[Intermediate, Rel]], Estimator]:
        """The plans of statements that may give rows, and of what these read.

        How large a state's change will be is told to those that read it, and likewise of intermediates.
        """
        made: list[tuple[Statement, Rel]] = []
        before: dict[str, tuple[Intermediate, Rel]] = {}
        stored = self._facts(reading.seen)

        def facts(scan: Scan) -> Facts:
            return estimator.facts(before[scan.relation][1]) if scan.relation in before else stored(scan)

        estimator = Estimator(facts)
        for step in program.steps:
            plan = reading.readable(step.rel)
            if isinstance(step, Intermediate):
                rows = 0.0 if is_empty(plan) else max(1.0, estimator.rows(plan))
                name = reading.put(step, rows, rows * plan.width * VALUE_BYTES)
                if rows:
                    before[name] = (step, plan)
                continue
            if not is_empty(plan):
                made.append((step, plan))
            if step.stored.name != reading.upkeep.view.name:
                estimate = self._bounded(estimator.rows(plan), reading, step.stored)
                reading.expect(step.stored, self._changed(view, reading, step.stored, estimate))
        return made, list(before.values()), estimator

    def _changed(self, view: str, reading: Reading, stored: StoredRelation, estimate: float) -> float:
        """Rows that come and go in a stored relation, by what was learned of it."""
        if stored.name == reading.upkeep.view.name:
            learned = self.learned.rows(view, "changes", estimate)
        else:
            learned = self.learned.state_rows(view, stored.name, estimate)
        return self._bounded(learned, reading, stored)

    def _bounded(self, changed: float, reading: Reading, stored: StoredRelation) -> float:
        """No more can change than all rows that were there and all that will be."""
        before = sum(f.rows for f in reading.rows(stored).files)
        return changed if changed <= before else min(changed, before + self._after(reading, stored))

    def _after(self, reading: Reading, stored: StoredRelation, known: tuple[Rel, Estimator] | None = None) -> float:
        """Rows of a stored relation after the change, worked out once; its plan over all rows may be `known`."""
        if stored.name not in reading.after:
            reading.after[stored.name] = self._rows_after(reading, stored, known)
        return reading.after[stored.name]

    def _rows_after(self, reading: Reading, stored: StoredRelation, known: tuple[Rel, Estimator] | None) -> float:
        """Those before, times the growth of the estimate."""
        before = sum(f.rows for f in reading.rows(stored).files)
        if all(reading.growth(name) == 1.0 for name in reading.deltas):
            return before
        whole = reading.again()
        plan, after = known or (whole.readable(reading.upkeep.plan(stored.name)), self._estimator(whole.seen))
        earlier = self._estimator(whole.seen, lambda files: 1 / reading.growth(files.relation))
        grown = before * after.rows(plan) / max(earlier.rows(plan), 1e-9) if before else after.rows(plan)
        high = after.bounds(plan).high
        return grown if high is None else min(grown, high)

    def worth(self, names: Iterable[str], now: Callable[[str], TableSnapshot]) -> Worth:
        """Auxiliary states are worth it if they are small, and what they are made from is not."""
        estimator = self.estimator(names, now)

        def is_worth_it(aid: Decomposition) -> bool:
            scans = {node for state in aid.states for node in nodes(state) if isinstance(node, Scan)}
            read = sum(map(estimator.rows, scans))
            small = self.options.aid_share * read
            return read >= self.options.aid_rows and sum(map(estimator.rows, aid.states)) <= small

        return is_worth_it

    def estimator(self, names: Iterable[str], now: Callable[[str], TableSnapshot]) -> Estimator:
        """Over relations as they are."""
        return self._estimator({name.lower(): Shown(name, name, "now", [now(name)]) for name in names})

    def sharing(self, part: RelationPart, uses: Sequence[Use]) -> Sharing:
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
        work = work_of([rel], estimator, sizes_of(shown), shared=True) + Work(written=UNSORTED * size)
        again = Work(rows=TWICE * rows, read=size)
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
            reading=by_view(uses, lambda _: prices.seconds(again)),
            alone=by_view(uses, lambda use: self.alone([use])),
        )

    def alone(self, uses: Sequence[Use]) -> float:
        """Seconds that some scans take if each reads for itself."""
        return sum(self.learned.prices(self._place(u.asked.files.bytes)).seconds(u.work()) for u in uses)

    def _place(self, size: float) -> Place:
        """Where so many bytes are read."""
        return "driver" if self.placement.needs_spark(size, full=False) is None else "cluster"

    def full(self, view: str, reading: Reading) -> PricedWay:
        """Each stored relation by an execution of its own, as large as it will be."""
        whole = reading.again()
        size = sum(reading.versions.now(name).bytes * reading.expected.get(name, 1.0) for name in reading.entry.inputs)
        place: Place = "driver" if self.placement.needs_spark(size, full=True) is None else "cluster"
        work, rows, estimator = Work(), dict[str, float](), self._estimator(whole.seen)
        for stored in reading.upkeep.stored:
            plan = whole.readable(reading.upkeep.plan(stored.name))
            rows[stored.name] = self._after(reading, stored, (plan, estimator))
            if place == "driver":
                work += work_of([plan], estimator, sizes_of(whole.seen), shared=True)
            else:
                work += self._in_pieces(plan, whole)
            work += Work(written=rows[stored.name] * bytes_of_row(whole.rows(stored).files))
        read = sum(shown.bytes * shown.share for shown in whole.shown.values() if shown.what != "stored")
        return self.way(view, "full", "full", place, work, rows[reading.upkeep.view.name], read)

    def _in_pieces(self, plan: Rel, whole: Reading) -> Work:
        """What it takes to compute a plan, in as many executions as the cluster gets it."""
        steps, (last,) = pieces([plan], ProgramOptions().most_operators)
        made = {step.reference.digest: step.rel for step in steps.values()}
        stored, sizes = self._facts(whole.seen), sizes_of(whole.seen)

        def facts(scan: Scan) -> Facts:
            return estimator.facts(made[scan.digest]) if scan.digest in made else stored(scan)

        def size(scan: Scan) -> float:
            return estimator.rows(scan) * scan.width * VALUE_BYTES if scan.digest in made else sizes(scan)

        estimator = Estimator(facts)
        work = Work(written=sum(size(step.reference) for step in steps.values()))
        for each in (*made.values(), last):
            work += work_of([each], estimator, size, shared=False)
        return work

    def difference(self, view: str, reading: Reading, changes: PricedWay, full: PricedWay) -> PricedWay:
        """In full, and then the rows before against those after, so that the view's change is known."""
        before = reading.rows(reading.upkeep.view).files
        rows, size = full.rows + sum(f.rows for f in before), sum(f.size for f in before)
        both = size + full.rows * bytes_of_row(before)
        compared = Work(executions=1.0, operators=6.0, read=both, rows=2 * HEAVY * rows)
        way = self.way(
            view, "difference", "difference", full.place, full.work + compared, changes.rows, full.read + both
        )
        if self.learned.memory(view, "difference") is None:
            more = self.learned.prices(self._place(both)).seconds(compared)
            way = replace(way, seconds=full.seconds + more)
        return replace(way, rows=changes.rows, estimate=changes.estimate)

    def way(
        self, view: str, name: WayName, method: Method, place: Place, work: Work, rows: float, read: float
    ) -> PricedWay:
        """A way to bring a view up to date, with what such work will take."""
        seconds = self.learned.seconds(view, name, place, work)
        return PricedWay(
            name=name,
            method=method,
            place=place,
            work=work,
            seconds=seconds,
            rows=self.learned.rows(view, name, rows),
            estimate=rows,
            read=read,
        )

    def _estimator(self, shown: Mapping[str, Shown], share: Callable[[Shown], float] = lambda _: 1.0) -> Estimator:
        """Over what is read; of a relation as it is now, perhaps over a share of it."""
        return Estimator(self._facts(shown, share))

    def _facts(
        self, shown: Mapping[str, Shown], share: Callable[[Shown], float] = lambda _: 1.0
    ) -> Callable[[Scan], Facts]:
        def facts(scan: Scan) -> Facts:
            files = shown.get(scan.relation) or shown[scan.relation.lower()]
            known = self.learned.columns.get(files.relation, Columns()).distinct
            found = facts_of([f for part in files.parts for f in part.files], scan.columns, known)
            found = found.scaled(files.share * (share(files) if files.what == "now" else 1.0))
            return self._keyed(found, scan, files)

        return facts

    def _keyed(self, found: Facts, scan: Scan, files: Shown) -> Facts:
        """With the key that is declared; in a change of rows that came and went each of its values may come twice."""
        places = {c.name.lower(): i for i, c in enumerate(scan.columns)}
        key = [places.get(name.lower()) for name in self.keys.get(files.relation, ())]
        known = [i for i in key if i is not None]
        if not known or len(known) < len(key) or files.what == "stored":
            return found
        if files.what != "change":
            return found.keyed(known)
        population = self.learned.columns.get(files.relation, Columns()).rows or None
        if WEIGHT in places:
            return found.sampled(known, population).keyed([*known, places[WEIGHT]])
        return found.keyed(known).sampled(known, population)


def pricing_of(warehouse: Warehouse, request: RefreshRequest, config: Config) -> Pricing:
    """By what was learned so far."""
    keys = {name: source.key for name, source in config.sources.items() if isinstance(source, ManagedSource)}
    learned = Learned.from_dict(learnt.read(warehouse))
    return Pricing(
        learned=learned,
        placement=request.placement,
        options=request.planner or PlannerOptions(),
        keys=keys,
        memory=PlanMemory() if request.memory is None else request.memory(),
    )
