"""A history in memory: stored rows are kept by applying planned changes, and compared with recomputation.

After each round every stored relation of every view, hidden columns and states included, must hold what its plan gives
on the reference. Beside that, each change must be what it says: its weights are 1 or -1, an append has none, no row
both comes and goes where rows can be told apart, keys stay unique; its text reads back; and DuckDB, where it accepts
the plan, gives the same rows. What this cannot reach: the store, and Spark.

A round in which recomputation itself raises ends the history: there is nothing to compare with.
"""

from __future__ import annotations

import functools
import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.fuzz.compare import agree
from tests.fuzz.histories import History, Round, Step
from tests.fuzz.local import Local
from tests.fuzz.outcomes import Outcome, bag
from tests.fuzz.tables import Case, Data
from tidewheel import program
from tidewheel.delta.change import DeltaPlan, Kind, comparable
from tidewheel.delta.pruning import ColumnBounds, Pruned
from tidewheel.ir.forms import BEFORE, CHANGE, label
from tidewheel.ir.norm import empty, normalize, without_empty
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query, Rel, Scan
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.tree import named, nodes, relations
from tidewheel.ir.typing import types_of
from tidewheel.names import WEIGHT
from tidewheel.optimize.alternatives import Alternative, Goal
from tidewheel.optimize.exploration import ExplorationOptions
from tidewheel.optimize.maintenance import (
    Decide,
    Explored,
    MaintenanceLayout,
    Statement,
    StoredRelation,
    changes,
    explored,
    upkeep_of,
)
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.evaluate import Table, compute, evaluate
from tidewheel.tvr.reference.values import Row, row_key
from tidewheel.tvr.reference.zset import ZSet
from tidewheel.types import LONG

Sink = Callable[[Case, Outcome], None]
"""Takes each change that was computed, with what the reference gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What went wrong, where. `what` is what a smaller history must have in common with this one."""

    history: History
    round: int
    view: str
    what: str
    detail: str

    def __str__(self) -> str:
        return f"{self.history.label}, round {self.round}, view {self.view}: {self.what}\n{self.detail}"


@dataclass(slots=True)
class Seen:
    """What histories covered."""

    cases: int = 0
    rounds: int = 0
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)

    def merge(self, other: Seen) -> None:
        self.cases += other.cases
        self.rounds += other.rounds
        self.counts += other.counts

    def __str__(self) -> str:
        lines = [f"{self.cases} histories, {self.rounds} rounds in {self.seconds:.0f} s"]
        return "\n".join([*lines, *(f"  {n:8}  {what}" for what, n in sorted(self.counts.items()))])


class _WrongError(Exception):
    """Found while a round is played."""

    def __init__(self, what: str, detail: object) -> None:
        super().__init__(what)
        self.what = what
        self.detail = str(detail)


class _OverError(Exception):
    """Recomputation raises, or there is no rule for a function: nothing more can be learned."""


@dataclass(slots=True)
class Past:
    """A relation at each round so far, and what happened between them; None if nothing did."""

    columns: tuple[Column, ...]
    rows: list[tuple[Row, ...]]
    steps: list[Step | None] = field(default_factory=list)

    def add(self, step: Step | None, rows: tuple[Row, ...]) -> None:
        self.steps.append(step)
        self.rows.append(rows)

    def table(self, at: int = -1) -> Table:
        return Table(self.columns, self.rows[at])

    def since(self, at: int) -> Step | None:
        """All that happened since a round, as one change."""
        found: Step | None = None
        for step in self.steps[at:]:
            found = found if step is None else step if found is None else found + step
        return found


@dataclass(slots=True)
class Kept:
    """A view: what is stored for it, and since which round."""

    name: str
    query: Query
    upkeep: MaintenanceLayout
    rows: dict[str, tuple[Row, ...]]
    at: int = 0


class Maintenance:
    """Plays histories; the local engine takes part in some of the rounds."""

    def __init__(self, local_share: float = 0.1, pruned_share: float = 0.3, sink: Sink | None = None) -> None:
        self.local_share, self.pruned_share, self.sink = local_share, pruned_share, sink
        self.seen = Seen()

    @functools.cached_property
    def local(self) -> Local:
        return Local()

    def check(self, history: History) -> Failure | None:
        self.seen.cases += 1
        played = _Played(history, self)
        try:
            for current in history.rounds:
                played.play(current)
                self.seen.rounds += 1
        except _OverError as error:
            self.seen.counts[f"over: {error}"] += 1
        except _WrongError as wrong:
            return played.failure(wrong.what, wrong.detail)
        except Exception as error:  # noqa: BLE001  nothing here may fail
            return played.failure(f"broken: {type(error).__name__}", traceback.format_exc(limit=-8))
        return None


class AnyWay:
    """Chooses any alternative of a goal, and the same one whenever it is asked."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.chosen: dict[bytes, Alternative] = {}

    def __call__(self, goal: Goal) -> Alternative:
        key = goal.reference.digest
        if key not in self.chosen:
            self.chosen[key] = self.rng.choice(goal.alternatives)
        return self.chosen[key]


class _Played:
    """One history so far."""

    def __init__(self, history: History, maintenance: Maintenance) -> None:
        self.history = history
        self.maintenance, self.seen = maintenance, maintenance.seen
        self.rng = random.Random(f"local {history.label}")
        prices = random.Random(f"prices {history.label}")
        self.decide: Decide | None = (lambda *_: AnyWay(prices)) if prices.random() < 0.5 else None
        """In half of the histories the cheapest way is any way."""
        self.past = {t.name: Past(t.columns, [t.rows]) for t in history.tables}
        self.views: dict[str, Kept] = {}
        self.round, self.view = 0, ""

    def failure(self, what: str, detail: str) -> Failure:
        return Failure(history=self.history, round=self.round, view=self.view, what=what, detail=detail)

    def play(self, current: Round) -> None:
        if not self.views:
            for name, query in self.history.views.items():
                self.view = name
                self._build(name, query)
        self.round += 1
        for table in self.history.tables:
            step = current.steps.get(table.name)
            past = self.past[table.name]
            rows = past.rows[-1]
            past.add(step, rows if step is None else _applied(rows, step.entries))
        for name, kept in self.views.items():
            self.view = name
            if name in current.stale:
                self.past[name].add(None, self.past[name].rows[-1])
                self.seen.counts["stale"] += 1
            else:
                self._refresh(kept)

    def _build(self, name: str, query: Query) -> None:
        rel = normalize(query).rel
        upkeep = upkeep_of(rel, query.names)
        now = {n: past.table() for n, past in self.past.items()}
        rows = {s.name: tuple(_recomputed(s.layout.plan, now).to_rows()) for s in upkeep.stored}
        self.views[name] = Kept(name, query, upkeep, rows)
        view = upkeep.view
        self.past[name] = Past(view.columns[: view.layout.visible], [_first(rows[view.name], view.layout.visible)])
        self.seen.counts[f"states: {len(upkeep.states)}"] += 1
        self.seen.counts["aids"] += len(upkeep.aids)

    def _refresh(self, kept: Kept) -> None:
        inputs = relations(kept.upkeep.view.rel)
        kinds, tables = self._inputs(inputs, kept.at)
        named = self.rng.random() < 0.5
        statements, looked = changes(kept.upkeep, kinds, self.history.disabled, named=named, decide=self.decide)
        self.seen.counts.update(f"rule: {looked.choose(goal).rule}" for goal in looked.reached())
        tables |= {s.name: Table(s.columns, kept.rows[s.name]) for s in kept.upkeep.stored}
        now = {n: self.past[n].table() for n in inputs}
        expected = {s.name: _recomputed(s.layout.plan, now) for s in kept.upkeep.stored}
        done = {s.stored.name: s for s in statements}
        quick = self._quick(kept, kinds, tables)
        others: dict[str, list[program.Step]] | None = self._any_way(kept, kinds)
        step: Step | None = None
        for stored in kept.upkeep.stored:
            statement = done.get(stored.name)
            if statement is not None:
                step = self._run(statement, tables)
                if quick is not None and quick[stored.name] != ZSet(step.entries):
                    raise _WrongError("quick", f"{stored.name}: {quick[stored.name]}, not {ZSet(step.entries)}")
                if others is not None and not self._is_same_way(others[stored.name], step, tables):
                    others = None  # what was not made cannot be read
                kept.rows[stored.name] = _applied(kept.rows[stored.name], step.entries)
                tables[label(stored.name, CHANGE)] = _change_table(stored.columns, step)
            _compare(stored, kept.rows[stored.name], expected[stored.name])
        if kept.upkeep.aids:
            self._compare_unaided(kept, expected[kept.upkeep.view.name], now)
        kept.at = self.round
        width = kept.upkeep.view.layout.visible
        if kept.upkeep.view.name not in done:
            step = None
        shown = None if step is None else Step(step.kind, tuple((row[:width], w) for row, w in step.entries))
        self.past[kept.name].add(shown, _first(kept.rows[kept.upkeep.view.name], width))

    def _any_way(self, kept: Kept, kinds: Mapping[str, Kind]) -> dict[str, list[program.Step]]:
        """The changes by any of the alternatives that a memo has for each form, within narrow bounds of it.

        Any of the forms are intermediates, and statements are small; for each stored relation what leads to its change.
        """
        options = ExplorationOptions(most_parts=self.rng.randint(0, 3), deepest_part=self.rng.randint(0, 8))
        statements, memo = explored(kept.upkeep, kinds, disabled=self.history.disabled, options=options)
        self.seen.counts["goals"] += len(memo.goals)
        chosen = {
            digest: self.rng.choice(goal.alternatives) for digest, goal in memo.goals.items() if goal.alternatives
        }
        share = self.rng.choice((0.0, 0.3, 1.0))
        made = {digest: 1.0 for digest in chosen if self.rng.random() < share}
        looked = Explored(statements, memo, lambda goal: chosen[goal.reference.digest])
        bound = program.ProgramOptions(most_operators=self.rng.choice((5, 40, 160)))
        found: dict[str, list[program.Step]] = {}
        steps: list[program.Step] = []
        for step in program.program_of(looked, made, copies=self.rng.random() < 0.7, options=bound).steps:
            steps.append(step)
            if not isinstance(step, program.Intermediate):
                found[step.stored.name] = steps
                steps = []
        return found

    def _is_same_way(self, others: Sequence[program.Step], step: Step, tables: dict[str, Table]) -> bool:
        """Whichever alternatives are taken, and whatever is made on the way, the change is the same.

        Not if that raises: rows that are in neither version may pass through a change.
        """
        try:
            for other in others:
                rows = compute(other.rel, tables).rows
                if isinstance(other, program.Intermediate):
                    tables[other.reference.label] = Table(other.reference.columns, tuple(rows))
                    self.seen.counts["intermediates"] += 1
        except (EvaluationError, Unsupported):
            self.seen.counts["another way raises"] += 1
            return False
        assert isinstance(other, Statement)
        found = ZSet(_step(other.change, rows).entries)
        if found != ZSet(step.entries):
            raise _WrongError("another way", f"{found}, not {ZSet(step.entries)}\n{print_rel(other.rel)}")
        return True

    def _compare_unaided(self, kept: Kept, expected: ZSet, now: Mapping[str, Table]) -> None:
        """The plan that a view is maintained by gives what the plan that it was made from gives."""
        width = kept.upkeep.view.layout.visible
        found = ZSet.of_rows(_first(tuple(expected.to_rows()), width))
        wanted = _recomputed(normalize(kept.query).rel, now)
        if found != wanted:
            raise _WrongError("aid", f"{found}, not {wanted}")

    def _quick(self, kept: Kept, kinds: Mapping[str, Kind], tables: Mapping[str, Table]) -> dict[str, ZSet] | None:
        """What the quick way gives; None if it is in doubt, or no other than the usual one."""
        statements, _ = changes(kept.upkeep, kinds, self.history.disabled, quick=True)
        doubts = [s.doubt for s in statements if s.doubt is not None]
        if not doubts and not any(s.method == "topk" for s in statements):
            return None
        tables, found = dict(tables), dict[str, ZSet]()
        try:
            for s in statements:
                if s.doubt is not None and compute(s.doubt, tables).rows:
                    self.seen.counts["quick: in doubt"] += 1
                    return None
                step = _step(s.change, compute(s.change.rel, tables).rows)
                tables[label(s.stored.name, CHANGE)] = _change_table(s.stored.columns, step)  # read if it may vary
                found[s.stored.name] = ZSet(step.entries)
        except (EvaluationError, Unsupported):
            return None
        self.seen.counts["quick"] += 1
        return found

    def _inputs(self, names: Iterable[str], at: int) -> tuple[dict[str, Kind], dict[str, Table]]:
        """What changed since a round, and the relations that plans of changes read."""
        kinds: dict[str, Kind] = {}
        tables: dict[str, Table] = {}
        for name in names:
            past = self.past[name]
            tables[name] = past.table()
            step = past.since(at)
            if step is not None:
                kinds[name.lower()] = step.kind
                tables[label(name, BEFORE)] = past.table(at)
                tables[label(name, CHANGE)] = _change_table(past.columns, step)
        return kinds, tables

    def _run(self, statement: Statement, tables: Mapping[str, Table]) -> Step:
        """The change of one stored relation, on the reference, and on others if it is their turn."""
        change, stored = statement.change, statement.stored
        self.seen.counts[f"method: {statement.method}"] += 1
        try:
            rows = compute(change.rel, tables).rows
        except EvaluationError as error:
            if self.history.daring:
                # A pair of rows, one from before and one from after, may raise; a refresh would then recompute.
                raise _OverError("a pair that never was raises") from error
            raise _WrongError("raises", f"{error}\n{print_rel(change.rel)}") from error
        except Unsupported as error:
            raise _OverError("no rule") from error
        if self.rng.random() < self.maintenance.local_share:
            self._others(change.rel, tables, rows)
        if self.maintenance.sink is not None:
            self.maintenance.sink(_case(change.rel, tables), bag(rows))
        if self.rng.random() < self.maintenance.pruned_share:
            self._pruned(change.rel, tables, rows)
        step = _step(change, rows)
        _check_minimal(stored, step)
        return step

    def _others(self, rel: Rel, tables: Mapping[str, Table], rows: list[Row]) -> None:
        text = print_rel(rel)
        again = parse_rel(text)
        if again != rel or print_rel(again) != text:
            raise _WrongError("text", text)
        case = _case(rel, tables)
        found = self.maintenance.local.run(case)
        self.seen.counts[f"local: {type(found).__name__}"] += 1
        if not agree(bag(rows), found):
            raise _WrongError("local", f"{case}\nreference:\n{bag(rows)}\nlocal:\n{found}")

    def _pruned(self, rel: Rel, tables: Mapping[str, Table], rows: list[Row]) -> None:
        """The same change from the least that pruning leaves: as if each row were a file of its own."""
        known = dict(tables)

        def show(scan: Scan, bounds: ColumnBounds) -> Rel:
            left = needed(tables, scan, bounds)
            name = f"{scan.label}#{len(known)}"
            known[name] = left
            self.seen.counts["pruned"] += len(left.rows) < len(tables[scan.label].rows)
            nothing = None if left.rows else empty(types_of(scan))
            return nothing or Scan(relation=name, columns=scan.columns)

        plan = without_empty(Pruned(show).plan(rel))
        found = compute(plan, known).rows
        if ZSet.of_rows(found) != ZSet.of_rows(rows):
            raise _WrongError("pruned", f"{print_rel(plan)}\nall:\n{bag(rows)}\npruned:\n{bag(found)}")


def _case(rel: Rel, tables: Mapping[str, Table]) -> Case:
    scans = {node: node.label.replace(" ", "_") for node in nodes(rel) if isinstance(node, Scan)}
    found = {name: tables[scan.label] for scan, name in scans.items()}
    data = tuple(Data(name=n, columns=table.columns, rows=table.rows) for n, table in found.items())
    plan = named(rel, lambda scan: scans[scan])
    return Case(tables=data, query=Query(rel=plan, names=tuple(f"c{i}" for i in range(rel.width))))


def needed(tables: Mapping[str, Table], scan: Scan, bounds: ColumnBounds) -> Table:
    """The rows of a relation that bounds say a plan can need."""
    table = tables[scan.label]
    wanted = [
        (
            _place(table, scan.columns[i].name),
            {row_key((row[_place(t, c)],)) for r, c in origins for t in [tables[label(r, CHANGE)]] for row in t.rows},
        )
        for i, origins in bounds.of
    ]
    return Table(
        table.columns, tuple(row for row in table.rows if all(row_key((row[i],)) in values for i, values in wanted))
    )


def _place(table: Table, name: str) -> int:
    return next(i for i, column in enumerate(table.columns) if column.name == name)


def _recomputed(rel: Rel, tables: Mapping[str, Table]) -> ZSet:
    try:
        return evaluate(rel, tables)
    except EvaluationError as error:
        raise _OverError("recomputation raises") from error
    except Unsupported as error:
        raise _OverError("no rule") from error


def _applied(rows: tuple[Row, ...], entries: Iterable[tuple[Row, int]]) -> tuple[Row, ...]:
    after = ZSet.of_rows(rows) + ZSet(entries)
    if not after.is_bag():
        raise _WrongError("a row goes that is not there", after)
    return tuple(after.to_rows())


def _first(rows: Iterable[Row], width: int) -> tuple[Row, ...]:
    return tuple(row[:width] for row in rows)


def _change_table(columns: tuple[Column, ...], step: Step) -> Table:
    if step.kind == "append":
        return Table(columns, tuple(row for row, _ in step.entries))
    weight = Column(WEIGHT, LONG, nullable=False)
    return Table((*columns, weight), tuple((*row, w) for row, w in step.entries))


def _step(change: DeltaPlan, rows: list[Row]) -> Step:
    if not change.signed:
        return Step("append", tuple((row, 1) for row in rows))
    entries = tuple((row[: change.width], row[change.width]) for row in rows)
    if any(weight not in {1, -1} for _, weight in entries):
        raise _WrongError("weight", entries)
    return Step("mixed", entries)


def _check_minimal(stored: StoredRelation, step: Step) -> None:
    if not comparable(types_of(stored.layout.plan)):
        return
    come, gone = ({row_key(row) for row, weight in step.entries if weight == sign} for sign in (1, -1))
    if come & gone:
        raise _WrongError("not minimal", f"{stored.layout}\n{step}")


def _compare(stored: StoredRelation, rows: tuple[Row, ...], expected: ZSet) -> None:
    found = ZSet.of_rows(rows)
    if found != expected:
        missing, extra = expected - found, found - expected
        raise _WrongError("rows", f"{stored.name}: missing {missing.inserted()}, extra {extra.inserted()}")
    if stored.layout.key is not None:
        unique = {row_key(tuple(row[i] for i in stored.layout.key)) for row in rows}
        if len(unique) < len(rows):
            raise _WrongError("key", f"{stored.name}: {stored.layout.key} of {rows}")
