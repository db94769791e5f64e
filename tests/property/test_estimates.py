"""Estimates of random plans over random facts stay within what the plans can give, whatever the facts say."""

from __future__ import annotations

import math
import random
from typing import assert_never

import pytest

from tests.fuzz.generate import generate
from tests.property import keyed_plans
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Opaque,
    Project,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip
from tidewheel.ir.tree import nodes
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.facts import ColumnFacts, Facts

SEEDS = 400


def some_facts(seed: int, scan: Scan) -> Facts:
    """Anything that files may say of a relation, wrong distinct counts and ranges included."""
    rng = random.Random(f"{seed} {scan.relation}")
    rows = float(rng.choice((0, 1, 2, 10, 1000, 10**6, 10**9)))
    columns = tuple(some_column(rng, rows) for _ in scan.columns)
    facts = Facts(rows=rows, columns=columns)
    if rng.random() < 0.5:
        facts = facts.keyed(rng.sample(range(scan.width), rng.randint(1, scan.width)))
    return facts


def some_column(rng: random.Random, rows: float) -> ColumnFacts:
    low = rng.uniform(-1e6, 1e6) if rng.random() < 0.5 else None
    return ColumnFacts(
        distinct=rng.choice((0.0, 1.0, rows / 10, rows, 10 * rows)),
        nulls=rng.choice((0.0, 0.1, 1.0)),
        low=low,
        high=None if low is None else low + rng.choice((0.0, 1.0, 1e6)),
        guessed=rng.random() < 0.5,
        population=rng.choice((None, None, 1.0, 1e6)),
    )


def most(rel: Rel, estimator: Estimator) -> float:
    """No result of the node has more rows, given the rows of its inputs."""
    below = [estimator.rows(i) for i in rel.inputs]
    match rel:
        case Scan() | Opaque() | Unnest():
            return math.inf
        case Values():
            return len(rel.rows)
        case Filter() | Project() | Window() | Distinct():
            return below[0]
        case Aggregate():
            sets = rel.sets if rel.sets is not None else (tuple(range(len(rel.keys))),)
            return sum(below[0] if chosen else 1.0 for chosen in sets)
        case Union():
            return sum(below)
        case TopK():
            return min(below[0], math.inf if rel.limit is None else rel.limit)
        case SetOp():
            return min(below) if rel.kind == "intersect" else below[0]
        case Join():
            return most_pairs(rel, *below)
        case _:
            assert_never(rel)


def most_pairs(rel: Join, left: float, right: float) -> float:
    match rel.kind:
        case "semi" | "anti":
            return left
        case "inner":
            return left * right
        case "left":
            return max(left * right, left)
        case "full":
            return max(left * right, left + right)


def check(rel: Rel, seed: int) -> None:
    estimator = Estimator(lambda scan: some_facts(seed, scan))
    for node in nodes(rel):
        rows, high = estimator.rows(node), most(node, estimator)
        assert 0 <= rows <= high * (1 + 1e-9) + 1, f"seed {seed}: {rows} rows, at most {high}:\n{node}"
        bounds = estimator.bounds(node)
        assert bounds.low <= rows, f"seed {seed}: {rows} rows, at least {bounds.low}:\n{node}"
        assert bounds.high is None or rows <= bounds.high, f"seed {seed}: {rows} rows, at most {bounds.high}:\n{node}"


@pytest.mark.parametrize("start", range(0, SEEDS, 50))
def test_no_estimate_is_beyond_what_a_plan_can_give(start: int) -> None:
    for seed in range(start, start + 50):
        check(generate(seed).query.rel, seed)


@pytest.mark.parametrize("start", range(0, SEEDS, 50))
def test_the_same_where_much_is_unique(start: int) -> None:
    for seed in range(start, start + 50):
        check(keyed_plans.make(random.Random(seed), 4), seed)
