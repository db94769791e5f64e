"""Every number that steers the search."""

from __future__ import annotations

from dataclasses import dataclass

from tidewheel.optimize.search.problem import NOTHING, Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerOptions:
    """`statement`: seconds that one execution costs whatever it does, per place; paid once per materialized goal.

    `share`: look for results worth writing down because several read them; without it no root reads another and only
    goals that must be materialized, or that have to change places, are.
    `most_evaluations`: sets of materializations that may be priced before the search stops with the best it has.
    `least_gain`: seconds; a change of the plan that saves less is no improvement (it also absorbs rounding).
    `most_cuts`: ways to cut cycles between materialized goals that are compared for one set of them.
    `pair_width`: so many of the most promising single candidates are also tried two by two.
    `audiences`: for how many readers a result is imagined to be shared when larger groups are proposed.
    """

    statement: Costs = NOTHING
    share: bool = True
    most_evaluations: int = 4_000
    least_gain: float = 1e-9
    most_cuts: int = 24
    pair_width: int = 8
    audiences: tuple[float, ...] = (2.0, 3.0, 6.0)
