"""Problems that make no sense are refused when they are made; orders and knots of statements."""

from __future__ import annotations

import math

import pytest

from tests.unit.optimize.search.small import on_cluster
from tidewheel.optimize.search import Costs, Problem, SearchAlternative, SearchGoal
from tidewheel.optimize.search.cycles import find_knot, order_of


def goal(key: str, *inputs: int, work: float = 1.0, write: float = 0.0) -> SearchGoal:
    return SearchGoal(key, (SearchAlternative("rule", inputs, on_cluster(work)),), write=Costs(write, write))


@pytest.mark.parametrize(
    ("goals", "roots", "message"),
    [
        ((goal("a"), goal("a")), (0,), "two goals have the same key"),
        ((goal("a"),), (1,), "roots are distinct indices of goals"),
        ((goal("a"),), (0, 0), "roots are distinct indices of goals"),
        ((goal("a", 3),), (0,), "reads a goal that does not exist"),
        ((goal("a", work=0.0),), (0,), "works less than"),
        ((goal("a", write=-1.0),), (0,), "a cost below zero"),
        ((goal("a", write=math.nan),), (0,), "a cost below zero"),
    ],
)
def test_what_makes_no_sense_is_refused(goals: tuple[SearchGoal, ...], roots: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Problem(goals, roots)


def test_weights_belong_to_roots() -> None:
    with pytest.raises(ValueError, match="as many factors"):
        Problem((goal("a"),), (0,), (1.0, 2.0))


def test_an_order_puts_what_is_read_first() -> None:
    assert order_of({1: [3], 2: [1], 3: [], 0: [2, 3]}) == [3, 1, 2, 0]


@pytest.mark.parametrize(
    ("reads", "knot"),
    [
        ({1: [2], 2: []}, []),
        ({1: [1]}, [1]),
        ({0: [1], 1: [2], 2: [3], 3: [1, 4], 4: []}, [1, 2, 3]),
        ({1: [2, 3], 2: [1], 3: [1]}, [1, 2, 3]),
    ],
)
def test_a_knot_is_all_that_read_each_other(reads: dict[int, list[int]], knot: list[int]) -> None:
    assert find_knot(reads) == knot
