"""Random cases: a small world of tables for each 25 seeds, and a plan over it for each seed.

Plans are typed, so that all of them are valid; their results do not depend on the order of rows (orders that matter
are completed with all columns, doubles are only summed where that is exact), and no expression raises an error: numbers
carry bounds. One case in thirty ends with a projection that may well raise, for every row and at the very top, where
no engine may avoid it.
"""

from __future__ import annotations

import functools
import random
from typing import Any, Final

from tests.fuzz.kinds import COLUMN_TYPES, INT, value
from tests.fuzz.plans import Plans
from tests.fuzz.tables import Case, Data
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query
from tidewheel.types import UNKNOWN, DataType

SEEDS_PER_WORLD: Final = 25
DEEPEST: Final = 5
_NAMES: Final = ("a", "b", "Val", "order", "two words", "x", "Y", "select", "été")


def generate(seed: int) -> Case:
    """The case of a seed: the same one on every machine."""
    world = tables_of(seed // SEEDS_PER_WORLD)
    rng = random.Random(f"plan {seed}")
    plans = Plans(rng, world)
    depth = rng.choice((1, 2, 2, 3, 3, 3, 4, 4, 4, DEEPEST, DEEPEST))
    plan = plans.root(depth)
    names = names_for(rng, plan.rel.width)
    types = tuple(info.type for info in plan.infos)
    query = Query(rel=plan.rel, names=names)
    return Case(tables=world, query=query, label=f"seed {seed}", types=None if UNKNOWN in types else types)


def names_for(rng: random.Random, width: int) -> tuple[str, ...]:
    """Names of columns, some of them such that they must be quoted."""
    return tuple(f"{rng.choice(_NAMES)}{i}" if rng.random() < 0.1 else f"c{i}" for i in range(width))


@functools.lru_cache(maxsize=8)
def tables_of(world: int) -> tuple[Data, ...]:
    """The tables that a run of seeds shares, so that engines load them once."""
    rng = random.Random(f"world {world}")
    return tuple(_table(rng, f"t{i}") for i in range(rng.randint(3, 5)))


def _table(rng: random.Random, name: str) -> Data:
    keyed = rng.random() < 0.5
    kinds = [t for t, _ in COLUMN_TYPES]
    chosen = rng.choices(kinds, [w for _, w in COLUMN_TYPES], k=rng.randint(1, 5))
    columns = [_column(rng, i, kind) for i, kind in enumerate(chosen)]
    size = rng.choice((0, 1, 3, 5, 7, 8, 9, 10, 11, 12))
    empty = [rng.random() < 0.05 and c.nullable for c in columns]
    foreign = rng.random() < 0.2
    rows: list[tuple[Any, ...]] = []
    for _ in range(size):
        if rows and rng.random() < 0.2:
            rows.append(rng.choice(rows))
        else:
            cells = [None if e else cell(rng, c) for c, e in zip(columns, empty, strict=True)]
            rows.append(tuple("é" if foreign and c == "Zz" else c for c in cells))
    if keyed:
        columns = [Column("k", INT, nullable=False), *columns]
        rows = [(k, *row) for k, row in zip(rng.sample(range(-2, 14), size), rows, strict=True)]
    keys = ((0,),) if keyed else ()
    return Data(name=name, columns=tuple(columns), keys=keys, rows=tuple(rows))


def _column(rng: random.Random, position: int, kind: DataType) -> Column:
    name = f"{rng.choice(_NAMES)}{position}" if rng.random() < 0.2 else f"v{position}"
    return Column(name, kind, nullable=rng.random() < 0.8)


def cell(rng: random.Random, column: Column) -> Any:
    """A value for a column, NULL now and then."""
    return None if column.nullable and rng.random() < 0.2 else value(rng, column.type)
