"""The most profitable choice of things that require each other, exactly.

Each thing has a gain, which may be negative, and may require others. A *closure* is a set that has all that its members
require. The one with the largest gain is a minimum cut: what is earned flows from the source to what earns, on to what
that requires, and from there to the sink, as much as it costs.

    a bakery earns 5 and requires an oven; a pizzeria earns 4 and requires the same oven; the oven costs 7
    either alone loses, both together gain 2: {bakery, pizzeria, oven}
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

LEAST: Final = 1e-9
"""Less than this is rounding: it flows nowhere."""


def best_closure(gains: Sequence[float], requires: Iterable[tuple[int, int]]) -> frozenset[int]:
    """The closure with the largest gain; of several the largest. `requires` are pairs: the first needs the second."""
    network = _Network(len(gains) + 2)
    source, sink = len(gains), len(gains) + 1
    for thing, gain in enumerate(gains):
        if gain > 0:
            network.add(source, thing, gain)
        elif gain < 0:
            network.add(thing, sink, -gain)
    for thing, needed in requires:
        network.add(thing, needed, math.inf)
    while network.augment(source, sink) > LEAST:
        pass
    lost = network.reaching(sink)
    return frozenset(thing for thing in range(len(gains)) if thing not in lost)


class _Network:
    """Arcs with what may still flow through them; the arc back of number n is n ^ 1."""

    def __init__(self, nodes: int) -> None:
        self.out: list[list[int]] = [[] for _ in range(nodes)]
        self.to: list[int] = []
        self.left: list[float] = []

    def add(self, start: int, end: int, most: float) -> None:
        for node, target, room in ((start, end, most), (end, start, 0.0)):
            self.out[node].append(len(self.to))
            self.to.append(target)
            self.left.append(room)

    def augment(self, source: int, sink: int) -> float:
        """Let more flow along a shortest path; how much, 0 if there is none."""
        out, to, left = self.out, self.to, self.left
        came: dict[int, int] = {source: -1}
        todo = deque([source])
        while todo and sink not in came:
            for arc in out[todo.popleft()]:
                if to[arc] not in came and left[arc] > LEAST:
                    came[to[arc]] = arc
                    todo.append(to[arc])
        if sink not in came:
            return 0.0
        path = list(self._back(sink, came))
        flow = min(left[arc] for arc in path)
        for arc in path:
            left[arc] -= flow
            left[arc ^ 1] += flow
        return flow

    def _back(self, node: int, came: dict[int, int]) -> Iterable[int]:
        while (arc := came[node]) >= 0:
            yield arc
            node = self.to[arc ^ 1]

    def reaching(self, sink: int) -> set[int]:
        """The nodes from which more could still flow to the sink."""
        found, todo = {sink}, [sink]
        while todo:
            for arc in self.out[todo.pop()]:
                if self.left[arc ^ 1] > LEAST and self.to[arc] not in found:
                    found.add(self.to[arc])
                    todo.append(self.to[arc])
        return found
