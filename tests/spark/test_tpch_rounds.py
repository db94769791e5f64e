"""The 22 TPC-H queries as views on Spark, over rounds of new, deleted and updated rows: equal after every round.

Changes so small are computed in the driver, unless that is forbidden: then each statement is one of Spark's own.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conftest import MakeProject
from tests.planners import ALL_AIDS, ALL_SHARED, FROM_CHANGES
from tests.streams.rounds import run_rounds
from tests.streams.tpch import VIEWS, TpchStream
from tidewheel.store.epochs import view_record

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("many", [1, pytest.param(3, marks=pytest.mark.long)])
def test_views_equal_their_queries_after_every_round(make_spark_project: MakeProject, many: int) -> None:
    """Each round is compared in DuckDB, which takes a second; Spark recomputes the last one from the views' texts.

    In the last one Spark does everything, and what several views may read is read once, whatever that saves.
    """
    rounds = run_rounds(make_spark_project, TpchStream(seed=1), VIEWS, many)
    rounds.project.planner = replace(FROM_CHANGES, **ALL_SHARED.kwargs)
    rounds.step(placement="spark")
    assert {view.place for view in rounds.runs[-1].views.values()} == {"spark"}
    assert len(rounds.runs[-1].plan.shared) > 5
    rounds.check_methods()
    assert rounds.project.verify().differences == {}


@ALL_AIDS
def test_auxiliary_states_are_built_on_spark_and_maintained_in_the_driver(make_spark_project: MakeProject) -> None:
    views = {name: VIEWS[name] for name in ("q02", "q17", "q20")}
    rounds = run_rounds(make_spark_project, TpchStream(seed=4), views, 2)
    project = rounds.project
    records = [view_record(project.warehouse(), project.epoch(), name) for name in views]
    assert all(record.kept is not None and record.kept.aids for record in records)
    assert project.verify(deep=True).differences == {}


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("spread", [False, True], ids=["ends", "spread"])
def test_views_equal_their_queries_after_each_of_twenty_rounds(make_spark_project: MakeProject, spread: bool) -> None:
    """Every fourth round on Spark alone."""
    stream = TpchStream(seed=2, spread=spread)
    rounds = run_rounds(make_spark_project, stream, VIEWS, 3)
    for number in range(4, 21):
        rounds.step(placement="spark" if number % 4 == 0 else None)
    rounds.check_methods()
    assert rounds.project.verify().differences == {}
