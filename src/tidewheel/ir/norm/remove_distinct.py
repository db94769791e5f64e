"""Rule: rows that are distinct already."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.dependencies import keys
from tidewheel.ir.norm.guards import are_plain
from tidewheel.ir.rel import Distinct, Rel
from tidewheel.ir.typing import types_of


def remove_distinct(rel: Distinct) -> Iterator[Rel]:
    """Distinct(x) = x, if x has a key.

    Not where floating point is among the columns: DISTINCT also turns -0.0 into 0.0, and a cast can tell.
    """
    if keys(rel.input) and are_plain(frozenset(range(rel.width)), types_of(rel.input)):
        yield rel.input
