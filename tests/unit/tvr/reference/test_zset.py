from __future__ import annotations

import math
from decimal import Decimal

import pytest

from tidewheel.tvr.reference.zset import EMPTY, ZSet


def test_copies_are_counted() -> None:
    bag = ZSet.of_rows([(1, "a"), (1, "a"), (2, None)])
    assert bag.weight((1, "a")) == 2
    assert bag.weight((2, None)) == 1
    assert bag.weight((3, "x")) == 0
    assert (len(bag), bag.total()) == (2, 3)


def test_rows_whose_weights_cancel_are_gone() -> None:
    change = ZSet([((1,), 1), ((1,), -1), ((2,), -1)])
    assert change == ZSet([((2,), -1)])
    assert ZSet.of_rows([(1,)]) - ZSet.of_rows([(1,)]) == EMPTY


@pytest.mark.parametrize(
    ("a", "b"),
    [(math.nan, float("nan")), (-0.0, 0.0), (Decimal("1.50"), Decimal("1.5")), (None, None), ((1, None), (1, None))],
)
def test_values_that_group_by_takes_for_equal_are_one_row(a: object, b: object) -> None:
    assert ZSet.of_rows([(a,), (b,)]).weight((a,)) == 2


@pytest.mark.parametrize(("a", "b"), [(1, True), (1, 1.0), (1, Decimal(1)), ("", None), (0, None), ((), None)])
def test_values_of_different_kinds_are_different_rows(a: object, b: object) -> None:
    assert len(ZSet.of_rows([(a,), (b,)])) == 2


def test_distinct_keeps_rows_of_positive_weight_once() -> None:
    assert ZSet([((1,), 3), ((2,), -1), ((3,), 1)]).distinct() == ZSet.of_rows([(1,), (3,)])


def test_a_change_has_an_inserted_and_a_deleted_part() -> None:
    change = ZSet([((1,), 2), ((2,), -3)])
    assert change.inserted() - change.deleted() == change
    assert change.deleted() == ZSet([((2,), 3)])
    assert not change.is_bag()


def test_rows_come_back_sorted_with_all_copies() -> None:
    assert ZSet([(("b",), 1), ((None,), 2), (("a",), 1)]).to_rows() == [(None,), (None,), ("a",), ("b",)]


def test_a_change_cannot_be_listed() -> None:
    with pytest.raises(ValueError, match="negative"):
        ZSet([((1,), -1)]).to_rows()


def test_scaling_and_negation() -> None:
    bag = ZSet.of_rows([(1,), (2,)])
    assert bag * 3 == bag + bag + bag
    assert -bag + bag == EMPTY
    assert bag * 0 == EMPTY


def test_no_rows_and_a_row_of_no_columns_differ() -> None:
    assert ZSet.of_rows([()]).total() == 1
    assert EMPTY.total() == 0
