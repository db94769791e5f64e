"""Which views take a way that is predicted to lose, to see whether the prediction still holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidewheel.optimize.options import PlannerOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTrial:
    """A view whose other way is due: what that is predicted to take, and how many refreshes ago it was taken."""

    view: str
    seconds: float
    waited: float


def affordable_trials(due: Sequence[OpenTrial], run: float, options: PlannerOptions) -> list[str]:
    """The views that take their other way in a run of so many seconds: those first that have waited longest.

    One may take more than its share, or a project of one view would never try anything. After the first builds all are
    due at once, and a way that was never taken may be far worse than predicted: they take turns.
    """
    left = options.trial_share * run
    chosen: list[str] = []
    for trial in sorted(due, key=lambda trial: (-trial.waited, trial.view)):
        left -= trial.seconds
        if not chosen or left >= 0:
            chosen.append(trial.view)
    return chosen
