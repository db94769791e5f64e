"""A SELECT that is being put together: its clauses, and whether one more operator fits into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tidewheel.ir.scalar import Col, Scalar, walk
from tidewheel.sql.unparse.texts import Text

_LINE: Final = 100
_REPEATED: Final = 240


class Clause(IntEnum):
    """The last clause of a SELECT that is in use; each is computed after the ones before it."""

    SOURCE = 0
    GROUPED = 1
    WINDOWED = 2
    DISTINCT = 3
    SORTED = 4
    CLOSED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One SELECT, or with `body` several with an operator between them, of which only the columns are known.

    `items` is the number of relations in its FROM clause. `pinned` says that the WHERE clause has a subquery and
    must stay where it is. A `group` that is empty is one over nothing; `aggregates` are the columns that make it one.
    """

    columns: tuple[Text, ...]
    source: tuple[str, ...] = ()
    items: int = 0
    unnested: bool = False
    where: tuple[Text, ...] = ()
    pinned: bool = False
    group: str | None = None
    sets: bool = False
    aggregates: frozenset[int] | None = None
    having: tuple[Text, ...] = ()
    windowed: bool = False
    distinct: bool = False
    order: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0
    sorted: bool = False
    body: tuple[str, ...] | None = None
    operator: str = ""
    depth: int = 0

    @property
    def stage(self) -> Clause:
        if self.body is not None:
            return Clause.CLOSED
        if self.sorted:
            return Clause.SORTED
        if self.distinct:
            return Clause.DISTINCT
        if self.windowed:
            return Clause.WINDOWED
        return Clause.SOURCE if self.group is None else Clause.GROUPED


def fits(block: Block, scalars: Sequence[Scalar], *, kept: bool = False, offset: int = 0) -> bool:
    """Whether columns that are not bare would not be written too often: once, or a few times if they are short.

    `kept` columns stand in the select list as well; `offset` is the position of the block's first column.
    """
    uses = Counter(range(len(block.columns)) if kept else ())
    for scalar in scalars:
        uses.update(s.index - offset for s in walk(scalar) if isinstance(s, Col))
    for i, column in enumerate(block.columns):
        if not column.bare and uses[i] > 1 and uses[i] * len(column.sql) > _REPEATED:
            return False
    return True


def lines_of(block: Block, names: Sequence[str], conjunction: Text, having: Text) -> list[str]:
    """The text of a SELECT, its columns named; the conditions come ready to write."""
    select = "SELECT DISTINCT" if block.distinct else "SELECT"
    items = [_named(c, n) for c, n in zip(block.columns, names, strict=True)] or ["0 AS c0"]
    lines = list(_clause(select, items))
    if block.source:
        lines += [f"FROM {block.source[0]}", *block.source[1:]]
    if block.where:
        lines += f"WHERE {conjunction.sql}".split("\n")
    if block.group:
        lines.append(f"GROUP BY {block.group}")
    if block.having:
        lines.append(f"HAVING {having.sql}")
    if block.order:
        lines.append(f"ORDER BY {', '.join(block.order)}")
    if block.limit is not None:
        lines.append(f"LIMIT {block.limit}")
    if block.offset:
        lines.append(f"OFFSET {block.offset}")
    return lines


def _named(column: Text, name: str) -> str:
    return column.sql if column.bare and column.sql.rpartition(".")[2] == name else f"{column.sql} AS {name}"


def _clause(head: str, items: Sequence[str]) -> Iterator[str]:
    """A list on one line if it is short, else one item on each."""
    line = f"{head} {', '.join(items)}"
    if len(line) <= _LINE or len(items) == 1:
        yield line
        return
    yield head
    for i, item in enumerate(items):
        yield f"  {item}{',' if i + 1 < len(items) else ''}"


def indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
