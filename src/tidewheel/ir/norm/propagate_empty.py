"""Rule: a plan that never gives a row."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.norm.guards import empty
from tidewheel.ir.props import is_empty
from tidewheel.ir.rel import Project, Rel, Values
from tidewheel.ir.typing import types_of


def propagate_empty(rel: Rel) -> Iterator[Rel]:
    """R = no rows of the same types, if R has at most 0 rows: Filter(FALSE, x), x JOIN nothing, LIMIT 0.

    The types stay, as casts of NULL. A global aggregate is not empty, whatever is below it:

        SELECT count(*) FROM t WHERE FALSE   -- wrong as no rows: it is one, 0
    """
    if is_empty(rel) and not _is_plainly_empty(rel):
        new = empty(types_of(rel))
        if new is not None:
            yield new


def _is_plainly_empty(rel: Rel) -> bool:
    return isinstance(rel, Values) or (isinstance(rel, Project) and isinstance(rel.input, Values))
