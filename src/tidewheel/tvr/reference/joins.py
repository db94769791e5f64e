"""Joins: pairs of rows that match by all keys and the residual."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, assert_never

from tidewheel.ir.parts import JoinKey
from tidewheel.ir.rel import Join
from tidewheel.ir.scalar import TRUE, shift
from tidewheel.tvr.reference.compiler import EvalScope, Run, compile_scalar, converted, signature_of
from tidewheel.tvr.reference.values import Key, Row, Value, key
from tidewheel.types import DataType

Matches: TypeAlias = list[list[int]]
"""For each left row, the places of the right rows it matches."""
Joined: TypeAlias = tuple[tuple[DataType, ...], list[Row]]

_NEVER: Final = object()
"""A key that is equal to no other: a NULL under `=`."""


def compile_join(rel: Join, left: EvalScope, right: EvalScope) -> Callable[[Sequence[Row], Sequence[Row]], Joined]:
    keys = [_compile_key(k, left, right) for k in rel.keys]
    both = EvalScope.over((*left.inputs, *right.inputs), left.now)
    residual = None if rel.residual == TRUE else compile_scalar(rel.residual, both).run

    def run(lefts: Sequence[Row], rights: Sequence[Row]) -> Joined:
        matches = _matches(rel, keys, residual, lefts, rights)
        kinds = left.inputs if rel.kind in {"semi", "anti"} else both.inputs
        return kinds, _output(rel, lefts, rights, matches)

    return run


def _compile_key(pair: JoinKey, left: EvalScope, right: EvalScope) -> tuple[Run, Run]:
    """Both sides in the type in which `=` compares them."""
    ours, theirs = compile_scalar(pair.left, left), compile_scalar(pair.right, right)
    signature = signature_of("=", [ours, theirs], [pair.left, shift(pair.right, left.width)])
    return converted(ours, signature.args[0]).run, converted(theirs, signature.args[1]).run


def _matches(
    rel: Join, keys: list[tuple[Run, Run]], residual: Run | None, lefts: Sequence[Row], rights: Sequence[Row]
) -> Matches:
    """By a hash of the keys that must be equal; then by the null-aware ones and the residual, pair by pair."""
    exact = [(k, runs) for k, runs in zip(rel.keys, keys, strict=True) if k.kind != "in"]
    aware = [runs for k, runs in zip(rel.keys, keys, strict=True) if k.kind == "in"]
    index: dict[Key, list[int]] = {}
    for j, row in enumerate(rights):
        index.setdefault(_hash(row, [(k, runs[1]) for k, runs in exact]), []).append(j)
    left_keys = [(k, runs[0]) for k, runs in exact]
    found = []
    for row in lefts:
        at = _hash(row, left_keys)
        candidates = () if _NEVER in at else index.get(at, ())
        found.append([
            j for j in candidates
            if all(_may_be_equal(a(row), b(rights[j])) for a, b in aware)
            and (residual is None or residual((*row, *rights[j])) is True)
        ])  # fmt: skip
    return found


def _hash(row: Row, keys: Sequence[tuple[JoinKey, Run]]) -> Key:
    values = [(k, run(row)) for k, run in keys]
    return tuple(_NEVER if v is None and k.kind == "=" else key(v) for k, v in values)


def _may_be_equal(a: Value, b: Value) -> bool:
    """Not certainly different: what NOT IN must exclude."""
    return a is None or b is None or key(a) == key(b)


def _output(rel: Join, lefts: Sequence[Row], rights: Sequence[Row], matches: Matches) -> list[Row]:
    match rel.kind:
        case "semi":
            return [row for row, js in zip(lefts, matches, strict=True) if js]
        case "anti":
            return [row for row, js in zip(lefts, matches, strict=True) if not js]
        case "inner" | "left" | "full":
            pairs = [(*row, *rights[j]) for row, js in zip(lefts, matches, strict=True) for j in js]
            return pairs + _unmatched(rel, lefts, rights, matches)
    assert_never(rel.kind)


def _unmatched(rel: Join, lefts: Sequence[Row], rights: Sequence[Row], matches: Matches) -> list[Row]:
    """Rows of a preserved side without a partner, with NULLs for it."""
    found: list[Row] = []
    if rel.kind in {"left", "full"}:
        nulls = (None,) * rel.right.width
        found += [(*row, *nulls) for row, js in zip(lefts, matches, strict=True) if not js]
    if rel.kind == "full":
        nulls, matched = (None,) * rel.left.width, {j for js in matches for j in js}
        found += [(*nulls, *row) for j, row in enumerate(rights) if j not in matched]
    return found
