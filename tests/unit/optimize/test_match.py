"""Rows that meet in a join: by keys of one side, of none, and where conditions took some away."""

from __future__ import annotations

import pytest

from tidewheel.ir.parts import JoinKey
from tidewheel.ir.scalar import Col
from tidewheel.optimize.facts import ColumnFacts, Facts
from tidewheel.optimize.match import Match

KEY = (JoinKey(left=Col(0), right=Col(0), kind="="),)
CUSTOMERS = Facts(rows=100, columns=(ColumnFacts(distinct=100, low=1, high=100),)).keyed([0])
ORDERS = Facts(rows=5000, columns=(ColumnFacts(distinct=100, low=1, high=100),))


def test_each_order_meets_its_customer() -> None:
    assert Match.of(KEY, ORDERS, CUSTOMERS).pairs() == 5000
    assert Match.of(KEY, CUSTOMERS, ORDERS).pairs() == 5000


def test_where_one_customer_in_ten_is_left_one_order_in_ten_has_a_partner() -> None:
    match = Match.of(KEY, ORDERS, CUSTOMERS.limited(10))
    assert match.pairs() == pytest.approx(500)
    assert match.matched() == pytest.approx(0.1)


def test_without_a_key_rows_multiply() -> None:
    assert Match.of(KEY, ORDERS, ORDERS).pairs() == pytest.approx(5000 * 5000 / 100)


def test_null_meets_nothing_unless_the_join_is_null_safe() -> None:
    half = Facts(rows=5000, columns=(ColumnFacts(distinct=100, nulls=0.5),))
    safe = (JoinKey(left=Col(0), right=Col(0), kind="<=>"),)
    assert Match.of(KEY, half, CUSTOMERS).pairs() == pytest.approx(2500)
    assert Match.of(safe, half, CUSTOMERS).pairs() == pytest.approx(5000)


def test_values_that_lie_apart_do_not_meet() -> None:
    afar = Facts(rows=100, columns=(ColumnFacts(distinct=100, low=1000, high=1100),)).keyed([0])
    assert Match.of(KEY, ORDERS, afar).pairs() == 0.0


def test_a_change_is_a_sample_of_its_relations_keys() -> None:
    change = Facts(rows=10, columns=(ColumnFacts(distinct=10),)).sampled([0], 100)
    assert Match.of(KEY, ORDERS, change).pairs() == pytest.approx(5000 * 10 / 100)


def test_keys_of_a_side_whose_rows_come_once_stay_keys() -> None:
    assert Match.of(KEY, ORDERS, CUSTOMERS).both().keys == ()
    assert Match.of(KEY, CUSTOMERS, CUSTOMERS).both().keys == (frozenset({0}), frozenset({1}))
