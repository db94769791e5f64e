"""A restricted plan gives the rows whose keys are wanted, and restricts what stands as deep as it can."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.golden.small_tables import tables_for, tiny
from tests.unit.ir.test_dependencies import T, U, V, plan
from tidewheel.delta.restrict import Domain, Restrictions, semi_join
from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.rel import Distinct, Join, Project, Rel, Scan
from tidewheel.ir.scalar import Scalar
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.tree import nodes
from tidewheel.tvr.reference.evaluate import evaluate

W = "scan w (p INT, q INT)"
X = "scan x (a BIGINT, s DOUBLE)"

# name: plan, wanted keys, the operators whose rows are restricted, those that are computed for all rows
CASES: dict[str, tuple[str, str, list[str], list[str]]] = {
    "a scan": (plan(V), "c0", ["scan v"], []),
    "values": (plan("values 2 (1, 2) (2, 2) (1, 0)"), "c0", ["values"], []),
    "a filter": (plan("filter (c1 > 0)", f".{V}"), "c0", ["scan v"], []),
    "a projection": (plan("project c1, (c0 + 1)", f".{V}"), "c1", ["scan v"], []),
    "distinct": (plan("distinct", f".{V}"), "c0, c1", ["scan v"], []),
    "a union": (plan("union", f".{V}", f".{W}"), "c1", ["scan v", "scan w"], []),
    "a union of several types": (
        plan("union", f".{V}", ".project CAST(c0 AS BIGINT), c1", f"..{W}"),
        "c0",
        ["scan v", "scan w"],
        [],
    ),
    "INTERSECT ALL": (plan("intersect all", f".{V}", f".{W}"), "c0", ["scan v", "scan w"], []),
    "EXCEPT": (plan("except", f".{V}", f".{W}"), "c1, c0", ["scan v", "scan w"], []),
    "EXCEPT ALL": (plan("except all", f".{V}", f".{W}"), "c0", ["scan v", "scan w"], []),
    "groups by their key": (plan("aggregate by c0 compute sum(c1)", f".{V}"), "c0", ["scan v"], []),
    "groups by an expression": (plan("aggregate by (c0 + 1) compute count()", f".{V}"), "c0", ["scan v"], []),
    "groups by one of two keys": (plan("aggregate by c0, c1 compute count()", f".{V}"), "c1", ["scan v"], []),
    "groups by their result": (
        plan("aggregate by c0 compute count()", f".{V}"),
        "c1",
        ["aggregate"],
        ["aggregate"],
    ),
    "groups by key and result": (
        plan("aggregate by c0 compute count()", f".{V}"),
        "c1, c0",
        ["aggregate", "scan v"],
        [],
    ),
    "groups by a mixture": (
        plan("aggregate by c0 compute count()", f".{V}"),
        "(c0 + c1)",
        ["aggregate"],
        ["aggregate"],
    ),
    "grouping sets": (
        plan("aggregate by c0 sets (0) () compute count()", f".{V}"),
        "c0",
        ["aggregate"],
        ["aggregate"],
    ),
    "a total": (plan("aggregate compute count()", f".{V}"), "c0", ["aggregate"], ["aggregate"]),
    "a window by its partition": (plan("window partition c0 compute count()", f".{V}"), "c0", ["scan v"], []),
    "a window by another column": (plan("window partition c0 compute count()", f".{V}"), "c1", ["window"], ["window"]),
    "a window by partition and result": (
        plan("window partition c0 compute count()", f".{V}"),
        "c0, c2",
        ["window", "scan v"],
        [],
    ),
    "a window whose partition is computed": (
        plan("window partition (c0 + 1) compute count()", f".{V}"),
        "c0",
        ["window"],
        ["window"],
    ),
    "a limit": (plan("topk order c0 asc first, c1 asc first limit 2", f".{V}"), "c0", ["topk"], ["topk"]),
    "elements by the row": (plan("unnest explode(array(c0, c1)) width 1", f".{V}"), "c1", ["scan v"], []),
    "elements by themselves": (plan("unnest explode(array(c0, c1)) width 1", f".{V}"), "c2", ["unnest"], []),
    "an inner join by the left": (plan("join inner on c0 = c1", f".{V}", f".{W}"), "c1", ["scan v"], []),
    "an inner join by the right": (plan("join inner on c0 = c1", f".{V}", f".{W}"), "c2", ["scan w"], []),
    "an inner join by its key": (plan("join inner on c0 = c1", f".{V}", f".{W}"), "c0", ["scan v", "scan w"], []),
    "an inner join by its right key": (
        plan("join inner on c0 = c1", f".{V}", f".{W}"),
        "c3",
        ["scan v", "scan w"],
        [],
    ),
    "an inner join by a null-safe key": (
        plan("join inner on c0 <=> c1", f".{V}", f".{W}"),
        "c3",
        ["scan v", "scan w"],
        [],
    ),
    "an inner join by both sides": (
        plan("join inner on c0 = c1", f".{V}", f".{W}"),
        "c1, c2",
        ["join", "scan v", "scan w"],
        [],
    ),
    "an inner join by its key and another": (
        plan("join inner on c0 = c1", f".{V}", f".{W}"),
        "c0, c2",
        ["scan v", "scan w"],
        [],
    ),
    "a join whose key equals two columns": (
        plan("join inner on c0 = c0, c0 = c1", f".{V}", f".{W}"),
        "c0, (c1 + c3)",
        ["join", "scan v", "scan w"],
        [],
    ),
    "a join whose right key equals two columns": (
        plan("join inner on c0 = c0, c1 = c0", f".{V}", f".{W}"),
        "c2, (c1 + c3)",
        ["join", "scan v", "scan w"],
        [],
    ),
    "pairs by both sides": (plan("join inner", f".{V}", f".{W}"), "c3, c0", ["join", "scan v", "scan w"], []),
    "a join by what both sides make": (plan("join inner on c0 = c0", f".{V}", f".{W}"), "(c1 + c3)", ["join"], []),
    "a join whose key converts": (plan("join inner on c0 = c1", f".{X}", f".{X}"), "c0", ["scan x"], []),
    "a left join by the left": (plan("join left on c0 = c1", f".{V}", f".{W}"), "c1", ["scan v"], []),
    "a left join by its key": (plan("join left on c0 = c1", f".{V}", f".{W}"), "c0", ["scan v", "scan w"], []),
    "a left join by the right": (plan("join left on c0 = c1", f".{V}", f".{W}"), "c2", ["join"], []),
    "a left join by its right key": (plan("join left on c0 = c1", f".{V}", f".{W}"), "c3", ["join"], []),
    "a left join by both sides": (
        plan("join left on c0 = c1", f".{V}", f".{W}"),
        "c1, c2",
        ["join", "scan v"],
        [],
    ),
    "a semi join by its key": (plan("join semi on c0 = c1", f".{V}", f".{W}"), "c0", ["scan v", "scan w"], []),
    "a semi join by another": (plan("join semi on c0 = c1", f".{V}", f".{W}"), "c1", ["scan v"], []),
    "an anti join by its key": (plan("join anti on c0 = c1", f".{V}", f".{W}"), "c0", ["scan v", "scan w"], []),
    "NOT IN keeps the other side whole": (plan("join anti on c0 in c1", f".{V}", f".{W}"), "c0", ["scan v"], []),
    "a full join by one side": (plan("join full on c0 = c1", f".{V}", f".{W}"), "c0", ["join"], []),
    "a full join by its merged key": (
        plan("join full on c0 = c1", f".{V}", f".{W}"),
        "coalesce(c0, c3)",
        ["join", "scan v", "scan w"],
        [],
    ),
    "a full join by its merged key, null-safe": (
        plan("join full on c0 <=> c1", f".{V}", f".{W}"),
        "coalesce(c0, c3)",
        ["join"],
        [],
    ),
    "a full join by another merger": (
        plan("join full on c0 = c1", f".{V}", f".{W}"),
        "coalesce(c0, c2)",
        ["join"],
        [],
    ),
    "a total below a join": (
        plan("join inner on c0 = c0", f".{V}", ".aggregate compute max(c0)", f"..{W}"),
        "c0",
        ["aggregate", "scan v"],
        ["aggregate"],
    ),
    "the same total twice is told once": (
        plan("union", ".aggregate compute max(c0)", f"..{W}", ".aggregate compute max(c0)", f"..{W}"),
        "c0",
        ["aggregate"],
        ["aggregate"],
    ),
    "deep": (
        plan("aggregate by c1 compute count()", ".join inner on c0 = c0", "..filter (c1 > 0)", f"...{T}", f"..{U}"),
        "c0",
        ["scan t"],
        [],
    ),
    "no keys": (plan(V), "", [], ["scan"]),
}


def domain_of(width: int) -> Rel:
    columns = ", ".join(f"d{i} INT" for i in range(width))
    return parse_rel(plan(f"scan wanted ({columns})"))


def restricted_places(rel: Rel, values: Rel) -> list[str]:
    """What stands below each semi join with wanted keys, shallowest first."""
    found = {}
    for node in nodes(rel):
        if isinstance(node, Join) and node.kind == "semi" and _reads_wanted(node.right, values):
            left = node.left
            found[node.digest] = f"scan {left.relation}" if isinstance(left, Scan) else type(left).__name__.lower()
    return sorted(found.values(), key=lambda place: (place.startswith("scan"), place))


def _reads_wanted(rel: Rel, values: Rel) -> bool:
    while isinstance(rel, (Distinct, Project)):
        rel = rel.input
    return rel == values


def keys_of(text: str) -> list[Scalar]:
    return [parse_scalar(key) for key in _split(text)]


def _split(text: str) -> Sequence[str]:
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()] if text else []


@pytest.mark.parametrize("name", CASES)
def test_the_rows_are_those_of_a_semi_join_on_top(name: str) -> None:
    text, wanted, _, _ = CASES[name]
    rel, keys = parse_rel(text), keys_of(wanted)
    if not keys:
        return
    values = domain_of(len(keys))
    found = Restrictions().of(rel, keys, values).rel
    expected = semi_join(rel, Domain(tuple(keys), values))
    for seed in range(40):
        tables = tables_for([expected], seed, tiny)
        assert evaluate(found, tables) == evaluate(expected, tables), f"tables {seed}\n{print_rel(found)}{tables}"


@pytest.mark.parametrize("name", CASES)
def test_the_restriction_goes_as_deep_as_it_can(name: str) -> None:
    text, wanted, places, whole = CASES[name]
    keys = keys_of(wanted)
    values = domain_of(max(len(keys), 1))
    found = Restrictions().of(parse_rel(text), keys, values)
    assert restricted_places(found.rel, values) == places, print_rel(found.rel)
    assert [type(rel).__name__.lower() for rel in found.whole] == whole


def test_without_keys_every_row_is_wanted() -> None:
    rel = parse_rel(plan(V))
    assert Restrictions().of(rel, [], domain_of(1)).rel == rel


def test_chance_is_not_asked_twice() -> None:
    """A key that comes out differently each time cannot be computed below instead."""
    rel = parse_rel(plan("join inner on c0 = c0", f".{V}", f".{W}"))
    values = domain_of(1)
    found = Restrictions().of(rel, keys_of("CAST((rand() + c1) AS INT)"), values)
    assert restricted_places(found.rel, values) == ["join"]


def test_a_key_without_columns_restricts_nothing_below() -> None:
    rel = parse_rel(plan("aggregate by c0 compute count()", f".{V}"))
    values = domain_of(1)
    assert restricted_places(Restrictions().of(rel, keys_of("1"), values).rel, values) == ["aggregate"]


def test_part_of_the_keys_are_different_values() -> None:
    """Two wanted pairs with the same first value make it wanted once."""
    rel = parse_rel(plan("join inner", f".{V}", f".{W}"))
    found = Restrictions().of(rel, keys_of("c0, c2"), domain_of(2))
    assert sum(isinstance(node, Distinct) for node in nodes(found.rel)) == 2


def test_parts_of_several_types_are_compared_in_the_types_of_the_whole() -> None:
    rel = parse_rel(CASES["a union of several types"][0])
    found = Restrictions().of(rel, keys_of("c0"), domain_of(1)).rel
    keys = {str(key.left) for n in nodes(found) if isinstance(n, Join) and n.kind == "semi" for key in n.keys}
    assert keys == {"CAST(c0 AS BIGINT)"}
