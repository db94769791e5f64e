"""Small problems solved to the optimum: the shortest path over what is written so far.

A *position* says which results lie where; a step writes one more goal, from what can be read by then, or brings one to
the other place. What is not there yet cannot be read, so that orders and cycles need no thought:

    new <- old + delta      delta <- new - old      delta <- change of inputs
    nothing -> delta, from its inputs -> new, which reads it;   nothing -> new, recomputed -> delta, which reads it

Best first (A*): a missing root costs at least what it would if all other goals could be read already, each for its read
alone. A position that cannot lead to less than the plan at hand is dropped; if none is left, that plan is the optimum.
A position takes a small part of what it takes to price a whole plan, so that for few goals this is also the quickest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from tidewheel.optimize.search.draft import Draft, Expression, express, priced
from tidewheel.optimize.search.moves import consumers
from tidewheel.optimize.search.settle import Book, Setting


@dataclass(slots=True, eq=False)
class Position:
    """`written` has a bit for each node that can be read; `node` is the one written or brought by the last step.

    `seconds` were spent so far, `rest` is the least that the missing roots will take. The `book` is the last position's
    until this one is looked at: most never are.
    """

    written: int
    seconds: float
    rest: float
    node: int
    book: Book
    last: Position | None = None


class Exact:
    """A search for the optimum: the best plan so far, and how many positions were looked at."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.positions = 0
        self._tariff = draft.book.tariff
        self._goals = [goal for goal in sorted(consumers(draft.book)) if self._tariff.may[goal]]
        self._least: dict[int, float] = {}
        self._reached = {0: 0.0}
        self._queue: list[tuple[float, int, Position]] = []
        self._queued = 0

    def run(self) -> bool:
        """Whether the plan is the optimum now; if not, there were too many goals or positions to tell."""
        options = self._tariff.options
        if len(self._goals) > options.exact_goals:
            return False
        start = Book.of(self.draft.book.structure, self._tariff, only_written=True)
        self._least = self._least_seconds(start)
        self._queue = [(0.0, 0, Position(0, 0.0, sum(self._least.values()), -1, start))]
        while self._queue:
            _, _, position = heappop(self._queue)
            if position.seconds > self._reached[position.written]:
                continue
            if all(position.written >> 2 * root & 3 for root in self._tariff.roots):
                self.draft = self._plan(position)
                return True
            if self.positions >= options.most_positions:
                return False
            self.positions += 1
            self._look(position)
        return True

    def _least_seconds(self, start: Book) -> dict[int, float]:
        """What each root's statement costs at least: everything but itself can be read."""
        read, fixed, weight = self._tariff.read, self._tariff.fixed, self._tariff.weight
        everything = start.fork()
        everything.set_offers([(node, read[node]) for goal in self._goals for node in (2 * goal, 2 * goal + 1)])
        least: dict[int, float] = {}
        for root in self._tariff.roots:
            nodes = (2 * root, 2 * root + 1)
            others = everything.fork()
            others.set_offers([(node, math.inf) for node in nodes])
            least[root] = weight[root] * min(others.make[node] + fixed[node] for node in nodes)
        return least

    def _look(self, position: Position) -> None:
        """Queue what can follow, unless it was reached for less or can only end in a dearer plan than that at hand."""
        limit = self.draft.total - self._tariff.options.least_gain
        if position.last:
            position.book = position.book.fork()
            position.book.set_offers(((position.node, self._tariff.read[position.node]),))
        for node, seconds in self._steps(position):
            written, spent = position.written | 1 << node, position.seconds + seconds
            is_made = not position.written >> (node & ~1) & 3  # and not only brought
            rest = position.rest - self._least.get(node >> 1, 0.0) if is_made else position.rest
            if spent + rest < limit and spent < self._reached.get(written, math.inf):
                self._reached[written] = spent
                following = Position(written, spent, rest, node, position.book, position)
                self._queued += 1
                heappush(self._queue, (spent + rest, self._queued, following))

    def _steps(self, position: Position) -> Iterator[tuple[int, float]]:
        """Nodes to write or to bring, and what that costs; what nobody would read is left out.

        Uses only become cheaper, so what is not worth reading now never will be.
        """
        make, use, tariff = position.book.make, position.book.use, self._tariff
        read, fixed, transfer, weight, least = tariff.read, tariff.fixed, tariff.transfer, tariff.weight, self._least
        for goal in self._goals:
            here, there = 2 * goal, 2 * goal + 1
            lies = position.written >> here & 3
            if not lies and (goal in least or read[here] < use[here] or read[there] < use[there]):
                yield here, weight[goal] * (make[here] + fixed[here])
                yield there, weight[goal] * (make[there] + fixed[there])
            elif lies == 1 and read[there] < use[there]:
                yield there, transfer[there]
            elif lies == 2 and read[here] < use[here]:
                yield here, transfer[here]

    def _plan(self, position: Position) -> Draft:
        """The steps that led here, as expressions; each was priced by what could be read before it."""
        expressions: dict[int, Expression] = {}
        brought: list[int] = []
        while position.last:
            node, last = position.node, position.last
            if last.written >> (node & ~1) & 3:
                brought.append(node >> 1)
            else:
                expressions[node >> 1] = express(last.book, node)
            position = last
        book = Book.of(self.draft.book.structure, self._tariff)
        book.apply(Setting(goal, expressions[goal].node & 1, goal in brought) for goal in sorted(expressions))
        return priced(book, expressions)
