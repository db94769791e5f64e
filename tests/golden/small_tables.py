"""Small random tables for whatever a plan scans: NULLs, duplicates, collisions, and keys where they are declared."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.fuzz.kinds import value
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes
from tidewheel.tvr.reference.evaluate import Table
from tidewheel.types import DataType

Row = tuple[Any, ...]
Cell = Callable[[random.Random, DataType], Any]


def tiny(rng: random.Random, kind: DataType) -> Any:
    """One of three numbers, whatever the type: for plans over whole numbers only, where most should collide."""
    return rng.randint(0, 2)


def tables_for(plans: Iterable[Rel], seed: int, cell: Cell = value) -> dict[str, Table]:
    """A table for each relation that the plans read; some are empty."""
    rng = random.Random(seed)
    columns: dict[str, dict[str, Column]] = {}
    keys: dict[str, set[tuple[str, ...]]] = {}
    for scan in (node for plan in plans for node in nodes(plan) if isinstance(node, Scan)):
        columns.setdefault(scan.label, {}).update({c.name: c for c in scan.columns})
        keys.setdefault(scan.label, set()).update(_names(scan))
    made = {}
    for name in sorted(columns):
        empty = Table(tuple(columns[name].values()), ())
        made[name] = _with_rows(rng, empty, sorted(keys[name]), rng.choice((0, 1, 6, 9, 12)), cell)
    return made


def more_rows(rel: Rel, relation: str, table: Table, rng: random.Random, cell: Cell = value) -> Table:
    """The table with some rows appended."""
    scans = [node for node in nodes(rel) if isinstance(node, Scan) and node.relation == relation]
    keys = sorted({key for scan in scans for key in _names(scan)})
    return _with_rows(rng, table, keys, rng.randint(1, 4), cell)


def _names(scan: Scan) -> list[tuple[str, ...]]:
    return [tuple(scan.columns[i].name for i in key) for key in scan.keys]


def _with_rows(rng: random.Random, table: Table, keys: Sequence[tuple[str, ...]], count: int, cell: Cell) -> Table:
    names = [c.name for c in table.columns]
    unique = [[names.index(name) for name in key] for key in keys]
    rows: list[Row] = list(table.rows)
    for _ in range(count):
        row = rng.choice(rows) if rows and rng.random() < 0.2 else _row(rng, table.columns, unique, cell)
        taken = any(all(row[i] == other[i] for i in key) for key in unique for other in rows)
        if not taken:
            rows.append(row)
    return Table(table.columns, tuple(rows))


def _row(rng: random.Random, columns: Sequence[Column], keys: list[list[int]], cell: Cell) -> Row:
    never = {i for key in keys for i in key}
    return tuple(
        cell(rng, c.type) if i in never or not c.nullable or rng.random() > 0.25 else None
        for i, c in enumerate(columns)
    )
