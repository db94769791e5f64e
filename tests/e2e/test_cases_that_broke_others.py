"""Cases that broke others, on the local engine: after every change every view equals its query, and none was full."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.streams.cases import CASES, SOURCES, Case, Script
from tests.streams.rounds import Rounds


def follow(make_project: MakeProject, case: Case) -> Rounds:
    rounds = Rounds(make_project(SOURCES, case.views), Script(case), case.views)
    for _ in case.steps:
        rounds.step()
    assert not [name for run in rounds.runs[1:] for name, view in run.views.items() if view.method == "full"]
    return rounds


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_view_equals_its_query_after_every_change(make_project: MakeProject, case: Case) -> None:
    assert follow(make_project, case).project.verify(deep=True).differences == {}
