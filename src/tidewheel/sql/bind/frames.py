"""Frames of windows, and the arguments of window functions, that Spark refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from tidewheel.ir.coercion import interval_units, is_numeric
from tidewheel.ir.parts import AggCall
from tidewheel.ir.refusals import is_plain
from tidewheel.ir.scalar import Lit, Scalar, columns
from tidewheel.sql.bind.context import Context
from tidewheel.sql.bind.text import SqlText
from tidewheel.types import DATE, TIMESTAMP, TIMESTAMP_NTZ, VOID, DataType

_OFFSETS: Final = frozenset({"lag", "lead"})
_RANKS: Final = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "ntile"})
_UP_TO_HERE: Final = ("UNBOUNDED", "PRECEDING", "CURRENT ROW", None)


def check_frame(exprs: Context, name: str, spec: exp.Expr, order: Sequence[DataType]) -> None:
    """The frame of one call, over an order of these types."""
    unit = str(spec.args.get("kind") or "").upper()
    start, start_side = spec.args.get("start"), spec.args.get("start_side")
    end, end_side = spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side")
    problem = _own_frame(name, unit, (start, start_side, end, end_side))
    if (start, start_side) == ("UNBOUNDED", "FOLLOWING") or (end, end_side) == ("UNBOUNDED", "PRECEDING"):
        problem = "the frame ends before it begins"
    bounds = [(b, s) for b, s in ((start, start_side), (end, end_side)) if isinstance(b, exp.Expr)]
    if unit == "RANGE":
        unbounded = (start, end) == ("UNBOUNDED", "UNBOUNDED")
        if not order and not unbounded:
            problem = "a RANGE frame needs an ORDER BY"
        elif bounds:
            problem = problem or _ranged(exprs, order, bounds)
    elif unit == "ROWS":
        problem = problem or _counted(exprs, bounds)
    if problem is not None:
        raise exprs.text.error(problem, spec, code="bad-frame")


def _own_frame(name: str, unit: str, frame: tuple[object, ...]) -> str | None:
    """Functions that have a frame of their own take no other."""
    if name in _OFFSETS:
        return f"{name}() takes no frame"
    rows = unit == "ROWS" and frame[0:3:2] == _UP_TO_HERE[0:3:2]
    ranged = unit == "RANGE" and frame[0:3:2] == _UP_TO_HERE[0:3:2]
    if (name in _RANKS and not rows) or (name == "cume_dist" and not ranged):
        return f"{name}() takes no such frame"
    return None


def _ranged(exprs: Context, order: Sequence[DataType], bounds: Sequence[tuple[exp.Expr, object]]) -> str | None:
    """A RANGE with distances: one order, of a number or a time."""
    if len(order) > 1:
        return "a RANGE frame with distances needs an ORDER BY of one expression"
    kind = order[0]
    if not is_plain(kind) or kind in {VOID, DATE} or is_numeric(kind) or interval_units(kind):
        return None
    whole = any(
        isinstance(value, Lit) and value.kind in {"tinyint", "smallint", "int", "bigint"}
        for value in (exprs.bind(b) for b, _ in bounds)
    )
    if kind in {TIMESTAMP, TIMESTAMP_NTZ}:
        return "over timestamps, the distances of a RANGE frame are intervals" if whole else None
    return "a RANGE frame with distances needs an ORDER BY of a number or a time"


def _counted(exprs: Context, bounds: Sequence[tuple[exp.Expr, object]]) -> str | None:
    """ROWS with numbers of rows: integers, the first not after the second."""
    places = []
    for bound, side in bounds:
        value = exprs.bind(bound)
        if isinstance(value, Lit) and value.kind in {"bigint", "decimal", "double", "float", "string", "date"}:
            return "a ROWS frame counts rows with an INT"
        if isinstance(value, Lit) and value.kind == "int":
            places.append(int(value.value) * (-1 if side == "PRECEDING" else 1))
    return "the frame ends before it begins" if len(places) == 2 and places[0] > places[1] else None


def check_window_arguments(text: SqlText, call: AggCall, node: exp.Expr) -> None:
    """Arguments of window functions that must be constants, and in range."""
    problem = None
    match call.name, call.args:
        case "ntile", (buckets,):
            problem = _positive(buckets)
            if isinstance(buckets, Lit) and buckets.kind in {"bigint", "string", "decimal", "double"}:
                problem = "must be an INT"
        case "nth_value", (_, place, *_):
            problem = _positive(place)
        case "lag" | "lead", (_, offset, *rest):
            if columns(offset) or (isinstance(offset, Lit) and offset.kind == "bigint"):
                problem = "must be a constant INT"
            elif len(rest) == 2 and isinstance(rest[1], Lit) and rest[1].kind != "boolean":
                problem = "has true or false as its last argument"
    if problem is not None:
        raise text.error(f"the number of {call.name}() {problem}", node, code="wrong-arguments")


def _positive(value: Scalar) -> str | None:
    if columns(value):
        return "must be a constant"
    too_small = isinstance(value, Lit) and value.kind in {"int", "bigint"} and int(value.value) < 1
    return "must be at least 1" if too_small else None
