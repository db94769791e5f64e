"""The most profitable closure, against every closure there is."""

from __future__ import annotations

import itertools
import random

import pytest

from tidewheel.optimize.closure import best_closure


def test_what_pays_only_together() -> None:
    assert best_closure([5, 4, -7], [(0, 2), (1, 2)]) == {0, 1, 2}
    assert best_closure([5, 4, -10], [(0, 2), (1, 2)]) == frozenset()


def test_a_chain_of_requirements() -> None:
    assert best_closure([3, -1, -1], [(0, 1), (1, 2)]) == {0, 1, 2}
    assert best_closure([3, -1, -3], [(0, 1), (1, 2)]) == frozenset()


def test_the_largest_of_equally_good_ones() -> None:
    assert best_closure([2, -2], [(0, 1)]) == {0, 1}
    assert best_closure([0, 0], []) == {0, 1}


def test_nothing_to_choose() -> None:
    assert best_closure([], []) == frozenset()


@pytest.mark.parametrize("seed", range(200))
def test_no_closure_gains_more(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 9)
    gains = [round(rng.uniform(-5, 5), rng.choice([0, 3])) for _ in range(count)]
    pairs = [(rng.randrange(count), rng.randrange(count)) for _ in range(rng.randint(0, 2 * count))]
    found = best_closure(gains, pairs)
    assert all(b in found for a, b in pairs if a in found)
    sets = (set(some) for n in range(count + 1) for some in itertools.combinations(range(count), n))
    best = max(sum(gains[i] for i in some) for some in sets if all(b in some for a, b in pairs if a in some))
    assert sum(gains[i] for i in found) == pytest.approx(best)
