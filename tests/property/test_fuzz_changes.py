"""Random views over tables that change: what is kept up to date equals recomputation. See tests/fuzz/maintain.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz import cases
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.histories import is_sound, parse_history
from tests.fuzz.maintain import Maintenance
from tidewheel.delta import maintain
from tidewheel.delta.partials import Sides
from tidewheel.delta.rules import NAMES
from tidewheel.ir.rel import Aggregate
from tidewheel.ir.scalar import TRUE, Scalar
from tidewheel.ir.tree import nodes, relations
from tidewheel.optimize import auxiliary

SEEDS = 1000
DAILY = 500
"""So many of them every day; the others in `make test-all`."""


@pytest.fixture(scope="module")
def maintenance() -> Maintenance:
    return Maintenance(local_share=0.05, pruned_share=0.15)


@pytest.mark.parametrize(
    "first", [s if s < DAILY else pytest.param(s, marks=pytest.mark.long) for s in range(0, SEEDS, 100)]
)
def test_stored_rows_equal_recomputation_after_every_round(maintenance: Maintenance, first: int) -> None:
    for seed in range(first, first + 100):
        failure = maintenance.check(generate_history(seed))
        assert failure is None, f"{failure}\n{failure and failure.history}"


@pytest.mark.parametrize("path", cases.kept_histories(), ids=lambda p: p.stem)
def test_kept_histories_stay_fixed(path: Path) -> None:
    history = cases.read_history(path)
    maintenance = Maintenance(local_share=1.0)
    for disabled in (history.disabled, (), *((name,) for name in NAMES)):
        failure = maintenance.check(replace(history, disabled=disabled))
        assert failure is None, f"{path}\n{failure}"


def test_histories_read_back_from_their_text() -> None:
    for seed in range(100):
        history = generate_history(seed)
        again = parse_history(str(history))
        assert again == replace(history, daring=False), f"seed {seed}"


def test_seeds_give_the_same_history_again() -> None:
    assert [str(generate_history(s)) for s in range(20)] == [str(generate_history(s)) for s in range(20)]


def test_histories_are_sound() -> None:
    assert all(is_sound(generate_history(seed)) for seed in range(200))


def test_histories_reach_every_rule_and_every_kind_of_view() -> None:
    maintenance = Maintenance(local_share=0.0, pruned_share=0.0)
    histories = [generate_history(seed) for seed in range(100)]
    assert not [failure for history in histories if (failure := maintenance.check(history))]
    counts = maintenance.seen.counts
    assert {f"rule: {name}" for name in NAMES} <= counts.keys()
    assert {f"method: {name}" for name in ("append", "rows", "groups", "merge", "difference")} <= counts.keys()
    assert counts["stale"] > 30
    assert {len(history.views) for history in histories} == {1, 2, 3, 4}
    reads = [{n for n in relations(q.rel) if n.startswith("v")} for h in histories for q in h.views.values()]
    assert max(map(len, reads)) == 2, "no diamond"
    steps = [s for h in histories for r in h.rounds for s in r.steps.values()]
    assert {s.kind for s in steps} == {"append", "mixed", "layered"}
    assert any(s.entries.count((row, -w)) for s in steps for row, w in s.entries), "no cancelling change"


def test_a_wrong_rule_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that never go away are caught, by a history with little more than an aggregate and a deleted row.

    Without auxiliary states, for which there are groups also where the view has none.
    """

    def always(_: Sides) -> Scalar:
        return TRUE

    monkeypatch.setattr(maintain, "rows_left", always)
    monkeypatch.setattr(auxiliary, "_rewritten", lambda _: None)
    maintenance = Maintenance(local_share=0.0)
    found = (maintenance.check(generate_history(seed)) for seed in range(1000))
    failure = cases.shrunk_history(next(f for f in found if f is not None), seconds=20)
    (query,) = failure.history.views.values()
    assert any(isinstance(n, Aggregate) for n in nodes(query.rel))
    assert sum(1 for _ in nodes(query.rel)) <= 3, str(failure.history)
    assert sum(len(s.entries) for r in failure.history.rounds for s in r.steps.values()) <= 2
