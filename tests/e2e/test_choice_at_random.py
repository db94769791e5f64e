"""Random views over random changes, with prices that are wrong by up to ten times: whatever is chosen, it is right."""

from __future__ import annotations

import random

import pytest

from tests.conftest import MakeProject
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.stored import StoredHistory
from tests.planners import ALL_AIDS, BY_COST
from tidewheel.optimize.cost import Place, Work
from tidewheel.optimize.learning import Learned
from tidewheel.optimize.priced import WayName

SEEDS = [3, 4, 5, 7, 8, 13, 15, 16, 20, 23]
"""Those whose queries the local engine runs, with chains and diamonds among them."""


@ALL_AIDS
@BY_COST
@pytest.mark.parametrize("seed", SEEDS)
def test_views_equal_their_queries(seed: int, make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(f"prices {seed}")
    right = Learned.seconds

    def wrong(learned: Learned, view: str, way: WayName, place: Place, work: Work) -> float:
        return float(right(learned, view, way, place, work) * 10 ** rng.uniform(-1, 1))

    monkeypatch.setattr(Learned, "seconds", wrong)
    stored = StoredHistory(make_project, generate_history(seed))
    stored.play()
    assert stored.methods["full"] > len(stored.history.views), "besides the first builds"
