"""Random plans: the reference, DuckDB, both after normalization, and Spark agree. See tests/fuzz."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz import cases
from tests.fuzz.compare import Comparison, Difference, agree, normalized, reference
from tests.fuzz.generate import generate
from tests.fuzz.local import Local
from tests.fuzz.outcomes import Outcome, Rows
from tests.fuzz.spark import Spark, what_it_hangs_on
from tests.fuzz.summary import features_of
from tests.fuzz.tables import Case, parse_case
from tests.spark.proven import UnlessProven
from tidewheel.ir.rel import Join, Query
from tidewheel.ir.text import parse_query, print_query
from tidewheel.ir.tree import nodes

SEEDS = 600
SPARK_SEEDS = 200


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return Comparison()


@pytest.mark.parametrize("first", range(0, SEEDS, 100))
def test_random_plans_mean_the_same_to_all_evaluators(comparison: Comparison, first: int) -> None:
    for seed in range(first, first + 100):
        difference = comparison.check(generate(seed)).difference
        assert difference is None, f"seed {seed}\n{difference}\n{difference and difference.case}"


@pytest.mark.parametrize("path", cases.kept(), ids=lambda p: p.stem)
def test_kept_cases_stay_fixed(comparison: Comparison, path: Path) -> None:
    case = cases.read(path)
    for rules in range(4):  # the label decides which rules of normalization are off
        difference = comparison.check(replace(case, label=f"{path.stem} {rules}")).difference
        assert difference is None, f"{path}\n{difference}"


def test_cases_read_back_from_their_text() -> None:
    for seed in range(100):
        case = generate(seed)
        again = parse_case(str(case))
        assert str(again) == str(case), f"seed {seed}"
        assert again.query == case.query, f"seed {seed}"


def test_seeds_give_the_same_case_again() -> None:
    assert [str(generate(s)) for s in range(20)] == [str(generate(s)) for s in range(20)]


def test_generator_reaches_every_operator_and_gives_rows() -> None:
    found = [generate(seed) for seed in range(1000)]
    features = {f.split()[0] for case in found for node in nodes(case.query.rel) for f in features_of(node)}
    assert features >= {
        "scan", "values", "filter", "project", "join", "self", "aggregate", "distinct", "union", "except", "intersect",
        "window", "topk", "unnest",
    }  # fmt: skip
    outcomes = [reference(case) for case in found[:200]]
    assert sum(isinstance(o, Rows) and bool(o.bag) for o in outcomes) > 100


def test_a_wrong_answer_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that takes every full join for a left one is caught, by a case with little more than that join."""
    right = Local.run

    def wrong(self: Local, case: Case, query: Query | None = None) -> Outcome:
        text = print_query(query or case.query).replace("join full", "join left")
        return right(self, case, parse_query(text))

    monkeypatch.setattr(Local, "run", wrong)
    comparison = Comparison()
    found = (comparison.check(generate(seed)).difference for seed in range(1000))
    difference = cases.shrunk(next(d for d in found if d is not None and d.who == "local"), comparison, seconds=20)
    assert any(isinstance(n, Join) and n.kind == "full" for n in nodes(difference.case.query.rel))
    assert sum(1 for _ in nodes(difference.case.query.rel)) <= 6, str(difference.case)


@pytest.mark.spark
def test_random_plans_mean_the_same_to_spark(spark: Any, unless_proven: UnlessProven) -> None:
    found = [generate(seed) for seed in range(SPARK_SEEDS)]
    # Every other one as the normalized plan: the text that a refresh would run.
    work = [(case, normalized(case) if seed % 2 else case.query) for seed, case in enumerate(found)]
    wanted = [reference(case) for case in found]
    unless_proven(what_it_hangs_on(work, wanted))
    outcomes = Spark(spark).run_all(work)
    for seed, (case, expected, outcome) in enumerate(zip(found, wanted, outcomes, strict=True)):
        difference = Difference(case=case, who="spark", expected=expected, found=outcome)
        assert agree(expected, outcome), f"seed {seed}\n{difference}\n{case}"


@pytest.mark.spark
def test_spark_agrees_on_kept_cases(spark: Any) -> None:
    runner = Spark(spark)
    found = [cases.read(path) for path in cases.kept()]
    for case, outcome in zip(found, runner.run_all([(case, case.query) for case in found]), strict=True):
        expected = reference(case)
        assert agree(expected, outcome), f"{case.label}\n{expected}\n{outcome}\n{case}"
