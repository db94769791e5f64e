"""The same cases as on the local engine, on Spark: every statement there, however small."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.e2e.test_cases_that_broke_others import follow
from tests.streams.cases import CASES, Case

pytestmark = pytest.mark.spark

SOME = CASES[::4]


@pytest.fixture(autouse=True)
def _nothing_in_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidewheel.refresh.look.ON_DRIVER", -1)


@pytest.mark.parametrize("case", SOME, ids=lambda case: case.name)
def test_every_view_equals_its_query_after_every_change(make_spark_project: MakeProject, case: Case) -> None:
    follow(make_spark_project, case)


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in CASES if case not in SOME], ids=lambda case: case.name)
def test_so_do_the_others(make_spark_project: MakeProject, case: Case) -> None:
    follow(make_spark_project, case)
