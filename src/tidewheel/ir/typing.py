"""The types of plans, and which of their columns are never NULL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar, assert_never

from tidewheel.ir.coercion import common_of, common_type
from tidewheel.ir.functions import rejects_nulls
from tidewheel.ir.nested import generated
from tidewheel.ir.nullability import aggregate_may_be_null, may_be_null, window_may_be_null
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
from tidewheel.ir.resolve import agg_type, resolve, type_of, window_type
from tidewheel.ir.scalar import Call, Scalar, columns, conjuncts, shift
from tidewheel.ir.signatures import Signature
from tidewheel.types import LONG, UNKNOWN, DataType, nullable

__all__ = [
    "Signature", "agg_type", "common_type", "nullable_of", "resolve", "type_of", "types_of", "window_type",
]  # fmt: skip

Types = tuple[DataType, ...]
T = TypeVar("T")
_TYPES: Final[dict[bytes, Types]] = {}
_NULLS: Final[dict[bytes, tuple[bool, ...]]] = {}
_LIMIT: Final = 100_000


def types_of(rel: Rel) -> Types:
    """The types of a plan's columns."""
    known = _TYPES.get(rel.digest)
    if known is None:
        _remember(rel, _TYPES, _types_of)
        known = _TYPES[rel.digest]
    return known


def has_types_of(rel: Rel, other: Rel) -> None:
    """A plan is known to have columns of the same types as another: if these are known, they are not looked for."""
    if (known := _TYPES.get(other.digest)) is not None:
        _TYPES.setdefault(rel.digest, known)


def _remember(rel: Rel, memo: dict[bytes, T], compute: Callable[[Rel], T]) -> None:
    """Compute the facts of a plan from its inputs up, without recursion and once for equal parts."""
    if len(memo) > _LIMIT:
        memo.clear()
    todo = [rel]
    while todo:
        node = todo[-1]
        missing = [i for i in node.inputs if i.digest not in memo]
        if node.digest in memo or not missing:
            todo.pop()
            if node.digest not in memo:
                memo[node.digest] = compute(node)
        todo.extend(missing if node.digest not in memo else ())


def _types_of(rel: Rel) -> Types:
    below = [_TYPES[i.digest] for i in rel.inputs]
    match rel:
        case Scan(columns=columns) | Opaque(columns=columns):
            return tuple(nullable(c.type) for c in columns)
        case Values(rows=rows, arity=arity):
            return tuple(_united([type_of(row[i], ()) for row in rows]) for i in range(arity))
        case Filter() | Distinct() | TopK():
            return below[0]
        case Project(exprs=exprs):
            return tuple(type_of(e, below[0]) for e in exprs)
        case Join(kind=kind):
            return below[0] if kind in {"semi", "anti"} else below[0] + below[1]
        case Aggregate(keys=keys, calls=calls, sets=sets):
            grouping = () if sets is None else (LONG,)
            return (*(type_of(k, below[0]) for k in keys), *grouping, *(agg_type(c, below[0]) for c in calls))
        case Union() | SetOp():
            return tuple(_united(kinds) for kinds in zip(*below, strict=True))
        case Window(calls=calls):
            return (*below[0], *(window_type(c, below[0]) for c in calls))
        case Unnest(args=args, generator=generator, arity=arity):
            made = generated(generator, [type_of(a, below[0]) for a in args])
            return (*below[0], *(made if made is not None and len(made) == arity else (UNKNOWN,) * arity))
    assert_never(rel)


def _united(kinds: Sequence[DataType]) -> DataType:
    return UNKNOWN if UNKNOWN in kinds else common_of(kinds) or UNKNOWN


def nullable_of(rel: Rel) -> tuple[bool, ...]:
    """For each column, may it be NULL; False only where it provably never is."""
    _remember(rel, _NULLS, _nulls_of)
    return _NULLS[rel.digest]


def _nulls_of(rel: Rel) -> tuple[bool, ...]:
    below = [_NULLS[i.digest] for i in rel.inputs]
    match rel:
        case Scan(columns=columns, keys=keys):
            never = {i for key in keys for i in key}
            return tuple(c.nullable and i not in never for i, c in enumerate(columns))
        case Opaque(columns=columns):
            return tuple(c.nullable for c in columns)
        case Values(rows=rows, arity=arity):
            return tuple(any(may_be_null(row[i], (), ()) for row in rows) for i in range(arity))
        case Filter(predicate=predicate):
            return _without(below[0], (predicate,))
        case Distinct() | TopK():
            return below[0]
        case Project(input=source, exprs=exprs):
            return tuple(may_be_null(e, below[0], types_of(source)) for e in exprs)
        case Join():
            return _join_nulls(rel, below[0], below[1])
        case Aggregate():
            return _aggregate_nulls(rel, below[0])
        case Union():
            return tuple(any(column) for column in zip(*below, strict=True))
        case SetOp(kind=kind):
            both = zip(*below, strict=True)
            return below[0] if kind == "except" else tuple(a and b for a, b in both)
        case Window(calls=calls):
            return (*below[0], *map(window_may_be_null, calls))
        case Unnest(arity=arity):
            return (*below[0], *((True,) * arity))
    assert_never(rel)


def _without(nulls: tuple[bool, ...], predicates: Sequence[Scalar]) -> tuple[bool, ...]:
    """The columns of the rows for which all predicates are true."""
    rejected = {i for p in predicates for c in conjuncts(p) for i in columns(c) if rejects_nulls(c, {i})}
    return tuple(null and i not in rejected for i, null in enumerate(nulls))


def _join_nulls(rel: Join, left: tuple[bool, ...], right: tuple[bool, ...]) -> tuple[bool, ...]:
    width = len(left)
    matched = [Call("=", (k.left, shift(k.right, width))) for k in rel.keys if k.kind == "="]
    both = _without(left + right, (*matched, rel.residual))
    match rel.kind:
        case "inner":
            return both
        case "semi":
            return both[:width]
        case "anti":
            return left
        case "left":
            return left + (True,) * len(right)
        case "full":
            return (True,) * (width + len(right))
    assert_never(rel.kind)


def _aggregate_nulls(rel: Aggregate, below: tuple[bool, ...]) -> tuple[bool, ...]:
    kinds = types_of(rel.input)
    in_all = set(range(len(rel.keys))).intersection(*(rel.sets or ()))
    keys = [may_be_null(k, below, kinds) or i not in in_all for i, k in enumerate(rel.keys)]
    grouping = [] if rel.sets is None else [False]
    has_rows = bool(rel.keys)
    return (*keys, *grouping, *(aggregate_may_be_null(c, below, kinds, has_rows=has_rows) for c in rel.calls))
