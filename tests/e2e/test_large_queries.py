"""Views of 10 to 100 CTEs on the local engine: equal to their queries when built, and after every round of changes."""

from __future__ import annotations

from typing import Final, TypeAlias

import pytest

from tests.conftest import MakeProject
from tests.corpus.large import large_queries
from tests.fuzz.ctes import FAMILIES, large_query
from tests.streams.rounds import Rounds
from tests.streams.saas import SaasStream

ROUNDS: Final = 2
Made: TypeAlias = tuple[str, int, int]
"""Family, number of CTEs, seed."""
MADE: Final[tuple[Made, ...]] = tuple((family, size, 1) for family in FAMILIES for size in (10, 20, 40, 60, 100))
METHODS: Final = {"append", "rows", "groups", "merge", "topk", "none"}
"""Those that read what changed and what that needs, and not all rows of all inputs."""
RANKED: Final = {"funnel_dedup", "mrr_movements"}
"""Of the views that people write those that rank all of their rows: these are computed anew, from what is kept."""


def check(make_project: MakeProject, sql: str, seed: int, rest: set[str] | None = None) -> None:
    views = {"report": f"-- tidewheel: {{refresh: incremental}}\n{sql}"}
    rounds = Rounds(make_project(SaasStream.sources, views), SaasStream(seed, share=1.0), views)
    for _ in range(ROUNDS):
        rounds.step()
    assert {run.views["report"].method for run in rounds.runs[1:]} - METHODS == (rest or set())
    assert rounds.project.verify(engine="local").differences == {}


@pytest.mark.parametrize("name", large_queries())
def test_a_view_as_people_write_them_equals_its_query_after_each_round(make_project: MakeProject, name: str) -> None:
    check(make_project, large_queries()[name], seed=1, rest={"difference"} if name in RANKED else None)


def test_nine_in_ten_views_have_a_plan_that_does_not_read_everything() -> None:
    assert len(RANKED) <= 0.1 * (len(large_queries()) + len(MADE))


@pytest.mark.parametrize(("family", "size", "seed"), [made for made in MADE if made[1] == 10])
def test_a_small_made_up_view_equals_its_query_after_each_round(
    make_project: MakeProject, family: str, size: int, seed: int
) -> None:
    check(make_project, large_query(family, size, seed), seed)


@pytest.mark.long
@pytest.mark.parametrize(("family", "size", "seed"), [made for made in MADE if made[1] > 10])
def test_a_larger_made_up_view_equals_its_query_after_each_round(
    make_project: MakeProject, family: str, size: int, seed: int
) -> None:
    check(make_project, large_query(family, size, seed), seed)
