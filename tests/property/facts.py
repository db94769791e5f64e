"""Claims about plans, held against what the reference evaluator computes from given tables."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.golden.small_tables import more_rows
from tidewheel.ir import appends, props
from tidewheel.ir.appends import AppendEffect
from tidewheel.ir.rel import Rel
from tidewheel.ir.tree import relations
from tidewheel.tvr.reference.evaluate import Table, evaluate
from tidewheel.tvr.reference.values import row_key

Tables = Mapping[str, Table]


def broken_claims(rel: Rel, tables: Tables) -> Iterator[str]:
    """What is claimed of the plan's result and does not hold for these tables."""
    rows = evaluate(rel, tables).to_rows()
    for key in props.keys(rel):
        seen = [row_key(row[i] for i in sorted(key)) for row in rows]
        if len(set(seen)) < len(seen):
            yield f"{sorted(key)} is no key"
    yield from _broken_dependencies(rel, rows)
    bounds = props.cardinality(rel)
    if len(rows) < bounds.low or (bounds.high is not None and len(rows) > bounds.high):
        yield f"{len(rows)} rows are not within {bounds}"
    if props.is_empty(rel) and bounds.high != 0:
        yield "is_empty knows more than cardinality"
    for i, nullable in enumerate(props.nullable_of(rel)):
        if not nullable and any(row[i] is None for row in rows):
            yield f"c{i} is NULL"


def _broken_dependencies(rel: Rel, rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    found = props.dependencies(rel)
    for determinant in {frozenset(_bits(x)) for x, _ in found.all_pairs}:
        closure = found.closure(determinant)
        groups: dict[Any, Any] = {}
        for row in rows:
            at = row_key(row[i] for i in sorted(determinant))
            if groups.setdefault(at, row_key(row[i] for i in sorted(closure))) != row_key(
                row[i] for i in sorted(closure)
            ):
                yield f"{sorted(determinant)} do not determine {sorted(closure)}"
                break


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def broken_changes(rel: Rel, tables: Tables, rng: random.Random) -> Iterator[str]:
    """Which claims about appended rows do not hold when some are appended."""
    before = evaluate(rel, tables)
    for relation in relations(rel):
        grown = {**tables, relation: more_rows(rel, relation, tables[relation], rng)}
        change = evaluate(rel, grown) - before
        claim = appends.change_of(rel, relation)
        if any(w < 0 for _, w in change) and claim in {AppendEffect.NONE, AppendEffect.GROWS}:
            yield f"rows are deleted when {relation} grows, claimed {claim}"
        if any(w > 0 for _, w in change) and claim in {AppendEffect.NONE, AppendEffect.SHRINKS}:
            yield f"rows are inserted when {relation} grows, claimed {claim}"
