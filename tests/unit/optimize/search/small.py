"""Small problems by name: `rules` are (goal, rule, inputs, seconds), everything else has one value for all goals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tidewheel.optimize.search import Choice, Costs, Problem, SearchAlternative, SearchGoal

Rule = tuple[str, str, str, float | Costs]


def on_cluster(seconds: float) -> Costs:
    return Costs(math.inf, seconds)


def in_driver(seconds: float) -> Costs:
    return Costs(seconds, math.inf)


def problem_of(
    rules: Sequence[Rule],
    roots: str,
    *,
    write: Costs | None = None,
    read: Costs | None = None,
    transfer: Costs | None = None,
    inline_only: str = "",
) -> Problem:
    """Inputs and roots are names with spaces between; plain seconds are the cluster's, where alone they can run."""
    names = list(dict.fromkeys(rule[0] for rule in rules))
    goals = tuple(
        SearchGoal(
            key=name,
            alternatives=tuple(alternative(rule, names) for rule in rules if rule[0] == name),
            write=write or Costs(0.5, 0.5),
            read=read or Costs(0.25, 0.25),
            transfer=transfer or Costs(0.1, 0.1),
            may_materialize=name not in inline_only.split(),
        )
        for name in names
    )
    return Problem(goals, tuple(names.index(root) for root in roots.split()))


def alternative(rule: Rule, names: list[str]) -> SearchAlternative:
    _, name, inputs, seconds = rule
    work = seconds if isinstance(seconds, Costs) else on_cluster(seconds)
    return SearchAlternative(name, tuple(names.index(each) for each in inputs.split()), work)


def with_goal(problem: Problem, key: str, **changes: bool) -> Problem:
    goals = (replace(goal, **changes) if goal.key == key else goal for goal in problem.goals)  # type: ignore[arg-type]
    return replace(problem, goals=tuple(goals))


def index_of(problem: Problem, key: str) -> int:
    return next(index for index, goal in enumerate(problem.goals) if goal.key == key)


def keys(problem: Problem, goals: Iterable[int]) -> list[str]:
    return [problem.goals[goal].key for goal in goals]


def written(problem: Problem, choice: Choice) -> list[str]:
    """Keys of the materialized goals in the order in which they are made."""
    return keys(problem, (statement.goal for statement in choice.statements))
