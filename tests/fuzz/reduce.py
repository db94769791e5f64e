"""Smaller nodes in place of one: its inputs, fewer parts, simpler expressions. Types are checked by the caller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

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
from tidewheel.ir.scalar import FALSE, NULL, TRUE, Call, Cast, Col, Lit, Scalar, children, rebuild, substitute
from tidewheel.ir.typing import type_of, types_of
from tidewheel.types import DataType, to_sql

T = TypeVar("T")


def smaller_nodes(node: Rel) -> Iterator[Rel]:
    """Candidates, the boldest first."""
    yield from _inputs(node)
    yield from _fewer_parts(node)
    yield from _simpler_scalars(node)


def _inputs(node: Rel) -> Iterator[Rel]:
    """An input instead, its columns brought to the types of the node's."""
    kinds = types_of(node)
    for below in node.inputs:
        if types_of(below) == kinds:
            yield below
        elif not isinstance(node, Project) or not isinstance(below, Project):
            yield Project(input=below, exprs=tuple(_fitting(types_of(below), kind, i) for i, kind in enumerate(kinds)))
    if isinstance(node, Project) and isinstance(node.input, Project):
        yield Project(input=node.input.input, exprs=tuple(substitute(e, node.input.exprs) for e in node.exprs))
    if node.inputs:
        yield Values(rows=(tuple(Cast(NULL, to_sql(k)) for k in kinds),), arity=len(kinds))


def _fitting(have: Sequence[DataType], kind: DataType, near: int) -> Scalar:
    places = [i for i, found in enumerate(have) if found == kind]
    return Col(min(places, key=lambda i: abs(i - near))) if places else Cast(NULL, to_sql(kind))


def _without(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """The items with one of them left out."""
    for i in range(len(items)):
        yield (*items[:i], *items[i + 1 :])


def _fewer_parts(node: Rel) -> Iterator[Rel]:
    match node:
        case Values():
            yield from (replace(node, rows=rows) for rows in _without(node.rows))
        case Join():
            yield from (replace(node, keys=keys) for keys in _without(node.keys))
            yield from (replace(node, residual=TRUE) for _ in range(node.residual != TRUE))
            yield from (replace(node, kind="inner") for _ in range(node.kind in {"left", "full"}))
            yield from (replace(node, kind="left") for _ in range(node.kind == "full"))
            yield from (replace(node, kind="semi") for _ in range(node.kind == "anti" and _plain(node)))
        case Aggregate():
            yield from _fewer_groups(node)
        case Union():
            yield from (replace(node, parts=parts) for parts in _without(node.parts) if parts)
        case Window():
            yield from (replace(node, partition=keys) for keys in _without(node.partition))
            yield from (replace(node, order=keys) for keys in _without(node.order))
            for i, call in enumerate(node.calls):
                simpler = [
                    replace(call, where=None),
                    replace(call, ignore_nulls=False),
                    replace(call, args=call.args[:1]),
                ]
                yield from (replace(node, calls=_set(node.calls, i, c)) for c in simpler if c != call)
        case TopK():
            yield from (replace(node, offset=0) for _ in range(node.offset > 0))
            yield from (replace(node, order=keys) for keys in _without(node.order))
            yield from (replace(node, limit=n) for n in (None, 0, 1) if n != node.limit)
        case Unnest():
            yield from (replace(node, outer=False) for _ in range(node.outer))
        case SetOp():
            yield from (replace(node, all=False) for _ in range(node.all))
        case Scan():
            yield from (replace(node, keys=()) for _ in range(bool(node.keys)))
        case Filter() | Project() | Distinct() | Opaque():
            pass


def _plain(join: Join) -> bool:
    return all(k.kind != "in" for k in join.keys)


def _fewer_groups(node: Aggregate) -> Iterator[Rel]:
    if node.sets is not None:
        yield from (replace(node, sets=sets) for sets in _without(node.sets) if sets)
    for i, call in enumerate(node.calls):
        simpler = [replace(call, distinct=False), replace(call, where=None), replace(call, args=call.args[:1])]
        simpler += [AggCall(name="count")]
        yield from (replace(node, calls=_set(node.calls, i, c)) for c in simpler if c != call)


def _set(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at + 1 :])


# --- scalars ---


def _simpler_scalars(node: Rel) -> Iterator[Rel]:
    inputs = [k for i in node.inputs for k in types_of(i)]
    match node:
        case Filter():
            yield from (replace(node, predicate=p) for p in simpler(node.predicate, inputs))
        case Project():
            for i, e in enumerate(node.exprs):
                yield from (replace(node, exprs=_set(node.exprs, i, s)) for s in simpler(e, inputs))
        case Values():
            for i, row in enumerate(node.rows):
                for j, cell in enumerate(row):
                    yield from (replace(node, rows=_set(node.rows, i, _set(row, j, s))) for s in simpler(cell, []))
        case Join():
            yield from (replace(node, residual=p) for p in simpler(node.residual, inputs))
            left, right = types_of(node.left), types_of(node.right)
            for i, key in enumerate(node.keys):
                keys = [replace(key, left=s) for s in simpler(key.left, left)]
                keys += [replace(key, right=s) for s in simpler(key.right, right)]
                yield from (replace(node, keys=_set(node.keys, i, k)) for k in keys)
        case Aggregate():
            for i, e in enumerate(node.keys):
                yield from (replace(node, keys=_set(node.keys, i, s)) for s in simpler(e, inputs))
            for i, call in enumerate(node.calls):
                yield from (replace(node, calls=_set(node.calls, i, c)) for c in _simpler_call(call, inputs))
        case Window():
            for i, e in enumerate(node.partition):
                yield from (replace(node, partition=_set(node.partition, i, s)) for s in simpler(e, inputs))
            yield from (replace(node, order=order) for order in _simpler_order(node.order, inputs))
            for i, window_call in enumerate(node.calls):
                yield from (replace(node, calls=_set(node.calls, i, c)) for c in _simpler_call(window_call, inputs))
        case TopK():
            yield from (replace(node, order=order) for order in _simpler_order(node.order, inputs))
        case Unnest():
            for i, e in enumerate(node.args):
                yield from (replace(node, args=_set(node.args, i, s)) for s in simpler(e, inputs))
        case Scan() | Distinct() | Union() | SetOp() | Opaque():
            pass


AnyCall = TypeVar("AnyCall", AggCall, WindowCall)


def _simpler_call(call: AnyCall, inputs: Sequence[DataType]) -> Iterator[AnyCall]:
    for i, arg in enumerate(call.args):
        yield from (replace(call, args=_set(call.args, i, s)) for s in simpler(arg, inputs))
    if call.where is not None:
        yield from (replace(call, where=s) for s in simpler(call.where, inputs))


def _simpler_order(order: tuple[SortKey, ...], inputs: Sequence[DataType]) -> Iterator[tuple[SortKey, ...]]:
    for i, key in enumerate(order):
        if key.descending or not key.nulls_first:
            yield _set(order, i, SortKey(expr=key.expr))
        yield from (_set(order, i, replace(key, expr=s)) for s in simpler(key.expr, inputs))


def simpler(scalar: Scalar, inputs: Sequence[DataType]) -> Iterator[Scalar]:
    """The scalar with one of its parts replaced by something shorter of the same type."""
    kind = type_of(scalar, inputs)
    for found in _replacements(scalar, kind, inputs):
        if len(found.text) < len(scalar.text) and type_of(found, inputs) == kind:
            yield found
    below = children(scalar)
    for i, part in enumerate(below):
        for found in simpler(part, inputs):
            yield rebuild(scalar, [*below[:i], found, *below[i + 1 :]])
    if isinstance(scalar, Call) and len(below) > 1:
        for args in _without(below):
            try:
                fewer = Call(scalar.name, args)
            except ValueError:
                continue
            if type_of(fewer, inputs) == kind:
                yield fewer


def _replacements(scalar: Scalar, kind: DataType, inputs: Sequence[DataType]) -> Iterator[Scalar]:
    if isinstance(scalar, Col | Lit):
        return
    yield from children(scalar)
    yield from (Col(i) for i, k in enumerate(inputs) if k == kind)
    yield from (TRUE, FALSE, Lit("int", "1"), Lit("string", "a"), Lit("bigint", "1"), Cast(NULL, to_sql(kind)))
