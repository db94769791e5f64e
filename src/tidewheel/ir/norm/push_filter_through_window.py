"""Rule: leave out whole partitions before a window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import are_plain, columns, filtered, is_deterministic, split
from tidewheel.ir.rel import Filter, Rel, Window
from tidewheel.ir.scalar import Col, Scalar
from tidewheel.ir.typing import types_of


def push_filter_through_window(rel: Filter) -> Iterator[Rel]:
    """Filter(p, Window(x)) = Window(Filter(p, x)), where p reads only columns that rows are partitioned by.

    Then p is true for all rows of a partition or for none, if equal values are equal for p.

        SELECT * FROM (SELECT a, sum(b) OVER (PARTITION BY a) AS s FROM t) WHERE b > 0   -- wrong below: smaller sums
    """
    below = rel.input
    if not isinstance(below, Window) or not all(map(is_deterministic, below.partition)):
        return
    types = types_of(below)
    allowed = frozenset(p.index for p in below.partition if isinstance(p, Col))

    def fits(part: Scalar) -> bool:
        return columns(part) <= allowed and are_plain(columns(part), types)

    moving, staying = split(rel.predicate, types, fits)
    if moving:
        yield filtered(replace(below, input=filtered(below.input, moving)), staying)
