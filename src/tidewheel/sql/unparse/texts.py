"""Pieces of SQL text that know what may stand next to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from tidewheel.types import UNKNOWN, DataType


class Level(IntEnum):
    """How tightly a text binds; what binds less than its place asks for goes in parentheses."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARE = 4
    OTHER = 5
    ADD = 6
    MULTIPLY = 7
    UNARY = 8
    ATOM = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An expression as SQL. A bare one is a column as it stands; a constant one reads no column.

    A stable one has no variables of its own: those of a lambda differ between two copies of it. `literal` is the type
    of an integer as it stands. A fragile one raises on ordinary values, such as a division: it is guarded where the
    engine would compute it for rows that another condition leaves out.
    """

    sql: str
    level: Level = Level.ATOM
    type: DataType = UNKNOWN
    bare: bool = False
    constant: bool = False
    stable: bool = True
    literal: str | None = None
    fragile: bool = False
    inside: frozenset[str] = frozenset()

    @property
    def reads(self) -> frozenset[str]:
        """The columns in it, as they are written."""
        return frozenset((self.sql,)) if self.bare else self.inside

    def at(self, level: Level) -> str:
        """The text where at least `level` is asked for."""
        return self.sql if self.level >= level else f"({self.sql})"

    def typed(self, kind: DataType) -> Text:
        return replace(self, type=kind)


def made_of(
    sql: str, parts: Sequence[Text], *, level: Level = Level.ATOM, kind: DataType = UNKNOWN, fragile: bool = False
) -> Text:
    """A text made of others: constant if all of them are."""
    return Text(
        sql=sql,
        level=level,
        type=kind,
        constant=all(p.constant for p in parts),
        stable=all(p.stable for p in parts),
        fragile=fragile or any(p.fragile for p in parts),
        inside=frozenset().union(*(p.reads for p in parts)),
    )


def infix(operator: str, parts: Sequence[Text], level: Level, kind: DataType = UNKNOWN) -> Text:
    """Operands with an operator between them; the first may bind as loosely as the whole, if that is arithmetic."""
    tighter = Level(level + 1)
    first = parts[0].at(level if level in {Level.ADD, Level.MULTIPLY} else tighter)
    rest = [p.at(tighter) for p in parts[1:]]
    return made_of(f" {operator} ".join([first, *rest]), parts, level=level, kind=kind)


def function(name: str, parts: Sequence[Text], kind: DataType = UNKNOWN) -> Text:
    return made_of(f"{name}({', '.join(p.sql for p in parts)})", parts, kind=kind)


LEVELS: Final = {
    "or": Level.OR,
    "and": Level.AND,
    "=": Level.COMPARE,
    "<=>": Level.COMPARE,
    "<>": Level.COMPARE,
    "<": Level.COMPARE,
    "<=": Level.COMPARE,
    ">": Level.COMPARE,
    ">=": Level.COMPARE,
    "||": Level.OTHER,
    "&": Level.OTHER,
    "|": Level.OTHER,
    "^": Level.OTHER,
    "+": Level.ADD,
    "-": Level.ADD,
    "*": Level.MULTIPLY,
    "/": Level.MULTIPLY,
    "%": Level.MULTIPLY,
    "div": Level.MULTIPLY,
}
