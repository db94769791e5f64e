"""What differs between the dialects; everything else is `scalars.py` and `plans.py`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from tidewheel.ir.parts import AggCall, Frame, JoinKey, WindowCall
from tidewheel.ir.rel import JoinKind, Opaque, Unnest, Values
from tidewheel.ir.scalar import Call, Lit
from tidewheel.sql.unparse.texts import Level, Text, infix, made_of

_WORDS: Final = """
all analyse analyze and anti any array as asc asof both by case cast check collate column constraint cross
current_date current_time current_timestamp current_user default desc distinct div else end escape except exists
extract false fetch filter first for foreign from full grant group grouping having ilike in initially inner
intersect interval into is isnull join lambda lateral leading left like limit map minus natural not notnull null
offset on only or order outer over overlaps partition pivot placing position primary qualify range references
returning right rlike row rows select semi session_user set show similar some struct substring summarize symmetric
table tablesample then to trailing trim true try_cast union unique unnest unpivot user using values variadic when
where window with within
"""
KEYWORDS: Final = frozenset(_WORDS.split())
"""Words that are quoted when they are names; quoting one too many does no harm."""
_BOUND: Final = re.compile(r"'(-?)(.*)'(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SortText:
    expr: Text
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CallText:
    """The parts of an aggregate or window call as they are written."""

    args: list[Text]
    where: Text | None = None
    order: list[SortText]
    partition: list[Text]


class Dialect(ABC):
    """How one engine writes the parts of a SELECT."""

    joins_after_unnest: ClassVar[bool]
    shared: ClassVar[str]
    """What stands before the body of a CTE."""
    joins: ClassVar[dict[JoinKind, str]]

    @abstractmethod
    def quote(self, name: str) -> str: ...

    def name(self, name: str) -> str:
        """An identifier, quoted where it must be."""
        plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.lower() not in KEYWORDS
        return name if plain else self.quote(name)

    @abstractmethod
    def literal(self, lit: Lit) -> Text: ...

    @abstractmethod
    def call(self, call: Call, args: Sequence[Text]) -> Text:
        """A function or operator over arguments that are written so."""

    @abstractmethod
    def cast(self, arg: Text, to: str, *, lenient: bool) -> Text: ...

    @abstractmethod
    def function_value(self, params: Sequence[str], body: Text) -> Text: ...

    def case(self, branches: Sequence[tuple[Text, Text]], otherwise: Text | None) -> Text:
        parts = [t for pair in branches for t in pair]
        body = " ".join(f"WHEN {when.sql} THEN {then.sql}" for when, then in branches)
        if otherwise is not None:
            parts.append(otherwise)
            body += f" ELSE {otherwise.sql}"
        return made_of(f"CASE {body} END", parts)

    def predicate(self, text: Text) -> Text:
        """A condition of WHERE, ON or HAVING."""
        return text

    def conjunction(self, parts: Sequence[Text]) -> Text:
        """Conditions in their order."""
        if not parts:
            return Text(sql="TRUE", constant=True)
        return parts[0] if len(parts) == 1 else infix("AND", parts, Level.AND)

    @abstractmethod
    def key(self, key: JoinKey, left: Text, right: Text) -> Text:
        """The condition of one join key."""

    def compared(self, left: Text, right: Text) -> tuple[Text, Text]:
        """Two sides of a comparison, made to have the same type."""
        return left, right

    def not_in(self, left: Text, query: str) -> Text:
        """That a value is certainly not in a subquery's only column."""
        return made_of(f"{left.at(Level.OTHER)} NOT IN {query}", [left], level=Level.COMPARE)

    def told_apart(self, values: Sequence[Text]) -> Sequence[Text]:
        """What rows are told apart by: keys of GROUP BY and PARTITION BY, columns of DISTINCT and of set operations."""
        return values

    @abstractmethod
    def sort(self, key: SortText) -> str: ...

    @abstractmethod
    def aggregate(self, call: AggCall, parts: CallText) -> Text: ...

    @abstractmethod
    def window(self, call: WindowCall, parts: CallText) -> Text: ...

    @abstractmethod
    def grouping_id(self, keys: Sequence[Text]) -> Text: ...

    @abstractmethod
    def grouping_sets(self, keys: Sequence[str], sets: Sequence[Sequence[int]]) -> tuple[str, str]:
        """GROUP BY over several sets, and a condition that its groups are held to."""

    @abstractmethod
    def values(self, node: Values, rows: Sequence[Sequence[Text]], alias: str) -> tuple[str, list[Text]]:
        """A FROM item of constant rows, and its columns."""

    @abstractmethod
    def unnest(self, node: Unnest, args: Sequence[Text], alias: str) -> tuple[str, list[Text]]:
        """What is added to a FROM clause to unnest, and the new columns."""

    @abstractmethod
    def opaque(self, node: Opaque) -> str: ...

    def align(self, parts: Sequence[Sequence[Text]]) -> list[list[Text]]:
        """The columns of a union's inputs, made to have the same types."""
        return [list(p) for p in parts]

    def over(self, parts: CallText, frame: Frame | None) -> str:
        """An OVER clause."""
        inner = []
        if parts.partition:
            inner.append(f"PARTITION BY {', '.join(p.sql for p in parts.partition)}")
        if parts.order:
            inner.append(f"ORDER BY {', '.join(self.sort(k) for k in parts.order)}")
        whole = frame is None or (not parts.order and _covers_peers(frame))
        if frame is not None and not whole:
            unit = frame.unit.upper()
            inner.append(
                f"{unit} BETWEEN {self.bound(frame.start, 'PRECEDING')} AND {self.bound(frame.end, 'FOLLOWING')}"
            )
        return f"OVER ({' '.join(inner)})"

    def bound(self, bound: Lit | None, side: str) -> str:
        if bound is None:
            return f"UNBOUNDED {side}"
        if bound.kind == "interval":
            match = _BOUND.fullmatch(bound.value)
            if match is None:
                raise ValueError(f"a window's bound is no plain interval: {bound}")
            text = self.literal(Lit("interval", f"'{match[2]}'{match[3]}")).sql
            return f"{text} {'PRECEDING' if match[1] else 'FOLLOWING'}"
        digits = bound.value.lstrip("-")
        if not digits.strip("0."):
            return "CURRENT ROW"
        side = "PRECEDING" if bound.value.startswith("-") else "FOLLOWING"
        return f"{self.literal(Lit(bound.kind, digits)).sql} {side}"


def _covers_peers(frame: Frame) -> bool:
    """Without an order all rows are peers: a RANGE frame up to the current row holds all of them."""
    if frame.unit == "rows":
        return frame.start is None and frame.end is None
    return all(b is None or not b.value.strip("-0.") for b in (frame.start, frame.end))
