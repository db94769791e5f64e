"""Random tables before and after, to try the change of a plan on."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import replace

from tests.golden.small_tables import more_rows, tables_for, tiny
from tidewheel.delta.change import DeltaPlan, Kind
from tidewheel.ir.forms import BEFORE, CHANGE, label
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Rel
from tidewheel.ir.text import print_rel
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import types_of
from tidewheel.names import WEIGHT
from tidewheel.optimize.alternatives import preferred
from tidewheel.optimize.exploration import Exploration
from tidewheel.optimize.extraction import expanded, reached
from tidewheel.tvr.reference.evaluate import Table, compute, evaluate
from tidewheel.tvr.reference.zset import ZSet
from tidewheel.types import LONG

W = "scan w (p INT, q INT)"
X = "scan x (a BIGINT, b BIGINT)"
BOTH: dict[str, Kind] = dict.fromkeys(("t", "u", "v", "w", "x", "y"), "mixed")
GROWN: dict[str, Kind] = dict.fromkeys(("t", "u", "v", "w", "x", "y"), "append")


def world(rel: Rel, seed: int, changed: dict[str, Kind]) -> tuple[dict[str, Table], dict[str, Table], dict[str, Table]]:
    """Tables before and after, and all that a plan of a change reads."""
    rng = random.Random(seed)
    old = tables_for([rel], seed, tiny)
    new = dict(old)
    physical: dict[str, Table] = {}
    for name in relations(rel):
        kind = changed.get(name)
        if kind == "append":
            new[name] = more_rows(rel, name, old[name], rng, tiny)
            entries = [(row, 1) for row in new[name].rows[len(old[name].rows) :]]
        elif kind == "mixed":
            new[name] = _mixed(rel, name, old, seed, rng)
            entries = _entries(old[name], new[name])
        physical[name] = new[name]
        if kind is not None:
            physical[label(name, BEFORE)] = old[name]
            weight = Column(WEIGHT, LONG, nullable=False)
            signed = kind == "mixed"
            columns = (*old[name].columns, weight) if signed else old[name].columns
            physical[label(name, CHANGE)] = Table(columns, tuple((*r, w) if signed else r for r, w in entries))
    return old, new, physical


def _mixed(rel: Rel, name: str, old: dict[str, Table], seed: int, rng: random.Random) -> Table:
    """Some of the old rows, some others, and now and then none."""
    kept = tuple(row for row in old[name].rows if rng.random() < 0.7)
    if rng.random() < 0.1:
        return Table(old[name].columns, ())
    return more_rows(rel, name, Table(old[name].columns, kept), rng, tiny)


def _entries(old: Table, new: Table) -> list[tuple[tuple[object, ...], int]]:
    difference = ZSet.of_rows(new.rows) - ZSet.of_rows(old.rows)
    return [(row, 1 if w > 0 else -1) for row, w in difference for _ in range(abs(w))]


def rows_of(change: DeltaPlan | None, tables: dict[str, Table]) -> ZSet:
    if change is None:
        return ZSet()
    rows = compute(change.rel, tables).rows
    return ZSet((row[: change.width], row[change.width] if change.signed else 1) for row in rows)


class FirstRules(Exploration):
    """A memo, and what comes of it if the first rule that applies is taken everywhere."""

    def __init__(self, changed: Mapping[str, Kind], disabled: Collection[str] = ()) -> None:
        super().__init__(changed, {}, disabled=disabled)

    def change(self, rel: Rel) -> DeltaPlan | None:
        """The change of a plan over what is stored."""
        found = self.delta(rel)
        self.explore()
        return None if found is None else replace(found, rel=expanded(found.rel, self, preferred))

    def rule(self, rel: Rel) -> str:
        """By which the change of a plan is computed; none if it is not asked for."""
        ways = [preferred(goal).rule for goal in self.goals.values() if goal.rel == rel and goal.form == CHANGE]
        return ways[0] if ways else "none"

    def spared(self, rel: Rel) -> list[Rel]:
        """What would only be read if it were kept, to compute the change of a plan."""
        found = self.delta(rel)
        self.explore()
        goals = [] if found is None else reached([found.rel], self, preferred)
        return [spare for goal in goals for spare in preferred(goal).spares]


def check(rel: Rel, changed: dict[str, Kind], disabled: tuple[str, ...] = (), worlds: int = 12) -> FirstRules:
    memo = FirstRules(changed, disabled)
    change = memo.change(rel)
    assert change is None or types_of(change.rel)[: change.width] == types_of(rel)
    for seed in range(worlds):
        old, new, tables = world(rel, seed, changed)
        found = rows_of(change, tables)
        expected = evaluate(rel, new) - evaluate(rel, old)
        text = "nothing" if change is None else print_rel(change.rel)
        assert found == expected, f"tables {seed}: {found}, not {expected}\n{text}{tables}"
    return memo
