"""Rule: filter before joining."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import filtered, is_deterministic, reads_only, split
from tidewheel.ir.rel import Filter, Join, Rel
from tidewheel.ir.scalar import Scalar, conjunction, shift
from tidewheel.ir.typing import types_of


def push_filter_into_join(rel: Filter) -> Iterator[Rel]:
    """Filter(p AND q AND r, L JOIN R) = Filter(p, L) JOIN Filter(q, R) ON r, where p reads L, q reads R, r reads both.

    An inner join takes all three. A left join takes p only, semi and anti joins have nothing else, a full join takes
    none: a row that the filter removes was perhaps somebody's only match, and then NULLs come instead.

        SELECT * FROM l LEFT JOIN r ON l.a = r.a WHERE r.b IS NULL   -- wrong as: LEFT JOIN (... WHERE b IS NULL)
        SELECT * FROM l JOIN r ON l.a = r.a WHERE 1 / l.b > 2        -- wrong below: l has a row with b = 0, a unmatched
    """
    join = rel.input
    if not isinstance(join, Join) or join.kind == "full" or not is_deterministic(join.residual):
        return
    width = join.left.width

    def is_left(part: Scalar) -> bool:
        return reads_only(part, range(width))

    moving, staying = split(rel.predicate, types_of(join), lambda part: join.kind == "inner" or is_left(part))
    if not moving:
        return
    left = [part for part in moving if is_left(part)]
    right = [part for part in moving if part not in left and reads_only(part, range(width, join.width))]
    both = [part for part in moving if part not in left and part not in right]
    new = replace(
        join,
        left=filtered(join.left, left),
        right=filtered(join.right, [shift(part, -width) for part in right]),
        residual=conjunction([join.residual, *both]),
    )
    yield filtered(new, staying)
