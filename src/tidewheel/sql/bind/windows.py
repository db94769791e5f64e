"""OVER clauses."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tidewheel.errors import did_you_mean
from tidewheel.ir.functions import AGGREGATES, WINDOW_FUNCTIONS
from tidewheel.ir.parts import Frame
from tidewheel.ir.scalar import NULL, Call, Lit, Scalar
from tidewheel.sql.bind.aggregates import aggregate_call
from tidewheel.sql.bind.context import Context
from tidewheel.sql.bind.found import Bounds, WindowSpec
from tidewheel.sql.bind.frames import check_frame, check_window_arguments
from tidewheel.sql.bind.orders import sort_key
from tidewheel.sql.bind.scope import WINDOW, placeholder
from tidewheel.sql.bind.text import NotBoundError

UNBOUNDED: Final = ("rows", None, None)
OWN_FRAME: Final = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"})
"""Functions whose frame is part of what they are."""
KEEPS_TIES: Final = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
ORDERED: Final = frozenset(
    {"row_number", "ntile", "lag", "lead", "first", "last", "first_value", "last_value", "nth_value", "any_value"}
)


def window(exprs: Context, node: exp.Expr) -> Scalar:
    spec = _spec(exprs, node)
    for number, known in enumerate(exprs.found.windows):
        if _same_window(known, spec):
            return placeholder(WINDOW, number)
    exprs.found.windows.append(spec)
    return placeholder(WINDOW, len(exprs.found.windows) - 1)


def _same_window(a: WindowSpec, b: WindowSpec) -> bool:
    return all(
        getattr(a, name) == getattr(b, name)
        for name in ("name", "args", "where", "ignore_nulls", "partition", "order", "frame")
    )


def _spec(exprs: Context, node: exp.Expr) -> WindowSpec:
    """A call with OVER; of a named window, with what the WINDOW clause says."""
    if not exprs.windows:
        raise exprs.text.error(
            f"a window function cannot stand in {exprs.clause}",
            node,
            code="misplaced-window",
            hint="Compute it in a subquery and filter outside.",
        )
    if exprs.inside == "over":
        raise NotBoundError("nested-window", "a window function over another one")
    if exprs.inside is not None:
        raise exprs.text.error("a window function stands inside another function", node, code="misplaced-window")
    name, args, where, ignore_nulls = _call(exprs, node.this)
    over = _over(exprs, node)
    exprs.inside = "over"
    partition = tuple(exprs.bind(p) for p in over.args.get("partition_by") or ())
    ordered = over.args.get("order")
    order = tuple(sort_key(exprs, o) for o in ordered.expressions) if ordered is not None else ()
    exprs.inside = None
    for part, value in zip(over.args.get("partition_by") or (), partition, strict=True):
        exprs.checks.orderable(value, part, "PARTITION BY")
    frame = _frame(exprs, over.args.get("spec"), name, bool(order))
    if (spec := over.args.get("spec")) is not None:
        check_frame(exprs, name, spec, [exprs.checks.visit(k.expr, over) for k in order])
    if name in WINDOW_FUNCTIONS and not order and name in OWN_FRAME:
        raise exprs.text.error(
            f"{name}() needs an ORDER BY in its OVER clause", node, code="window-order", hint="Add ORDER BY."
        )
    return WindowSpec(
        name=name, args=args, where=where, ignore_nulls=ignore_nulls, partition=partition, order=order, frame=frame,
        node=over,
    )  # fmt: skip


def _over(exprs: Context, node: exp.Expr) -> exp.Expr:
    alias = node.args.get("alias")
    if alias is None:
        return node
    named = exprs.named_windows.get(alias.name.lower())
    if named is None:
        raise exprs.text.error(
            f'window "{alias.name}" is not defined',
            alias,
            code="unknown-window",
            hint=did_you_mean(alias.name, list(exprs.named_windows)),
        )
    return named


def _call(exprs: Context, inner: exp.Expr) -> tuple[str, tuple[Scalar, ...], Scalar | None, bool]:
    where: exp.Expr | None = None
    ignore_nulls = False
    while not isinstance(inner, (exp.Anonymous, exp.Any)):
        match inner:
            case exp.Filter():
                where = inner.expression.this
            case exp.IgnoreNulls():
                ignore_nulls = True
            case exp.RespectNulls():
                pass
            case _:
                raise NotBoundError("unknown-expression", f"{inner.key.upper()} with OVER")
        inner = inner.this
    name = str(inner.this).lower() if isinstance(inner, exp.Anonymous) else "any"
    if name not in AGGREGATES and name not in WINDOW_FUNCTIONS:
        raise exprs.text.error(f"{name}() is not a window function", inner, code="misplaced-window")
    args = inner.expressions if isinstance(inner, exp.Anonymous) else [inner.this.unnest()]
    exprs.inside = "over"
    call = aggregate_call(exprs, name, args, inner, where=where, order=(), ignore_nulls=ignore_nulls)
    check_window_arguments(exprs.text, call, inner)
    exprs.inside = None
    if call.distinct:
        raise exprs.text.error("a window function cannot be DISTINCT", inner, code="misplaced-window")
    return name, _without_defaults(name, call.args), call.where, call.ignore_nulls


def _without_defaults(name: str, args: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """lag(x, 1, NULL) is lag(x)."""
    if name not in {"lag", "lead"}:
        return args
    defaults = (Lit("int", "1"), NULL)
    while len(args) > 1 and len(args) <= 3 and args[-1] == defaults[len(args) - 2]:
        args = args[:-1]
    return args


def _frame(exprs: Context, spec: exp.Expr | None, name: str, ordered: bool) -> Bounds | None:
    if name in OWN_FRAME:
        return None
    if spec is None:
        return ("range", None, Lit("int", "0")) if ordered else UNBOUNDED
    unit = str(spec.args.get("kind") or "").lower()
    if unit not in {"rows", "range"} or spec.args.get("exclude"):
        raise exprs.text.error("a frame must be of ROWS or RANGE, without EXCLUDE", spec, code="sql-syntax")
    start = _bound(exprs, spec.args.get("start"), spec.args.get("start_side"))
    end = _bound(exprs, spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"))
    if (start, end) == (None, None) or (unit == "range" and not ordered):
        return UNBOUNDED
    return (unit, start, end)


def _bound(exprs: Context, bound: object, side: object) -> Lit | None:
    if bound == "UNBOUNDED":
        return None
    if bound == "CURRENT ROW":
        return Lit("int", "0")
    if not isinstance(bound, exp.Expr):
        raise NotBoundError("window-frame", f"the bound {bound}")
    value = exprs.bind(bound)
    if isinstance(value, Call) and value.name == "negative":
        value = value.args[0]
        side = "FOLLOWING" if side == "PRECEDING" else "PRECEDING"
    if not isinstance(value, Lit):
        raise NotBoundError("window-frame", "a bound that is not constant")
    if side == "FOLLOWING" or value.value == "0":
        return value
    if value.kind == "interval":
        quantity, unit = value.value[1:].split("'", 1)
        return Lit("interval", f"'{_negated(quantity)}'{unit}")
    return Lit(value.kind, _negated(value.value))


def _negated(number: str) -> str:
    return number[1:] if number.startswith("-") else f"-{number}"


def to_frame(frame: Bounds | None) -> Frame | None:
    if frame is None:
        return None
    return Frame(unit="rows" if frame[0] == "rows" else "range", start=frame[1], end=frame[2])


def depends_on_ties(spec: WindowSpec) -> bool:
    """Whether rows that are equal in the order may be told apart by what the function gives."""
    if spec.name in KEEPS_TIES or (spec.frame == UNBOUNDED and spec.name not in ORDERED):
        return False
    return spec.name in ORDERED or (spec.frame is not None and spec.frame[0] == "rows")
