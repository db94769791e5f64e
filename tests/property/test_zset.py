"""The laws of Z-sets: a commutative group under addition, and changes that lead from one bag to the next."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tidewheel.tvr.reference.zset import EMPTY, ZSet

VALUES = st.one_of(
    st.none(), st.integers(-2, 2), st.sampled_from([0.0, -0.0, math.nan, 1.5]), st.sampled_from(["", "a"])
)
ROWS = st.tuples(VALUES, VALUES)
CHANGES = st.lists(st.tuples(ROWS, st.integers(-3, 3)), max_size=8).map(ZSet)
BAGS = st.lists(ROWS, max_size=8).map(ZSet.of_rows)


@given(CHANGES, CHANGES, CHANGES)
def test_addition_is_a_commutative_group(a: ZSet, b: ZSet, c: ZSet) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + EMPTY == a
    assert a - a == EMPTY


@given(CHANGES, CHANGES, st.integers(-3, 3))
def test_scaling_distributes(a: ZSet, b: ZSet, factor: int) -> None:
    assert (a + b) * factor == a * factor + b * factor


@given(BAGS, BAGS)
def test_a_difference_leads_from_one_bag_to_the_other(old: ZSet, new: ZSet) -> None:
    assert old + (new - old) == new
    assert (old + (new - old)).is_bag()


@given(BAGS)
def test_a_bag_is_its_list_of_rows(bag: ZSet) -> None:
    assert ZSet.of_rows(bag.to_rows()) == bag
    assert len(bag.to_rows()) == bag.total()


@given(CHANGES)
def test_distinct_is_a_set_and_does_nothing_twice(change: ZSet) -> None:
    assert change.distinct().is_set()
    assert change.distinct().distinct() == change.distinct()


@given(CHANGES)
def test_a_change_is_what_it_inserts_without_what_it_deletes(change: ZSet) -> None:
    assert change.inserted() - change.deleted() == change
