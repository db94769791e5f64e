"""Rule: equalities of a join's condition become its keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import columns, reads_only, split
from tidewheel.ir.parts import JoinKey
from tidewheel.ir.rel import Join, Rel
from tidewheel.ir.scalar import Call, Scalar, conjunction, shift
from tidewheel.ir.typing import types_of


def extract_join_keys(rel: Join) -> Iterator[Rel]:
    """L JOIN R ON a = b AND r = L JOIN R BY KEY a = b ON r, where a reads L and b reads R, at least one column each.

    A key is evaluated on every row of its side, a condition on pairs only; so it must never raise:

        SELECT * FROM l JOIN r ON l.a = r.a AND 1 / l.b = r.c   -- wrong as a key: l has a row with b = 0, a unmatched
    """
    width = rel.left.width
    types = (*types_of(rel.left), *types_of(rel.right))
    moving, staying = split(rel.residual, types, lambda part: _key(part, width) is not None)
    found = [key for part in moving if (key := _key(part, width)) is not None]
    new = [key for key in found if key not in rel.keys]
    if found:
        yield replace(rel, keys=(*rel.keys, *new), residual=conjunction(staying))


def _key(part: Scalar, width: int) -> JoinKey | None:
    match part:
        case Call("=" | "<=>" as name, (a, b)):
            if not columns(a) or not columns(b):
                return None
            if not reads_only(a, range(width)):
                a, b = b, a
            if reads_only(a, range(width)) and all(i >= width for i in columns(b)):
                return JoinKey(left=a, right=shift(b, -width), kind="=" if name == "=" else "<=>")
    return None
