"""Rule of the whole plan: read and compute only what somebody uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tidewheel.ir.norm.guards import columns
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
from tidewheel.ir.scalar import Col, Lit, Scalar, remap
from tidewheel.ir.tree import nodes
from tidewheel.types import Decimal, Primitive

Kept = tuple[int, ...]
"""The positions of a node's columns that its replacement still has, in order."""


def prune_columns(rel: Rel) -> Iterator[Rel]:
    """Project(c1, x) = Project(c0, x'), where x' is x without the columns that nobody reads.

    Needs are collected from the top down, over all consumers of a shared part, so that it stays shared; then the plan
    is built anew from the bottom up. The result keeps all its columns, each node that had columns keeps at least one,
    and below Distinct, EXCEPT and INTERSECT everything is needed:

        SELECT count(*) FROM (SELECT DISTINCT a, b FROM t)   -- wrong without b: fewer distinct rows
    """
    order = list(nodes(rel))
    needs: dict[bytes, set[int]] = {node.digest: set() for node in order}
    needs[rel.digest] = set(range(rel.width))
    for node in reversed(order):
        for source, used in zip(node.inputs, _uses(node, needs[node.digest]), strict=True):
            needs[source.digest] |= used
    if not any(_is_wasteful(node, needs[node.digest]) for node in order):
        return
    built: dict[bytes, tuple[Rel, Kept]] = {}
    for node in order:
        below = [built[source.digest] for source in node.inputs]
        built[node.digest] = _build(node, needs[node.digest], below)
    new, _ = built[rel.digest]
    if new.digest != rel.digest:
        yield new


def _is_wasteful(rel: Rel, need: set[int]) -> bool:
    """Would fewer columns do: of a leaf or a projection, of what a node computes or of the parts of a union."""
    match rel:
        case Scan():
            return len(need or _narrowest(rel)) < rel.width
        case Values() | Union():
            return len(_at_least_one(rel.width, need)) < rel.width
        case Project():
            return len(_chosen(rel, need)) < rel.width
        case Aggregate():
            return len(_calls(rel, need)) < len(rel.calls)
        case Window():
            return len(_window_calls(rel, need)) < len(rel.calls)
        case Filter() | Join() | Distinct() | SetOp() | TopK() | Unnest() | Opaque():
            return False


# --- top down: which columns of its inputs a node uses, if these of its own are needed ---


def _uses(rel: Rel, need: set[int]) -> list[set[int]]:
    match rel:
        case Scan() | Values() | Opaque():
            return []
        case Filter():
            return [need | _read([rel.predicate])]
        case Project():
            return [_read([rel.exprs[i] for i in _chosen(rel, need)])]
        case Join():
            return _join_uses(rel, need)
        case Aggregate():
            calls = _calls(rel, need)
            return [_read([*rel.keys, *(s for c in calls for s in c.scalars)])]
        case Distinct() | SetOp():
            return [set(range(source.width)) for source in rel.inputs]
        case Union():
            return [set(_at_least_one(rel.width, need)) for _ in rel.parts]
        case Window():
            calls_used = _window_calls(rel, need)
            own = {i for i in need if i < rel.input.width}
            if not calls_used:
                return [own]
            order = [k.expr for k in rel.order]
            return [own | _read([*rel.partition, *order, *(s for c in calls_used for s in c.scalars)])]
        case TopK():
            return [need | _read([k.expr for k in rel.order])]
        case Unnest():
            return [{i for i in need if i < rel.input.width} | _read(rel.args)]


def _join_uses(rel: Join, need: set[int]) -> list[set[int]]:
    width = rel.left.width
    used = need | _read([rel.residual])
    left = {i for i in used if i < width} | _read([k.left for k in rel.keys])
    right = {i - width for i in used if i >= width} | _read([k.right for k in rel.keys])
    return [left, right]


def _read(scalars: Sequence[Scalar]) -> set[int]:
    return {i for scalar in scalars for i in columns(scalar)}


def _at_least_one(width: int, need: set[int]) -> Kept:
    return tuple(sorted(need)) or tuple(range(min(width, 1)))


def _chosen(rel: Project, need: set[int]) -> Kept:
    """The expressions that stay; of none, one that costs nothing."""
    if need or not rel.exprs:
        return tuple(sorted(need))
    simple = [i for i, expr in enumerate(rel.exprs) if isinstance(expr, (Col, Lit))]
    return (simple[0] if simple else 0,)


def _calls(rel: Aggregate, need: set[int]) -> list[AggCall]:
    first = rel.width - len(rel.calls)
    used = [call for i, call in enumerate(rel.calls, first) if i in need]
    return used or list(rel.calls[:1] if first == 0 else ())


def _window_calls(rel: Window, need: set[int]) -> list[WindowCall]:
    return [call for i, call in enumerate(rel.calls, rel.input.width) if i in need]


# --- bottom up: the node over its new inputs, and which of its columns there are ---


def _build(rel: Rel, need: set[int], below: list[tuple[Rel, Kept]]) -> tuple[Rel, Kept]:
    inputs, kept = [b[0] for b in below], [b[1] for b in below]
    match rel:
        case Opaque():
            return rel, tuple(range(rel.width))
        case Scan():
            return _scan(rel, need)
        case Values():
            chosen = _at_least_one(rel.width, need)
            return Values(rows=tuple(tuple(row[i] for i in chosen) for row in rel.rows), arity=len(chosen)), chosen
        case Filter():
            return replace(rel, input=inputs[0], predicate=_moved(rel.predicate, kept[0])), kept[0]
        case Project():
            chosen = _chosen(rel, need)
            return Project(input=inputs[0], exprs=tuple(_moved(rel.exprs[i], kept[0]) for i in chosen)), chosen
        case Join():
            return _join(rel, inputs, kept)
        case Aggregate():
            return _aggregate(rel, need, inputs[0], kept[0])
        case Distinct() | SetOp():
            exact = [_exactly(i, k, tuple(range(rel.width))) for i, k in zip(inputs, kept, strict=True)]
            new = Distinct(input=exact[0]) if isinstance(rel, Distinct) else replace(rel, left=exact[0], right=exact[1])
            return new, tuple(range(rel.width))
        case Union():
            chosen = _at_least_one(rel.width, need)
            return Union(parts=tuple(_exactly(i, k, chosen) for i, k in zip(inputs, kept, strict=True))), chosen
        case Window():
            return _window(rel, need, inputs[0], kept[0])
        case TopK():
            return replace(rel, input=inputs[0], order=_order(rel.order, kept[0])), kept[0]
        case Unnest():
            args = tuple(_moved(a, kept[0]) for a in rel.args)
            width = rel.input.width
            return replace(rel, input=inputs[0], args=args), (*kept[0], *range(width, width + rel.arity))


def _scan(rel: Scan, need: set[int]) -> tuple[Rel, Kept]:
    chosen = tuple(sorted(need)) or _narrowest(rel)
    keys = tuple(tuple(chosen.index(i) for i in key) for key in rel.keys if set(key) <= set(chosen))
    return replace(rel, columns=tuple(rel.columns[i] for i in chosen), keys=keys), chosen


def _narrowest(rel: Scan) -> Kept:
    """One column that is cheap to read, for who only counts rows."""
    fixed = [
        i
        for i, column in enumerate(rel.columns)
        if isinstance(column.type, Decimal)
        or (isinstance(column.type, Primitive) and column.type.name not in {"string", "binary", "unknown"})
    ]
    return tuple([*fixed, *range(rel.width)][:1])


def _join(rel: Join, inputs: list[Rel], kept: list[Kept]) -> tuple[Rel, Kept]:
    width = rel.left.width
    both = (*kept[0], *(width + i for i in kept[1]))
    new = replace(
        rel,
        left=inputs[0],
        right=inputs[1],
        keys=tuple(replace(k, left=_moved(k.left, kept[0]), right=_moved(k.right, kept[1])) for k in rel.keys),
        residual=_moved(rel.residual, both),
    )
    return new, kept[0] if rel.kind in {"semi", "anti"} else both


def _aggregate(rel: Aggregate, need: set[int], source: Rel, kept: Kept) -> tuple[Rel, Kept]:
    first = rel.width - len(rel.calls)
    stay = [i for i in range(first, rel.width) if i in need] or ([0] if first == 0 and rel.calls else [])
    calls = [rel.calls[i - first] for i in stay]
    new = replace(
        rel,
        input=source,
        keys=tuple(_moved(k, kept) for k in rel.keys),
        calls=tuple(replace(_call(c, kept), order=_order(c.order, kept)) for c in calls),
    )
    return new, (*range(first), *stay)


def _window(rel: Window, need: set[int], source: Rel, kept: Kept) -> tuple[Rel, Kept]:
    calls = _window_calls(rel, need)
    if not calls:
        return source, kept
    new = Window(
        input=source,
        partition=tuple(_moved(p, kept) for p in rel.partition),
        order=_order(rel.order, kept),
        calls=tuple(
            replace(
                c,
                args=tuple(_moved(a, kept) for a in c.args),
                where=None if c.where is None else _moved(c.where, kept),
            )
            for c in calls
        ),
    )
    width = rel.input.width
    return new, (*kept, *(i for i in range(width, rel.width) if i in need))


def _call(call: AggCall, kept: Kept) -> AggCall:
    where = None if call.where is None else _moved(call.where, kept)
    return replace(call, args=tuple(_moved(a, kept) for a in call.args), where=where)


def _order(order: Sequence[SortKey], kept: Kept) -> tuple[SortKey, ...]:
    return tuple(replace(k, expr=_moved(k.expr, kept)) for k in order)


def _moved(scalar: Scalar, kept: Kept) -> Scalar:
    positions = {old: new for new, old in enumerate(kept)}
    return remap(scalar, positions.__getitem__)


def _exactly(rel: Rel, kept: Kept, chosen: Kept) -> Rel:
    """Just the chosen columns of a part that also serves others with more."""
    if kept == chosen:
        return rel
    return Project(input=rel, exprs=tuple(Col(kept.index(i)) for i in chosen))
