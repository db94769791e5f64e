"""A change of scalars, applied to all those of one node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from tidewheel.ir.parts import AggCall, SortKey, WindowCall
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
from tidewheel.ir.scalar import Lit, Scalar
from tidewheel.ir.tree import scalars_of
from tidewheel.ir.typing import types_of
from tidewheel.types import DataType

Change: TypeAlias = Callable[[Scalar, Sequence[DataType]], Scalar]
C = TypeVar("C", AggCall, WindowCall)


def with_scalars(rel: Rel, change: Change, concerns: Callable[[Scalar], bool]) -> Rel:
    """The node with each scalar changed that the change concerns at first sight.

    `change` is given the types of the columns that the scalar reads. What rows are grouped, ordered or
    joined by never becomes a constant: GROUP BY 1 means something else in SQL.
    """
    if not any(map(concerns, scalars_of(rel))):
        return rel
    match rel:
        case Scan() | Distinct() | Union() | SetOp() | Opaque():
            return rel
        case Values():
            new: Rel = replace(rel, rows=tuple(tuple(change(s, ()) for s in row) for row in rel.rows))
        case Join():
            left, right = types_of(rel.left), types_of(rel.right)
            keys = tuple(
                replace(k, left=_key(k.left, change, left), right=_key(k.right, change, right)) for k in rel.keys
            )
            new = replace(rel, keys=keys, residual=change(rel.residual, (*left, *right)))
        case Filter():
            new = replace(rel, predicate=change(rel.predicate, types_of(rel.input)))
        case Project():
            types = types_of(rel.input)
            new = replace(rel, exprs=tuple(change(e, types) for e in rel.exprs))
        case Aggregate():
            types = types_of(rel.input)
            calls = tuple(replace(_call(c, change, types), order=_order(c.order, change, types)) for c in rel.calls)
            new = replace(rel, keys=_keys(rel.keys, change, types), calls=calls)
        case Window():
            types = types_of(rel.input)
            new = replace(
                rel,
                partition=_keys(rel.partition, change, types),
                order=_order(rel.order, change, types),
                calls=tuple(_call(c, change, types) for c in rel.calls),
            )
        case TopK():
            new = replace(rel, order=_order(rel.order, change, types_of(rel.input)))
        case Unnest():
            types = types_of(rel.input)
            new = replace(rel, args=tuple(change(a, types) for a in rel.args))
    return rel if new.digest == rel.digest else new


def _key(scalar: Scalar, change: Change, types: Sequence[DataType]) -> Scalar:
    changed = change(scalar, types)
    return scalar if isinstance(changed, Lit) else changed


def _keys(scalars: Sequence[Scalar], change: Change, types: Sequence[DataType]) -> tuple[Scalar, ...]:
    return tuple(_key(s, change, types) for s in scalars)


def _order(order: Sequence[SortKey], change: Change, types: Sequence[DataType]) -> tuple[SortKey, ...]:
    return tuple(replace(k, expr=_key(k.expr, change, types)) for k in order)


def _call(call: C, change: Change, types: Sequence[DataType]) -> C:
    args = tuple(change(a, types) for a in call.args)
    return replace(call, args=args, where=None if call.where is None else change(call.where, types))
