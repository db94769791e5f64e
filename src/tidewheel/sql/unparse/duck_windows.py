"""Window functions on which DuckDB and Spark were shown to agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from tidewheel.ir.parts import WindowCall
from tidewheel.sql.unparse.duck_aggregates import AGGREGATES, Calling
from tidewheel.sql.unparse.duck_casts import convert, not_local
from tidewheel.sql.unparse.texts import Text, made_of
from tidewheel.types import DOUBLE, INT, LONG

Writer: TypeAlias = Callable[[WindowCall, list[Text], str], Text]


def _rank(call: WindowCall, args: list[Text], over: str) -> Text:
    inner = ", ".join(convert(a, LONG).sql for a in args)
    return made_of(f"CAST({call.name}({inner}) {over} AS INTEGER)", [], kind=INT)


def _share(call: WindowCall, _: list[Text], over: str) -> Text:
    return made_of(f"{call.name}() {over}", [], kind=DOUBLE)


def _neighbour(call: WindowCall, args: list[Text], over: str) -> Text:
    """Lag and lead: by how many rows, and what stands beyond the edge."""
    value = args[0]
    parts = [value.sql]
    parts += [convert(args[1], LONG).sql] if len(args) > 1 else []
    parts += [convert(args[2], value.type).sql] if len(args) > 2 else []
    nulls = " IGNORE NULLS" if call.ignore_nulls else ""
    return made_of(f"{call.name}({', '.join(parts)}{nulls}) {over}", [], kind=value.type)


def _edge(name: str) -> Writer:
    def write(call: WindowCall, args: list[Text], over: str) -> Text:
        if len(args) != (2 if name == "nth_value" else 1):
            raise not_local(f"{call.name}() with such arguments")
        parts = [args[0].sql, *(convert(a, LONG).sql for a in args[1:])]
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        return made_of(f"{name}({', '.join(parts)}{nulls}) {over}", [], kind=args[0].type)

    return write


WINDOWS: Final[dict[str, Writer]] = {
    **dict.fromkeys(("row_number", "rank", "dense_rank", "ntile"), _rank),
    **dict.fromkeys(("percent_rank", "cume_dist"), _share),
    **dict.fromkeys(("lag", "lead"), _neighbour),
    **dict.fromkeys(("first_value", "first", "any_value"), _edge("first_value")),
    **dict.fromkeys(("last_value", "last"), _edge("last_value")),
    "nth_value": _edge("nth_value"),
}
AGGREGATES_TOO: Final = (
    frozenset(AGGREGATES) - frozenset(WINDOWS) - {"collect_list", "collect_set", "array_agg", "single_value"}
)
"""Aggregates that run over a window as well."""


def window_text(call: WindowCall, args: list[Text], where: str, over: str) -> Text:
    if call.name in WINDOWS and not where:
        return WINDOWS[call.name](call, args, over)
    if call.name not in AGGREGATES_TOO:
        raise not_local(f"{call.name}() over such a window")
    return AGGREGATES[call.name](Calling(name=call.name, args=args, tail=f"{where} {over}"))
