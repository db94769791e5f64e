"""Cycles and orders of small directed graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush


def order_of(reads: Mapping[int, Iterable[int]]) -> list[int]:
    """Every member after all that it reads; smallest first where there is a choice, as far as there is no cycle."""
    missing = {each: len(set(inputs)) for each, inputs in reads.items()}
    readers: dict[int, list[int]] = {}
    for each, inputs in reads.items():
        for read in set(inputs):
            readers.setdefault(read, []).append(each)
    ready = [each for each, count in missing.items() if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        placed = heappop(ready)
        order.append(placed)
        for each in readers.get(placed, ()):
            missing[each] -= 1
            if not missing[each]:
                heappush(ready, each)
    return order


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
    path: dict[int, None] = {}
    member = min(missing, default=None)
    while member is not None and member not in path:
        path[member] = None
        member = min(read for read in reads[member] if read in missing)
    return member


def _reachable(start: int, edges: Mapping[int, Iterable[int]]) -> set[int]:
    reached = {start}
    stack = [start]
    while stack:
        for each in edges.get(stack.pop(), ()):
            if each not in reached:
                reached.add(each)
                stack.append(each)
    return reached
