"""Rule: filter before rows are multiplied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import filtered, is_deterministic, reads_only, split
from tidewheel.ir.rel import Filter, Rel, Unnest
from tidewheel.ir.typing import types_of


def push_filter_through_unnest(rel: Filter) -> Iterator[Rel]:
    """Filter(p, Unnest(x)) = Unnest(Filter(p, x)), where p reads columns of x only and never raises.

    A row that the generator makes nothing of would be asked below, but not above:

        SELECT * FROM t LATERAL VIEW explode(arr) WHERE 1 / a > 2   -- wrong below: a = 0 where arr is empty
    """
    below = rel.input
    if not isinstance(below, Unnest) or not all(map(is_deterministic, below.args)):
        return
    allowed = range(below.input.width)
    moving, staying = split(rel.predicate, types_of(below), lambda part: reads_only(part, allowed))
    if moving:
        yield filtered(replace(below, input=filtered(below.input, moving)), staying)
