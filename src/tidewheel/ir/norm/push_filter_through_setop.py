"""Rule: filter the inputs of EXCEPT and INTERSECT."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import are_plain, columns, filtered, same_types, split
from tidewheel.ir.rel import Filter, Rel, SetOp
from tidewheel.ir.typing import types_of


def push_filter_through_setop(rel: Filter) -> Iterator[Rel]:
    """Filter(p, L EXCEPT R) = Filter(p, L) EXCEPT Filter(p, R), and so for INTERSECT, with or without ALL.

    Right rows for which p is not true meet no left row for which it is, if equal rows are equal for p and both sides
    have the types of the result.
    """
    below = rel.input
    if not isinstance(below, SetOp) or not (same_types(below, below.left) and same_types(below, below.right)):
        return
    types = types_of(below)
    moving, staying = split(rel.predicate, types, lambda part: are_plain(columns(part), types))
    if moving:
        new = replace(below, left=filtered(below.left, moving), right=filtered(below.right, moving))
        yield filtered(new, staying)
