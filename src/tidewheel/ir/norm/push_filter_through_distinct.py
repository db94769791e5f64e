"""Rule: filter before rows are made distinct."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.norm.guards import are_plain, columns, is_deterministic
from tidewheel.ir.rel import Distinct, Filter, Rel
from tidewheel.ir.typing import types_of


def push_filter_through_distinct(rel: Filter) -> Iterator[Rel]:
    """Filter(p, Distinct(x)) = Distinct(Filter(p, x)), if equal rows are equal for p.

    They are not when p tells 0.0 from -0.0; and chance would be asked once for every copy:

        SELECT * FROM (SELECT DISTINCT a FROM t) WHERE rand() < 0.5   -- wrong below: many copies, many chances
    """
    below = rel.input
    if not isinstance(below, Distinct) or not is_deterministic(rel.predicate):
        return
    if are_plain(columns(rel.predicate), types_of(below)):
        yield Distinct(input=Filter(input=below.input, predicate=rel.predicate))
