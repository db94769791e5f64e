"""The 99 TPC-DS queries, and graphs of views made of them, on Spark over rounds of changes: equal after every round."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.streams.graphs import GRAPHS, graph
from tests.streams.rounds import run_rounds
from tests.streams.tpcds import MOST_FULL, VIEWS, TpcdsStream

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(3600)]


def test_views_equal_their_queries_after_every_round(
    make_spark_project: MakeProject,
) -> None:
    """The last round on Spark alone, as small as it is."""
    rounds = run_rounds(make_spark_project, TpcdsStream(seed=1), VIEWS, 2, most_full=MOST_FULL)
    rounds.step(placement="spark")
    rounds.check_methods(most_full=MOST_FULL)
    assert rounds.project.verify().differences == {}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_are_consistent_after_every_round(make_spark_project: MakeProject, name: str) -> None:
    rounds = run_rounds(make_spark_project, TpcdsStream(seed=5), graph(name), 4)
    rounds.check_epochs()
    assert rounds.project.verify().differences == {}
