"""The same cases as on the local engine, on Spark."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.e2e.test_cases_that_broke_others import follow
from tests.streams.cases import CASES, Case

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_view_equals_its_query_after_every_change(make_spark_project: MakeProject, case: Case) -> None:
    follow(make_spark_project, case)
