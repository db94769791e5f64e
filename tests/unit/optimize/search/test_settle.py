"""Cheapest costs in order of cost, and that keeping them up gives what settling anew would."""

from __future__ import annotations

import math
import random

import pytest

from tests.property.search_problems import large_problem
from tests.unit.optimize.search.small import Rule, in_driver, index_of, problem_of
from tidewheel.optimize.search import Costs, SearchOptions, Structure, settle
from tidewheel.optimize.search.settle import UNMADE, Book, Setting
from tidewheel.optimize.search.tariff import Tariff

CHANGE: list[Rule] = [
    ("old", "stored", "", 1.0),
    ("new", "old + delta", "old delta", 1.0),
    ("delta", "new - old", "new old", 5.0),
    ("delta", "change of inputs", "", 2.0),
]


def test_goals_that_need_each_other_settle_from_outside_the_cycle() -> None:
    settled = settle(problem_of(CHANGE, "new"), frozenset())
    assert [costs.cluster for costs in settled.make] == [1.0, 4.0, 2.0]


def test_a_cycle_without_a_way_in_has_no_cost() -> None:
    settled = settle(problem_of(CHANGE[:3], "new"), frozenset())
    assert [costs.cluster for costs in settled.make] == [1.0, math.inf, math.inf]


def test_an_input_used_twice_is_paid_twice() -> None:
    problem = problem_of([("part", "stored", "", 3.0), ("pairs", "join", "part part", 1.0)], "pairs")
    assert settle(problem, frozenset()).make[1].cluster == 7.0


def test_a_materialized_goal_is_read_and_brought_if_need_be() -> None:
    problem = problem_of([("part", "stored", "", 3.0), ("view", "sort", "part", Costs(1.0, 1.0))], "view")
    settled = settle(problem, frozenset(), {0: "cluster"})
    assert settled.use[0] == Costs(0.25 + 0.1, 0.25)
    assert settled.make[1] == Costs(1.35, 1.25)
    assert settled.make[0] == Costs(math.inf, 3.0)


def test_a_goal_of_the_other_place_is_made_there_written_brought_and_read() -> None:
    rules: list[Rule] = [("large", "scan", "", 5.0), ("small", "sort", "large", in_driver(1.0))]
    problem = problem_of(rules, "small")
    assert settle(problem, frozenset()).make[index_of(problem, "small")].driver == 5 + 0.5 + 0.1 + 0.25 + 1
    inline = problem_of(rules, "small", inline_only="large")
    assert settle(inline, frozenset()).make[index_of(inline, "small")] == Costs(math.inf, math.inf)


@pytest.mark.parametrize("seed", range(5))
def test_costs_kept_up_are_costs_settled_anew(seed: int) -> None:
    problem = large_problem(seed, goals=80, alternatives=300, roots=5)
    structure = Structure.of(problem)
    tariff = Tariff.of(problem, structure, frozenset(), SearchOptions())
    rng = random.Random(seed)
    book = Book.of(structure, tariff)
    for _ in range(60):
        goal = rng.randrange(80)
        if book.place[goal] == UNMADE or rng.random() < 0.3:
            book.materialize(goal, rng.randrange(2), copied=rng.random() < 0.5)
        else:
            book.release(goal)
        fresh = Book.of(structure, tariff)
        for each, place in enumerate(book.place):
            if place != UNMADE:
                fresh.materialize(each, place, copied=book.copied[each])
        assert book.make == pytest.approx(fresh.make, rel=1e-12), f"seed {seed}"
        assert book.use == pytest.approx(fresh.use, rel=1e-12), f"seed {seed}"


def test_a_fork_leaves_the_book_as_it_was() -> None:
    problem = problem_of(CHANGE, "new")
    structure = Structure.of(problem)
    book = Book.of(structure, Tariff.of(problem, structure, frozenset(), SearchOptions()))
    before = book.settled()
    book.fork().materialize(structure.rank[2], 1)
    assert book.settled() == before


@pytest.mark.parametrize("seed", range(5))
def test_a_trial_costs_what_a_fork_would_and_leaves_nothing_behind(seed: int) -> None:
    problem = large_problem(seed, goals=80, alternatives=300, roots=5)
    structure = Structure.of(problem)
    rng = random.Random(seed)
    book = Book.of(structure, Tariff.of(problem, structure, frozenset(), SearchOptions()))
    for _ in range(60):
        before, forked = book.fork(), book.fork()
        setting = Setting(rng.randrange(80), rng.choice((UNMADE, 0, 1)), rng.random() < 0.5)
        forked.apply((setting,))
        with book.trial((setting,)) as changed:
            assert (book.make, book.use, book.how) == (forked.make, forked.use, forked.how)
            assert changed == forked.changed
            assert all(book.make[n] == before.make[n] for n in range(len(book.make)) if n not in changed)
            assert all(before.make[node] == seconds for node, seconds in changed.items())
        for name in ("make", "best", "use", "how", "offer", "place", "copied"):
            assert getattr(book, name) == getattr(before, name), name
        if rng.random() < 0.5:
            book.apply((setting,))
