"""Every claim about every node of random plans holds for random tables: keys, dependencies, bounds, NULLs, appends."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.generate import generate
from tests.golden.small_tables import tables_for, tiny
from tests.property import keyed_plans
from tests.property.facts import broken_changes, broken_claims
from tidewheel.ir.text import print_rel
from tidewheel.ir.tree import nodes
from tidewheel.tvr.reference.errors import EvaluationError

SEEDS = 240


@pytest.mark.parametrize("first", range(0, SEEDS, 60))
def test_claims_hold(first: int) -> None:
    for seed in range(first, first + 60):
        check(seed)


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_claims_about_plans_full_of_keys_hold(first: int) -> None:
    for seed in range(first, first + 100):
        rng = random.Random(f"keyed {seed}")
        rel = keyed_plans.make(rng, rng.choice((1, 2, 2, 3, 3, 4)))
        for data in range(3):
            tables = tables_for([rel], 1000 * seed + data, tiny)
            broken = [*broken_claims(rel, tables), *broken_changes(rel, tables, rng)]
            assert not broken, f"seed {seed}, tables {data}: {broken}\n{print_rel(rel)}\n{tables}"


def check(seed: int) -> None:
    rel = generate(seed).query.rel
    for node in nodes(rel):
        for data in range(2):
            tables = tables_for([rel], 1000 * seed + data)
            rng = random.Random(seed)
            try:
                broken = [*broken_claims(node, tables), *broken_changes(node, tables, rng)]
            except EvaluationError:
                continue
            assert not broken, f"seed {seed}, tables {data}: {broken}\n{print_rel(node)}\n{tables}"
