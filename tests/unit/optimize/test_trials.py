"""Trials of ways that are predicted to lose: few in a run, and every view has its turn."""

from __future__ import annotations

import math

from tidewheel.optimize.options import PlannerOptions
from tidewheel.optimize.trials import OpenTrial, affordable_trials

OPTIONS = PlannerOptions(trial_share=0.1)


def due(**waited: float) -> list[OpenTrial]:
    return [OpenTrial(view=view, seconds=1.0, waited=n) for view, n in waited.items()]


def test_one_trial_may_take_more_than_its_share() -> None:
    assert affordable_trials(due(a=30), 1.0, OPTIONS) == ["a"]


def test_trials_take_their_share_of_a_run() -> None:
    assert affordable_trials(due(a=30, b=30, c=30, d=30), 25.0, OPTIONS) == ["a", "b"]


def test_who_has_waited_longest_comes_first() -> None:
    assert affordable_trials(due(a=30, b=math.inf, c=31), 1.0, OPTIONS) == ["b"]
    assert affordable_trials(due(a=30, b=0, c=31), 1.0, OPTIONS) == ["c"]


def test_nothing_is_tried_if_nothing_is_due() -> None:
    assert affordable_trials([], 100.0, OPTIONS) == []
