from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.unit.tvr.reference.plans import run
from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.evaluate import Table

T = Table.of("g STRING, n INT, v INT", [("a", 1, 10), ("a", 1, 20), ("a", 3, None), ("a", None, 5), ("b", 7, 1)])
SCAN = "scan t (g STRING, n INT, v INT)"


def window(call: str, order: str = "c1 asc first, c2 asc first", part: str = "partition c0 ") -> list[Any]:
    """The values of a call for the rows in the order of g, n and v."""
    by = f"order {order} " if order else ""
    return [row[3] for row in run(f"window {part}{by}compute {call}\n  {SCAN}", t=T)]


@pytest.mark.parametrize(
    ("call", "values"),
    [
        ("row_number()", [1, 2, 3, 4, 1]),
        ("lag(c2)", [None, 5, 10, 20, None]),
        ("lead(c2)", [10, 20, None, None, None]),
        ("lag(c2, 2, -1)", [-1, -1, 5, 10, -1]),
        ("lag(c2) ignore nulls", [None, 5, 10, 20, None]),
        ("ntile(3)", [1, 1, 2, 3, 1]),
        ("nth_value(c2, 2) frame [rows unbounded to unbounded]", [10, 10, 10, 10, None]),
        ("sum(c2) frame [rows unbounded to 0]", [5, 15, 35, 35, 1]),
        ("sum(c2) frame [rows -1 to 1]", [15, 35, 30, 20, 1]),
        ("count() frame [rows 1 to 2]", [2, 2, 1, 0, 0]),
        ("sum(c2) frame [rows 1 to 1]", [10, 20, None, None, None]),
        ("first_value(c2) frame [rows unbounded to unbounded]", [5, 5, 5, 5, 1]),
        ("last_value(c2) ignore nulls frame [rows unbounded to unbounded]", [20, 20, 20, 20, 1]),
        ("count() where (c2 > 5) frame [rows unbounded to 0]", [0, 1, 2, 2, 0]),
    ],
)
def test_functions_of_positions(call: str, values: list[Any]) -> None:
    assert window(call) == values


@pytest.mark.parametrize(
    ("call", "values"),
    [
        ("rank()", [1, 2, 2, 4, 1]),
        ("dense_rank()", [1, 2, 2, 3, 1]),
        ("percent_rank()", [0.0, 1 / 3, 1 / 3, 1.0, 0.0]),
        ("cume_dist()", [0.25, 0.75, 0.75, 1.0, 1.0]),
        ("count()", [1, 3, 3, 4, 1]),
        ("count() frame [range unbounded to 0]", [1, 3, 3, 4, 1]),
        ("count() frame [range -2 to 0]", [1, 2, 2, 3, 1]),
        ("count() frame [range 0 to unbounded]", [4, 3, 3, 1, 1]),
        ("count() frame [range 1 to 2]", [1, 1, 1, 0, 0]),
    ],
)
def test_peers_share_their_rank_and_their_frame(call: str, values: list[Any]) -> None:
    assert window(call, "c1 asc first") == values


def test_a_descending_range_goes_down() -> None:
    assert window("count() frame [range -2 to 0]", "c1 desc last") == [1, 3, 3, 1, 1]


def test_without_an_order_the_frame_is_the_partition() -> None:
    assert window("count()", "") == [4, 4, 4, 4, 1]
    assert window("count()", "", "") == [5, 5, 5, 5, 5]


def test_a_range_of_days() -> None:
    t = Table.of("d DATE", [(dt.date(2024, 1, 31),), (dt.date(2024, 2, 1),), (dt.date(2024, 2, 29),)])
    days = "window order c0 asc first compute count() frame [range INTERVAL '-1' DAY to 0]\n  scan t (d DATE)"
    assert [row[1] for row in run(days, t=t)] == [1, 2, 1]
    months = "window order c0 asc first compute count() frame [range INTERVAL '-1' MONTH to 0]\n  scan t (d DATE)"
    assert [row[1] for row in run(months, t=t)] == [1, 2, 3]


def test_buckets_are_counted_from_one() -> None:
    with pytest.raises(EvaluationError, match="buckets"):
        window("ntile(0)")
