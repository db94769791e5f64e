"""What is searched: goals, the alternatives that compute them, and what each costs in the driver and on the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Place = Literal["driver", "cluster"]
PLACES: tuple[Place, Place] = ("driver", "cluster")
EPSILON = 1e-9  # seconds; own work is never less, so that going around a cycle never pays


class Costs(NamedTuple):
    """Seconds per place; `math.inf` where a thing cannot be done."""

    driver: float
    cluster: float

    def at(self, place: Place) -> float:
        return self.driver if place == "driver" else self.cluster


NOTHING = Costs(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SearchAlternative:
    """One way to compute a goal from others; without inputs it reads what is stored.

    An input that occurs twice is used twice: inline it is computed twice, materialized it is read twice.
    """

    rule: str
    inputs: tuple[int, ...]
    work: Costs
    requires: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SearchGoal:
    """A form of a relation that may be computed.

    `write`: to write the result down once. `read`: for one reader at the place where the result lies. `transfer`: once,
    if it was made at the other place and somebody reads it here. What `must_materialize` is never computed inline: one
    statement writes it and everybody reads that one result.
    """

    key: str
    alternatives: tuple[SearchAlternative, ...]
    write: Costs = NOTHING
    read: Costs = NOTHING
    transfer: Costs = NOTHING
    may_materialize: bool = True
    must_materialize: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Goals by index, and the roots: goals that are computed and written whatever they cost.

    `root_weight` is empty, or has one factor per root that multiplies the cost of that root's own statement.
    """

    goals: tuple[SearchGoal, ...]
    roots: tuple[int, ...]
    root_weight: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len({goal.key for goal in self.goals}) != len(self.goals):
            raise ValueError("two goals have the same key")
        if len(set(self.roots)) != len(self.roots) or not all(0 <= root < len(self.goals) for root in self.roots):
            raise ValueError("roots are distinct indices of goals")
        if self.root_weight and len(self.root_weight) != len(self.roots):
            raise ValueError("root_weight has as many factors as there are roots")
        for goal in self.goals:
            _check(goal, len(self.goals))

    def weight(self, goal: int) -> float:
        if not self.root_weight or goal not in self.roots:
            return 1.0
        return self.root_weight[self.roots.index(goal)]


def _check(goal: SearchGoal, goals: int) -> None:
    for costs in (goal.write, goal.read, goal.transfer, *(each.work for each in goal.alternatives)):
        if not (costs.driver >= 0 and costs.cluster >= 0):  # also refuses NaN
            raise ValueError(f"goal {goal.key!r} has a cost below zero")
    for alternative in goal.alternatives:
        if not all(0 <= each < goals for each in alternative.inputs):
            raise ValueError(f"{alternative.rule!r} of goal {goal.key!r} reads a goal that does not exist")
        if min(alternative.work) < EPSILON:
            raise ValueError(f"{alternative.rule!r} of goal {goal.key!r} works less than {EPSILON} seconds")
