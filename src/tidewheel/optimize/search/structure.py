"""The AND/OR graph of a problem as plain integers, without its costs: built once, priced as often as one likes.

Goals are numbered by key and alternatives by rule, so that "the first of several equals" means the same whatever order
the goals came in. A *node* is a goal at a place (`2 * goal + place`); an *arc* is an alternative at a place
(`2 * alternative + place`). The inputs of an arc are nodes of the same place: what is inline runs where its consumer
runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidewheel.optimize.search.problem import Costs, Problem, SearchGoal


@dataclass(frozen=True, slots=True)
class Structure:
    """`order[g]`: the problem's index of goal `g`, `rank` its inverse; `origin[a]`: where alternative `a` stands."""

    order: tuple[int, ...]
    rank: tuple[int, ...]
    origin: tuple[tuple[int, int], ...]
    owner: tuple[int, ...]
    inputs: tuple[tuple[int, ...], ...]
    users: tuple[tuple[int, ...], ...]
    arcs: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(problem: Problem) -> Structure:
        goals = problem.goals
        order = sorted(range(len(goals)), key=lambda goal: goals[goal].key)
        rank = [0] * len(goals)
        for position, goal in enumerate(order):
            rank[goal] = position
        origin = tuple((goal, index) for goal in order for index in _by_rule(goals[goal], rank))
        owner: list[int] = []
        inputs: list[tuple[int, ...]] = []
        users: list[list[int]] = [[] for _ in range(2 * len(goals))]
        arcs: list[list[int]] = [[] for _ in range(2 * len(goals))]
        for goal, index in origin:
            ranked = sorted(rank[each] for each in goals[goal].alternatives[index].inputs)
            for place in (0, 1):
                arc, node = len(owner), 2 * rank[goal] + place
                owner.append(node)
                inputs.append(tuple(2 * each + place for each in ranked))
                arcs[node].append(arc)
                for each in dict.fromkeys(inputs[arc]):
                    users[each].append(arc)
        return Structure(
            order=tuple(order),
            rank=tuple(rank),
            origin=origin,
            owner=tuple(owner),
            inputs=tuple(inputs),
            users=tuple(map(tuple, users)),
            arcs=tuple(map(tuple, arcs)),
        )


def _by_rule(goal: SearchGoal, rank: list[int]) -> list[int]:
    """Positions of the goal's alternatives in an order that does not depend on how goals are numbered."""

    def sort_key(index: int) -> tuple[str, list[int], Costs, list[str], int]:
        each = goal.alternatives[index]
        return each.rule, sorted(rank[i] for i in each.inputs), each.work, sorted(each.requires), index

    return sorted(range(len(goal.alternatives)), key=sort_key)
