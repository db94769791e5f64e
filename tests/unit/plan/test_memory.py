"""What is remembered is made once, is bounded, and does not get lost between two threads that meet the bound."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from tidewheel.plan.memory import Remembered


def test_it_is_made_once() -> None:
    made: list[int] = []
    known = Remembered[int, int](most=10)
    assert [known.get(7, lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]  # type: ignore[func-returns-value]


def test_it_is_bounded() -> None:
    known = Remembered[int, int](most=3)
    for n in range(10):
        assert known.get(n, lambda n=n: n) == n  # type: ignore[misc]
    assert len(known._known) <= 3


def test_threads_that_meet_the_bound_find_what_they_made() -> None:
    known = Remembered[int, str](most=2)

    def ask(seed: int) -> bool:
        keys = random.Random(seed).choices(range(8), k=2000)
        return all(known.get(key, lambda key=key: str(key)) == str(key) for key in keys)  # type: ignore[misc]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(4)))
