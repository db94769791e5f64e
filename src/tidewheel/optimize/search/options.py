"""Every number that steers the search."""

from __future__ import annotations

from dataclasses import dataclass

from tidewheel.optimize.search.problem import NOTHING, Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """`statement`: seconds that one execution costs whatever it does, per place; paid once per materialized goal.

    `share`: look for results worth writing down because several read them, and let roots be read; without it only goals
    that must be materialized, or that may be and change places, are read.
    `most_evaluations`: sets of materializations that may be priced before the search stops with the best it has.
    `most_effort`: statements that may be looked at in all these together, so that large plans take no longer;
    `effort_for_second`: so many for each second that the plan takes, for a search shall not cost more than it gains;
    `least_effort`: so many in any case.
    `exact_goals`: if so many goals or fewer may be materialized, the optimum is looked for first;
    `most_positions`: so many positions may be looked at for that before it is given up (see `exact`).
    `least_gain`: seconds; a change of the plan that saves less is no improvement (it also absorbs rounding).
    `least_share`: of the seconds of the plan; what saves less is taken, but nothing else is tried anew because of it.
    `most_cuts`: ways to cut cycles between materialized goals that are compared for one set of them.
    `most_repeated`: so many results that a plan computes repeatedly are written down one by one, more of them at once;
    if more than so many are written down, one is left out for a trial only if that pays at first sight.
    `near_singles`: so many single candidates are looked at again after each small change, all others once per round.
    `pair_width`: so many of the most promising single candidates are also tried two by two.
    `audiences`: for how many readers a result is imagined to be shared when larger groups are proposed.
    """

    statement: Costs = NOTHING
    share: bool = True
    most_evaluations: int = 2_000
    most_effort: int = 40_000
    effort_for_second: float = 10_000.0
    least_effort: int = 1_000
    exact_goals: int = 12
    most_positions: int = 1_000
    least_gain: float = 1e-9
    least_share: float = 0.001
    most_cuts: int = 12
    most_repeated: int = 8
    near_singles: int = 48
    pair_width: int = 8
    audiences: tuple[float, ...] = (2.0, 3.0, 6.0)

    def effort(self, seconds: float) -> int:
        """Statements that may be looked at to improve a plan that takes so many seconds."""
        worth = min(seconds * self.effort_for_second, float(self.most_effort))
        return min(max(round(worth), self.least_effort), self.most_effort)
