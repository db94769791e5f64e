"""Why alternatives lost, for `explain --trace`."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.optimize.search.small import Rule, in_driver, index_of, problem_of
from tidewheel.optimize.search import Problem, search

RULES: list[Rule] = [
    ("old", "stored", "", 1.0),
    ("new", "apply", "old delta", 1.0),
    ("new", "recompute", "", 50.0),
    ("delta", "difference", "new old", 0.5),
    ("delta", "propagate", "", 6.0),
    ("delta", "local", "", in_driver(7.0)),
]


def verdicts(problem: Problem, key: str) -> dict[tuple[str, str], str]:
    found = search(problem, frozenset()).rivals(problem, index_of(problem, key))
    return {(each.rule, each.place): each.verdict for each in found}


def test_rivals_say_what_they_would_cost_and_why_they_lost() -> None:
    problem = problem_of(RULES, "new delta", inline_only="old")
    assert verdicts(problem, "new") == {
        ("apply", "cluster"): "chosen",
        ("recompute", "cluster"): "dearer by 47.8 s",
        ("apply", "driver"): "cannot run in the driver",
        ("recompute", "driver"): "cannot run in the driver",
    }


def test_an_alternative_that_would_read_its_own_result_says_so() -> None:
    found = verdicts(problem_of(RULES, "new delta", inline_only="old"), "delta")
    assert found["difference", "cluster"] == "would read what is made from it"
    assert found["propagate", "cluster"] == "chosen"
    assert found["local", "driver"] == "not used in the driver"


def test_a_missing_state_is_named() -> None:
    problem = problem_of(RULES, "new")
    goals = list(problem.goals)
    kept = replace(goals[1].alternatives[1], rule="kept", requires=frozenset({"sums", "counts"}))
    goals[1] = replace(goals[1], alternatives=(*goals[1].alternatives, kept))
    assert verdicts(replace(problem, goals=tuple(goals)), "new")["kept", "cluster"] == "requires counts, sums"


def test_an_input_that_cannot_be_computed_is_told() -> None:
    rules = [*RULES, ("lost", "again", "lost", 1.0), ("new", "odd", "lost", 1.0)]
    assert verdicts(problem_of(rules, "new"), "new")["odd", "cluster"] == "an input has no finite cost here"


def test_chosen_rivals_come_first_and_others_by_cost() -> None:
    problem = problem_of(RULES, "new", inline_only="old delta")
    rules = [each.rule for each in search(problem, frozenset()).rivals(problem, index_of(problem, "new"))]
    assert rules[:2] == ["apply", "recompute"]
