"""Rule: an outer join whose NULLs are filtered away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir import functions
from tidewheel.ir.norm.guards import flipped, is_deterministic
from tidewheel.ir.rel import Filter, Join, Project, Rel
from tidewheel.ir.scalar import Col, conjuncts


def turn_outer_join_into_inner(rel: Filter) -> Iterator[Rel]:
    """Filter(p, L LEFT JOIN R) = Filter(p, L JOIN R), if p is never true when all columns of R are NULL.

    A full join loses the NULLs of the side that p needs, and becomes left, right (a left one, exchanged) or inner.

        SELECT * FROM l LEFT JOIN r ON l.a = r.a WHERE r.b = 1 OR l.c = 2   -- wrong: rows without a match may stay
    """
    join = rel.input
    if not isinstance(join, Join) or join.kind not in {"left", "full"}:
        return
    parts = [part for part in conjuncts(rel.predicate) if is_deterministic(part)]
    needs_left = any(functions.rejects_nulls(part, range(join.left.width)) for part in parts)
    needs_right = any(functions.rejects_nulls(part, range(join.left.width, join.width)) for part in parts)
    if join.kind == "left":
        if needs_right:
            yield replace(rel, input=replace(join, kind="inner"))
    elif needs_left:
        yield replace(rel, input=replace(join, kind="inner" if needs_right else "left"))
    elif needs_right:
        width, left = join.right.width, join.left.width
        back = (*(Col(width + i) for i in range(left)), *(Col(i) for i in range(width)))
        yield replace(rel, input=Project(input=flipped(join, "left"), exprs=back))
