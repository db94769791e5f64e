"""What the alternatives of a memo cost, and which of them are chosen.

An alternative is priced by its own operators alone: what it refers to is priced where it is computed. How many rows a
goal gives is estimated once, by its first alternative, for all of them give the same rows. Files are pruned within an
alternative: the values of a change bound what is joined with it, also if the change is referred to.

    part of v, now    push      reads two of forty files of v, restricts them           0.004 s
                      select    reads a snapshot that is computed from all files        0.310 s, and the snapshot
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tidewheel.delta.pruning import ColumnBounds, Origins, Pruned
from tidewheel.ir.norm import empty, without_empty
from tidewheel.ir.props import is_empty
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes
from tidewheel.ir.typing import types_of
from tidewheel.optimize.alternatives import Alternative, Goal, preferred
from tidewheel.optimize.cost import Place, Prices, Work, uses_of, work_of_uses
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.exploration import Exploration
from tidewheel.optimize.facts import Facts
from tidewheel.optimize.search import EPSILON, Choice, Costs, Problem, SearchOptions, search
from tidewheel.optimize.search import SearchAlternative as Option
from tidewheel.optimize.search import SearchGoal as Target

MOST_READS = 16
"""A goal that an alternative reads more often is as good as read so often: it will not be computed each time."""
QUICK = 0.05
"""Seconds in which the driver computes a goal again rather than make a table of it."""
VALUE_BYTES = 12.0
"""Of a value that is held for several readers, as far as nothing is known of it."""


class Stock(Protocol):
    """What is stored, as whoever prices plans sees it."""

    def show(self, scan: Scan, bounds: ColumnBounds) -> Rel:
        """What is read instead of a stored relation, given what its rows must match: of its files those that can."""

    def facts(self, scan: Scan) -> Facts:
        """Of what is shown."""

    def size(self, scan: Scan) -> float:
        """Bytes of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Venue:
    """Where statements will run, and what work costs there."""

    place: Place
    prices: Prices
    options: SearchOptions = field(default_factory=SearchOptions)

    def costs(self, work: Work) -> Costs:
        seconds = max(self.prices.seconds(work), EPSILON)
        return Costs(seconds, math.inf) if self.place == "driver" else Costs(math.inf, seconds)

    def start(self) -> Costs:
        """What it takes to hold a result: nothing in the driver, which does so within a statement."""
        return Costs(0.0, 0.0) if self.place == "driver" else self.costs(Work(executions=1.0))


@dataclass(frozen=True, slots=True)
class Decision:
    """The alternative chosen for each goal, by its number, and the seconds that each of them would take."""

    chosen: Mapping[bytes, int] = field(default_factory=dict)
    seconds: Mapping[bytes, Mapping[str, float]] = field(default_factory=dict)
    stopped: str | None = None
    made: Mapping[bytes, float] = field(default_factory=dict)
    """The goals that are to be computed once and read, by the digests of their references, and their expected rows."""

    def __call__(self, goal: Goal) -> Alternative:
        return goal.alternatives[self.chosen.get(goal.reference.digest, 0)]


@dataclass(frozen=True, slots=True)
class Appraisal:
    """The goals of a memo, inputs first, and the same as numbers: what is searched."""

    order: Sequence[Goal]
    problem: Problem
    states: frozenset[str]
    venue: Venue
    rows: Sequence[float]
    """How many each goal is expected to give."""

    def search(self) -> Choice:
        return search(self.problem, self.states, replace(self.venue.options, statement=self.venue.start()))


def decide(roots: Sequence[Rel], memo: Exploration, stock: Stock, venue: Venue) -> Decision:
    """The cheapest alternatives for some plans over references, and which of these to compute once.

    The driver computes once what one statement reads twice: there, a plan without a choice is not priced at all.
    """
    order = list(_goals_below(roots, memo))
    if venue.place == "driver" and all(len(goal.alternatives) == 1 for goal in order):
        return Decision()
    appraisal = appraise(roots, memo, stock, venue)
    return _decision(appraisal, appraisal.search())


def appraise(roots: Sequence[Rel], memo: Exploration, stock: Stock, venue: Venue) -> Appraisal:
    """What all alternatives cost that some plans may be computed by."""
    order = list(_goals_below(roots, memo))
    valuation = _Valuation(memo, stock, venue)
    problem = valuation.problem(roots, order)
    rows = [valuation.rows(goal) for goal in order]
    return Appraisal(order, problem, frozenset(digest.hex() for digest in memo.kept), venue, rows)


def _decision(appraisal: Appraisal, choice: Choice) -> Decision:
    order, chosen = appraisal.order, dict[bytes, int]()
    for statement in choice.statements:
        for number, index in statement.alternatives:
            if number < len(order):
                chosen.setdefault(order[number].reference.digest, index)
    seconds: dict[bytes, Mapping[str, float]] = {}
    for number, goal in enumerate(order):
        if len(goal.alternatives) > 1:
            rivals = sorted(choice.rivals(appraisal.problem, number), key=lambda rival: rival.index)
            here = [rival for rival in rivals if rival.place == appraisal.venue.place]
            seconds[goal.reference.digest] = {rival.rule: rival.seconds for rival in here}
    least = QUICK if appraisal.venue.place == "driver" else 0.0
    made = [each.goal for each in choice.statements if each.goal < len(order) and each.compute > least]
    rows = {order[number].reference.digest: appraisal.rows[number] for number in made}
    return Decision(chosen, seconds, choice.stopped, rows)


def _goals_below(roots: Sequence[Rel], memo: Exploration) -> Iterator[Goal]:
    """All goals that plans may be computed from, by any alternative, each after those that it refers to."""
    seen: set[bytes] = set()
    todo = [(goal, False) for plan in roots for goal in _referred(plan, memo)]
    while todo:
        goal, ready = todo.pop()
        if ready:
            yield goal
        elif goal.reference.digest not in seen:
            seen.add(goal.reference.digest)
            todo.append((goal, True))
            todo += [(below, False) for way in goal.alternatives for below in _referred(way.plan, memo)]


def _referred(plan: Rel, memo: Exploration) -> list[Goal]:
    return [memo.goals[n.digest] for n in nodes(plan) if isinstance(n, Scan) and n.digest in memo.goals]


class _Valuation:
    """Prices alternatives; goals must be looked at inputs first, so that what they refer to is known."""

    def __init__(self, memo: Exploration, stock: Stock, venue: Venue) -> None:
        self.memo, self.stock, self.venue = memo, stock, venue
        self.plans: dict[bytes, Rel] = {}
        self.nothing = False
        self.estimator = Estimator(self._facts)
        self.pruned = _Pruned(memo, self._show)

    def problem(self, roots: Sequence[Rel], order: Sequence[Goal]) -> Problem:
        """What is searched: the goals in their order, then one for each plan that is to be run."""
        number = {goal.reference.digest: i for i, goal in enumerate(order)}
        options = [[self._option(way, number) for way in self._ways(goal)] for goal in order]
        last = [self._option(Alternative(rule="statement", plan=plan), number) for plan in roots]
        readers = [0] * len(order)
        for option in (*last, *(each for ways in options for each in ways)):
            for goal in option.inputs:
                readers[goal] += 1
        targets = [
            self._target(goal, tuple(ways), shared=readers[i] > 1)
            for i, (goal, ways) in enumerate(zip(order, options, strict=True))
        ]
        ends = [Target(key=f"statement {i}", alternatives=(option,)) for i, option in enumerate(last)]
        first = len(targets)
        return Problem(goals=(*targets, *ends), roots=tuple(range(first, first + len(ends))))

    def _ways(self, goal: Goal) -> Iterator[Alternative]:
        """The alternatives of a goal, its first one remembered as what it is."""
        self.plans[goal.reference.digest] = self._readable(preferred(goal).plan)
        return iter(goal.alternatives)

    def _option(self, way: Alternative, number: Mapping[bytes, int]) -> Option:
        plan = self._readable(way.plan)
        shared = self.venue.place == "driver"
        uses = uses_of(plan, shared=shared)
        work = work_of_uses(uses, self.estimator, self._size)
        own = Work(operators=work.operators, read=work.read, rows=work.rows)
        reads = [(number[n.digest], times) for n, times in uses if n.digest in number]
        inputs = tuple(goal for goal, times in reads for _ in range(min(int(times), MOST_READS)))
        requires = frozenset(rel.digest.hex() for rel in way.requires)
        return Option(rule=way.rule, inputs=inputs, work=self.venue.costs(own), requires=requires)

    def _target(self, goal: Goal, options: tuple[Option, ...], *, shared: bool) -> Target:
        rows = self.rows(goal)
        size = rows * VALUE_BYTES * goal.reference.width
        held = Work(rows=rows) if self.venue.place == "driver" else Work(written=size)
        return Target(
            key=goal.reference.fingerprint(),
            alternatives=options,
            write=self.venue.costs(held),
            read=self.venue.costs(Work(rows=rows) if self.venue.place == "driver" else Work(rows=rows, read=size)),
            may_materialize=shared,
        )

    def rows(self, goal: Goal) -> float:
        return self.estimator.rows(self.plans[goal.reference.digest])

    def _readable(self, plan: Rel) -> Rel:
        plan = self.pruned.plan(plan)
        return without_empty(plan) if self.nothing else plan

    def _show(self, scan: Scan, bounds: ColumnBounds) -> Rel:
        shown: Rel = scan
        if scan.digest not in self.memo.goals:
            shown = self.stock.show(scan, bounds)
        elif is_empty(self.plans[scan.digest]):
            shown = empty(types_of(scan)) or scan
        self.nothing = self.nothing or not isinstance(shown, Scan)
        return shown

    def _facts(self, scan: Scan) -> Facts:
        plan = self.plans.get(scan.digest)
        return self.stock.facts(scan) if plan is None else self.estimator.facts(plan)

    def _size(self, scan: Scan) -> float:
        return 0.0 if scan.digest in self.plans else self.stock.size(scan)


class _Pruned(Pruned):
    """Prunes plans over references: what a goal refers to is known by its first alternative."""

    def __init__(self, memo: Exploration, show: Callable[[Scan, ColumnBounds], Rel]) -> None:
        super().__init__(show)
        self.memo = memo

    def _origins_of(self, rel: Rel) -> tuple[Origins | None, ...]:
        if isinstance(rel, Scan) and rel.digest in self.memo.goals:
            return tuple(self._origins(preferred(self.memo.goals[rel.digest]).plan))
        return super()._origins_of(rel)
