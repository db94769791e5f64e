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


def check(make_project: MakeProject, sql: str, seed: int) -> None:
    rounds = Rounds(make_project(SaasStream.sources, {"report": sql}), SaasStream(seed, share=1.0), {"report": sql})
    for _ in range(ROUNDS):
        rounds.step()
    assert rounds.project.verify(engine="local").differences == {}


@pytest.mark.parametrize("name", large_queries())
def test_a_view_as_people_write_them_equals_its_query_after_each_round(make_project: MakeProject, name: str) -> None:
    check(make_project, large_queries()[name], seed=1)


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
