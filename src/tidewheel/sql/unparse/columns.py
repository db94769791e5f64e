"""Names of columns and subqueries in a text."""

from __future__ import annotations

from collections.abc import Sequence

from tidewheel.ir.rel import (
    Rel,
)  # fmt: skip
from tidewheel.ir.tree import relations
from tidewheel.sql.unparse.texts import Level, Text


def default_names(width: int) -> list[str]:
    return [f"c{i}" for i in range(width)]


def columns_under(alias: str, texts: Sequence[Text]) -> tuple[Text, ...]:
    return tuple(Text(sql=f"{alias}.c{i}", level=Level.ATOM, type=t.type, bare=True) for i, t in enumerate(texts))


def unused_prefix(root: Rel) -> str:
    """What names of CTEs begin with: a CTE called like a stored relation would hide it."""
    taken = [r.lower() for r in relations(root)]
    prefix = "s"
    while any(name.startswith(prefix) and name[len(prefix) :].isdigit() for name in taken):
        prefix += "_"
    return prefix
