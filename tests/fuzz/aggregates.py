"""Random calls of aggregate and window functions whose results do not depend on the order of equal rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tests.fuzz.kinds import BIG, BOOLEAN, DATE, DOUBLE, INT, INTEGERS, Info, common, info_of, limit
from tests.fuzz.scalars import Expr, Scalars
from tidewheel.ir.parts import AggCall, Frame, SortKey, WindowCall
from tidewheel.ir.scalar import Lit, Scalar
from tidewheel.types import Decimal

_RANKS: Final = ("rank", "dense_rank", "percent_rank", "cume_dist")
_POSITIONS: Final = ("row_number", "lag", "lead", "ntile", "first_value", "last_value", "nth_value")
CURRENT: Final = Lit("int", "0")


def aggregate_call(rng: random.Random, scalars: Scalars, rows: int) -> tuple[AggCall, Info]:
    """One aggregate over at most so many rows."""
    call, info = _call(rng, scalars, rows)
    where = scalars.predicate(1).scalar if rng.random() < 0.15 else None
    return replace(call, where=where), info


def _call(rng: random.Random, scalars: Scalars, rows: int) -> tuple[AggCall, Info]:
    name = rng.choice(("count", "count", "sum", "sum", "sum", "avg", "min", "max", "min", "max", "bool", "count_if"))
    distinct = rng.random() < 0.15
    counted = Info(BIG, bound=float(rows))
    match name:
        case "count":
            if rng.random() < 0.5:
                return AggCall(name="count"), counted
            more = rng.random() < 0.1
            args = (scalars.any(1).scalar, *([scalars.any(0).scalar] if more else []))
            return AggCall(name="count", args=args, distinct=distinct), counted
        case "sum" | "avg":
            found = summable(rng, scalars, rows)
            if found is not None:
                arg, info = (found, sum_info(found, rows)) if name == "sum" else (found, avg_info(found))
                return AggCall(name=name, args=(arg.scalar,), distinct=distinct), info
        case "bool":
            arg = scalars.of(BOOLEAN, 1)
            return AggCall(name=rng.choice(("bool_and", "bool_or", "every")), args=(arg.scalar,)), Info(BOOLEAN)
        case "count_if":
            return AggCall(name="count_if", args=(scalars.of(BOOLEAN, 1).scalar,)), counted
    arg = scalars.any(1)
    return AggCall(name=rng.choice(("min", "max")), args=(arg.scalar,), distinct=distinct), arg.info


def summable(rng: random.Random, scalars: Scalars, rows: int) -> Expr | None:
    """A number whose sum is exact, whatever the order, and does not overflow."""
    for _ in range(4):
        found = scalars.number(rng.choice((0, 0, 1)))
        if found.info.exact and found.info.bound * rows < min(limit(BIG), limit(sum_info(found, rows).type)) / 4:
            return found
    return None


def sum_info(arg: Expr, rows: int) -> Info:
    bound = arg.info.bound * max(rows, 1)
    match arg.type:
        case Decimal(precision, scale):
            return Info(Decimal(min(38, precision + 10), scale), bound=bound)
        case kind if kind in INTEGERS:
            return Info(BIG, bound=bound)
    return Info(DOUBLE, exact=bound < 1e9, bound=bound)


def avg_info(arg: Expr) -> Info:
    if isinstance(arg.type, Decimal):
        kind = Decimal(min(38, arg.type.precision + 4), min(38, arg.type.scale + 4))
        return Info(kind, bound=arg.info.bound)
    return Info(DOUBLE, exact=False, bound=arg.info.bound)


# --- windows ---


def window_call(
    rng: random.Random, scalars: Scalars, order: Sequence[SortKey], rows: int, *, total: bool
) -> tuple[WindowCall, Info]:
    """One call over a window whose order may be missing, partial or total."""
    choice = rng.random()
    if order and choice < 0.25:
        name = rng.choice(_RANKS)
        kind = Info(INT, bound=float(rows)) if name in {"rank", "dense_rank"} else Info(DOUBLE, exact=False, bound=1.0)
        return WindowCall(name=name), kind
    if total and choice < 0.6:
        return _positional(rng, scalars, rows)
    call, info = _call(rng, scalars, rows)
    while call.distinct or len(call.args) > 1:
        call, info = _call(rng, scalars, rows)
    where = scalars.predicate(1).scalar if rng.random() < 0.1 else None
    frame = _frame(rng, scalars, order, total=total)
    return WindowCall(name=call.name, args=call.args, frame=frame, where=where), info


def _positional(rng: random.Random, scalars: Scalars, rows: int) -> tuple[WindowCall, Info]:
    name = rng.choice(_POSITIONS)
    counted = Info(INT, bound=float(rows))
    if name == "row_number":
        return WindowCall(name=name), counted
    if name == "ntile":
        return WindowCall(name=name, args=(Lit("int", str(rng.choice((1, 2, 3)))),)), counted
    arg = scalars.any(1)
    args: tuple[Scalar, ...] = (arg.scalar,)
    ignore_nulls = rng.random() < 0.2
    if name in {"lag", "lead"}:
        args += (Lit("int", str(rng.choice((1, 1, 2)))),) if rng.random() < 0.5 else ()
        args += (scalars.of(arg.type, 0).scalar,) if len(args) > 1 and rng.random() < 0.4 else ()
        info = replace(arg.info, bound=max(arg.info.bound, info_of(arg.type).bound, *(_bounds(scalars, arg))))
        return WindowCall(name=name, args=args, ignore_nulls=ignore_nulls), info
    args += (Lit("int", str(rng.choice((1, 2)))),) if name == "nth_value" else ()
    return WindowCall(name=name, args=args, frame=_rows(rng), ignore_nulls=ignore_nulls), arg.info


def _bounds(scalars: Scalars, like: Expr) -> list[float]:
    return [c.info.bound for c in scalars.columns if common(c.type, like.type) is not None] or [0.0]


def _rows(rng: random.Random) -> Frame:
    """Some rows before and after the current one, never in the wrong order."""
    start = rng.choice((None, None, -2, -1, 0, 1))
    end = rng.choice((None, 0, 0, 1, 2) if start is None or start <= 0 else (None, 1, 2))
    return Frame(unit="rows", start=_bound(start), end=_bound(end))


def _bound(offset: int | None) -> Lit | None:
    return None if offset is None else Lit("int", str(offset))


def _frame(rng: random.Random, scalars: Scalars, order: Sequence[SortKey], *, total: bool) -> Frame:
    if not order:
        return Frame(unit="rows", start=None, end=None)
    if total and rng.random() < 0.5:
        return _rows(rng)
    if len(order) == 1 and rng.random() < 0.6 and _range_type(scalars, order[0]):
        start, end = rng.choice(((-1, 0), (-2, 2), (None, 1), (0, None), (0, 1), (1, 3), (-1, -1)))
        return Frame(unit="range", start=_bound(start), end=_bound(end))
    return Frame(unit="range", start=None, end=rng.choice((CURRENT, CURRENT, None)))


def _range_type(scalars: Scalars, key: SortKey) -> bool:
    """Can the key be moved by an INT: ranges by offset need that."""
    return any(c.scalar == key.expr and c.type in {INT, DATE} for c in scalars.columns)
