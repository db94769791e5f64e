"""What the search chose, as plain data: statements in an order in which they can run, and why others lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from tidewheel.optimize.search.problem import PLACES, Costs, Place, Problem, SearchAlternative


@dataclass(frozen=True, slots=True)
class ChosenStatement:
    """One materialized goal. Goals are indices of the problem.

    `alternatives`: for the goal, and for every goal computed inline below it, which alternative; `reads`: the
    materialized goals it reads. `compute` is its work with everything inline and its reads, `write` the write and the
    overhead of the execution, both times the weight if the goal is a root that has one.
    """

    goal: int
    place: Place
    alternatives: tuple[tuple[int, int], ...]
    reads: tuple[int, ...]
    compute: float
    write: float

    @property
    def seconds(self) -> float:
        return self.compute + self.write


@dataclass(frozen=True, slots=True)
class Transfer:
    """A materialized goal is brought to the place where it was not made, once for all its readers there."""

    goal: int
    to: Place
    seconds: float


@dataclass(frozen=True, slots=True)
class Rival:
    """An alternative at a place, what it would cost in the chosen plan, and why it is chosen or not."""

    rule: str
    index: int
    place: Place
    seconds: float
    verdict: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Statements in the order in which they can run; a plan without a finite cost has none, and `total` is `math.inf`.

    `stopped` says why the search ended before it ran out of ideas, or that there is no plan; `use` is what one use of
    each goal costs beside this plan. `is_optimal`: no plan whatever costs less; `evaluations` are then the positions
    that were looked at to know, else the plans that were priced.
    """

    total: float
    statements: tuple[ChosenStatement, ...]
    transfers: tuple[Transfer, ...]
    evaluations: int
    stopped: str | None
    use: tuple[Costs, ...]
    states: frozenset[str]
    is_optimal: bool = False
    _taken: Mapping[int, Sequence[tuple[Place, int]]] = field(init=False, repr=False, compare=False)
    """By goal: where it is computed, and by which alternative, once for each statement that does so."""

    def __post_init__(self) -> None:
        taken: dict[int, list[tuple[Place, int]]] = {}
        for each in self.statements:
            for goal, index in each.alternatives:
                taken.setdefault(goal, []).append((each.place, index))
        object.__setattr__(self, "_taken", taken)

    @property
    def materialized(self) -> dict[int, Place]:
        return {each.goal: each.place for each in self.statements}

    def rivals(self, problem: Problem, goal: int) -> tuple[Rival, ...]:
        """All alternatives of a goal at both places, chosen ones first, then by cost.

        Costs are those of this plan: what it materialized can be read. An alternative that looks cheaper than the one
        chosen would have read what is made from the goal itself.
        """
        found = [
            self._rival(problem, goal, index, place)
            for index in range(len(problem.goals[goal].alternatives))
            for place in PLACES
        ]
        return tuple(sorted(found, key=lambda each: (each.verdict != "chosen", each.seconds, each.rule, each.place)))

    def _rival(self, problem: Problem, goal: int, index: int, place: Place) -> Rival:
        alternative = problem.goals[goal].alternatives[index]
        seconds = self._seconds(alternative, place)
        if self._is_chosen(goal, index, place):
            verdict = "chosen"
        elif missing := sorted(alternative.requires - self.states):
            verdict = f"requires {', '.join(missing)}"
        elif alternative.work.at(place) == math.inf:
            verdict = f"cannot run {_on(place)}"
        elif seconds == math.inf:
            verdict = "an input has no finite cost here"
        else:
            verdict = self._compared(problem, goal, seconds, place)
        return Rival(alternative.rule, index, place, seconds, verdict)

    def _seconds(self, alternative: SearchAlternative, place: Place) -> float:
        if not alternative.requires <= self.states:
            return math.inf
        return alternative.work.at(place) + sum(self.use[each].at(place) for each in alternative.inputs)

    def _is_chosen(self, goal: int, index: int, place: Place) -> bool:
        return any(place == at and index == chosen for at, chosen in self._taken.get(goal, ()))

    def _compared(self, problem: Problem, goal: int, seconds: float, place: Place) -> str:
        chosen = [
            self._seconds(problem.goals[goal].alternatives[index], place)
            for at, index in self._taken.get(goal, ())
            if at == place
        ]
        if not chosen:
            return f"not used {_on(place)}"
        extra = seconds - min(chosen)
        return f"dearer by {extra:.3g} s" if extra >= 0 else "would read what is made from it"


def _on(place: Place) -> str:
    match place:
        case "driver":
            return "in the driver"
        case "cluster":
            return "on the cluster"
        case _:
            assert_never(place)
