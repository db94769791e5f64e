"""Greedy shrinking: try smaller cases, keep each that still fails, until none does.

A candidate is a plan of the same types at each place that was changed, and its orders stay total where results depend
on them: otherwise a case would drift from the difference that was found to one that means nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from tests.fuzz.prune import prune
from tests.fuzz.reduce import smaller_nodes
from tests.fuzz.tables import Case, Data
from tidewheel.ir.parts import WindowCall
from tidewheel.ir.rel import Query, Rel, Scan, TopK, Window
from tidewheel.ir.scalar import Col
from tidewheel.ir.tree import nodes, relations, with_inputs
from tidewheel.ir.typing import types_of
from tidewheel.types import UNKNOWN

T = TypeVar("T")


def shrink(case: Case, fails: Callable[[Case], bool], seconds: float = 60.0) -> Case:
    """The smallest case found that still fails, within the time given."""
    return descend(case, _candidates, _size, fails, seconds)


def descend(
    start: T,
    candidates: Callable[[T], Iterable[T]],
    size: Callable[[T], int],
    fails: Callable[[T], bool],
    seconds: float,
) -> T:
    """From one thing that fails to a smaller one, until none of the candidates does or the time is up."""
    until = time.monotonic() + seconds
    current, found = start, True
    while found and time.monotonic() < until:
        found = False
        for candidate in candidates(current):
            if time.monotonic() > until:
                break
            if size(candidate) < size(current) and fails(candidate):
                current, found = candidate, True
                break
    return current


def _size(case: Case) -> int:
    return 60 * sum(1 for _ in nodes(case.query.rel)) + len(str(case))


def _candidates(case: Case) -> Iterator[Case]:
    yield from _smaller_tables(case)
    yield from smaller_queries(case)
    yield from _smaller_rows(case)


def _with_rel(case: Case, rel: Rel) -> Case:
    names = tuple(f"c{i}" for i in range(rel.width))
    return replace(case, query=Query(rel=rel, names=names), types=None)


def smaller_queries(case: Case) -> Iterator[Case]:
    """The case with a smaller query, whose result does not depend on the order of rows either."""
    yield from (found for found in _any_smaller_queries(case) if _is_sound(found.query.rel))


def _any_smaller_queries(case: Case) -> Iterator[Case]:
    root = case.query.rel
    for node in nodes(root):
        if node != root:
            yield _with_rel(case, node)
    for i in range(root.width):
        if root.width > 1:
            yield _with_rel(case, prune(root, [j for j in range(root.width) if j != i]))
    yield _with_rel(case, prune(root, range(root.width)))
    for node in reversed(list(nodes(root))):
        for smaller in _valid(smaller_nodes(node), node):
            yield _with_rel(case, _put(root, node, smaller))


def _valid(candidates: Iterable[Rel], node: Rel) -> Iterator[Rel]:
    kinds = types_of(node)
    for candidate in candidates:
        if types_of(candidate) == kinds:
            yield candidate


def _put(root: Rel, old: Rel, new: Rel) -> Rel:
    """The plan with one node replaced, wherever it stands."""
    made: dict[bytes, Rel] = {}
    for node in nodes(root):
        made[node.digest] = new if node == old else with_inputs(node, [made[i.digest] for i in node.inputs])
    return made[root.digest]


def _is_sound(root: Rel) -> bool:
    """Does nothing in the result depend on the order of rows that an order does not decide?"""
    for node in nodes(root):
        if UNKNOWN in types_of(node):
            return False
        if isinstance(node, TopK):
            needs_total = True
        elif isinstance(node, Window):
            needs_total = any(_depends_on_order(c) for c in node.calls)
        else:
            continue
        keys = {k.expr for k in node.order} | set(node.partition if isinstance(node, Window) else ())
        if needs_total and any(Col(i) not in keys for i in range(node.input.width)):
            return False
    return True


def _depends_on_order(call: WindowCall) -> bool:
    positional = {"row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value"}
    return call.name in positional or (call.frame is not None and call.frame.unit == "rows")


# --- tables ---


def _smaller_tables(case: Case) -> Iterator[Case]:
    read = relations(case.query.rel)
    if len(read) < len(case.tables):
        yield replace(case, tables=tuple(t for t in case.tables if t.name in read))
    for at, table in enumerate(case.tables):
        half = len(table.rows) // 2
        for rows in ((), table.rows[:half], table.rows[half:]):
            if len(rows) < len(table.rows):
                yield _with_table(case, at, replace(table, rows=rows))


def _smaller_rows(case: Case) -> Iterator[Case]:
    for at, table in enumerate(case.tables):
        for i in range(len(table.rows)):
            yield _with_table(case, at, replace(table, rows=table.rows[:i] + table.rows[i + 1 :]))
        yield from _fewer_columns(case, at)


def _fewer_columns(case: Case, at: int) -> Iterator[Case]:
    """The columns that some scan reads, without keys that nobody knows of."""
    table = case.tables[at]
    scans = [n for n in nodes(case.query.rel) if isinstance(n, Scan) and n.relation == table.name]
    used = {c.name for s in scans for c in s.columns}
    kept = [i for i, c in enumerate(table.columns) if c.name in used]
    if len(kept) < len(table.columns) or (table.keys and not any(s.keys for s in scans)):
        rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
        columns = tuple(table.columns[i] for i in kept)
        yield _with_table(case, at, Data(name=table.name, columns=columns, rows=rows))


def _with_table(case: Case, at: int, table: Data) -> Case:
    return replace(case, tables=(*case.tables[:at], table, *case.tables[at + 1 :]))
