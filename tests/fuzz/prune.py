"""Plans with fewer columns: what a shrunk case no longer needs is taken out everywhere below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

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
from tidewheel.ir.scalar import Col, Scalar, columns, remap
from tidewheel.ir.tree import with_inputs


def prune(rel: Rel, keep: Sequence[int]) -> Rel:
    """A plan that gives just these columns of another, in this order, and reads no more than it must."""
    keep = list(keep)
    match rel:
        case Scan():
            if not keep:
                return _chosen(rel, keep)
            keys = [k for k in rel.keys if set(k) <= set(keep)]
            moved = tuple(tuple(keep.index(i) for i in k) for k in keys)
            if len(set(keep)) < len(keep):
                return _chosen(rel, keep)
            return Scan(relation=rel.relation, columns=tuple(rel.columns[i] for i in keep), keys=moved)
        case Values():
            return Values(rows=tuple(tuple(row[i] for i in keep) for row in rel.rows), arity=len(keep))
        case Project():
            exprs = [rel.exprs[i] for i in keep]
            below, need = _needed(rel.input, _reads(exprs))
            return Project(input=below, exprs=tuple(_moved(e, need) for e in exprs))
        case Filter():
            below, need = _needed(rel.input, {*keep, *columns(rel.predicate)})
            return _chosen(Filter(input=below, predicate=_moved(rel.predicate, need)), [need.index(i) for i in keep])
        case Union():
            return Union(parts=tuple(prune(p, keep) for p in rel.parts)) if keep else _chosen(rel, keep)
        case Join():
            return _join(rel, keep)
        case Aggregate():
            return _aggregate(rel, keep)
        case Window():
            return _window(rel, keep)
        case TopK():
            return _topk(rel, keep)
        case Unnest():
            return _unnest(rel, keep)
        case Distinct() | SetOp():
            whole = [prune(i, range(i.width)) for i in rel.inputs]
            return _chosen(with_inputs(rel, whole), keep)
        case Opaque():
            return _chosen(rel, keep)
    assert_never(rel)


def _reads(scalars: Iterable[Scalar]) -> set[int]:
    return {i for s in scalars for i in columns(s)}


def _needed(rel: Rel, need: Iterable[int]) -> tuple[Rel, list[int]]:
    """The input with just these columns; one at least, since few engines know rows of none."""
    chosen = sorted(set(need)) or [0]
    return prune(rel, chosen), chosen


def _moved(scalar: Scalar, need: Sequence[int]) -> Scalar:
    return remap(scalar, list(need).index)


def _chosen(rel: Rel, keep: Sequence[int]) -> Rel:
    return rel if list(keep) == list(range(rel.width)) else Project(input=rel, exprs=tuple(Col(i) for i in keep))


def _join(rel: Join, keep: Sequence[int]) -> Rel:
    width = rel.left.width
    used = {*keep, *columns(rel.residual)}
    left, need_left = _needed(rel.left, {i for i in used if i < width} | _reads(k.left for k in rel.keys))
    right, need_right = _needed(rel.right, {i - width for i in used if i >= width} | _reads(k.right for k in rel.keys))
    both = [*need_left, *(i + width for i in need_right)]
    keys = tuple(replace(k, left=_moved(k.left, need_left), right=_moved(k.right, need_right)) for k in rel.keys)
    joined = Join(kind=rel.kind, left=left, right=right, keys=keys, residual=_moved(rel.residual, both))
    return _chosen(joined, [both.index(i) for i in keep])


def _aggregate(rel: Aggregate, keep: Sequence[int]) -> Rel:
    before = len(rel.keys) + (rel.sets is not None)
    kept = [i for i in range(len(rel.calls)) if before + i in keep]
    calls = [rel.calls[i] for i in kept] or ([] if rel.keys else list(rel.calls[:1]))
    below, need = _needed(rel.input, _reads([*rel.keys, *(s for c in calls for s in c.scalars)]))
    moved = tuple(
        replace(
            c,
            args=tuple(_moved(a, need) for a in c.args),
            where=None if c.where is None else _moved(c.where, need),
            order=tuple(replace(k, expr=_moved(k.expr, need)) for k in c.order),
        )
        for c in calls
    )
    grouped = Aggregate(input=below, keys=tuple(_moved(k, need) for k in rel.keys), calls=moved, sets=rel.sets)
    return _chosen(grouped, [i if i < before else before + kept.index(i - before) for i in keep])


def _window(rel: Window, keep: Sequence[int]) -> Rel:
    width = rel.input.width
    kept = [i for i in range(len(rel.calls)) if width + i in keep]
    if not kept:
        return prune(rel.input, keep)
    calls = [rel.calls[i] for i in kept]
    order = [k for k in rel.order if columns(k.expr) <= {*keep} | _reads(rel.partition)] or list(rel.order)
    scalars = [*rel.partition, *(k.expr for k in order), *(s for c in calls for s in c.scalars)]
    below, need = _needed(rel.input, {i for i in keep if i < width} | _reads(scalars))
    named = {k.expr.text for k in order}
    order += [k for k in rel.order if columns(k.expr) <= {*need} and k.expr.text not in named]
    moved = tuple(
        replace(
            c,
            args=tuple(_moved(a, need) for a in c.args),
            where=None if c.where is None else _moved(c.where, need),
        )
        for c in calls
    )
    new = Window(
        input=below,
        partition=tuple(_moved(p, need) for p in rel.partition),
        order=tuple(replace(k, expr=_moved(k.expr, need)) for k in order),
        calls=moved,
    )
    return _chosen(new, [need.index(i) if i < width else len(need) + kept.index(i - width) for i in keep])


def _topk(rel: TopK, keep: Sequence[int]) -> Rel:
    order = [k for k in rel.order if columns(k.expr) <= {*keep}] or list(rel.order[:1])
    below, need = _needed(rel.input, {*keep, *_reads(k.expr for k in order)})
    named = {k.expr.text for k in order}
    order += [k for k in rel.order if columns(k.expr) <= {*need} and k.expr.text not in named]
    moved = tuple(replace(k, expr=_moved(k.expr, need)) for k in order)
    new = TopK(input=below, order=moved, limit=rel.limit, offset=rel.offset)
    return _chosen(new, [need.index(i) for i in keep])


def _unnest(rel: Unnest, keep: Sequence[int]) -> Rel:
    width = rel.input.width
    below, need = _needed(rel.input, {i for i in keep if i < width} | _reads(rel.args))
    args = tuple(_moved(a, need) for a in rel.args)
    new = Unnest(input=below, generator=rel.generator, args=args, arity=rel.arity, outer=rel.outer)
    return _chosen(new, [need.index(i) if i < width else len(need) + i - width for i in keep])
