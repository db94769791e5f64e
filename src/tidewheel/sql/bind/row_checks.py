"""Checks of whole rows: the sides of a set operation, rows that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from tidewheel.ir.refusals import (
    have_no_common_type,
    is_plain,
)
from tidewheel.sql.bind.text import SqlText
from tidewheel.types import (
    VOID,
    DataType,
    has_map,
    to_sql,
)

_MAPS: Final = "Use map_entries() and sort_array()."


def check_sides(
    text: SqlText, node: exp.Expr, left: Sequence[DataType], right: Sequence[DataType], *, whole_rows: bool
) -> None:
    """The columns of a set operation: pairs of one type, and without maps where whole rows are compared."""
    for place, kinds in enumerate(zip(left, right, strict=True), start=1):
        if have_no_common_type(kinds):
            raise text.error(
                f"column {place} of the two sides of {node.key.upper()} has no common type",
                node.expression,
                code="no-common-type",
                detail=f"The types are {type_list(kinds)}.",
                hint="Cast them to one type.",
            )
    if whole_rows:
        check_rows(text, [(node.expression, kind) for kind in (*left, *right)], f"a {node.key.upper()} of rows")


def check_rows(text: SqlText, columns: Sequence[tuple[exp.Expr, DataType]], what: str) -> None:
    """Rows that are compared as a whole have no maps."""
    for node, kind in columns:
        if has_map(kind) and is_plain(kind):
            raise text.error(f"{what} cannot have a map", node, code="type-mismatch", hint=_MAPS)


def type_name(kind: DataType) -> str:
    return "NULL" if kind == VOID else to_sql(kind)


def type_list(kinds: Sequence[DataType]) -> str:
    names = list(dict.fromkeys(map(type_name, kinds)))
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
