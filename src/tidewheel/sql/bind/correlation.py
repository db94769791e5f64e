"""What a plan reads of the query around it, and how a condition falls into join keys and a rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidewheel.ir.parts import JoinKey
from tidewheel.ir.rel import (
    Rel,
)  # fmt: skip
from tidewheel.ir.scalar import (
    Call,
    Scalar,
    columns,
    conjunction,
    conjuncts,
    shift,
    transform,
    walk,
)  # fmt: skip
from tidewheel.ir.tree import nodes, scalars_of
from tidewheel.sql.bind.scope import OUTER, outer_parts


def references(rel: Rel, scope: int) -> tuple[int, ...]:
    """The columns of an outer query that a plan reads, in order."""
    return tuple(sorted({p[1] for node in nodes(rel) for p in outer_in(scalars_of(node)) if p[0] == scope}))


def is_correlated(rel: Rel, scope: int) -> bool:
    return bool(references(rel, scope))


def outer_in(scalars: Sequence[Scalar]) -> list[tuple[int, int]]:
    found = []
    for scalar in scalars:
        if OUTER in scalar.text:
            found += [p for s in walk(scalar) if (p := outer_parts(s)) is not None]
    return found


def reads_outer(scalar: Scalar, scope: int) -> bool:
    return any(p[0] == scope for p in outer_in([scalar]))


def resolve_outer(scalar: Scalar, scope: int, column: Callable[[int], Scalar]) -> Scalar:
    """The scalar with the outer query's columns replaced."""

    def resolved(part: Scalar) -> Scalar | None:
        found = outer_parts(part)
        return column(found[1]) if found is not None and found[0] == scope else None

    return transform(scalar, resolved) if OUTER in scalar.text else scalar


def split_condition(condition: Scalar, left_width: int) -> tuple[tuple[JoinKey, ...], Scalar]:
    """A condition over left and then right columns as equalities between the sides, and the rest."""
    keys: list[JoinKey] = []
    rest: list[Scalar] = []
    for part in conjuncts(condition):
        key = _join_key(part, left_width)
        if key is None:
            rest.append(part)
        else:
            keys.append(key)
    return tuple(keys), conjunction(rest)


def _join_key(part: Scalar, left_width: int) -> JoinKey | None:
    if not (isinstance(part, Call) and part.name in {"=", "<=>"}):
        return None
    one, other = part.args
    kind = "=" if part.name == "=" else "<=>"
    for left, right in ((one, other), (other, one)):
        left_reads, right_reads = columns(left), columns(right)
        if left_reads and right_reads and max(left_reads) < left_width <= min(right_reads):
            return JoinKey(left=left, right=shift(right, -left_width), kind="=" if kind == "=" else "<=>")
    return None
