"""Orders and circles of small graphs."""

from __future__ import annotations

import random

from tidewheel.optimize.search.cycles import find_knot, order_of


def test_whatever_is_read_comes_first_and_the_smallest_where_there_is_a_choice() -> None:
    assert order_of({1: [3], 2: [], 3: [], 4: [1, 2]}) == [2, 3, 1, 4]


def test_all_that_read_each_other_are_one_knot() -> None:
    assert find_knot({1: [2], 2: [3], 3: [1, 4], 4: [], 5: [1]}) == [1, 2, 3]
    assert find_knot({1: [1]}) == [1]
    assert find_knot({1: [2], 2: [3], 3: []}) == []


def test_what_is_read_and_not_there_closes_no_circle() -> None:
    assert find_knot({1: [7], 2: [1]}) == []


def test_there_is_an_order_where_there_is_no_knot() -> None:
    rng = random.Random(5)
    for _ in range(300):
        members = range(rng.randint(1, 7))
        reads = {each: [other for other in members if rng.random() < 0.2] for each in members}
        knot = find_knot(reads)
        assert (len(order_of(reads)) == len(reads)) == (not knot)
        assert all(set(reads[each]) & set(knot) for each in knot)
