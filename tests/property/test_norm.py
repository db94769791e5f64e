"""Normal forms mean the same: random plans, any rules switched off, and no error that was not there before.

What this cannot reach: functions that the generator does not use, and what Spark does beyond its documented order of
evaluation (tests/fuzz runs normalized plans on Spark too).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.fuzz.generate import generate
from tests.golden.small_tables import tables_for, tiny
from tests.property import keyed_plans
from tidewheel.ddl import parse_schema
from tidewheel.ir.norm import RULES, normalize
from tidewheel.ir.rel import Filter, Join, Rel
from tidewheel.ir.scalar import TRUE, Call, Col, Lit, Scalar
from tidewheel.ir.text import print_rel
from tidewheel.ir.tree import nodes, with_inputs
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.evaluate import Table, evaluate
from tidewheel.tvr.reference.zset import ZSet
from tidewheel.types import INT, LONG, DataType


def outcome(rel: Rel, tables: dict[str, Table]) -> ZSet | str:
    try:
        return evaluate(rel, tables)
    except EvaluationError as error:
        return f"raised: {error}"


def check(rel: Rel, tables: dict[str, Table], rng: random.Random) -> None:
    """If the plan gives rows, each of its normal forms gives the same ones."""
    try:
        expected = outcome(rel, tables)
    except Unsupported:
        return
    for share in (0.0, 0.3, 0.7):
        disabled = frozenset(rule for rule in RULES if rng.random() < share)
        new = normalize(rel, disabled=disabled)
        assert types_of(new) == types_of(rel)
        if isinstance(expected, ZSet):
            found = outcome(new, tables)
            what = f"{found}\ninstead of {expected}\n{print_rel(rel)}{print_rel(new)}{sorted(disabled)}\n{tables}"
            assert found == expected, what


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_plans_full_of_keys(first: int) -> None:
    for seed in range(first, first + 100):
        rng = random.Random(f"keyed {seed}")
        rel = keyed_plans.make(rng, rng.choice((2, 3, 3, 4)))
        check(rel, tables_for([rel], seed, tiny), rng)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_plans_that_may_raise(first: int) -> None:
    for seed in range(first, first + 50):
        rng = random.Random(f"daring {seed}")
        rel = daring(generate(seed).query.rel, rng)
        for data in range(3):
            check(rel, tables_for([rel], 10 * seed + data), rng)


def daring(rel: Rel, rng: random.Random) -> Rel:
    """The plan with conditions that may raise, put before, behind and beside what protects them or not."""
    done: dict[bytes, Rel] = {}
    for node in nodes(rel):
        new = with_inputs(node, [done[i.digest] for i in node.inputs])
        if isinstance(new, Filter) and (parts := list(_risks(types_of(new.input), rng))):
            new = replace(new, predicate=_beside(new.predicate, rng.choice(parts), rng))
        elif isinstance(new, Join) and rng.random() < 0.5:
            types = (*types_of(new.left), *types_of(new.right))
            if parts := list(_risks(types, rng)):
                new = replace(new, residual=_beside(new.residual, rng.choice(parts), rng))
        elif rng.random() < 0.25 and (parts := list(_risks(types_of(new), rng))):
            new = Filter(input=new, predicate=rng.choice(parts))
            if rng.random() < 0.6:
                new = Filter(input=new, predicate=_beside(TRUE, rng.choice(parts), rng))
        done[node.digest] = new
    return done[rel.digest]


def _risks(types: tuple[DataType, ...], rng: random.Random) -> Iterator[Scalar]:
    """Conditions on whole numbers: divisions, with and without a guard, and harmless ones."""
    zero = Lit("int", "0")
    for i, kind in enumerate(types):
        if kind in {INT, LONG}:
            divided = Call(">", (Call("/", (Lit("int", "6"), Col(i))), Lit("int", str(rng.randint(-3, 1)))))
            yield divided
            yield Call("and", (Call("<>", (Col(i), zero)), divided))
            yield Call("<>", (Col(i), zero))


def _beside(predicate: Scalar, part: Scalar, rng: random.Random) -> Scalar:
    if predicate == TRUE:
        return part
    both = (predicate, part) if rng.random() < 0.6 else (part, predicate)
    return Call("or" if rng.random() < 0.2 else "and", both)


def test_parts_that_are_read_through_a_projection_are_not_copied_for_every_path() -> None:
    """Each level reads the one below twice, each time with a filter of its own that could be pushed all the way."""
    parts = ["c0 AS (SELECT a, b FROM t)"]
    for n in range(1, 16):
        reads = [f"SELECT a, b FROM c{n - 1} WHERE a % {n + 2 * side} = {side}" for side in range(2)]
        parts.append(f"c{n} AS (SELECT a, max(b) + 1 AS b FROM ({' UNION ALL '.join(reads)}) GROUP BY a)")
    sql = f"WITH {', '.join(parts)} SELECT a, b FROM c15"
    query = bind_view(SqlText(sql=sql), {"t": CatalogRelation.of("t", parse_schema("a INT, b INT"))}).query
    assert sum(1 for _ in nodes(normalize(query.rel))) < 400
