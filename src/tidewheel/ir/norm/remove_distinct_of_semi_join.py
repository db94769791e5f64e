"""Rule: who only asks whether there is a match does not count them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidewheel.ir.norm.guards import are_plain
from tidewheel.ir.rel import Distinct, Join, Rel
from tidewheel.ir.typing import types_of


def remove_distinct_of_semi_join(rel: Join) -> Iterator[Rel]:
    """L SEMI JOIN Distinct(R) = L SEMI JOIN R, and so for anti joins.

    The left side is another matter, its copies count:

        SELECT DISTINCT a FROM l WHERE a IN (SELECT a FROM r)   -- wrong without DISTINCT
    """
    right = rel.right
    if rel.kind not in {"semi", "anti"} or not isinstance(right, Distinct):
        return
    if are_plain(frozenset(range(right.width)), types_of(right)):
        yield replace(rel, right=right.input)
