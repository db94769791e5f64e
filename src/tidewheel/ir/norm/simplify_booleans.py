"""Rule: connectives without what they do not need."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tidewheel.ir.norm.expressions import with_scalars
from tidewheel.ir.norm.guards import is_deterministic
from tidewheel.ir.rel import Rel
from tidewheel.ir.scalar import FALSE, TRUE, Call, Scalar, children, conjunction, disjunction, rebuild, walk
from tidewheel.ir.typing import type_of
from tidewheel.types import BOOLEAN, DataType

_OPPOSITE: Final = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def simplify_booleans(rel: Rel) -> Iterator[Rel]:
    """P AND TRUE = P, P AND FALSE = FALSE, P OR TRUE = TRUE, (P AND Q) AND P = P AND Q, NOT (a < b) = (a >= b).

    All hold in three-valued logic. The last one holds for floating point too: Spark's order is total, with NaN above
    everything and equal to itself; and a NULL makes both sides NULL. What does not hold:

        P AND NULL = NULL        -- wrong: FALSE where P is false
        NOT (a <=> b) = (a <> b) -- wrong: a NULL on one side gives TRUE, and NULL
    """
    new = with_scalars(rel, _simple, _concerns)
    if new is not rel:
        yield new


@functools.lru_cache(maxsize=10_000)
def _concerns(scalar: Scalar) -> bool:
    """Is there a negation, or a connective of constants, of its own kind or of repeated parts."""
    return any(
        part.name == "not" or (part.name in {"and", "or"} and not _is_simple(part.name, part.args))
        for part in walk(scalar)
        if isinstance(part, Call)
    )


def _is_simple(name: str, args: Sequence[Scalar]) -> bool:
    plain = not any(arg in {TRUE, FALSE} or (isinstance(arg, Call) and arg.name == name) for arg in args)
    return plain and len(set(args)) == len(args)


def _simple(scalar: Scalar, types: Sequence[DataType]) -> Scalar:
    before = children(scalar)
    if not before:
        return scalar
    after = [_simple(child, types) for child in before]
    same = all(a is b for a, b in zip(after, before, strict=True))
    current = scalar if same else rebuild(scalar, after)
    match current:
        case Call("and", args):
            return _connected(current, args, types, conjunction, absorbing=FALSE, neutral=TRUE)
        case Call("or", args):
            return _connected(current, args, types, disjunction, absorbing=TRUE, neutral=FALSE)
        case Call("not", (inner,)):
            return _negated(inner, types) or current
    return current


def _connected(
    current: Call,
    args: Sequence[Scalar],
    types: Sequence[DataType],
    connect: Callable[[Sequence[Scalar]], Scalar],
    *,
    absorbing: Scalar,
    neutral: Scalar,
) -> Scalar:
    if absorbing in args:
        return absorbing
    if not is_deterministic(current):
        return current
    new = connect([a for a in args if a != neutral])
    # A connective turns 'true' into a boolean; alone it would stay a string.
    return current if new == current or (_is_single(new, current) and type_of(new, types) != BOOLEAN) else new


def _is_single(new: Scalar, current: Call) -> bool:
    return not (isinstance(new, Call) and new.name == current.name)


def _negated(inner: Scalar, types: Sequence[DataType]) -> Scalar | None:
    if inner in {TRUE, FALSE}:
        return FALSE if inner == TRUE else TRUE
    match inner:
        case Call("not", (x,)) if type_of(x, types) == BOOLEAN:
            return x
        case Call(name, args) if name in _OPPOSITE:
            return Call(_OPPOSITE[name], args)
        case Call("isnull" | "isnotnull" as name, args):
            return Call("isnotnull" if name == "isnull" else "isnull", args)
    return None
