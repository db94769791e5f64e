"""The cheapest way to use every goal at every place, settled in order of cost, and kept up as materializations change.

Knuth's generalization of Dijkstra's algorithm to AND/OR graphs: an alternative is no cheaper than its dearest input, so
a goal whose cheapest offer is the cheapest of all that are open can never become cheaper, cycles or not.

    old <- stored [1]      new <- old + delta [1]      delta <- new - old [5]      delta <- change of inputs [2]

    settles  old 1, delta 2 (from the inputs), new 1 + 2 + 1 = 4;  `new - old` would be 4 + 1 + 5 = 10: lost.

A use of a goal is paid in one of four ways: computed inline; read, if it is materialized; or made for this use, written
and read: at the other place and brought here (so that a statement in the driver can count on what only the cluster can
do), or at the same place, if it must be materialized.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple, TypeAlias

from tidewheel.optimize.search.options import SearchOptions
from tidewheel.optimize.search.problem import PLACES, Costs, Place, Problem
from tidewheel.optimize.search.structure import Structure
from tidewheel.optimize.search.tariff import Tariff

UNMADE = -1  # the place of a goal that is not materialized
READ, MADE_HERE, MADE_THERE, UNKNOWN = -1, -2, -3, -4  # how a node is used, unless by an arc (inline)

Journal: TypeAlias = list[tuple[list[Any], int, Any]]
"""Lists, positions, and what stood there."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Per goal of the problem: seconds to compute it (`make`), and for one use of it (`use`), at either place."""

    make: tuple[Costs, ...]
    use: tuple[Costs, ...]


class Setting(NamedTuple):
    """What a goal shall be: made at a place (and copied to the other), or not materialized (`UNMADE`)."""

    goal: int
    place: int
    copied: bool = False


def settle(
    problem: Problem,
    states: frozenset[str],
    materialized: Mapping[int, Place] | None = None,
    options: SearchOptions | None = None,
) -> Settled:
    """Cheapest costs of every goal if those of `materialized` are readable, written at the given places.

    Reading at the other place pays the transfer at each use. What materialized goals themselves cost is not asked here:
    the `make` of one may read others, or what was made from it; keeping that free of cycles is the search's business.
    """
    structure = Structure.of(problem)
    book = Book.of(structure, Tariff.of(problem, structure, states, options or SearchOptions()))
    for goal, place in (materialized or {}).items():
        book.materialize(structure.rank[goal], PLACES.index(place))
    return book.settled()


class Book:
    """What every node costs now. Costs change by `apply`; a plan is tried on a `fork`, a look is a `trial`.

    `make[node]` is the cheapest computation and `best[node]` its arc; `use[node]` is the cheapest use and `how[node]`
    says which: an arc if inline, else one of the negative codes. `offer[node]` is the price of reading, if one can.
    A fork copies a few flat lists, which for a thousand goals takes microseconds: a small part of pricing a plan.
    `changed` is what the computation of nodes cost that has changed since.
    """

    __slots__ = ("best", "changed", "copied", "how", "journal", "make", "offer", "place", "structure", "tariff", "use")

    def __init__(self, structure: Structure, tariff: Tariff) -> None:
        nodes = len(structure.users)
        self.structure = structure
        self.tariff = tariff
        self.make = [math.inf] * nodes
        self.best = [UNKNOWN] * nodes
        self.use = [math.inf] * nodes
        self.how = [UNKNOWN] * nodes
        self.offer = [math.inf] * nodes
        self.place = [UNMADE] * (nodes // 2)
        self.copied = [False] * (nodes // 2)
        self.changed: dict[int, float] = {}
        self.journal: Journal | None = None

    @staticmethod
    def of(structure: Structure, tariff: Tariff, *, only_written: bool = False) -> Book:
        """Settle everything; nothing is materialized. `only_written`: nor will anything be made for one use of it."""
        book = Book(structure, tariff)
        if only_written:
            book.place = [0] * len(book.place)  # somewhere: what has a place is not made once more for a reader
        heap: list[tuple[float, int]] = []
        for arc, inputs in enumerate(structure.inputs):
            node = structure.owner[arc]
            if not inputs and tariff.work[arc] < book.make[node]:
                book.make[node], book.best[node] = tariff.work[arc], arc
                heap.append((tariff.work[arc], arc))
        heapify(heap)
        book._settle(heap)
        return book

    def fork(self) -> Book:
        copy = Book.__new__(Book)
        copy.structure, copy.tariff = self.structure, self.tariff
        copy.make, copy.best = self.make.copy(), self.best.copy()
        copy.use, copy.how = self.use.copy(), self.how.copy()
        copy.offer, copy.place, copy.copied = self.offer.copy(), self.place.copy(), self.copied.copy()
        copy.changed, copy.journal = {}, None
        return copy

    @contextmanager
    def trial(self, settings: Iterable[Setting]) -> Iterator[Mapping[int, float]]:
        """Within the block costs are as if settings were applied; it gets what changed nodes cost before.

        A look at what one goal would save touches a few nodes of thousands: to undo that takes less than a fork.
        """
        before, self.changed, self.journal = self.changed, {}, []
        self.apply(settings)
        try:
            yield self.changed
        finally:
            for entries, index, value in reversed(self.journal):
                entries[index] = value
            self.changed, self.journal = before, None

    def apply(self, settings: Iterable[Setting]) -> None:
        """Change what is materialized, and settle once for all of it.

        A goal is readable at its place, and at the other one: with the transfer, unless it is copied there.
        """
        read, transfer = self.tariff.read, self.tariff.transfer
        offers: list[tuple[int, float]] = []
        for goal, place, copied in settings:
            self._note(goal, self.place, self.copied)
            self.place[goal], self.copied[goal] = place, copied
            if place == UNMADE:
                offers += ((2 * goal, math.inf), (2 * goal + 1, math.inf))
            else:
                here, there = 2 * goal + place, 2 * goal + 1 - place
                offers += ((here, read[here]), (there, read[there] + (0.0 if copied else transfer[there])))
        self.set_offers(offers)

    def materialize(self, goal: int, place: int, *, copied: bool = False) -> None:
        self.apply((Setting(goal, place, copied),))

    def release(self, goal: int) -> None:
        """Materialize the goal no longer."""
        self.apply((Setting(goal, UNMADE),))

    def move(self, goal: int, place: int) -> None:
        """Make a goal at another place than before; it is as readable as it was."""
        self.place[goal] = place
        if self.offer[2 * goal] < math.inf or self.offer[2 * goal + 1] < math.inf:
            self.materialize(goal, place)

    def set_offers(self, offers: Iterable[tuple[int, float]]) -> None:
        """Change what reading costs, and settle again whatever that touches, upwards from there only."""
        heap: list[tuple[float, int]] = []
        dearer: list[int] = []
        for node, price in offers:
            if self.how[node] == READ and price > self.offer[node]:
                dearer.append(node)
            elif price < self.use[node]:
                heap.append((price, self._key(node, READ)))
            self._note(node, self.offer)
            self.offer[node] = price
        if dearer:
            self._forget(dearer, heap)
        heapify(heap)
        self._settle(heap)

    def bar(self, goals: Iterable[int]) -> None:
        """Let nobody read the goals, whether they are materialized or would be made for one use."""
        dearer: list[int] = []
        for goal in goals:
            if self.place[goal] == UNMADE:
                self.place[goal] = 0  # somewhere: what has a statement is not made once more for a reader
            for node in (2 * goal, 2 * goal + 1):
                self.offer[node] = math.inf
                if self.how[node] in (READ, MADE_HERE, MADE_THERE):
                    dearer.append(node)
        heap: list[tuple[float, int]] = []
        self._forget(dearer, heap)
        heapify(heap)
        self._settle(heap)

    def settled(self) -> Settled:
        rank = self.structure.rank
        return Settled(
            make=tuple(Costs(self.make[2 * goal], self.make[2 * goal + 1]) for goal in rank),
            use=tuple(Costs(self.use[2 * goal], self.use[2 * goal + 1]) for goal in rank),
        )

    def price(self, arc: int) -> float:
        """Seconds of the arc: its own work and one use of each input."""
        total = self.tariff.work[arc]
        use = self.use
        for node in self.structure.inputs[arc]:
            total += use[node]
        return total

    def _note(self, index: int, *lists: list[Any]) -> None:
        """Remember what is about to change, if it is to be undone."""
        if self.journal is not None:
            self.journal += [(entries, index, entries[index]) for entries in lists]

    def _key(self, node: int, how: int) -> int:
        """What stands in the heap for a use of the node that is no arc: a number above those of all arcs."""
        return len(self.structure.owner) + 4 * node - how

    def _settle(self, heap: list[tuple[float, int]]) -> None:
        """Settle what is in the heap and all that becomes cheaper by it, cheapest first.

        `make` is lowered when an offer enters the heap, `use` only when it leaves it: then it is final, and only then
        do other alternatives count on it.
        """
        owner, inputs, users = self.structure.owner, self.structure.inputs, self.structure.users
        work, must = self.tariff.work, self.tariff.must
        detour, made_here = self.tariff.detour, self.tariff.made_here
        make, best, use, how, place = self.make, self.best, self.use, self.how, self.place
        changed, journal, arcs = self.changed, self.journal, len(owner)
        while heap:
            price, key = heappop(heap)
            if key < arcs:
                node = owner[key]
                if best[node] != key or make[node] != price:
                    continue
                if place[node >> 1] == UNMADE:
                    there = node ^ 1
                    if price + detour[there] < use[there]:
                        heappush(heap, (price + detour[there], arcs + 4 * there - MADE_THERE))
                    if price + made_here[node] < use[node]:
                        heappush(heap, (price + made_here[node], arcs + 4 * node - MADE_HERE))
                if must[node >> 1] or price >= use[node]:
                    continue
                code = key
            else:
                node, code = divmod(key - arcs, 4)
                if price >= use[node]:
                    continue
                code = -code
            if journal is not None:
                journal += ((use, node, use[node]), (how, node, how[node]))
            use[node], how[node] = price, code
            for arc in users[node]:
                above = owner[arc]
                total = work[arc]
                if total + price >= make[above]:  # with its other inputs it is no cheaper
                    continue
                for each in inputs[arc]:
                    total += use[each]
                if total < make[above]:
                    if journal is not None:
                        journal += ((make, above, make[above]), (best, above, best[above]))
                    changed.setdefault(above, make[above])
                    make[above], best[above] = total, arc
                    heappush(heap, (total, arc))

    def _forget(self, dearer: list[int], heap: list[tuple[float, int]]) -> None:
        """Take back every cost that rests on the given uses, and put what the rest of the graph offers in the heap."""
        lost_uses, lost_makes = self._resting_on(dearer)
        make, best, use, how, work = self.make, self.best, self.use, self.how, self.tariff.work
        inputs, arcs = self.structure.inputs, self.structure.arcs
        for node in lost_uses:
            self._note(node, use, how)
            use[node], how[node] = math.inf, UNKNOWN
        for node in lost_makes:
            self.changed.setdefault(node, make[node])
            self._note(node, make, best)
            least, cheapest = math.inf, UNKNOWN
            for arc in arcs[node]:
                total = work[arc]
                for each in inputs[arc]:
                    total += use[each]
                if total < least:
                    least, cheapest = total, arc
            make[node], best[node] = least, cheapest
            if cheapest != UNKNOWN:
                heap.append((least, cheapest))
        for node in lost_uses:
            if self.offer[node] < math.inf:
                heap.append((self.offer[node], self._key(node, READ)))
            makers = (each for each in (node, node ^ 1) if each not in lost_makes and best[each] != UNKNOWN)
            heap += [(make[each], best[each]) for each in makers]

    def _resting_on(self, dearer: list[int]) -> tuple[set[int], set[int]]:
        """Nodes whose cheapest use, and those whose cheapest computation, goes through one of the given uses."""
        owner, users = self.structure.owner, self.structure.users
        uses: set[int] = set()
        makes: set[int] = set()
        stack = list(dearer)
        while stack:
            node = stack.pop()
            if node in uses:
                continue
            uses.add(node)
            for arc in users[node]:
                above = owner[arc]
                if self.best[above] == arc and above not in makes:
                    makes.add(above)
                    if self.how[above] in (arc, MADE_HERE):
                        stack.append(above)
                    if self.how[above ^ 1] == MADE_THERE:
                        stack.append(above ^ 1)
        return uses, makes
