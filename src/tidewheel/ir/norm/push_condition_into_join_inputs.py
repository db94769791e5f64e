"""Rule: conditions of a join that concern one side only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import filtered, reads_only, split
from tidewheel.ir.rel import Join, Rel
from tidewheel.ir.scalar import Scalar, conjunction, shift
from tidewheel.ir.typing import types_of


def push_condition_into_join_inputs(rel: Join) -> Iterator[Rel]:
    """L JOIN R ON p AND q = Filter(p, L) JOIN Filter(q, R), where p reads L only and q reads R only.

    Both sides of inner and semi joins; the right side only of left and anti joins, whose left rows are kept just when
    the condition fails; neither side of a full join.

        SELECT * FROM l LEFT JOIN r ON l.a = r.a AND l.b > 0   -- wrong as: FROM (... WHERE b > 0) LEFT JOIN
    """
    if rel.kind == "full":
        return
    width = rel.left.width
    everything = width + rel.right.width

    def is_left(part: Scalar) -> bool:
        return rel.kind in {"inner", "semi"} and reads_only(part, range(width))

    def is_right(part: Scalar) -> bool:
        return reads_only(part, range(width, everything))

    types = (*types_of(rel.left), *types_of(rel.right))
    moving, staying = split(rel.residual, types, lambda part: is_left(part) or is_right(part))
    if moving:
        left = [part for part in moving if is_left(part)]
        right = [shift(part, -width) for part in moving if part not in left]
        yield replace(
            rel,
            left=filtered(rel.left, left),
            right=filtered(rel.right, right),
            residual=conjunction(staying),
        )
