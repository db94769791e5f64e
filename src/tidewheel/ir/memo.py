"""Facts about plans, computed once for each different node, inputs first and without recursion."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final, TypeVar

from tidewheel.ir.rel import Rel
from tidewheel.ir.tree import nodes

T = TypeVar("T")

_LIMIT: Final = 100_000
"""How many nodes one fact is remembered for; then it starts anew, so that a long-lived process does not grow."""


def by_digest(compute: Callable[[Rel], T]) -> Callable[[Rel], T]:
    """Remember a fact by the digest of the node.

    `compute` may ask for the same fact of the node's inputs, and finds it there: a deep plan needs no deep stack, and
    a subplan that is used a hundred times is looked at once.
    """
    facts: list[dict[bytes, T]] = [{}]

    @functools.wraps(compute)
    def fact(rel: Rel) -> T:
        known = facts[0]  # another thread may begin anew: what was found stays where it is for this one
        if rel.digest in known:
            return known[rel.digest]
        if len(known) > _LIMIT:
            known = facts[0] = {}
        for below in rel.inputs:
            if below.digest not in known:
                for node in nodes(rel, known):
                    known[node.digest] = compute(node)
                return known[rel.digest]
        found = known[rel.digest] = compute(rel)
        return found

    return fact
