"""The 22 TPC-H queries as views on Spark, over rounds of new, deleted and updated rows: equal after every round."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.streams.rounds import run_rounds
from tests.streams.tpch import VIEWS, TpchStream

pytestmark = pytest.mark.spark


def test_views_equal_their_queries_after_every_round(make_spark_project: MakeProject) -> None:
    """Each round is compared in DuckDB, which takes a second; Spark recomputes the last one from the views' texts."""
    rounds = run_rounds(make_spark_project, TpchStream(seed=1), VIEWS, 4)
    assert rounds.project.verify().differences == {}


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("spread", [False, True], ids=["ends", "spread"])
def test_views_equal_their_queries_after_each_of_twenty_rounds(make_spark_project: MakeProject, spread: bool) -> None:
    rounds = run_rounds(make_spark_project, TpchStream(seed=2, spread=spread), VIEWS, 20)
    assert rounds.project.verify().differences == {}
