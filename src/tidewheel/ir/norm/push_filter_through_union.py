"""Rule: filter each part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import is_deterministic, same_types
from tidewheel.ir.rel import Filter, Rel, Union


def push_filter_through_union(rel: Filter) -> Iterator[Rel]:
    """Filter(p, x UNION ALL y) = Filter(p, x) UNION ALL Filter(p, y), if x and y have the types of the union.

    Otherwise p reads other values below than above:

        SELECT * FROM (SELECT 1 AS a UNION ALL SELECT 1.50) WHERE CAST(a AS STRING) = '1.00'   -- wrong below: '1'
    """
    union = rel.input
    if not isinstance(union, Union) or not is_deterministic(rel.predicate):
        return
    if all(same_types(union, part) for part in union.parts):
        yield replace(union, parts=tuple(Filter(input=part, predicate=rel.predicate) for part in union.parts))
