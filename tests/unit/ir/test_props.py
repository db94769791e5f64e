"""Bounds, changes, errors, chance and the clock, each also where less is known than one might think."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import T, U, V, plan
from tidewheel.ir.appends import AppendEffect, change_of, preserves_appends  # fmt: skip
from tidewheel.ir.props import RowBounds, can_raise, cardinality, clock_of, is_deterministic, is_empty  # fmt: skip
from tidewheel.ir.text import parse_rel

BOUNDS = {
    "a scan": (plan(V), (0, None)),
    "values": (plan("values 1 (1) (2)"), (2, 2)),
    "a filter": (plan("filter (c0 = 1)", ".values 1 (1) (2)"), (0, 2)),
    "a filter by a key": (plan("filter (c0 = 1)", f".{T}"), (0, 1)),
    "never": (plan("filter ((c0 = 1) and FALSE)", f".{T}"), (0, 0)),
    "pairs": (plan("join inner", ".values 1 (1) (2)", ".values 1 (1) (2) (3)"), (6, 6)),
    "pairs that match": (plan("join inner on c0 = c0", ".values 1 (1) (2)", ".values 1 (1) (2) (3)"), (0, 6)),
    "one partner at most": (plan("join inner on c0 = c0", ".values 1 (1) (2)", f".{U}"), (0, 2)),
    "a left join": (plan("join left on c0 = c0", ".values 1 (1) (2)", f".{U}"), (2, 2)),
    "a left join with nothing": (plan("join left", ".values 1 (1) (2)", ".values 1"), (2, 2)),
    "a full join may match nothing": (plan("join full on c0 = c0", ".values 1 (1)", ".values 1 (2)"), (1, 2)),
    "a full join may match everything": (
        plan("join full on c0 = c0", ".values 1 (1) (1) (1)", ".values 1 (1) (1)"),
        (3, 6),
    ),
    "a semi join": (plan("join semi on c0 = c0", ".values 1 (1)", f".{U}"), (0, 1)),
    "a semi join with something": (plan("join semi", ".values 1 (1)", ".values 1 (2)"), (1, 1)),
    "an anti join with nothing": (plan("join anti on c0 = c0", ".values 1 (1)", ".values 1"), (1, 1)),
    "an anti join with something": (plan("join anti", ".values 1 (1)", ".values 1 (2)"), (0, 0)),
    "a global aggregate": (plan("aggregate compute count()", f".{V}"), (1, 1)),
    "groups of nothing": (plan("aggregate by c0 compute count()", ".values 1"), (0, 0)),
    "groups": (plan("aggregate by c0 compute count()", ".values 1 (1) (2) (2)"), (1, 3)),
    "a rollup of nothing": (plan("aggregate by c0 sets (0) () compute count()", ".values 1"), (0, 0)),
    "a rollup": (plan("aggregate by c0 sets (0) () compute count()", ".values 1 (1) (2)"), (2, 3)),
    "the empty set alone": (plan("aggregate sets () compute count()", ".values 1"), (1, 1)),
    "distinct": (plan("distinct", ".values 1 (1) (2)"), (1, 2)),
    "distinct copies": (plan("distinct", ".values 1 (1) (1)"), (1, 1)),
    "a union": (plan("union", ".values 1 (1) (1)", ".filter (c0 = 1)", "..values 1 (1)"), (2, 3)),
    "EXCEPT ALL": (plan("except all", ".values 1 (1) (1) (1)", ".values 1 (1)"), (2, 3)),
    "EXCEPT": (plan("except", ".values 1 (1) (2) (3)", ".values 1 (1)"), (0, 3)),
    "INTERSECT": (plan("intersect", ".values 1 (1) (2) (3)", ".values 1 (1)"), (0, 1)),
    "LIMIT and OFFSET": (plan("topk limit 2 offset 2", ".values 1 (1) (2) (3)"), (1, 1)),
    "elements": (plan("unnest explode(array(c0)) width 1", ".values 1 (1)"), (0, None)),
    "elements, at least one": (plan("unnest outer explode(array(c0)) width 1", ".values 1 (1)"), (1, None)),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_cardinality(name: str) -> None:
    text, (low, high) = BOUNDS[name]
    rel = parse_rel(text)
    assert cardinality(rel) == RowBounds(low, high)
    assert high == 0 or not is_empty(rel)


CHANGES = {
    "itself": (plan("scan v (a INT)"), AppendEffect.GROWS),
    "another": (plan("scan w (a INT)"), AppendEffect.NONE),
    "filter, project, unnest": (
        plan("filter (c0 > 1)", ".project c0", "..unnest explode(array(c0)) width 1", f"...{V}"),
        AppendEffect.GROWS,
    ),
    "chance": (plan("filter (rand() < 0.5D)", f".{V}"), AppendEffect.ANY),
    "a union": (plan("union", f".{V}", f".{V}"), AppendEffect.GROWS),
    "an inner join with itself": (plan("join inner on c0 = c0", f".{V}", f".{V}"), AppendEffect.GROWS),
    "the left of a left join": (plan("join left on c0 = c0", f".{V}", f".{U}"), AppendEffect.GROWS),
    "the right of a left join": (plan("join left on c0 = c0", f".{U}", f".{V}"), AppendEffect.ANY),
    "a full join": (plan("join full on c0 = c0", f".{V}", f".{U}"), AppendEffect.ANY),
    "the right of a semi join": (plan("join semi on c0 = c0", f".{U}", f".{V}"), AppendEffect.GROWS),
    "the right of an anti join": (plan("join anti on c0 in c0", f".{U}", f".{V}"), AppendEffect.SHRINKS),
    "who is not among those that are not": (
        plan("join anti on c0 = c0", f".{U}", ".join anti on c0 = c0", f"..{U}", f"..{V}"),
        AppendEffect.GROWS,
    ),
    "both sides of an anti join": (plan("join anti on c0 = c0", f".{V}", f".{V}"), AppendEffect.ANY),
    "an aggregate": (plan("aggregate by c0 compute count()", f".{V}"), AppendEffect.ANY),
    "a window": (plan("window compute count()", f".{V}"), AppendEffect.ANY),
    "a limit": (plan("topk order c0 asc first limit 1", f".{V}"), AppendEffect.ANY),
    "distinct rows stay": (plan("distinct", f".{V}"), AppendEffect.GROWS),
    "the left of EXCEPT": (plan("except", f".{V}", ".scan w (a INT, b INT)"), AppendEffect.GROWS),
    "the right of EXCEPT ALL": (plan("except all", ".scan w (a INT, b INT)", f".{V}"), AppendEffect.SHRINKS),
    "INTERSECT": (plan("intersect", ".scan w (a INT, b INT)", f".{V}"), AppendEffect.GROWS),
    "an aggregate of something else": (
        plan("join inner on c0 = c0", f".{V}", ".aggregate by c0 compute count()", f"..{U}"),
        AppendEffect.GROWS,
    ),
    "what we only recompute": (
        plan("opaque recursion reads (v) gives (a INT) runs 'SELECT 1'"),
        AppendEffect.ANY,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_appended_rows_do(name: str) -> None:
    text, expected = CHANGES[name]
    rel = parse_rel(text)
    assert change_of(rel, "v") is expected
    assert preserves_appends(rel, "v") is (expected in {AppendEffect.NONE, AppendEffect.GROWS})


@pytest.mark.parametrize(
    ("text", "raises"),
    [
        (plan("filter (c0 > 1)", f".{V}"), False),
        (plan("filter ((1 / c0) > 1)", f".{V}"), True),
        (plan("project (c0 + 1)", f".{V}"), True),
        (plan("distinct", ".filter ((1 / c0) > 1)", f"..{V}"), True),
        (plan("aggregate by c0 compute count(), max(c1)", f".{V}"), False),
        (plan("aggregate by c0 compute sum(c1)", f".{V}"), True),
        (plan("aggregate by c0 compute sum(c1)", ".scan t (a INT, x DOUBLE)"), False),
        (plan("aggregate compute single_value(c0)", f".{V}"), True),
        (plan("join inner on c0 = c0", f".{V}", f".{U}"), False),
        (plan("join inner on c0 = c0", f".{V}", ".scan w (s STRING)"), True),
        (plan("topk order (1 / c0) asc first limit 1", f".{V}"), True),
        (plan("opaque recursion reads (v) gives (a INT) runs 'SELECT 1'"), True),
    ],
)
def test_what_may_raise(text: str, raises: bool) -> None:
    assert can_raise(parse_rel(text)) is raises


@pytest.mark.parametrize(
    ("text", "deterministic"),
    [
        (plan("filter (c0 > 1)", f".{V}"), True),
        (plan("distinct", ".project rand()", f"..{V}"), False),
        (plan("aggregate by c0 compute first(c1)", f".{V}"), False),
        (plan("aggregate by c0 compute collect_list(c1)", f".{V}"), False),
        (plan("aggregate by c0 compute max(c1)", f".{V}"), True),
        (plan("project current_date()", f".{V}"), True),
        (plan("opaque recursion reads (v) gives (a INT) runs 'SELECT 1'"), False),
    ],
)
def test_what_is_left_to_chance(text: str, deterministic: bool) -> None:
    assert is_deterministic(parse_rel(text)) is deterministic


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        (plan("filter (c0 > 1)", f".{V}"), "none"),
        (plan("distinct", ".filter (c0 > current_date())", "..scan t (d DATE)"), "day"),
        (plan("project now()", ".filter (c0 > current_date())", "..scan t (d DATE)"), "time"),
        (plan("opaque recursion reads (v) gives (a INT) runs 'SELECT current_date()'"), "time"),
        (plan("opaque recursion reads (v) gives (a INT) runs 'SELECT 1'"), "none"),
    ],
)
def test_who_asks_the_clock(text: str, clock: str) -> None:
    assert clock_of(parse_rel(text)) == clock
