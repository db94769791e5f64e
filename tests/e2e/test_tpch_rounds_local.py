"""The 22 TPC-H queries as views on the local engine, over rounds of changes: equal after every round."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.planners import ALL_AIDS
from tests.streams.rounds import run_rounds
from tests.streams.tpch import VIEWS, TpchStream
from tidewheel.store.epochs import view_record

VARIANTS = pytest.mark.parametrize("spread", [False, True], ids=["ends", "spread"])


@VARIANTS
def test_views_equal_their_queries_after_every_round(make_project: MakeProject, spread: bool) -> None:
    stream = TpchStream(seed=1, spread=spread)
    rounds = run_rounds(make_project, stream, VIEWS, 4)
    assert rounds.project.verify().differences == {}


@ALL_AIDS
def test_the_same_with_auxiliary_states(make_project: MakeProject) -> None:
    rounds = run_rounds(make_project, TpchStream(seed=3, spread=True), VIEWS, 4)
    project = rounds.project
    records = {name: view_record(project.warehouse(), project.epoch(), name) for name in VIEWS}
    aided = [name for name, record in records.items() if record.kept is not None and record.kept.aids]
    assert aided == ["q02", "q17", "q20"]
    assert project.verify(deep=True).differences == {}


@pytest.mark.long
@VARIANTS
def test_views_equal_their_queries_after_each_of_twenty_rounds(make_project: MakeProject, spread: bool) -> None:
    run_rounds(make_project, TpchStream(seed=2, spread=spread), VIEWS, 20)
