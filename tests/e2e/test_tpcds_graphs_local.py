"""Graphs of views on views over TPC-DS on the local engine: at every epoch all of them stand at one cut."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tests.streams.graphs import GRAPHS, graph
from tests.streams.rounds import run_rounds
from tests.streams.tpcds import TpcdsStream


@pytest.mark.parametrize("name", GRAPHS)
def test_every_epoch_is_consistent(make_project: MakeProject, name: str) -> None:
    rounds = run_rounds(make_project, TpcdsStream(seed=5), graph(name), 4)
    rounds.check_epochs()
    assert rounds.project.verify().differences == {}


@pytest.mark.long
@pytest.mark.parametrize("seed", [6, 7])
@pytest.mark.parametrize("name", GRAPHS)
def test_every_epoch_of_twenty_is_consistent(make_project: MakeProject, name: str, seed: int) -> None:
    run_rounds(make_project, TpcdsStream(seed), graph(name), 20).check_epochs()
