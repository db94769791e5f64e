"""What several rules ask before they move something, and how they put the parts together again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tidewheel.ir import functions
from tidewheel.ir import scalar as scalars
from tidewheel.ir.equality import is_plain
from tidewheel.ir.rel import Filter, Join, JoinKind, Project, Rel, Values
from tidewheel.ir.scalar import NULL, Cast, Col, Lit, Scalar, conjunction, conjuncts, remap, walk
from tidewheel.ir.typing import type_of, types_of
from tidewheel.types import PRIMITIVES, UNKNOWN, VOID, DataType, Decimal, Primitive, to_sql

Types = Sequence[DataType]
WHOLE: Final = frozenset({"tinyint", "smallint", "int", "bigint"})
"""Kinds of literals that are whole numbers."""


@functools.lru_cache(maxsize=20_000)
def columns(scalar: Scalar) -> frozenset[int]:
    """The positions a scalar reads: rules ask for the same ones again and again."""
    return scalars.columns(scalar)


@functools.lru_cache(maxsize=20_000)
def is_deterministic(scalar: Scalar) -> bool:
    return functions.is_deterministic(scalar)


def is_movable(scalar: Scalar, types: Types) -> bool:
    """May the expression be evaluated on rows that it was not written for: it has no luck in it and never raises."""
    return is_deterministic(scalar) and not functions.can_raise(scalar, types)


def split(predicate: Scalar, types: Types, fits: Callable[[Scalar], bool]) -> tuple[list[Scalar], list[Scalar]]:
    """The conjuncts that may leave and fit where they would go, and those that stay; both in their order.

    Of a predicate with luck in it all stay: dropping a repeated `rand() < 0.5` would change it.
    """
    parts = conjuncts(predicate)
    if not is_deterministic(predicate):
        return [], list(parts)
    moving = [part for part in parts if fits(part) and is_movable(part, types)]
    return moving, [part for part in parts if part not in moving]


def filtered(rel: Rel, parts: Sequence[Scalar]) -> Rel:
    """The rows for which all parts are true."""
    return Filter(input=rel, predicate=conjunction(parts)) if parts else rel


def reads_only(scalar: Scalar, allowed: frozenset[int] | range) -> bool:
    return all(i in allowed for i in columns(scalar))


def are_plain(chosen: frozenset[int], types: Types) -> bool:
    """Is a predicate over these columns the same for all rows that are equal in them."""
    return all(is_plain(types[i]) for i in chosen)


def same_types(one: Rel, other: Rel) -> bool:
    """Have two relations the same types, all known."""
    types = types_of(one)
    return UNKNOWN not in types and types == types_of(other)


def keeps_types(scalar: Scalar, exprs: Sequence[Scalar], types: Types) -> bool:
    """May the columns of a scalar be replaced by these expressions.

    Spark takes a whole number literal for the shortest decimal: c0 * 2 has other digits than c0 * c1, where c1 is an
    INT that happens to be 2. `types` are those of the columns.
    """
    whole = {i for i in columns(scalar) if isinstance(e := exprs[i], Lit) and e.kind in WHOLE}
    return not whole or isinstance(scalar, Col) or not has_decimals(scalar, types)


def has_decimals(scalar: Scalar, types: Types) -> bool:
    """Is anything in the expression a decimal, or perhaps one."""
    return any(isinstance(t, Decimal) or t == UNKNOWN for t in (type_of(s, types) for s in walk(scalar)))


def null_of(kind: DataType) -> Scalar | None:
    """A NULL of a type; none if a cast cannot name the type."""
    if kind == VOID:
        return NULL
    if isinstance(kind, Primitive) and kind.name not in PRIMITIVES:
        return None
    return Cast(NULL, to_sql(kind))


def is_null(scalar: Scalar) -> bool:
    return scalar == NULL or (isinstance(scalar, Cast) and scalar.arg == NULL)


@functools.lru_cache(maxsize=10_000)
def empty(types: Types) -> Rel | None:
    """No rows, of these types; none if they cannot be written."""
    nulls = [null_of(kind) for kind in types]
    exprs = tuple(n for n in nulls if n is not None)
    return None if len(exprs) < len(nulls) else Project(input=Values(rows=(), arity=0), exprs=exprs)


def flipped(join: Join, kind: JoinKind) -> Join:
    """The join with its sides exchanged: its columns are the right ones, then the left ones."""
    left, right = join.left.width, join.right.width
    return Join(
        kind=kind,
        left=join.right,
        right=join.left,
        keys=tuple(replace(key, left=key.right, right=key.left) for key in join.keys),
        residual=remap(join.residual, lambda i: i + right if i < left else i - left),
    )
