"""On one machine Spark and the driver take turns; on two they do not wait for each other."""

from __future__ import annotations

from tidewheel.plan.placement import Placement
from tidewheel.plan.plan import Reason, Step
from tidewheel.run.stage import side_by_side

REASON = Reason("input-changed", "changed")
FULL = Step(view="full", method="full", reason=REASON, place="spark")
MERGE, ROWS = (Step(view=name, method=name, reason=REASON, place="driver") for name in ("merge", "rows"))


def test_what_is_first_decides_who_begins() -> None:
    assert side_by_side([MERGE, FULL, ROWS], [], Placement()) == [MERGE, ROWS]
    assert side_by_side([FULL, MERGE, ROWS], [], Placement()) == [FULL]
    assert side_by_side([], [], Placement()) == []


def test_what_runs_decides_what_may_join_it() -> None:
    assert side_by_side([MERGE, FULL], [FULL], Placement()) == [FULL]
    assert side_by_side([MERGE], [FULL], Placement()) == []
    assert side_by_side([FULL, MERGE], [ROWS], Placement()) == [MERGE]


def test_a_cluster_elsewhere_and_the_driver_do_not_wait_for_each_other() -> None:
    assert side_by_side([FULL, MERGE], [ROWS], Placement(is_here=False)) == [FULL, MERGE]
    assert side_by_side([FULL, MERGE], [ROWS], Placement(is_local=True)) == [FULL, MERGE]
