"""Bounds are found where equalities lead to a change, and nowhere else; a plan gives the same rows within them."""

from __future__ import annotations

import pytest

from tests.fuzz.maintain import needed
from tests.golden.small_tables import tables_for, tiny
from tests.unit.ir.test_dependencies import T, U, V, plan
from tidewheel.delta.pruning import ColumnBounds, Pruned
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.tree import nodes
from tidewheel.tvr.reference.evaluate import evaluate

D = "scan d from before to now (x INT, y INT)"
E = "scan e from before to now (x INT, z BIGINT)"
W = "scan w (p INT, q INT)"
X = "scan x (p INT, q INT, r INT)"

# name: plan, and for each scan that is bounded its columns with the columns of changes that they are among
CASES: dict[str, tuple[str, dict[str, str]]] = {
    "a change alone": (plan(D), {}),
    "a table alone": (plan(V), {}),
    "an inner join": (plan("join inner on c0 = c1", f".{D}", f".{V}"), {"v": "b in d.x"}),
    "the other way round": (plan("join inner on c1 = c0", f".{V}", f".{D}"), {"v": "b in d.x"}),
    "two keys": (plan("join inner on c0 = c0, c1 <=> c1", f".{D}", f".{V}"), {"v": "a in d.x, b in d.y"}),
    "a cross join": (plan("join inner", f".{D}", f".{V}"), {}),
    "a key of another type": (plan("join inner on c1 = c0", f".{E}", f".{V}"), {}),
    "a key that is computed": (plan("join inner on c0 = (c0 + 1)", f".{D}", f".{V}"), {}),
    "a key computed on the other side": (plan("join inner on (c0 + 1) = c0", f".{D}", f".{V}"), {}),
    "two joins": (
        plan("join inner on c3 = c0", ".join inner on c0 = c0", f"..{D}", f"..{V}", f".{W}"),
        {"v": "a in d.x"},
    ),
    "two joins over an equal column": (
        plan("join inner on c2 = c0", ".join inner on c0 = c0", f"..{D}", f"..{V}", f".{W}"),
        {"v": "a in d.x", "w": "p in d.x"},
    ),
    "two joins over an equal column of a wider table": (
        plan("join inner on c2 = c0", ".join inner on c0 = c0", f"..{D}", f"..{X}", f".{W}"),
        {"x": "p in d.x", "w": "p in d.x"},
    ),
    "a semi join by a change": (plan("join semi on c0 = c0", f".{V}", f".{D}"), {"v": "a in d.x"}),
    "a semi join of a change": (plan("join semi on c0 = c0", f".{D}", f".{V}"), {"v": "a in d.x"}),
    "a left join of a change": (plan("join left on c0 = c0", f".{D}", f".{V}"), {"v": "a in d.x"}),
    "a left join by a change": (plan("join left on c0 = c0", f".{V}", f".{D}"), {}),
    "an anti join of a change": (plan("join anti on c0 = c0", f".{D}", f".{V}"), {"v": "a in d.x"}),
    "an anti join by a change": (plan("join anti on c0 = c0", f".{V}", f".{D}"), {}),
    "NOT IN": (plan("join anti on c0 in c0", f".{D}", f".{V}"), {}),
    "a full join": (plan("join full on c0 = c0", f".{D}", f".{V}"), {}),
    "above a left join": (
        plan("join semi on c0 = c0", ".join left on c1 = c0", f"..{V}", f"..{W}", f".{D}"),
        {"v": "a in d.x"},
    ),
    "above the right side of a left join": (
        plan("join semi on c2 = c0", ".join left on c1 = c0", f"..{V}", f"..{W}", f".{D}"),
        {},
    ),
    "above a full join": (plan("join semi on c0 = c0", ".join full on c1 = c0", f"..{V}", f"..{W}", f".{D}"), {}),
    "above both sides of an inner join": (
        plan("join semi on c0 = c0, c3 = c1", ".join inner on c1 = c0", f"..{V}", f"..{W}", f".{D}"),
        {"v": "a in d.x", "w": "q in d.y"},
    ),
    "a filter": (plan("join semi on c0 = c0", ".filter (c1 > 0)", f"..{V}", f".{D}"), {"v": "a in d.x"}),
    "a projection": (plan("join semi on c1 = c0", ".project c1, c0", f"..{V}", f".{D}"), {"v": "a in d.x"}),
    "a column that is computed": (plan("join semi on c0 = c0", ".project (c0 + 1)", f"..{V}", f".{D}"), {}),
    "groups by their key": (
        plan("join semi on c0 = c0", ".aggregate by c1 compute sum(c0)", f"..{V}", f".{D}"),
        {"v": "b in d.x"},
    ),
    "groups by their result": (
        plan("join semi on c1 = c0", ".aggregate by c1 compute max(c0)", f"..{V}", f".{D}"),
        {},
    ),
    "grouping sets": (
        plan("join semi on c0 = c0", ".aggregate by c0, c1 sets (0, 1) (0) compute count()", f"..{V}", f".{D}"),
        {},
    ),
    "distinct": (plan("join semi on c0 = c0", ".distinct", f"..{V}", f".{D}"), {"v": "a in d.x"}),
    "a union": (
        plan("join semi on c0 = c0", ".union", f"..{V}", f"..{W}", f".{D}"),
        {"v": "a in d.x", "w": "p in d.x"},
    ),
    "EXCEPT ALL": (
        plan("join semi on c0 = c0", ".except all", f"..{V}", f"..{W}", f".{D}"),
        {"v": "a in d.x", "w": "p in d.x"},
    ),
    "INTERSECT": (
        plan("join semi on c0 = c0", ".intersect", f"..{V}", f"..{W}", f".{D}"),
        {"v": "a in d.x", "w": "p in d.x"},
    ),
    "a window by its partition": (
        plan(
            "join semi on c0 = c0",
            ".window partition c0 compute count() frame [rows unbounded to unbounded]",
            f"..{V}",
            f".{D}",
        ),
        {"v": "a in d.x"},
    ),
    "a window by another column": (
        plan(
            "join semi on c1 = c0",
            ".window partition c0 compute count() frame [rows unbounded to unbounded]",
            f"..{V}",
            f".{D}",
        ),
        {},
    ),
    "LIMIT": (plan("join semi on c0 = c0", ".topk order c0 asc first, c1 asc first limit 2", f"..{V}", f".{D}"), {}),
    "values of two changes": (
        plan("join semi on c0 = c0", f".{V}", ".union", "..project c0", f"...{D}", "..project c0", f"...{E}"),
        {"v": "a in d.x+e.x"},
    ),
    "values of a change and a table": (
        plan("join semi on c0 = c0", f".{V}", ".union", "..project c0", f"...{D}", "..project c0", f"...{W}"),
        {},
    ),
    "wide values of two changes, one of which is narrow": (
        plan(
            "join semi on c1 = c0",
            ".scan y (a INT, b BIGINT)",
            ".union",
            "..project c0",
            f"...{D}",
            "..project c1",
            f"...{E}",
        ),
        {},
    ),
    "a union of different types": (
        plan(
            "join semi on c0 = c1",
            ".union",
            "..project c0",
            f"...{V}",
            "..project c1",
            "...scan y (a INT, b BIGINT)",
            f".{E}",
        ),
        {"y": "b in e.z"},
    ),
    "values of a change that went through much": (
        plan("join semi on c0 = c0", f".{V}", ".distinct", "..project c1", "...filter (c0 > 0)", f"....{D}"),
        {"v": "a in d.y"},
    ),
    "keys of groups of a change": (
        plan("join semi on c0 = c0", f".{V}", ".aggregate by c1 compute count()", f"..{D}"),
        {"v": "a in d.y"},
    ),
    "results of groups of a change": (
        plan("join semi on c0 = c1", f".{V}", ".aggregate by c1 compute max(c0)", f"..{D}"),
        {},
    ),
    "a left join of the change as the bound": (
        plan("join semi on c0 = c0", f".{V}", ".join left on c1 = c0", f"..{D}", f"..{W}"),
        {"v": "a in d.x", "w": "p in d.y"},
    ),
    "the right side of a left join as the bound": (
        plan("join semi on c0 = c2", f".{V}", ".join left on c1 = c0", f"..{W}", f"..{D}"),
        {},
    ),
    "a full join as the bound": (
        plan("join semi on c0 = c0", f".{V}", ".join full on c1 = c0", f"..{D}", f"..{W}"),
        {},
    ),
    "rows of the left side of EXCEPT as the bound": (
        plan("join semi on c0 = c0", f".{V}", ".except", f"..{D}", f"..{W}"),
        {"v": "a in d.x"},
    ),
    "the same table twice": (
        plan("union", ".join semi on c0 = c0", f"..{V}", f"..{D}", f".{V}"),
        {"v": "a in d.x"},
    ),
    "keys": (plan("join inner on c0 = c0", f".{D}", ".join inner on c0 = c0", f"..{T}", f"..{U}"), {"t": "k in d.x"}),
}


class Named(Pruned):
    """Each scan with bounds gets a name by them; `scans` has both."""

    def __init__(self) -> None:
        super().__init__(self._named)
        self.scans: dict[str, tuple[Scan, ColumnBounds]] = {}

    def _named(self, scan: Scan, bounds: ColumnBounds) -> Rel:
        if not bounds.of:
            return scan
        name = f"{scan.relation}#{sorted((i, sorted(origins)) for i, origins in bounds.of)}"
        self.scans[name] = (scan, bounds)
        return Scan(relation=name, columns=scan.columns, keys=scan.keys)


def bounds_of(pruned: Named) -> dict[str, str]:
    return {
        scan.relation: ", ".join(
            sorted(f"{scan.columns[i].name} in {'+'.join(sorted('.'.join(o) for o in of))}" for i, of in bounds.of)
        )
        for scan, bounds in pruned.scans.values()
    }


@pytest.mark.parametrize("name", CASES)
def test_bounds(name: str) -> None:
    text, expected = CASES[name]
    pruned = Named()
    pruned.plan(parse_rel(text))
    assert bounds_of(pruned) == expected


@pytest.mark.parametrize("name", CASES)
def test_rows_outside_the_bounds_are_not_missed(name: str) -> None:
    rel = parse_rel(CASES[name][0])
    pruned = Named()
    made = pruned.plan(rel)
    for seed in range(12):
        tables = tables_for([rel], seed, tiny)
        left = {name: needed(tables, scan, bounds) for name, (scan, bounds) in pruned.scans.items()}
        assert evaluate(made, {**tables, **left}) == evaluate(rel, tables), f"{seed}\n{print_rel(made)}"


def test_scans_with_different_bounds_are_different_and_those_with_the_same_are_one() -> None:
    one = plan("union", ".join semi on c0 = c0", f"..{V}", f"..{D}", ".join semi on c1 = c0", f"..{V}", f"..{D}")
    assert len({n.relation for n in nodes(Named().plan(parse_rel(one))) if isinstance(n, Scan)}) == 3
