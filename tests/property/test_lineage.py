"""Column lineage is complete: another column than those it names never changes an answer.

Random plans, as the binder would make them and normalized; one input column at a time gets other values, and every
output column that does not name it keeps its values. What this cannot reach: that lineage names no more columns than
it must (tests/unit/ir/test_lineage.py says what it names).
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.fuzz.generate import generate
from tests.fuzz.kinds import value
from tests.golden.small_tables import Cell, tables_for, tiny
from tests.property import keyed_plans
from tidewheel.ir.lineage import Lineage, Origin, lineage
from tidewheel.ir.norm import normalize
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.text import print_rel
from tidewheel.ir.tree import nodes
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.evaluate import Table, evaluate
from tidewheel.tvr.reference.zset import ZSet


def answer(rel: Rel, tables: dict[str, Table]) -> list[ZSet] | None:
    """The values of each column, as a bag; None if the plan raises."""
    try:
        rows = evaluate(rel, tables).to_rows()
    except (EvaluationError, Unsupported):
        return None
    return [ZSet.of_rows((row[i],) for row in rows) for i in range(rel.width)]


def untouched(found: Lineage, origin: Origin) -> list[int]:
    """The output columns that an input column has no part in."""
    if origin in found.rows:
        return []
    return [i for i, column in enumerate(found.columns) if origin not in column.all]


def others(rel: Rel, tables: dict[str, Table], rng: random.Random, cell: Cell) -> Iterator[tuple[Origin, Table]]:
    """Each input column with other values; those of a key only trade places, so that they stay unique."""
    unique = {
        Origin(s.relation, s.columns[i].name) for s in nodes(rel) if isinstance(s, Scan) for k in s.keys for i in k
    }
    for name, table in tables.items():
        for at, column in enumerate(table.columns):
            origin = Origin(name, column.name)
            cells = [row[at] for row in table.rows]
            rng.shuffle(cells)
            if origin not in unique:
                cells = [cell(rng, column.type) for _ in cells]
            rows = tuple((*r[:at], c, *r[at + 1 :]) for r, c in zip(table.rows, cells, strict=True))
            yield origin, Table(table.columns, rows)


def check(rel: Rel, tables: dict[str, Table], rng: random.Random, cell: Cell) -> int:
    before = answer(rel, tables)
    if before is None:
        return 0
    plans = {"bound": lineage(rel), "normalized": lineage(normalize(rel))}
    checked = 0
    for origin, table in others(rel, tables, rng, cell):
        kept = {(i, form) for form, found in plans.items() for i in untouched(found, origin)}
        after = answer(rel, {**tables, origin.relation: table}) if kept else None
        for i, form in kept if after is not None else ():
            checked += 1
            assert after is not None
            assert after[i] == before[i], f"{form}: column {i} moves with {origin}\n{print_rel(rel)}\n{tables}\n{table}"
    return checked


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_a_column_that_is_not_named_changes_nothing(first: int) -> None:
    checked = 0
    for seed in range(first, first + 100):
        rel = generate(seed).query.rel
        checked += check(rel, tables_for([rel], seed), random.Random(f"lineage {seed}"), value)
    assert checked > 50


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_nor_in_plans_full_of_keys(first: int) -> None:
    checked = 0
    for seed in range(first, first + 100):
        rng = random.Random(f"keyed lineage {seed}")
        rel = keyed_plans.make(rng, rng.choice((2, 3, 3, 4)))
        checked += check(rel, tables_for([rel], seed, tiny), rng, tiny)
    assert checked > 50
