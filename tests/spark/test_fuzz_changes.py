"""Random changes on Spark: each change of a random view is what the reference says, and a few whole histories."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest

from tests.conftest import MakeProject
from tests.fuzz.compare import agree
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.maintain import Maintenance
from tests.fuzz.outcomes import Outcome
from tests.fuzz.spark import Spark, what_it_hangs_on
from tests.fuzz.stored import StoredHistory
from tests.fuzz.tables import Case
from tests.spark.proven import UnlessProven
from tidewheel.ir.rel import Rel
from tidewheel.ir.tree import nodes

pytestmark = pytest.mark.spark

HISTORIES = 150


def changes_of(seed: int) -> list[tuple[Case, Outcome]]:
    """All changes of a history, with their rows; none of one that may raise: Spark computes constants beforehand."""
    found: list[tuple[Case, Outcome]] = []
    history = generate_history(seed)
    if history.daring:
        return found
    maintenance = Maintenance(local_share=0, pruned_share=0, sink=lambda case, rows: found.append((case, rows)))
    assert maintenance.check(history) is None
    return found


def test_changes_on_spark_are_what_the_reference_says(spark: Any, unless_proven: UnlessProven) -> None:
    """Of each history one change, and none that is huge: Spark plans what is used twice as often as it is used."""
    rng = random.Random(7)
    found = [
        [change for change in changes_of(seed) if size(change[0].query.rel) < 60] for seed in range(HISTORIES + 120)
    ]
    chosen = [rng.choice(changes) for changes in found if changes][:HISTORIES]
    assert len(chosen) == HISTORIES
    unless_proven(what_it_hangs_on([(case, case.query) for case, _ in chosen], [rows for _, rows in chosen]))
    check(Spark(spark), chosen)


def size(rel: Rel) -> int:
    """Operators of the plan as a tree."""
    found: dict[bytes, int] = {}
    for node in nodes(rel):
        found[node.digest] = 1 + sum(found[i.digest] for i in node.inputs)
    return found[rel.digest]


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_all_changes_of_more_histories(spark: Any) -> None:
    runner = Spark(spark)
    for first in range(1000, 1200, 20):
        check(runner, [change for seed in range(first, first + 20) for change in changes_of(seed)])


def check(runner: Spark, chosen: list[tuple[Case, Outcome]]) -> None:
    outcomes = runner.run_all([(case, case.query) for case, _ in chosen])
    for (case, expected), found in zip(chosen, outcomes, strict=True):
        assert agree(expected, found), f"{case}\nreference:\n{expected}\nSpark:\n{found}"


@pytest.mark.parametrize("seed", [28, 37])
def test_a_history_in_a_project_on_spark(seed: int, make_spark_project: MakeProject) -> None:
    stored = StoredHistory(functools.partial(make_spark_project, placement="spark"), generate_history(seed))
    stored.play()
    assert set(stored.methods) - {"full", "none", "stale"}
