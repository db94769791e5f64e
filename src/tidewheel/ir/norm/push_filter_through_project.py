"""Rule: filter before computing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import is_deterministic, keeps_types
from tidewheel.ir.rel import Filter, Project, Rel
from tidewheel.ir.scalar import substitute
from tidewheel.ir.typing import types_of


def push_filter_through_project(rel: Filter) -> Iterator[Rel]:
    """Filter(p, Project(e, x)) = Project(e, Filter(p[e], x)).

    The same expressions are evaluated on the same rows, so a predicate that raises may come along, but not chance:

        SELECT * FROM (SELECT rand() AS r FROM t) WHERE r < 0.5   -- wrong below: r is drawn a second time
    """
    below = rel.input
    if not isinstance(below, Project):
        return
    if not all(map(is_deterministic, (rel.predicate, *below.exprs))):
        return
    if keeps_types(rel.predicate, below.exprs, types_of(below)):
        yield replace(below, input=Filter(input=below.input, predicate=substitute(rel.predicate, below.exprs)))
