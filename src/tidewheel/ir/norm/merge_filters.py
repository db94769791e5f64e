"""Rule: two filters as one."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.norm.guards import filtered, is_deterministic, split
from tidewheel.ir.rel import Filter, Rel
from tidewheel.ir.scalar import conjuncts
from tidewheel.ir.typing import types_of


def merge_filters(rel: Filter) -> Iterator[Rel]:
    """Filter(p, Filter(q, x)) = Filter(q AND p, x), for the parts of p that never raise.

    AND evaluates its second argument also where the first one is NULL, which the inner filter would have left out:

        SELECT * FROM (SELECT * FROM t WHERE b > 0) WHERE 1 / a > 2   -- wrong as b > 0 AND 1 / a > 2: b NULL, a 0
    """
    below = rel.input
    if isinstance(below, Filter) and is_deterministic(below.predicate):
        moving, staying = split(rel.predicate, types_of(below), lambda _: True)
        if moving:
            yield filtered(filtered(below.input, [*conjuncts(below.predicate), *moving]), staying)
