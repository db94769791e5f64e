"""The costs of a problem by node and arc, for the states that exist and the options of this search."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tidewheel.optimize.search.options import SearchOptions
from tidewheel.optimize.search.problem import Problem
from tidewheel.optimize.search.structure import Structure


@dataclass(frozen=True, slots=True)
class Tariff:
    """Seconds per arc (`work`) or node, flags per goal; `fixed` is a write and the overhead of its statement.

    `detour[node]`: what a use here pays, above computing the goal at the other place, to have it made there, written,
    brought here and read; `made_here`: likewise for a goal that must be materialized and is made at the same place.
    Both are `math.inf` where they are no option.
    """

    work: list[float]
    read: list[float]
    fixed: list[float]
    transfer: list[float]
    detour: list[float]
    made_here: list[float]
    may: list[bool]
    must: list[bool]
    weight: list[float]
    roots: tuple[int, ...]
    options: SearchOptions

    @staticmethod
    def of(problem: Problem, structure: Structure, states: frozenset[str], options: SearchOptions) -> Tariff:
        goals = [problem.goals[goal] for goal in structure.order]
        read = [seconds for goal in goals for seconds in goal.read]
        fixed = [write + start for goal in goals for write, start in zip(goal.write, options.statement, strict=True)]
        transfer = [seconds for goal in goals for seconds in goal.transfer]
        roots = tuple(sorted(structure.rank[root] for root in problem.roots))
        may = [goal.may_materialize or goal.must_materialize for goal in goals]
        weight = [1.0] * len(goals)
        for root, factor in zip(problem.roots, problem.root_weight, strict=False):
            weight[structure.rank[root]] = factor
        if options.share:
            for root in roots:
                may[root] = True
        detour = [
            fixed[node ^ 1] + transfer[node] + read[node] if may[node >> 1] else math.inf for node in range(len(read))
        ]
        must = [goal.must_materialize for goal in goals]
        made_here = [fixed[node] + read[node] if must[node >> 1] else math.inf for node in range(len(read))]
        return Tariff(
            work=_work(problem, structure, states),
            read=read,
            fixed=fixed,
            transfer=transfer,
            detour=detour,
            made_here=made_here,
            may=may,
            must=must,
            weight=weight,
            roots=roots,
            options=options,
        )


def _work(problem: Problem, structure: Structure, states: frozenset[str]) -> list[float]:
    work: list[float] = []
    goals = problem.goals
    for goal, index in structure.origin:
        alternative = goals[goal].alternatives[index]
        usable = not alternative.requires or alternative.requires <= states
        work += alternative.work if usable else (math.inf, math.inf)
    return work
