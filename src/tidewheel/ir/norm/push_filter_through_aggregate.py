"""Rule: leave out whole groups before aggregating."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import are_plain, columns, filtered, is_deterministic, keeps_types, split
from tidewheel.ir.rel import Aggregate, Filter, Rel
from tidewheel.ir.scalar import Scalar, substitute
from tidewheel.ir.typing import types_of


def push_filter_through_aggregate(rel: Filter) -> Iterator[Rel]:
    """Filter(p, Aggregate(k, x)) = Aggregate(k, Filter(p[k], x)), where p reads keys that are in every grouping set.

    It must read one at least: a global aggregate has a row even if nothing is left to aggregate. And values that are
    equal as keys must be equal for p: 0.0 and -0.0 are one group.

        SELECT count(*) FROM t HAVING 1 = 0                                -- wrong below: one row instead of none
        SELECT a, count(*) FROM t GROUP BY ROLLUP (a) HAVING a IS NOT NULL -- wrong below: the total row remains
    """
    below = rel.input
    if not isinstance(below, Aggregate) or not all(map(is_deterministic, below.keys)):
        return
    types = types_of(below)
    allowed = frozenset(range(len(below.keys))).intersection(*(below.sets or ()))

    def fits(part: Scalar) -> bool:
        read = columns(part)
        return bool(read) and read <= allowed and are_plain(read, types) and keeps_types(part, below.keys, types)

    moving, staying = split(rel.predicate, types, fits)
    if moving:
        parts = [substitute(part, below.keys) for part in moving]
        yield filtered(replace(below, input=filtered(below.input, parts)), staying)
