"""Cycles and orders of small directed graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def order_of(reads: Mapping[int, Iterable[int]]) -> list[int]:
    """Every member after all that it reads; smallest first where there is a choice, as far as there is no cycle."""
    order: list[int] = []
    placed: set[int] = set()
    waiting = sorted(reads)
    while True:
        ready = next((each for each in waiting if all(read in placed for read in reads[each])), None)
        if ready is None:
            return order
        order.append(ready)
        placed.add(ready)
        waiting.remove(ready)


def find_knot(reads: Mapping[int, Iterable[int]]) -> list[int]:
    """All that read each other, directly or not, around the first cycle found; sorted; empty if there is none."""
    member = _on_a_cycle(reads)
    if member is None:
        return []
    readers: dict[int, list[int]] = {}
    for each, inputs in reads.items():
        for read in inputs:
            readers.setdefault(read, []).append(each)
    return sorted(_reachable(member, reads) & _reachable(member, readers))


def _on_a_cycle(reads: Mapping[int, Iterable[int]]) -> int | None:
    """Whatever reads nothing is taken away until all are gone; else one that has a read is followed until it recurs."""
    missing: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for each, inputs in reads.items():
        known = {read for read in inputs if read in reads}
        missing[each] = len(known)
        for read in known:
            readers.setdefault(read, []).append(each)
    stack = [each for each, count in missing.items() if not count]
    while stack:
        each = stack.pop()
        del missing[each]
        for reader in readers.get(each, ()):
            missing[reader] -= 1
            if not missing[reader]:
                stack.append(reader)
    if not missing:
        return None
    path: set[int] = set()
    each = min(missing)
    while each not in path:
        path.add(each)
        each = min(read for read in reads[each] if read in missing)
    return each


def _reachable(start: int, edges: Mapping[int, Iterable[int]]) -> set[int]:
    reached = {start}
    stack = [start]
    while stack:
        for each in edges.get(stack.pop(), ()):
            if each not in reached:
                reached.add(each)
                stack.append(each)
    return reached
