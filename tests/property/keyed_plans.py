"""Random plans in which much is unique, equal or constant: what keys and dependencies are derived from."""

from __future__ import annotations

import random

from tidewheel.ir.parts import AggCall, Column, JoinKey, KeyKind, SortKey, WindowCall
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
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
from tidewheel.ir.scalar import NULL, Call, Cast, Col, Lit, Scalar, conjunction, identity
from tidewheel.types import INT

WIDEST = 7


def make(rng: random.Random, depth: int) -> Rel:
    """A plan whose columns are all INT (or BIGINT, of counts)."""
    if depth == 0 or rng.random() < 0.1:
        return _leaf(rng)
    makers = (_filter, _filter, _project, _join, _join, _join, _aggregate, _distinct, _setop, _window, _topk, _unnest)
    rel = rng.choice(makers)(rng, depth - 1)
    if rel.width > WIDEST:
        rel = Project(input=rel, exprs=tuple(Col(i) for i in sorted(rng.sample(range(rel.width), WIDEST))))
    return rel


def _leaf(rng: random.Random) -> Rel:
    if rng.random() < 0.15:
        rows = [tuple(_constant(rng) for _ in range(2)) for _ in range(rng.randint(1, 3))]
        return Project(input=Values(rows=tuple(rows), arity=2), exprs=(Cast(Col(0), "INT"), Cast(Col(1), "INT")))
    name, keys = rng.choice((("t", ((0,),)), ("u", ((0, 1), (2,))), ("v", ())))
    never = {i for key in keys for i in key}
    columns = tuple(Column(f"c{i}", INT, nullable=i not in never) for i in range(3))
    return Scan(relation=name, columns=columns, keys=keys)


def _constant(rng: random.Random) -> Scalar:
    return NULL if rng.random() < 0.15 else Lit("int", str(rng.randint(0, 2)))


def _column(rng: random.Random, rel: Rel) -> Col:
    return Col(rng.randrange(rel.width))


def _predicate(rng: random.Random, width: int) -> Scalar:
    parts: list[Scalar] = []
    for _ in range(rng.choice((1, 1, 2))):
        a, b = Col(rng.randrange(width)), Col(rng.randrange(width))
        parts.append(
            rng.choice(
                (
                    Call("=", (a, _constant(rng))),
                    Call("=", (a, b)),
                    Call("<=>", (b, a)),
                    Call("isnull", (a,)),
                    Call("<", (a, b)),
                    Call("<=>", (_constant(rng), b)),
                )
            )
        )
    return conjunction(parts) if rng.random() < 0.9 else Call("or", (*parts, Call("isnull", (Col(0),))))


def _filter(rng: random.Random, depth: int) -> Rel:
    below = make(rng, depth)
    return Filter(input=below, predicate=_predicate(rng, below.width))


def _project(rng: random.Random, depth: int) -> Rel:
    below = make(rng, depth)
    exprs: list[Scalar] = []
    for _ in range(rng.randint(1, below.width + 1)):
        column = _column(rng, below)
        computed = Call("coalesce", (column, _column(rng, below), Lit("int", "0")))
        exprs.append(rng.choice((column, column, column, computed, Lit("int", "1"), Call("abs", (column,)))))
    return Project(input=below, exprs=tuple(exprs))


def _join(rng: random.Random, depth: int) -> Rel:
    left = make(rng, depth)
    right = left if rng.random() < 0.15 else make(rng, rng.randint(0, depth))
    kind: JoinKind = rng.choice(("inner", "inner", "left", "left", "full", "semi", "anti"))
    keys = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        one: Scalar = _column(rng, left)
        if rng.random() < 0.15:
            one = Call("abs", (one,))
        how: KeyKind = rng.choice(("=", "=", "<=>", "in" if kind == "anti" else "="))
        keys.append(JoinKey(left=one, right=_column(rng, right), kind=how))
    joined = Join(kind=kind, left=left, right=right, keys=tuple(keys))
    if rng.random() < 0.25:
        width = left.width + right.width
        joined = Join(kind=kind, left=left, right=right, keys=tuple(keys), residual=_predicate(rng, width))
    return joined


def _aggregate(rng: random.Random, depth: int) -> Rel:
    below = make(rng, depth)
    keys = tuple(dict.fromkeys(_column(rng, below) for _ in range(rng.choice((0, 1, 1, 2, 3)))))
    sets = None
    if rng.random() < 0.25:
        chosen = [tuple(i for i in range(len(keys)) if rng.random() < 0.6) for _ in range(rng.randint(1, 2))]
        sets = tuple(chosen)
    calls = (AggCall(name="count"),) if not keys or rng.random() < 0.7 else ()
    return Aggregate(input=below, keys=keys, calls=calls, sets=sets)


def _distinct(rng: random.Random, depth: int) -> Rel:
    return Distinct(input=make(rng, depth))


def _setop(rng: random.Random, depth: int) -> Rel:
    left, right = make(rng, depth), make(rng, depth)
    width = min(left.width, right.width)
    left, right = (Project(input=side, exprs=identity(width)) for side in (left, right))
    match rng.choice(("union", "except", "intersect")):
        case "union":
            return Union(parts=(left, right) if rng.random() < 0.8 else (left,))
        case "except":
            return SetOp(kind="except", all=rng.random() < 0.5, left=left, right=right)
    return SetOp(kind="intersect", all=rng.random() < 0.5, left=left, right=right)


def _order(rel: Rel) -> tuple[SortKey, ...]:
    return tuple(SortKey(expr=c) for c in identity(rel.width))


def _window(rng: random.Random, depth: int) -> Rel:
    below = make(rng, depth)
    partition = tuple(dict.fromkeys(_column(rng, below) for _ in range(rng.choice((0, 1, 1, 2)))))
    if rng.random() < 0.6:
        return Window(input=below, partition=partition, order=_order(below), calls=(WindowCall(name="row_number"),))
    call = WindowCall(name=rng.choice(("count", "max")), args=(_column(rng, below),))
    return Window(input=below, partition=partition, calls=(call,))


def _topk(rng: random.Random, depth: int) -> Rel:
    below = make(rng, depth)
    return TopK(input=below, order=_order(below), limit=rng.choice((0, 1, 2, None)), offset=rng.choice((0, 0, 1)))


def _unnest(rng: random.Random, depth: int) -> Rel:
    below = make(rng, depth)
    array = Call("array", (_column(rng, below), _column(rng, below)))
    generator = rng.choice(("posexplode", "explode"))
    arity = 2 if generator == "posexplode" else 1
    return Unnest(input=below, generator=generator, args=(array,), arity=arity, outer=rng.random() < 0.4)
