"""Rule: a filter that keeps everything."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.rel import Filter, Rel
from tidewheel.ir.scalar import TRUE


def remove_true_filter(rel: Filter) -> Iterator[Rel]:
    """Filter(TRUE, x) = x.

    A condition such as a = a does not belong here: it is NULL where a is.
    """
    if rel.predicate == TRUE:
        yield rel.input
