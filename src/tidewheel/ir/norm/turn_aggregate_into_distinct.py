"""Rule: grouping without aggregates."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.rel import Aggregate, Distinct, Project, Rel


def turn_aggregate_into_distinct(rel: Aggregate) -> Iterator[Rel]:
    """Aggregate(k, x) without calls = Distinct(Project(k, x)), if there are keys and no grouping sets.

    Without keys there is one row even of nothing:

        SELECT 1 FROM (SELECT 1 FROM t GROUP BY ())   -- wrong as SELECT DISTINCT 1 FROM t: t may be empty
    """
    if rel.keys and not rel.calls and rel.sets is None:
        yield Distinct(input=Project(input=rel.input, exprs=rel.keys))
