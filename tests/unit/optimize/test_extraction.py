"""Chosen alternatives as plans over what is stored: each goal once, however often it is referred to."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.ir.test_dependencies import V, plan
from tidewheel.delta.change import Kind
from tidewheel.ir.rel import Join, Rel, Scan
from tidewheel.ir.text import parse_rel
from tidewheel.ir.tree import nodes
from tidewheel.optimize.alternatives import Alternative, Goal, preferred
from tidewheel.optimize.exploration import Exploration
from tidewheel.optimize.extraction import expanded, reached

BOTH: dict[str, Kind] = {"v": "mixed", "w": "mixed"}
LEFT = parse_rel(plan("join left on c0 = c0", f".{V}", ".scan w (p INT, q INT)"))


def filled(rel: Rel) -> tuple[Exploration, Rel]:
    memo = Exploration(BOTH, {})
    change = memo.delta(rel)
    assert change is not None
    memo.explore()
    return memo, change.rel


def last(goal: Goal) -> Alternative:
    return goal.alternatives[-1]


def test_another_choice_is_another_plan_of_the_same_columns() -> None:
    memo, change = filled(LEFT)
    first, second = expanded(change, memo, preferred), expanded(change, memo, last)
    assert first != second
    assert first.width == second.width == change.width


def test_no_reference_is_left() -> None:
    memo, change = filled(LEFT)
    for choose in (preferred, last):
        scans = [node for node in nodes(expanded(change, memo, choose)) if isinstance(node, Scan)]
        assert {scan.relation for scan in scans} == {"v", "w"}


def test_a_goal_that_is_referred_to_often_is_asked_for_once() -> None:
    squared = LEFT
    for _ in range(3):
        squared = joined_with_itself(squared)
    memo, change = filled(squared)
    asked: list[bytes] = []

    def choose(goal: Goal) -> Alternative:
        asked.append(goal.reference.digest)
        return preferred(goal)

    expanded(change, memo, choose)
    assert len(asked) == len(set(asked)) == len(list(reached([change], memo, preferred)))


def joined_with_itself(rel: Rel) -> Rel:
    assert isinstance(rel, Join)
    return replace(rel, left=rel, right=rel)


def test_only_goals_below_the_choice_are_reached() -> None:
    memo, change = filled(LEFT)
    by_first, by_last = (
        {goal.reference.digest for goal in reached([change], memo, choose)} for choose in (preferred, last)
    )
    assert by_first | by_last <= memo.goals.keys()
    assert by_first != by_last
