"""What is materialized, where and in which order, in examples that can be checked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.unit.optimize.search.small import Rule, in_driver, keys, problem_of, with_goal, written
from tidewheel.optimize.search import Costs, Problem, SearchOptions, search

ALONE = SearchOptions(share=False)
SHOP: list[Rule] = [
    ("orders", "stored", "", 1.0),
    ("joined", "join", "orders", 8.0),
    ("daily", "group", "joined", 1.0),
    ("weekly", "group", "joined", 2.0),
]


def find(problem: Problem, options: SearchOptions | None = None) -> tuple[float, list[str]]:
    choice = search(problem, frozenset(), options)
    return choice.total, written(problem, choice)


def test_the_example_of_the_package() -> None:
    problem = problem_of(SHOP, "daily weekly")
    assert find(problem, ALONE) == (22.0, ["daily", "weekly"])
    assert find(problem) == (14.0, ["joined", "daily", "weekly"])


def test_what_may_not_be_materialized_is_computed_twice() -> None:
    problem = problem_of(SHOP, "daily weekly", inline_only="orders joined")
    assert find(problem) == (22.0, ["daily", "weekly"])


def test_a_result_is_not_written_down_if_writing_costs_more_than_computing() -> None:
    problem = problem_of(SHOP, "daily weekly", write=Costs(20, 20), inline_only="orders")
    assert find(problem)[1] == ["daily", "weekly"]


def test_what_one_statement_uses_twice_is_shared_too() -> None:
    rules: list[Rule] = [("part", "stored", "", 10.0), ("pairs", "join", "part part", 1.0)]
    assert find(problem_of(rules, "pairs")) == (10.0 + 0.5 + 0.25 * 2 + 1 + 0.5, ["part", "pairs"])


def test_a_root_is_read_by_another_root() -> None:
    rules: list[Rule] = [("daily", "group", "", 9.0), ("weekly", "group", "daily", 1.0)]
    assert find(problem_of(rules, "weekly daily"))[0] == 9.5 + 0.25 + 1 + 0.5


def test_two_goals_that_pay_only_together_are_found() -> None:
    rules: list[Rule] = [("x", "stored", "", 8.0), ("y", "stored", "", 8.0)]
    for view in ("a", "b", "c"):
        rules += [(view, "other", "", 8.5), (view, "both", "x y", 0.5)]
    total, made = find(problem_of(rules, "a b c"))
    assert made == ["x", "y", "a", "b", "c"]
    assert total == 2 * 8.5 + 3 * (0.25 * 2 + 0.5 + 0.5)


@pytest.mark.parametrize("shared", [True, False])
def test_no_plan_goes_around_a_cycle(shared: bool) -> None:
    rules: list[Rule] = [
        ("old", "stored", "", 1.0),
        ("new", "apply", "old delta", 1.0),
        ("new", "recompute", "", 50.0),
        ("delta", "difference", "new old", 0.5),
        ("delta", "propagate", "", 6.0),
    ]
    problem = problem_of(rules, "new delta", inline_only="old")
    total, made = find(problem, SearchOptions(share=shared))
    if shared:  # delta first, then new reads it: the other way around new has to be recomputed
        assert made == ["delta", "new"]
        assert total == 6.5 + (1 + 0.25 + 1 + 0.5)
    else:
        assert total == 6.5 + (1 + 6 + 1 + 0.5)


def test_a_knot_is_cut_where_the_rest_gains_most() -> None:
    """x from scratch costs 1 s more than y does, but y is cheap once x is there, and x is not once y is."""
    rules: list[Rule] = [
        ("x", "scratch", "", 11.0),
        ("x", "from y", "y", 9.0),
        ("y", "scratch", "", 10.0),
        ("y", "from x", "x", 1.0),
    ]
    total, made = find(problem_of(rules, "x y"))
    assert made == ["x", "y"]
    assert total == 11.5 + 1.75


def test_what_only_the_cluster_can_do_is_brought_to_the_driver() -> None:
    rules: list[Rule] = [("large", "scan", "", 5.0), ("small", "sort", "large", in_driver(1.0))]
    problem = problem_of(rules, "small")
    choice = search(problem, frozenset(), ALONE)
    assert [each.place for each in choice.statements] == ["cluster", "driver"]
    assert [(each.goal, each.to) for each in choice.transfers] == [(0, "driver")]
    assert choice.total == 5 + 0.5 + 0.1 + 0.25 + 1 + 0.5


def test_a_transfer_is_paid_once_for_all_readers() -> None:
    rules: list[Rule] = [
        ("large", "scan", "", 5.0),
        *((view, "sort", "large", in_driver(1.0)) for view in ("a", "b", "c")),
    ]
    problem = problem_of(rules, "a b c", transfer=Costs(2.0, 2.0))
    assert search(problem, frozenset()).total == 5.5 + 2 + 3 * (0.25 + 1 + 0.5)


def test_what_must_be_materialized_is_written_once_and_only_if_used() -> None:
    rules: list[Rule] = [*SHOP, ("unused", "stored", "", 1.0)]
    problem = with_goal(problem_of(rules, "daily", write=Costs(3, 3)), "joined", must_materialize=True)
    problem = with_goal(problem, "unused", must_materialize=True)
    assert find(problem, ALONE) == (1 + 8 + 3 + 0.25 + 1 + 3, ["joined", "daily"])


def test_a_statement_has_its_price() -> None:
    problem = problem_of(SHOP, "daily weekly")
    assert find(problem, SearchOptions(statement=Costs(0, 0.75)))[0] == 14 + 3 * 0.75
    assert find(problem, SearchOptions(statement=Costs(0, 10)))[1] == ["daily", "weekly"]


def test_the_weight_of_a_root_multiplies_its_own_statement() -> None:
    problem = replace(problem_of(SHOP, "daily weekly"), root_weight=(1.0, 4.0))
    assert find(problem) == (9.5 + 1.75 + 4 * 2.75, ["joined", "daily", "weekly"])


def test_a_state_that_exists_makes_its_alternative_usable() -> None:
    problem = problem_of(SHOP, "daily", inline_only="orders joined")
    goals = list(problem.goals)
    kept = replace(goals[1].alternatives[0], rule="kept", inputs=(), work=Costs(math.inf, 2), requires=frozenset({"j"}))
    goals[1] = replace(goals[1], alternatives=(*goals[1].alternatives, kept))
    problem = replace(problem, goals=tuple(goals))
    assert search(problem, frozenset()).total == 10.5
    assert search(problem, frozenset({"j"})).total == 2 + 1 + 0.5


def test_equal_costs_are_decided_by_the_name_of_the_rule() -> None:
    problem = problem_of([("view", "second", "", 1.0), ("view", "first", "", 1.0)], "view")
    assert search(problem, frozenset()).statements[0].alternatives == ((0, 1),)


def test_a_root_without_a_plan_is_named() -> None:
    problem = problem_of([("round", "again", "trip", 1.0), ("trip", "again", "round", 1.0)], "round")
    choice = search(problem, frozenset())
    assert (choice.total, choice.statements, choice.stopped) == (math.inf, (), "no finite plan: round")


def test_statements_say_what_they_compute_inline_and_what_they_read() -> None:
    problem = problem_of(SHOP, "daily weekly")
    first, second, _ = search(problem, frozenset()).statements
    assert keys(problem, (goal for goal, _ in first.alternatives)) == ["joined", "orders"]
    assert (keys(problem, first.reads), first.compute, first.write) == ([], 9.0, 0.5)
    assert (keys(problem, second.reads), second.seconds) == (["joined"], 1.75)


def test_much_that_is_repeated_is_shared_by_one_evaluation() -> None:
    """Each level uses the one below twice: written where it is used, the last one would be computed 2^39 times."""
    levels = [(f"g{n}", "twice", f"g{n - 1} g{n - 1}", 1.0) for n in range(1, 40)]
    problem = problem_of([("g0", "stored", "", 9.0), *levels], "g39")
    choice = search(problem, frozenset(), SearchOptions(most_evaluations=1))
    assert len(choice.statements) == len(problem.goals)
    assert choice.total == pytest.approx(9.5 + 39 * (1 + 2 * 0.25 + 0.5))
