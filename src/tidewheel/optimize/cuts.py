"""Where a large plan is cut: what is kept so that the change of each piece can be planned by itself.

The change of an operator asks for parts of what is below it, and these for parts of what is below them: the plans of
changes of a query of sixty subqueries, each read three times, grow beyond all bounds, and so does the work of whoever
plans or runs them. A person would make several views of such a query. So does this: where a piece has grown too large,
a plan within it is kept as a state, whose change is computed once, by a statement of its own, and read by all others.

The *weight* of a piece is the number of its operators that look at more than one row, each as often as it is read: what
a change of the piece may be made of. Of two readers of a join, of which one joins it with itself once more, three joins
weigh five:

    a = join(x, y)    weight 1
    b = join(a, a)    weight 3
    c = join(a, b)    weight 5; with b kept: 2, for what is kept weighs nothing
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from tidewheel.delta.change import comparable
from tidewheel.ir.rel import Aggregate, Distinct, Join, Rel, SetOp, TopK, Window
from tidewheel.ir.tree import nodes
from tidewheel.ir.typing import types_of

HEAVIEST: Final = 24
"""A piece weighs no more than this, unless nothing within it can be kept."""
SMALL: Final = 1.5
"""Groups are kept before joins of nearly the weight: mostly they are far fewer rows."""


def cuts(rel: Rel, kept: Collection[bytes], heaviest: int = HEAVIEST) -> list[Rel]:
    """Plans to keep, beside those that are kept anyway, so that no piece of a plan weighs too much."""
    pieces = Pieces(kept, heaviest, weight=_is_heavy, value=_value)
    for node in nodes(rel):
        pieces.add(node)
    return pieces.found


class Pieces:
    """The pieces of a plan, whose operators are added inputs first; `kept` is where it is cut.

    `weight` is what an operator adds to that of its piece, `value` a factor for what it is worth to cut there: zero
    where that cannot be. To read what is kept weighs `reading`; a cut that takes off no more than `least` is not made.
    """

    def __init__(
        self,
        kept: Collection[bytes],
        heaviest: int,
        *,
        weight: Callable[[Rel], int],
        value: Callable[[Rel], float],
        reading: int = 0,
        least: int = 0,
    ) -> None:
        self.kept, self.heaviest, self.weight, self.value = set(kept), heaviest, weight, value
        self.reading, self.least = reading, least
        self.weights: dict[bytes, int] = {}
        self.found: list[Rel] = []

    def add(self, node: Rel) -> None:
        self._weigh(node)
        while self.weights[node.digest] > self.heaviest and (chosen := self._best(node)) is not None:
            self.kept.add(chosen.digest)
            self.found.append(chosen)
            for below in self._piece(node):
                self._weigh(below)

    def _weigh(self, node: Rel) -> None:
        below = sum(self.reading if i.digest in self.kept else self.weights[i.digest] for i in node.inputs)
        self.weights[node.digest] = self.weight(node) + below

    def _best(self, top: Rel) -> Rel | None:
        """What takes most off the weight of a piece if it is kept; None if nothing can be."""
        uses: dict[bytes, int] = {top.digest: 1}
        best: tuple[float, bytes] = (0.0, b"")
        chosen: Rel | None = None
        for node in reversed(list(self._piece(top))):
            for below in node.inputs:
                uses[below.digest] = uses.get(below.digest, 0) + uses[node.digest]
            if node is top or node.digest in self.kept or not self.value(node):
                continue
            taken = (self.weights[node.digest] - self.reading) * uses[node.digest]
            score = (self.value(node) * taken, node.digest)
            if taken > self.least and score > best:
                best, chosen = score, node
        return chosen

    def _piece(self, top: Rel) -> Iterator[Rel]:
        """The nodes of the piece that ends in one, inputs first, each once; what is kept belongs to another."""
        seen: set[bytes] = set()
        todo: list[tuple[Rel, bool]] = [(top, False)]
        while todo:
            node, ready = todo.pop()
            if ready:
                yield node
            elif node.digest not in seen and (node is top or node.digest not in self.kept):
                seen.add(node.digest)
                todo.append((node, True))
                todo.extend((i, False) for i in reversed(node.inputs))


def _is_heavy(node: Rel) -> bool:
    return isinstance(node, (Join, Aggregate, Distinct, SetOp, Window, TopK))


def _value(node: Rel) -> float:
    """Does keeping a plan spare work, and can its rows be told apart when they go."""
    if not _is_heavy(node) or not comparable(types_of(node)):
        return 0.0
    return 1.0 if isinstance(node, Join) else SMALL
