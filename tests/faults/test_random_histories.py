"""Random views over random changes in real projects, with runs that are killed: the next one makes everything right."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence

import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.faults.forks import ForkServer
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.stored import StoredHistory
from tidewheel.errors import TidewheelError

STEPS = ("claim.write", "stage.data", "epoch.prepare", "epoch.decide", "apply.commit", "apply.done", "history.append")
MOST_HITS = {"stage.data": 6, "apply.commit": 4}
SEEDS = [3, 4, 5, 7, 8, 13, 15, 16, 20, 23]
"""Those whose queries the local engine runs, with chains and diamonds among them."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_history_with_killed_runs(seed: int, make_project: MakeProject, server: ForkServer) -> None:
    rng = random.Random(f"kills {seed}")
    kills: list[int | None] = []

    def refresh(project: tw.Project, views: Sequence[str]) -> None:
        if not kills or rng.random() < 0.6:
            step = rng.choice(STEPS)
            hit = rng.randint(1, MOST_HITS.get(step, 1)) if kills else 1
            point = f"{step}:{rng.choice(('before', 'after'))}=kill@{hit}"
            wanted = [{"do": "refresh", "select": list(views)}]
            ended = server.start("jobs.perform", failpoint=point, root=project.root, operations=wanted).ended()
            assert ended.error is None, f"{point}: {ended.error}"
            kills.append(ended.signal)
        run = project.refresh(select=views)
        assert not run.failed, {name: str(view.error) for name, view in run.failed.items()}

    stored = StoredHistory(make_project, generate_history(seed), refresh)
    stored.play()
    assert kills[0] == signal.SIGKILL


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1100, 20))
def test_more_histories_without_kills(first: int, make_project: MakeProject) -> None:
    played = 0
    for seed in range(first, first + 20):

        def make(sources: dict[str, object], views: dict[str, str], name: str = f"p{seed}") -> tw.Project:
            return make_project(sources, views, name=name)

        history = generate_history(seed)
        try:
            StoredHistory(make, history).play()
        except (AssertionError, TidewheelError) as error:
            if "the local engine does not run" not in str(error) and not history.daring:
                raise
        else:
            played += 1
    assert played > 8
