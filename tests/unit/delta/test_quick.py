"""A quick change that is not in doubt is the change; and it is in doubt only if a stored row goes."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.unit.delta.changed import BOTH, GROWN, rows_of, world
from tests.unit.ir.test_dependencies import T, V, plan
from tidewheel.ir.forms import CHANGE
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.tree import nodes
from tidewheel.optimize.maintenance import MaintenanceLayout, Statement, changes, upkeep_of
from tidewheel.tvr.reference.evaluate import Table, compute

CASES: dict[str, str] = {
    "the first row": plan("topk order c0 asc first, c1 asc first limit 1", f".{V}"),
    "the first rows": plan("topk order c1 desc last, c0 asc last limit 3", f".{V}"),
    "of a table with a key": plan("topk order c1 desc first, c0 asc first limit 2", f".{T}"),
    "by what is not shown": plan("project c0", ".topk order c1 asc first, c0 asc first limit 3", f"..{V}"),
    "with what is computed from it": plan(
        "project (c0 + c1)", ".topk order c1 asc last, c0 desc first limit 2", f"..{V}"
    ),
    "of some rows": plan("topk order c0 desc last, c1 asc first limit 2", ".filter (c1 > 0)", f"..{V}"),
    "a maximum": plan("aggregate by c0 compute max(c1)", f".{V}"),
    "a minimum and a sum": plan("aggregate by c0 compute min(c1), sum(c1), count()", f".{V}"),
    "a maximum of all": plan("aggregate compute max(c0), min(c1)", f".{V}"),
}
FULL_ONLY: dict[str, str] = {
    "after an offset": plan("topk order c0 asc first, c1 asc first limit 2 offset 1", f".{V}"),
    "without a limit": plan("topk order c0 asc first, c1 asc first", f".{V}"),
    "no rows": plan("topk order c0 asc first, c1 asc first limit 0", f".{V}"),
}


def upkeep_for(rel: Rel) -> MaintenanceLayout:
    return upkeep_of(rel, [f"c{i}" for i in range(rel.width)])


def stored_in(upkeep: MaintenanceLayout, old: dict[str, Table]) -> dict[str, Table]:
    return {s.name: Table(s.columns, tuple(compute(s.layout.plan, old).rows)) for s in upkeep.stored}


def reads(statement: Statement) -> set[str]:
    return {n.label for n in nodes(statement.rel) if isinstance(n, Scan)}


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_in_doubt_is_right(name: str) -> None:
    rel = parse_rel(CASES[name])
    upkeep = upkeep_for(rel)
    (full,), _ = changes(upkeep, BOTH)
    (quick,), _ = changes(upkeep, BOTH, quick=True)
    assert quick.doubt is not None
    assert all(r.endswith(str(CHANGE)) or r == "_tw_self" for r in reads(quick)), "it reads all rows"
    seen: Counter[bool] = Counter()
    for seed in range(80):
        old, _, tables = world(rel, seed, BOTH)
        tables |= stored_in(upkeep, old)
        expected = rows_of(full.change, tables)
        in_doubt = bool(compute(quick.doubt, tables).rows)
        seen[in_doubt] += 1
        if not in_doubt:
            assert rows_of(quick.change, tables) == expected, f"{seed}\n{print_rel(quick.change.rel)}\n{tables}"
        else:
            assert any(row[-1] < 0 for n, table in tables.items() if n.endswith(str(CHANGE)) for row in table.rows), (
                seed
            )
    assert seen[True] >= 5, seen
    assert seen[False] >= 5, seen


@pytest.mark.parametrize("name", CASES)
def test_where_rows_only_come_there_is_no_doubt(name: str) -> None:
    rel = parse_rel(CASES[name])
    upkeep = upkeep_for(rel)
    (quick,), _ = changes(upkeep, GROWN, quick=True)
    assert quick.doubt is None
    for seed in range(20):
        old, _, tables = world(rel, seed, GROWN)
        tables |= stored_in(upkeep, old)
        (full,), _ = changes(upkeep, GROWN)
        assert rows_of(quick.change, tables) == rows_of(full.change, tables)


@pytest.mark.parametrize("name", FULL_ONLY)
def test_where_there_is_no_quick_way(name: str) -> None:
    upkeep = upkeep_for(parse_rel(FULL_ONLY[name]))
    (full,), _ = changes(upkeep, BOTH)
    (quick,), _ = changes(upkeep, BOTH, quick=True)
    assert quick == full


def test_a_first_row_that_changes_and_stays_first_leaves_no_doubt() -> None:
    rel = parse_rel(CASES["the first rows"])
    upkeep = upkeep_for(rel)
    (quick,), _ = changes(upkeep, BOTH, quick=True)
    (self,) = upkeep.stored
    scan = next(n for n in nodes(quick.rel) if isinstance(n, Scan) and n.form == CHANGE)
    rows = ((1, 9), (1, 8), (1, 7))

    def doubt(*change: tuple[int, int, int]) -> bool:
        tables = {self.name: Table(self.columns, rows), scan.label: Table(scan.columns, change)}
        return bool(compute(quick.doubt, tables).rows) if quick.doubt is not None else False

    assert not doubt((1, 9, -1), (1, 10, 1))
    assert not doubt((1, 9, -1), (1, 7, 1))
    assert doubt((1, 9, -1), (1, 6, 1))
    assert doubt((1, 9, -1))
    assert not doubt((5, 5, -1))
    assert not doubt((5, 5, 1), (5, 5, -1), (6, 6, 1))
