"""Random histories: a chain or diamond of views over a world of tables, and some rounds of changes.

Tables are inserted into, deleted from, updated, emptied and refilled, several in one round; rows come twice, keys and
values turn NULL, changes cancel within one round. Views are left stale now and then and catch up later. A view's own
rows are checked on the way: what one gives is what the next one reads.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tests.fuzz.generate import SEEDS_PER_WORLD, cell, names_for, tables_of
from tests.fuzz.histories import Entry, History, Round, Step, after
from tests.fuzz.plans import Plan, Plans
from tests.fuzz.tables import Data, Row
from tidewheel.delta.change import Kind
from tidewheel.delta.rules import NAMES
from tidewheel.ir.dependencies import keys
from tidewheel.ir.norm import normalize
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.types import UNKNOWN

KEYS: Final = range(-2, 17)
"""Values of key columns: few, so that a deleted one comes back."""
MOST: Final = 16
"""Rows that a table may grow to."""
_SHAPES: Final[tuple[tuple[tuple[int, ...], ...], ...]] = (
    ((),), ((),), ((),), ((),), ((),), ((),),
    ((), (0,)), ((), (0,)),
    ((), (0,), (1,)),
    ((), (0,), (0, 1)),
    ((), (0,), (0,), (1, 2)),
    ((), (0,), (1,), (2,)),
)  # fmt: skip
"""For each view, those before it that it reads, beside tables."""


def generate_history(seed: int) -> History:
    """The history of a seed: the same one on every machine."""
    rng = random.Random(f"history {seed}")
    tables = tables_of(seed // SEEDS_PER_WORLD)
    views, daring = _views(rng, tables)
    readers = {name: relations(query.rel) for name, query in views.items()}
    now = {t.name: t for t in tables}
    rounds = []
    count = rng.randint(3, 6)
    for number in range(count):
        steps = {t.name: step for t in tables if (step := _step(rng, now[t.name])) is not None}
        now |= {name: after(now[name], step) for name, step in steps.items()}
        stale = frozenset() if number == count - 1 else _stale(rng, readers)
        rounds.append(Round(steps=steps, stale=stale))
    disabled = tuple(n for n in NAMES if rng.random() < rng.choice((0.0, 0.0, 0.15, 0.4)))
    return History(
        tables=tables,
        views=views,
        rounds=tuple(rounds),
        disabled=disabled if rng.random() < 0.5 else (),
        label=f"seed {seed}",
        daring=daring,
    )


# --- views ---


def _views(rng: random.Random, tables: Sequence[Data]) -> tuple[dict[str, Query], bool]:
    shape = rng.choice(_SHAPES)
    plans: dict[str, Plan] = {}
    made: dict[str, Query] = {}
    known: dict[str, Data] = {}
    for number, reads in enumerate(shape):
        above = [f"v{i}" for i in reads]
        depth = rng.choice((1, 2, 2, 3, 3, 4) if len(shape) > 1 else (1, 2, 2, 3, 3, 3, 4, 4, 5))
        plan = _plan(rng, [known[n] for n in above], tables, plans, depth)
        if number == len(shape) - 1 and rng.random() < 0.03:
            plan = Plans(rng, tables).daring(plan)
        name = f"v{number}"
        made[name] = Query(rel=plan.rel, names=names_for(rng, plan.rel.width))
        plans[name] = plan
        known[name] = _as_table(name, made[name])
    return made, any(info.type == UNKNOWN for info in plan.infos)


def _plan(rng: random.Random, above: list[Data], tables: Sequence[Data], plans: Mapping[str, Plan], depth: int) -> Plan:
    """A plan that reads what it is meant to; the last one tried if that is too much to ask."""
    for _ in range(6):
        some = [*above, *rng.sample(tables, rng.randint(0, 2))] if above else tables
        plan = Plans(rng, some, plans, MOST).plan(max(depth, len(above)))
        if {v.name for v in above} <= set(relations(plan.rel)):
            break
    return plan


def _as_table(name: str, query: Query) -> Data:
    """A view as those below it see it."""
    rel = normalize(query).rel
    facts = zip(query.names, types_of(rel), nullable_of(rel), strict=True)
    columns = tuple(Column(*fact) for fact in facts)
    found = [tuple(sorted(key)) for key in keys(rel) if key and not any(columns[i].nullable for i in key)]
    return Data(name=name, columns=columns, keys=tuple(found[:1]))


def _stale(rng: random.Random, reads: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """Some views, and all that read them."""
    found: set[str] = set()
    for name, inputs in reads.items():
        if found & set(inputs) or rng.random() < 0.15:
            found.add(name)
    return frozenset(found)


# --- changes ---


def _step(rng: random.Random, table: Data) -> Step | None:
    kind = rng.choice(("none", "append", "append", "mixed", "mixed", "mixed", "mixed", "update", "empty", "touch"))
    if not table.rows and kind != "none":
        kind = rng.choice(("append", "refill", "refill", "none"))
    room = MOST - len(table.rows)
    match kind:
        case "append":
            return Step("append", tuple((row, 1) for row in _fresh(rng, table, min(room, rng.randint(1, 4)))))
        case "refill":
            return Step("mixed", tuple((row, 1) for row in _fresh(rng, table, rng.randint(1, 9))))
        case "mixed":
            gone = rng.sample(table.rows, min(len(table.rows), rng.randint(0, 4)))
            come = _fresh(rng, table, min(room, rng.randint(0, 4)), gone)
            passing = _passing(rng, table, come, gone)
            entries = [*((row, 1) for row in come), *((row, -1) for row in gone), *passing]
            return _mixed(rng, entries, "layered" if passing else "mixed")
        case "update":
            rows = rng.sample(table.rows, min(len(table.rows), rng.randint(1, 3)))
            return _mixed(rng, [e for row in rows for e in ((row, -1), (_updated(rng, table, row), 1))])
        case "empty":
            return _mixed(rng, [(row, -1) for row in table.rows])
        case "touch":  # rows go and come as they were
            rows = rng.sample(table.rows, min(len(table.rows), rng.randint(0, 3)))
            return _mixed(rng, [(row, weight) for row in rows for weight in (1, -1)])
    return None


def _mixed(rng: random.Random, entries: list[Entry], kind: Kind = "mixed") -> Step:
    rng.shuffle(entries)
    return Step(kind, tuple(entries))


def _fresh(rng: random.Random, table: Data, count: int, gone: Sequence[Row] = ()) -> list[Row]:
    """New rows, some of them copies; keys that are free, or become so."""
    found: list[Row] = []
    taken = {row[0] for row in table.rows} - {row[0] for row in gone}
    for _ in range(max(count, 0)):
        row = tuple(cell(rng, c) for c in table.columns)
        if table.rows and rng.random() < 0.3:
            row = rng.choice(table.rows)
        if table.keys:
            free = [k for k in KEYS if k not in taken]
            if not free:
                break
            row = (rng.choice(free), *row[1:])
            taken.add(row[0])
        found.append(row)
    return found


def _updated(rng: random.Random, table: Data, row: Row) -> Row:
    """The row with some cells changed; its key stays."""
    first = 1 if table.keys else 0
    changed = {i for i in range(first, len(row)) if rng.random() < 0.5}
    return tuple(cell(rng, c) if i in changed else row[i] for i, c in enumerate(table.columns))


def _passing(rng: random.Random, table: Data, come: Sequence[Row], gone: Sequence[Row]) -> list[Entry]:
    """Rows that come and go within the change."""
    if rng.random() < 0.7:
        return []
    rows = _fresh(rng, replace(table, rows=(*table.rows, *come)), 1, gone)
    return [(row, weight) for row in rows for weight in (1, -1)]
