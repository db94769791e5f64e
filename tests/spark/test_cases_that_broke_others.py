"""The same cases as on the local engine, on Spark: every statement there, however small."""

from __future__ import annotations

import functools

import pytest

from tests.conftest import MakeProject
from tests.e2e.test_cases_that_broke_others import follow
from tests.streams.cases import CASES, Case

pytestmark = pytest.mark.spark

SOME = CASES[::4]


@pytest.fixture
def on_spark(make_spark_project: MakeProject) -> MakeProject:
    """Nothing is done in the driver."""
    return functools.partial(make_spark_project, placement="spark")


@pytest.mark.parametrize("case", SOME, ids=lambda case: case.name)
def test_every_view_equals_its_query_after_every_change(on_spark: MakeProject, case: Case) -> None:
    follow(on_spark, case)


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in CASES if case not in SOME], ids=lambda case: case.name)
def test_so_do_the_others(on_spark: MakeProject, case: Case) -> None:
    follow(on_spark, case)
