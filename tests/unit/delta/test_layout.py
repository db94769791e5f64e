"""How results are stored: by which key, in which groups, with which hidden columns."""

from __future__ import annotations

import pytest

from tests.golden.small_tables import tables_for, tiny
from tests.unit.ir.test_dependencies import T, U, V, plan
from tidewheel.delta.layout import layout_of
from tidewheel.delta.maintain import change_of
from tidewheel.ir.parts import AggCall, Column
from tidewheel.ir.rel import Aggregate, Scan
from tidewheel.ir.scalar import Col
from tidewheel.ir.text import parse_rel
from tidewheel.ir.tree import nodes
from tidewheel.ir.typing import types_of
from tidewheel.optimize.alternatives import StoredPlan
from tidewheel.optimize.exploration import Exploration
from tidewheel.optimize.maintenance import changes, upkeep_of
from tidewheel.tvr.reference.evaluate import evaluate
from tidewheel.types import INT, UNKNOWN

W = "scan w (p INT, q INT)"
TOP = "topk order c0 asc first, c1 asc first limit 2"

# name: plan, key, scope, hidden columns, are groups merged
CASES: dict[str, tuple[str, tuple[int, ...] | None, tuple[int, ...] | None, int, bool]] = {
    "rows with a key": (plan("project c1, c0", f".{T}"), (1,), None, 0, False),
    "rows without": (plan("project c1", f".{T}"), None, None, 0, False),
    "a join by both keys": (plan("join inner on c1 = c1", f".{T}", f".{U}"), (0, 3), None, 0, False),
    "a join of bags": (plan("join inner on c0 = c0", f".{V}", f".{W}"), None, None, 0, False),
    "groups": (plan("aggregate by c0 compute sum(c1)", f".{V}"), (0,), (0,), 2, True),
    "groups whose key is not shown": (
        plan("project c1", ".aggregate by c0 compute sum(c1)", f"..{V}"),
        (1,),
        (1,),
        3,
        True,
    ),
    "groups by two keys, moved": (
        plan("project c2, c1, c0", ".aggregate by c0, c1 compute count()", f"..{V}"),
        (2, 1),
        (2, 1),
        0,
        True,
    ),
    "an expression over an aggregate": (
        plan("project c0, (c1 + 1)", ".aggregate by c0 compute max(c1)", f"..{V}"),
        (0,),
        (0,),
        2,
        True,
    ),
    "an average": (plan("aggregate by c0 compute avg(c1)", f".{V}"), (0,), (0,), 3, True),
    "groups computed anew": (plan("aggregate by c0 compute count(distinct c1)", f".{V}"), (0,), (0,), 0, False),
    "a total": (plan("aggregate compute count()", f".{V}"), (), (), 0, True),
    "a total computed anew": (plan("aggregate compute count(distinct c1)", f".{V}"), (), (), 0, False),
    "grouping sets": (plan("aggregate by c0 sets (0) () compute count()", f".{V}"), (0, 1), (), 0, True),
    "grouping sets computed anew": (
        plan("aggregate by c0 sets (0) () compute count(distinct c1)", f".{V}"),
        (0, 1),
        None,
        0,
        False,
    ),
    "a grouping set twice": (plan("aggregate by c0 sets (0) (0) compute count()", f".{V}"), None, None, 0, False),
    "distinct rows": (plan("distinct", f".{V}"), (0, 1), (0, 1), 0, False),
    "distinct rows of which some columns are shown": (
        plan("project c1", ".distinct", f"..{V}"),
        (1, 0),
        (1, 0),
        1,
        False,
    ),
    "EXCEPT": (plan("except", f".{V}", f".{W}"), (0, 1), (0, 1), 0, False),
    "EXCEPT ALL": (plan("except all", f".{V}", f".{W}"), None, (0, 1), 0, False),
    "a window over a bag": (plan("window partition c0 compute count()", f".{V}"), None, (0,), 0, False),
    "a window over rows with a key": (plan("window partition c1 compute count()", f".{T}"), (0,), (1,), 0, False),
    "a window whose partition is not shown": (
        plan("project c0, c3", ".window partition c1 compute count()", f"..{T}"),
        (0,),
        (2,),
        1,
        False,
    ),
    "a window over all rows": (plan("window compute count()", f".{T}"), (0,), (), 0, False),
    "a limit": (plan(TOP, f".{V}"), None, (), 0, False),
    "a limit over rows with a key": (plan(TOP, f".{T}"), (0,), (), 0, False),
}


@pytest.mark.parametrize("name", CASES)
def test_layout(name: str) -> None:
    text, key, scope, hidden, merged = CASES[name]
    layout = layout_of(parse_rel(text))
    assert layout.key == key
    assert layout.scope == scope
    assert len(layout.exprs) - layout.visible == hidden
    assert (layout.merging is not None) is merged


@pytest.mark.parametrize("name", CASES)
def test_the_visible_columns_are_the_view(name: str) -> None:
    rel = parse_rel(CASES[name][0])
    layout = layout_of(rel)
    assert layout.visible == rel.width
    assert types_of(layout.plan)[: rel.width] == types_of(rel)
    for seed in range(10):
        tables = tables_for([rel], seed, tiny)
        shown = sorted(str(row[: rel.width]) for row in evaluate(layout.plan, tables).to_rows())
        assert shown == sorted(str(row) for row in evaluate(rel, tables).to_rows())


@pytest.mark.parametrize("name", CASES)
def test_the_key_is_unique(name: str) -> None:
    layout = layout_of(parse_rel(CASES[name][0]))
    if layout.key is None:
        return
    for seed in range(20):
        rows = evaluate(layout.plan, tables_for([layout.plan], seed, tiny)).to_rows()
        assert len({tuple(row[i] for i in layout.key) for row in rows}) == len(rows)


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_stored_anew_if_the_inputs_are_kept_and_did_not_change(name: str) -> None:
    rel = parse_rel(CASES[name][0])
    memo = Exploration({"t": "mixed", "u": "mixed", "v": "mixed", "w": "mixed"}, {})
    for scan in {n for n in nodes(rel) if isinstance(n, Scan)}:
        memo.read(scan, StoredPlan(scan, scan, None))
    layout = layout_of(rel)
    columns = [Column(f"c{i}", kind, nullable=True) for i, kind in enumerate(types_of(layout.plan))]
    assert change_of(memo, layout, Scan(relation="stored", columns=tuple(columns))) is None


def test_grouping_sets_of_unknown_types_are_computed_anew() -> None:
    """They cannot be written as a union, for the NULLs of a key that is not grouped by would have no type."""
    below = Scan(relation="v", columns=(Column("a", UNKNOWN, nullable=True), Column("b", INT, nullable=True)))
    for call in (AggCall(name="max", args=(Col(1),)), AggCall(name="count", args=(Col(1),), distinct=True)):
        rel = Aggregate(input=below, keys=(Col(0),), calls=(call,), sets=((0,), ()))
        upkeep = upkeep_of(rel, ["a", "id", "n"])
        statements, _ = changes(upkeep, {"v": "mixed"})
        assert [s.method for s in statements] == ["difference"]
