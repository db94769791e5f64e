"""The reference: what a plan means, in plain Python. Obviously right rather than fast.

Every node gives a list of rows with their types. Rows keep the order in which they were computed; it matters to sums
of doubles and to functions that depend on it, and to nothing else. Equal parts of a plan are computed once.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from tidewheel.ddl import parse_schema
from tidewheel.ir.coercion import common_of
from tidewheel.ir.parts import Column
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
from tidewheel.ir.scalar import Scalar
from tidewheel.ir.tree import nodes
from tidewheel.tvr.reference.aggregates import compile_aggregate
from tidewheel.tvr.reference.casts import cast
from tidewheel.tvr.reference.compiler import EvalScope, Typed, common, compile_all, compile_scalar, converted
from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.generators import compile_generator
from tidewheel.tvr.reference.joins import compile_join
from tidewheel.tvr.reference.ordering import sort_rows
from tidewheel.tvr.reference.values import Key, Row, Value, as_float32, row_key
from tidewheel.tvr.reference.windows import Partition, compile_window, partitions
from tidewheel.tvr.reference.zset import ZSet
from tidewheel.types import FLOAT, LONG, UNKNOWN, DataType, Map, to_sql


@dataclass(frozen=True, slots=True)
class Table:
    """A stored relation at one version: named columns and a bag of rows."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, schema: str, rows: Iterable[Sequence[object]]) -> Table:
        """From DDL text, `id BIGINT, day DATE`, and rows of Python values."""
        fields = parse_schema(schema, unknown=True)
        return cls(tuple(Column(f.name, f.type, f.nullable) for f in fields), tuple(tuple(r) for r in rows))

    def __add__(self, change: ZSet) -> Table:
        """The table after a change."""
        after = ZSet.of_rows(self.rows) + change
        return Table(self.columns, tuple(after.to_rows()))


@dataclass(frozen=True, slots=True)
class Result:
    """The rows of a node and the types of its columns."""

    types: tuple[DataType, ...]
    rows: list[Row]


def evaluate(rel: Rel, tables: Mapping[str, Table], *, now: dt.datetime | None = None) -> ZSet:
    """The bag of rows that a plan gives over tables by name; `now` is what the clock shows, if the plan asks."""
    return ZSet.of_rows(compute(rel, tables, now=now).rows)


def compute(rel: Rel, tables: Mapping[str, Table], *, now: dt.datetime | None = None) -> Result:
    """The result of a plan with its types, and rows in the order in which they were computed."""
    found: dict[bytes, Result] = {}
    for node in nodes(rel):
        found[node.digest] = _compute(node, [found[i.digest] for i in node.inputs], tables, now)
    return found[rel.digest]


def _compute(rel: Rel, below: list[Result], tables: Mapping[str, Table], now: dt.datetime | None) -> Result:
    scopes = [EvalScope.over(b.types, now) for b in below]
    match rel:
        case Scan():
            return _scan(rel, tables)
        case Values():
            return _values(rel, EvalScope.over((), now))
        case Filter():
            keeps = compile_scalar(rel.predicate, scopes[0]).run
            return Result(below[0].types, [row for row in below[0].rows if keeps(row) is True])
        case Project():
            return _project(rel.exprs, below[0], scopes[0])
        case Join():
            return Result(*compile_join(rel, scopes[0], scopes[1])(below[0].rows, below[1].rows))
        case Aggregate():
            return _aggregate(rel, below[0], scopes[0])
        case Distinct():
            return Result(below[0].types, _distinct(below[0].rows))
        case Union():
            return _union(below)
        case SetOp():
            return _set_operation(rel, below)
        case Window():
            return _window(rel, below[0], scopes[0])
        case TopK():
            return _topk(rel, below[0], scopes[0])
        case Unnest():
            return _unnest(rel, below[0], scopes[0])
        case Opaque():
            raise Unsupported(f"a query that is opaque ({rel.reason})")
    assert_never(rel)


def _scan(rel: Scan, tables: Mapping[str, Table]) -> Result:
    table = {name.lower(): t for name, t in tables.items()}[rel.label.lower()]
    names = [c.name.lower() for c in table.columns]
    places = [names.index(c.name.lower()) for c in rel.columns]
    kinds = tuple(table.columns[i].type for i in places)
    rows = [tuple(_stored(row[i], table.columns[i].type) for i in places) for row in table.rows]
    return Result(kinds, rows)


def _stored(value: Value, kind: DataType) -> Value:
    """A FLOAT has single precision, whatever Python's float of it was; no stored decimal is a negative zero."""
    if isinstance(value, decimal.Decimal) and not value:
        return abs(value)
    return as_float32(value) if kind == FLOAT and value is not None else value


def _values(rel: Values, scope: EvalScope) -> Result:
    compiled = [compile_all(row, scope) for row in rel.rows]
    kinds = tuple(common([row[i] for row in compiled]) if compiled else UNKNOWN for i in range(rel.arity))
    return Result(kinds, [tuple(converted(e, k).run(()) for e, k in zip(row, kinds, strict=True)) for row in compiled])


def _project(exprs: Sequence[Scalar], source: Result, scope: EvalScope) -> Result:
    compiled = compile_all(exprs, scope)
    runs = [c.run for c in compiled]
    return Result(tuple(c.type for c in compiled), [tuple(run(row) for run in runs) for row in source.rows])


# --- groups ---


def _aggregate(rel: Aggregate, source: Result, scope: EvalScope) -> Result:
    """A row for each group of each grouping set.

    Without keys and grouping sets there is always one group, even of no rows. The same holds for GROUPING SETS (()),
    but for no other grouping sets: ROLLUP, CUBE and GROUPING SETS ((), ()) over no rows give no rows.
    """
    keys = [_comparable(k) for k in compile_all(rel.keys, scope)]
    calls = [compile_aggregate(c, scope) for c in rel.calls]
    sets = (tuple(range(len(keys))),) if rel.sets is None else rel.sets
    one_group = not rel.keys and len(sets) == 1
    rows: list[Row] = []
    for chosen in sets:
        groups = _groups(keys, chosen, source.rows)
        if one_group and not groups:
            groups = [((), [])]
        grouping = () if rel.sets is None else (_grouping_id(len(keys), chosen),)
        rows += [(*key, *grouping, *(c.run(members) for c in calls)) for key, members in groups]
    grouping_type = () if rel.sets is None else (LONG,)
    return Result((*(k.type for k in keys), *grouping_type, *(c.type for c in calls)), rows)


def _groups(keys: Sequence[Typed], chosen: Sequence[int], rows: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    """The keys of each group, NULL where the grouping set leaves them out, and the group's rows."""
    found: dict[Key, tuple[Row, list[Row]]] = {}
    for row in rows:
        values = tuple(k.run(row) if i in chosen else None for i, k in enumerate(keys))
        found.setdefault(row_key(values), (values, []))[1].append(row)
    return list(found.values())


def _comparable(group_key: Typed) -> Typed:
    """A map is grouped by with its keys sorted: two maps are equal whatever the order of their entries."""
    if not isinstance(group_key.type, Map):
        return group_key
    run = group_key.run
    return Typed(group_key.type, lambda row: None if (m := run(row)) is None else tuple(sorted(m, key=row_key)))


def _grouping_id(width: int, chosen: Sequence[int]) -> int:
    """A bit for each key, the first one highest: 1 if the set leaves it out."""
    return sum(1 << (width - 1 - i) for i in range(width) if i not in chosen)


# --- sets ---


def _distinct(rows: Iterable[Row]) -> list[Row]:
    found: dict[Key, Row] = {}
    for row in rows:
        found.setdefault(row_key(row), row)
    return list(found.values())


def _aligned(below: Sequence[Result]) -> tuple[tuple[DataType, ...], list[list[Row]]]:
    """The inputs of a set operation, column by column in their common type."""
    if all(b.types == below[0].types for b in below):
        return below[0].types, [b.rows for b in below]
    kinds = tuple(_common(column) for column in zip(*(b.types for b in below), strict=True))
    aligned = []
    for source in below:
        pairs = list(zip(source.types, kinds, strict=True))
        aligned.append([tuple(cast(v, a, b) for v, (a, b) in zip(row, pairs, strict=True)) for row in source.rows])
    return kinds, aligned


def _common(kinds: Sequence[DataType]) -> DataType:
    if UNKNOWN in kinds:
        return kinds[0] if all(k == UNKNOWN for k in kinds) else _fail(kinds)
    return common_of(kinds) or _fail(kinds)


def _fail(kinds: Sequence[DataType]) -> DataType:
    raise Unsupported(f"a common type of {', '.join(map(to_sql, kinds))}")


def _union(below: Sequence[Result]) -> Result:
    kinds, parts = _aligned(below)
    return Result(kinds, [row for part in parts for row in part])


def _set_operation(rel: SetOp, below: Sequence[Result]) -> Result:
    """ALL counts copies: EXCEPT keeps as many as are left over, INTERSECT as many as both have."""
    kinds, (left, right) = _aligned(below)
    theirs = ZSet.of_rows(right)
    if not rel.all:
        wanted = rel.kind == "intersect"
        return Result(kinds, [row for row in _distinct(left) if (theirs.weight(row) > 0) == wanted])
    rows: list[Row] = []
    for row, copies in ZSet.of_rows(left):
        common_copies = min(copies, theirs.weight(row))
        rows += [row] * (common_copies if rel.kind == "intersect" else copies - common_copies)
    return Result(kinds, rows)


# --- order ---


def _topk(rel: TopK, source: Result, scope: EvalScope) -> Result:
    order = [(k, compile_scalar(k.expr, scope).run) for k in rel.order]
    rows = sort_rows(source.rows, order)[rel.offset :]
    return Result(source.types, rows if rel.limit is None else rows[: rel.limit])


def _window(rel: Window, source: Result, scope: EvalScope) -> Result:
    by = [p.run for p in compile_all(rel.partition, scope)]
    order = [(k, compile_scalar(k.expr, scope).run) for k in rel.order]
    calls = [compile_window(c, scope) for c in rel.calls]
    rows: list[Row] = []
    for members in partitions(source.rows, lambda row: row_key(run(row) for run in by)):
        partition = Partition(sort_rows(members, order), order)
        computed = [c.run(partition) for c in calls]
        rows += [(*row, *values) for row, *values in zip(partition.rows, *computed, strict=True)]
    return Result((*source.types, *(c.type for c in calls)), rows)


def _unnest(rel: Unnest, source: Result, scope: EvalScope) -> Result:
    generator = compile_generator(rel, scope)
    nothing = ((None,) * rel.arity,) if rel.outer or rel.generator.endswith("_outer") else ()
    rows = [(*row, *made) for row in source.rows for made in (generator.run(row) or nothing)]
    return Result((*source.types, *generator.types), rows)
