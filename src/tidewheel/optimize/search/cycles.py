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
    """Depth first: a member met again while it is still on the path closes a cycle."""
    done: set[int] = set()
    for start in sorted(reads):
        path: dict[int, None] = {}
        branches = [iter((start,))]
        while branches:
            each = next(branches[-1], None)
            if each is None:
                branches.pop()
                if path:
                    done.add(path.popitem()[0])
            elif each in path:
                return each
            elif each not in done:
                path[each] = None
                branches.append(iter(tuple(reads.get(each, ()))))
    return None


def _reachable(start: int, edges: Mapping[int, Iterable[int]]) -> set[int]:
    reached = {start}
    stack = [start]
    while stack:
        for each in edges.get(stack.pop(), ()):
            if each not in reached:
                reached.add(each)
                stack.append(each)
    return reached
