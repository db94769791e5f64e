"""The 99 TPC-DS queries as views on the local engine, over rounds of changes: equal after every round."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.planners import ALL_AIDS
from tests.streams.rounds import run_rounds
from tests.streams.tpcds import MOST_FULL, VIEWS, TpcdsStream

SLOW = frozenset({"q04", "q05", "q11", "q14", "q64", "q66", "q74", "q75", "q77", "q80"})
"""Views whose changes take as long to work out as those of all others together."""


@ALL_AIDS
def test_views_equal_their_queries_after_a_round(make_project: MakeProject) -> None:
    views = {name: sql for name, sql in VIEWS.items() if name not in SLOW}
    run_rounds(make_project, TpcdsStream(seed=1), views, 1, most_full=MOST_FULL)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_all_views_equal_their_queries_after_each_of_twelve_rounds(make_project: MakeProject, seed: int) -> None:
    rounds = run_rounds(make_project, TpcdsStream(seed), VIEWS, 12, most_full=MOST_FULL)
    assert rounds.project.verify().differences == {}
