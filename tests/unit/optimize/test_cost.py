"""Work is counted, prices are fitted to what it took."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.unit.ir.test_dependencies import plan
from tests.unit.optimize.test_estimate import BIG, SMALL, facts
from tidewheel.ir.rel import Scan
from tidewheel.ir.text import parse_rel
from tidewheel.optimize.cost import DEFAULTS, NAMES, Normal, Prices, Work, work_of
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.learning import Learned
from tidewheel.optimize.priced import PricedWay

TRUE = Prices((0.02, 0.001, 3e-9, 2e-8, 5e-8))


def some_work(rng: random.Random) -> Work:
    return Work(
        executions=rng.choice([1.0, 2.0]),
        operators=float(rng.randrange(1, 60)),
        read=10 ** rng.uniform(3, 9),
        rows=10 ** rng.uniform(1, 8),
        written=10 ** rng.uniform(2, 8),
    )


def arm(work: Work, **more: object) -> PricedWay:
    given = {"name": "changes", "method": "merge", "place": "driver", "work": work, "seconds": 0.0}
    return PricedWay(**{**given, "rows": 10.0, "estimate": 10.0, "read": 0.0, **more})  # type: ignore[arg-type]


def size(scan: Scan) -> float:
    return {"big": 5e7, "small": 1e4}[scan.relation]


def test_prices_are_found_again_from_what_was_measured() -> None:
    rng = random.Random(1)
    fit = Normal.empty()
    for _ in range(400):
        work = some_work(rng)
        fit = fit.with_sample(work, TRUE.seconds(work) * rng.uniform(0.8, 1.25))
    found = fit.solved(DEFAULTS["driver"])
    for name, price, true in zip(NAMES, found.each, TRUE.each, strict=True):
        assert true / 1.6 < price < true * 1.6, name
    for _ in range(50):
        work = some_work(rng)
        assert 0.7 < found.seconds(work) / TRUE.seconds(work) < 1.4


def test_no_price_is_negative() -> None:
    fit = Normal.empty()
    for rows in (1e3, 1e6):
        fit = fit.with_sample(Work(executions=1, rows=rows, read=rows * 100), 0.5)
    assert min(fit.solved(DEFAULTS["cluster"]).each) >= 0


def test_without_samples_the_prices_are_the_first_ones() -> None:
    assert Normal.empty().solved(TRUE).each == pytest.approx(TRUE.each)


def test_what_is_used_twice_is_computed_once_where_results_are_shared() -> None:
    rel = parse_rel(plan("join inner on c0 = c0", ".distinct", f"..{SMALL}", ".distinct", f"..{SMALL}"))
    once, twice = (work_of([rel], Estimator(facts), size, shared=shared) for shared in (True, False))
    assert (once.operators, twice.operators) == (3, 5)
    assert once.read == 1e4
    assert twice.read == 2e4


def test_two_plans_of_one_execution_share_what_they_read() -> None:
    plans = [parse_rel(plan(f"filter (c1 = {n})", f".{BIG}")) for n in (1, 2)]
    assert work_of(plans, Estimator(facts), size, shared=True).read == 5e7
    assert work_of(plans, Estimator(facts), size, shared=True).executions == 1


def test_a_join_without_keys_compares_all_pairs() -> None:
    keyed, crossed = (
        work_of([parse_rel(plan(f"join inner{on}", f".{BIG}", f".{SMALL}"))], Estimator(facts), size, shared=True)
        for on in (" on c0 = c0", "")
    )
    assert crossed.rows > 20 * keyed.rows


def test_a_view_that_takes_longer_than_predicted_is_predicted_to_take_longer() -> None:
    work = Work(executions=1, operators=10, rows=1e6, read=1e7)
    learned, first = Learned(), Learned().seconds("v", "changes", "driver", work)
    for _ in range(4):
        learned = learned.with_run("v", arm(work), 5 * first, 40.0)
    assert 4 * first < learned.seconds("v", "changes", "driver", work) < 5 * first
    assert 30 < learned.rows("v", "changes", 10.0) < 41
    assert learned.seconds("other", "changes", "driver", work) > first
    assert learned.seconds("v", "full", "cluster", work) == pytest.approx(DEFAULTS["cluster"].seconds(work))


def test_what_was_not_seen_again_is_forgotten_in_time() -> None:
    work = Work(executions=1, operators=10)
    usual = DEFAULTS["cluster"].seconds(work)
    learned = Learned().with_run("v", arm(work, name="full", place="cluster"), 20 * usual, 10.0)
    before = learned.seconds("v", "full", "cluster", work)
    for _ in range(100):
        learned = learned.with_run("v", arm(work), 0.1, 10.0)
    assert before > 4 * usual > 2 * learned.seconds("v", "full", "cluster", work) > usual


def test_one_slow_run_among_many_is_half_forgotten_soon() -> None:
    work = Work(executions=1, operators=10)
    usual = DEFAULTS["driver"].seconds(work)
    learned = Learned()
    for seconds in (usual, usual, 20 * usual, usual, usual, usual):
        learned = learned.with_run("v", arm(work), seconds, 10.0)
    assert learned.seconds("v", "changes", "driver", work) < 2 * usual


def test_small_and_large_changes_of_a_view_are_learned_apart() -> None:
    small, large = Work(executions=1, operators=10), Work(executions=1, operators=10, rows=1e9)
    usual = {work: DEFAULTS["driver"].seconds(work) for work in (small, large)}
    learned = Learned().with_run("v", arm(small), usual[small], 10.0)
    learned = learned.with_run("v", arm(large), 10 * usual[large], 10.0)
    assert learned.seconds("v", "changes", "driver", large) > 5 * usual[large], "the first of its size counts for more"
    for _ in range(4):
        learned = learned.with_run("v", arm(large), 10 * usual[large], 10.0)
        learned = learned.with_run("v", arm(small), usual[small], 10.0)
    assert learned.seconds("v", "changes", "driver", small) == pytest.approx(usual[small])
    assert learned.seconds("v", "changes", "driver", large) == pytest.approx(10 * usual[large], rel=0.1)


def test_each_arm_remembers_when_it_was_last_used() -> None:
    work = Work(executions=1)
    learned = Learned().with_run("v", arm(work, name="full", place="cluster"), 1.0, 5.0)
    for _ in range(3):
        learned = learned.with_run("v", arm(work), 0.1, 5.0)
    full, changes = learned.memory("v", "full"), learned.memory("v", "changes")
    assert full is not None
    assert changes is not None
    assert (full.last, full.times, changes.last, changes.times) == (3, 1, 0, 3)


def test_rows_of_states_and_of_parts_are_corrected_by_what_was_seen() -> None:
    one = replace(arm(Work(executions=1)), states={"s": 99.0, "unseen": 7.0})
    learned = Learned().with_run("v", one, 0.1, 10.0, {"s": 399, "other": 3})
    assert learned.state_rows("v", "s", 50.0) == 200.0
    assert learned.state_rows("v", "unseen", 50.0) == learned.state_rows("w", "s", 50.0) == 50.0
    learned = learned.with_run("v", one, 0.1, 10.0, {"s": 99})
    assert learned.state_rows("v", "s", 50.0) == 100.0, "factors are averaged as factors"
    assert learned.with_overlap("t by a", 9.0, 39).overlaps == {"t by a": 4.0}


def test_what_was_learned_is_written_and_read() -> None:
    one = replace(arm(Work(executions=1, rows=5)), states={"s": 1.0})
    learned = Learned().with_run("v", one, 0.3, 5.0, {"s": 4}).with_overlap("t by a", 10.0, 3)
    assert Learned.from_dict(learned.to_dict()) == learned
    assert learned.only(["other"]).views == {}


@pytest.mark.parametrize("body", [{}, {"fits": 3}, {"fits": {}, "views": {"v": {"full": {"what": 1}}}}, {"views": []}])
def test_what_cannot_be_understood_is_learned_again(body: dict[str, object]) -> None:
    assert Learned.from_dict(body) == Learned()
