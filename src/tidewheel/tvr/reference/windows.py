"""Window functions: each row of a partition, in order, with the value of a function over the partition or a frame."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tidewheel.ir.aggregates import WINDOW_RULES
from tidewheel.ir.parts import Frame, SortKey, WindowCall
from tidewheel.ir.scalar import Lit
from tidewheel.tvr.reference.aggregates import compile_aggregate
from tidewheel.tvr.reference.compiler import EvalScope, Typed, compile_all, converted
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.functions.calendar import add_months
from tidewheel.tvr.reference.literals import literal
from tidewheel.tvr.reference.ordering import Compiled, place
from tidewheel.tvr.reference.values import Key, Months, Row, Value
from tidewheel.types import DOUBLE, INT, DataType


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows of one partition, sorted, with the order they were sorted by."""

    rows: Sequence[Row]
    order: Sequence[Compiled]

    def peers(self) -> list[int]:
        """For each row the number of its group of rows with equal sort keys, from 0."""
        keys = [tuple(place(run(row), sort) for sort, run in self.order) for row in self.rows]
        found: list[int] = []
        for i, k in enumerate(keys):
            found.append(0 if i == 0 else found[-1] + (k != keys[i - 1]))
        return found


Compute: TypeAlias = Callable[[Partition], list[Value]]


@dataclass(frozen=True, slots=True)
class WindowFunction:
    """The type of a call, and its values for the rows of a partition."""

    type: DataType
    run: Compute


def compile_window(call: WindowCall, scope: EvalScope) -> WindowFunction:
    if call.name in _RANKS:
        args = compile_all(call.args, scope)
        kind = DOUBLE if call.name in {"percent_rank", "cume_dist"} else INT
        return WindowFunction(kind, lambda partition: _RANKS[call.name](partition, args))
    if call.name in {"lag", "lead"}:
        return _offset(call, scope)
    if call.name == "nth_value":
        return _nth_value(call, scope)
    if call.name in WINDOW_RULES:
        raise Unsupported(f"the window function {call.name}")
    aggregate = compile_aggregate(call, scope)
    frame = call.frame

    def run(partition: Partition) -> list[Value]:
        return [aggregate.run(partition.rows[a:b]) for a, b in frames(partition, frame)]

    return WindowFunction(aggregate.type, run)


# --- by position ---


def _row_number(partition: Partition, _: list[Typed]) -> list[Value]:
    return [i + 1 for i in range(len(partition.rows))]


def _rank(partition: Partition, _: list[Typed]) -> list[Value]:
    peers = partition.peers()
    return [peers.index(p) + 1 for p in peers]


def _dense_rank(partition: Partition, _: list[Typed]) -> list[Value]:
    return [p + 1 for p in partition.peers()]


def _percent_rank(partition: Partition, args: list[Typed]) -> list[Value]:
    others = len(partition.rows) - 1
    return [(r - 1) / others if others else 0.0 for r in _rank(partition, args)]


def _cume_dist(partition: Partition, _: list[Typed]) -> list[Value]:
    peers = partition.peers()
    return [sum(q <= p for q in peers) / len(peers) for p in peers]


def _ntile(partition: Partition, args: list[Typed]) -> list[Value]:
    """Buckets whose sizes differ by at most one, the larger ones first."""
    buckets = args[0].run(())
    if buckets is None or buckets <= 0:
        raise EvaluationError("bad-argument", f"there are no {buckets} buckets")
    size, larger = divmod(len(partition.rows), buckets)
    edge = larger * (size + 1)
    return [i // (size + 1) + 1 if i < edge else (i - edge) // size + larger + 1 for i in range(len(partition.rows))]


_RANKS: Final[dict[str, Callable[[Partition, list[Typed]], list[Value]]]] = {
    "row_number": _row_number,
    "rank": _rank,
    "dense_rank": _dense_rank,
    "percent_rank": _percent_rank,
    "cume_dist": _cume_dist,
    "ntile": _ntile,
}


def _offset(call: WindowCall, scope: EvalScope) -> WindowFunction:
    """Lag and lead: the value so many rows before or after, of those not NULL if NULLs are ignored."""
    value, *rest = compile_all(call.args, scope)
    step = _constant(rest[0]) if rest else 1
    default = converted(rest[1], value.type) if len(rest) > 1 else Typed(value.type, lambda _: None)
    forward = step if call.name == "lead" else -step

    def run(partition: Partition) -> list[Value]:
        values = [value.run(row) for row in partition.rows]
        found = []
        for i, row in enumerate(partition.rows):
            at = _step_over_nulls(values, i, forward) if call.ignore_nulls else i + forward
            found.append(values[at] if 0 <= at < len(values) else default.run(row))
        return found

    return WindowFunction(value.type, run)


def _step_over_nulls(values: list[Value], start: int, step: int) -> int:
    """The position of the |step|-th value that is not NULL, in the direction of the step; -1 if there is none."""
    one, left, at = (1 if step > 0 else -1), abs(step), start
    if step == 0:
        return start
    while left and 0 <= at + one < len(values):
        at += one
        left -= values[at] is not None
    return at if left == 0 else -1


def _nth_value(call: WindowCall, scope: EvalScope) -> WindowFunction:
    value, number = compile_all(call.args, scope)
    n, frame = _constant(number), call.frame

    def run(partition: Partition) -> list[Value]:
        found = []
        for a, b in frames(partition, frame):
            values = [value.run(row) for row in partition.rows[a:b]]
            kept = [v for v in values if v is not None] if call.ignore_nulls else values
            found.append(kept[n - 1] if n <= len(kept) else None)
        return found

    return WindowFunction(value.type, run)


def _constant(typed: Typed) -> int:
    number = typed.run(())
    if not isinstance(number, int):
        raise EvaluationError("bad-argument", "a number of rows is an integer")
    return number


# --- frames ---


def frames(partition: Partition, frame: Frame | None) -> list[tuple[int, int]]:
    """For each row where its frame starts and where it ends, the end excluded.

    Without a frame it goes from the first row to the last peer, or is the whole partition if there is no order.
    """
    count = len(partition.rows)
    if frame is None:
        frame = Frame(unit="range", start=None, end=Lit("int", "0") if partition.order else None)
    if frame.unit == "rows":
        start, end = _bound(frame.start)[1], _bound(frame.end)[1]
        return [
            _clip(0 if frame.start is None else i + start, count if frame.end is None else i + end + 1, count)
            for i in range(count)
        ]
    return [_clip(*edges, count) for edges in _range(partition, frame)]


def _clip(start: int, end: int, count: int) -> tuple[int, int]:
    first = min(max(start, 0), count)
    return first, max(min(end, count), first)


def _bound(bound: Lit | None) -> tuple[DataType, Value]:
    return (INT, 0) if bound is None else literal(bound)


def _range(partition: Partition, frame: Frame) -> list[tuple[int, int]]:
    """By value: all rows whose sort key lies between the row's own key plus the offsets; peers are always together."""
    positions = [_position(partition.order, row) for row in partition.rows]
    found = []
    for row in partition.rows:
        low = None if frame.start is None else _moved(partition.order, row, frame.start)
        high = None if frame.end is None else _moved(partition.order, row, frame.end)
        start = 0 if low is None else sum(p < low for p in positions)
        end = len(positions) if high is None else sum(p <= high for p in positions)
        found.append((start, end))
    return found


class _Descending:
    """A key whose order is turned around."""

    __slots__ = ("key",)

    def __init__(self, wrapped: Key) -> None:
        self.key = wrapped

    def __lt__(self, other: _Descending) -> bool:
        return other.key < self.key

    def __le__(self, other: _Descending) -> bool:
        return other.key <= self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def _position(order: Sequence[Compiled], row: Row) -> tuple[Any, ...]:
    return tuple(_ordered(run(row), sort) for sort, run in order)


def _ordered(value: Value, sort: SortKey) -> Any:
    return _Descending(place(value, sort)) if sort.descending else place(value, sort)


def _moved(order: Sequence[Compiled], row: Row, bound: Lit) -> tuple[Any, ...]:
    """The position of the row's sort key moved by an offset; NULL stays NULL, among its peers."""
    _, offset = literal(bound)
    if offset in (0, dt.timedelta(0), Months(0)):
        return _position(order, row)
    ((sort, run),) = order
    value = run(row)
    return (_ordered(None if value is None else _plus(value, offset, descending=sort.descending), sort),)


def _plus(value: Any, offset: Any, *, descending: bool) -> Value:
    sign = -1 if descending else 1
    if isinstance(offset, Months):
        return add_months(value, sign * offset.count)
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime) and isinstance(offset, int):
        return value + dt.timedelta(days=sign * offset)
    if isinstance(value, float):
        return value + sign * float(offset)
    return value + sign * offset


def partitions(rows: Sequence[Row], by: Callable[[Row], Key]) -> list[list[Row]]:
    """Rows with equal keys together, in order of first appearance."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(by(row), []).append(row)
    return list(found.values())
