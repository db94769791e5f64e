"""Keys and dependencies, each with the case in which it would be wrong to claim more."""

from __future__ import annotations

import pytest

from tidewheel.ddl import parse_type
from tidewheel.ir.dependencies import dependencies, keys
from tidewheel.ir.equality import compares_exactly, is_plain
from tidewheel.ir.text import parse_rel

T = "scan t (k INT NOT NULL, a INT, b INT) key (c0)"
U = "scan u (k INT NOT NULL, a INT) key (c0)"
V = "scan v (a INT, b INT)"


def plan(*lines: str) -> str:
    """Lines that start with dots are that much further in."""
    return "plan\n" + "\n".join("  " * (1 + len(s) - len(s.lstrip("."))) + s.lstrip(".") for s in lines) + "\n"


CASES = {
    "a scan's own": (plan(T), [{0}]),
    "no key is declared": (plan(V), []),
    "one row": (plan("values 2 (1, 2)"), [set()]),
    "several rows": (plan("values 1 (1) (1)"), []),
    "a filter keeps them": (plan("filter (c1 > 1)", f".{T}"), [{0}]),
    "a constant is no part of one": (plan("filter (c0 = 1)", f".{T}"), [set()]),
    "an equal column is as good": (plan("project c1", ".filter (c0 = c1)", f"..{T}"), [{0}]),
    "an equality with a string converts": (
        plan("project c1", ".filter (c0 = c1)", "..scan t (k INT NOT NULL, s STRING) key (c0)"),
        [],
    ),
    "an equality with a number of another kind rounds": (
        plan("project c1", ".filter (c0 = c1)", "..scan t (k BIGINT NOT NULL, x DOUBLE) key (c0)"),
        [],
    ),
    "a projection moves them": (plan("project c1, c0, c0", f".{T}"), [{1}]),
    "a projection loses them": (plan("project c1", f".{T}"), []),
    "an expression is no key": (plan("project abs(c0)", f".{T}"), []),
    "both sides of a cross join": (plan("join inner", f".{T}", f".{U}"), [{0, 3}]),
    "at most one partner": (plan("join inner on c1 = c0", f".{T}", f".{U}"), [{0}]),
    "at most one partner each": (plan("join inner on c0 = c0", f".{T}", f".{U}"), [{0}, {3}]),
    "many partners": (plan("join inner on c1 = c1", f".{T}", f".{U}"), [{0, 3}]),
    "no key on one side": (plan("join inner on c0 = c0", f".{T}", f".{V}"), []),
    "a left join with at most one partner": (plan("join left on c1 = c0", f".{T}", f".{U}"), [{0}]),
    "a left join with many": (plan("join left on c1 = c1", f".{T}", f".{U}"), [{0, 3}]),
    "a full join": (plan("join full on c0 = c0", f".{T}", f".{U}"), [{0, 3}]),
    "a full join of keys that may be NULL": (
        plan("join full on c0 = c0", ".distinct", "..project c1", f"...{T}", ".distinct", "..project c1", f"...{U}"),
        [],
    ),
    "a full join of single rows may have two": (
        plan("join full on c0 = c0", ".aggregate compute max(c1)", f"..{T}", ".aggregate compute max(c1)", f"..{U}"),
        [],
    ),
    "a semi join keeps the left ones": (plan("join semi on c1 = c0", f".{T}", f".{V}"), [{0}]),
    "an anti join too": (plan("join anti on c1 in c0", f".{T}", f".{V}"), [{0}]),
    "groups": (plan("aggregate by c1, c2 compute count()", f".{T}"), [{0, 1}]),
    "groups by a key and more": (plan("aggregate by c1, c0 compute count()", f".{T}"), [{1}]),
    "a global aggregate": (plan("aggregate compute count()", f".{T}"), [set()]),
    "grouping sets need their number": (plan("aggregate by c1 sets (0) () compute count()", f".{T}"), [{0, 1}]),
    "a grouping set twice": (plan("aggregate by c1 sets (0) (0) compute count()", f".{T}"), []),
    "one grouping set": (plan("aggregate by c1, c2 sets (1) compute count()", f".{T}"), [{1}]),
    "distinct rows": (plan("distinct", f".{V}"), [{0, 1}]),
    "distinct rows of something unique": (plan("distinct", f".{T}"), [{0}]),
    "a union": (plan("union", f".{T}", f".{T}"), []),
    "EXCEPT": (plan("except", f".{V}", f".{V}"), [{0, 1}]),
    "EXCEPT ALL is a part of its left": (plan("except all", f".{U}", f".{V}"), [{0}]),
    "INTERSECT ALL is a part of both": (plan("intersect all", f".{V}", f".{U}"), [{0}]),
    "EXCEPT ALL where the left is widened": (
        plan("except all", ".scan t (k BIGINT NOT NULL) key (c0)", ".scan u (x DOUBLE)"),
        [],
    ),
    "row_number in its partition": (
        plan("window partition c0 order c1 asc first compute row_number()", f".{V}"),
        [{0, 2}],
    ),
    "the first of each partition": (
        plan("filter (c2 = 1)", ".window partition c0 order c1 asc first compute row_number()", f"..{V}"),
        [{0}],
    ),
    "rank has ties": (plan("window partition c0 order c1 asc first compute rank()", f".{V}"), []),
    "LIMIT 1": (plan("topk order c0 asc first, c1 asc first limit 1", f".{V}"), [set()]),
    "LIMIT 2": (plan("topk order c0 asc first, c1 asc first limit 2", f".{V}"), []),
    "elements have positions": (plan("unnest posexplode(array(c1, c2)) width 2", f".{T}"), [{0, 3}]),
    "elements repeat": (plan("unnest explode(array(c1, c2)) width 1", f".{T}"), []),
}


@pytest.mark.parametrize("name", CASES)
def test_keys(name: str) -> None:
    text, expected = CASES[name]
    assert list(map(set, keys(parse_rel(text)))) == expected


def test_a_computed_column_is_determined_by_what_it_is_computed_from() -> None:
    found = dependencies(parse_rel(plan("project c0, c1, (c0 || c1), 7", ".scan t (s STRING, u STRING)")))
    assert found.closure({0, 1}) == {0, 1, 2, 3}
    assert found.closure({0}) == {0, 3}
    assert found.constants == {3}


def test_zeros_of_two_signs_are_equal_but_their_texts_are_not() -> None:
    found = dependencies(parse_rel(plan("project c0, CAST(c0 AS STRING)", ".scan t (x DOUBLE)")))
    assert found.closure({0}) == {0}


def test_chance_is_determined_by_nothing() -> None:
    assert dependencies(parse_rel(plan("project c0, rand()", f".{V}"))).closure({0}) == {0}


def test_an_equality_works_both_ways_until_a_row_of_nulls_comes_in() -> None:
    inner = dependencies(parse_rel(plan("join inner on c0 = c1", f".{V}", f".{V}")))
    assert 3 in inner.closure({0})
    assert 0 in inner.closure({3})
    left = dependencies(parse_rel(plan("join left on c0 = c1", f".{V}", f".{V}")))
    assert 3 in left.closure({0})
    assert 0 not in left.closure({3})


def test_one_key_of_two_does_not_tell_whether_there_is_a_match() -> None:
    found = dependencies(parse_rel(plan("join left on c0 = c0, c1 = c1", f".{V}", f".{V}")))
    assert 2 not in found.closure({0})
    assert {2, 3} <= found.closure({0, 1})


def test_beside_a_residual_a_key_does_not_tell_either() -> None:
    found = dependencies(parse_rel(plan("join left on c0 = c0 where (c1 < c3)", f".{V}", f".{V}")))
    assert 2 not in found.closure({0})


def test_a_total_over_a_partition_is_determined_by_it() -> None:
    whole = dependencies(parse_rel(plan("window partition c0 compute sum(c1)", f".{V}")))
    assert 2 in whole.closure({0})
    running = dependencies(parse_rel(plan("window partition c0 order c1 asc first compute sum(c1)", f".{V}")))
    assert 2 not in running.closure({0})


@pytest.mark.parametrize(
    ("a", "b", "exactly"),
    [
        ("INT", "BIGINT", True),
        ("INT", "DECIMAL(38,0)", True),
        ("BIGINT", "DECIMAL(38,20)", False),
        ("BIGINT", "DOUBLE", False),
        ("STRING", "INT", False),
        ("DATE", "TIMESTAMP", False),
        ("DOUBLE", "DOUBLE", True),
    ],
)
def test_which_types_compare_exactly(a: str, b: str, exactly: bool) -> None:
    assert compares_exactly(parse_type(a), parse_type(b)) is exactly
    assert compares_exactly(parse_type(b), parse_type(a)) is exactly


@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        ("INT", True),
        ("STRING", True),
        ("DECIMAL(9,2)", True),
        ("DOUBLE", False),
        ("ARRAY<FLOAT>", False),
        ("STRUCT<a: INT, b: DATE>", True),
        ("STRUCT<a: DOUBLE>", False),
        ("MAP<INT, INT>", False),
    ],
)
def test_where_equal_values_are_the_same(kind: str, plain: bool) -> None:
    assert is_plain(parse_type(kind)) is plain
