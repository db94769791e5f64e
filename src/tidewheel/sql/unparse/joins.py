"""Joins: how two SELECTs become one FROM clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from tidewheel.ir.parts import JoinKey
from tidewheel.ir.rel import Join
from tidewheel.ir.scalar import Scalar, shift
from tidewheel.sql.unparse.blocks import Block, Clause, fits
from tidewheel.sql.unparse.dialect import Dialect
from tidewheel.sql.unparse.scalars import write
from tidewheel.sql.unparse.texts import Text


class BlockWriter(Protocol):
    """What writes the blocks around a join."""

    @property
    def dialect(self) -> Dialect:
        """The SQL that is written."""

    def nested(self, block: Block) -> Block:
        """A block that reads another one as a subquery."""

    def conditions(self, scalar: Scalar, columns: Sequence[Text]) -> tuple[Text, ...]:
        """The parts of an AND, each by itself."""

    def lines(self, block: Block, names: Sequence[str]) -> list[str]:
        """The text of a block."""


def add_join(writer: BlockWriter, node: Join, left: Block, right: Block) -> Block:
    """The right side joined to the left one's FROM clause.

    A condition on rows of the left side alone may wait until after the join, unless the join adds rows to that side;
    one on the right side alone is part of what makes a pair match. A column that is computed stays so, unless the
    join puts NULLs in its place.
    """
    left = left if _left_opens(node, left) else writer.nested(left)
    right = right if _right_opens(node, right) else writer.nested(right)
    columns = (*left.columns, *right.columns)
    conditions = []
    for key in node.keys:
        sides = write(writer.dialect, key.left, left.columns), write(writer.dialect, key.right, right.columns)
        conditions.append(writer.dialect.key(key, *sides))
    conditions += writer.conditions(node.residual, columns)
    where = left.where
    if node.kind == "inner":
        where += right.where
    else:
        conditions += right.where
    word = writer.dialect.joins[node.kind] if conditions or node.kind != "inner" else "CROSS JOIN"
    lines = [f"{word} {right.source[0]}", *right.source[1:]]
    if word != "CROSS JOIN":
        lines[-1] += f" ON {writer.dialect.conjunction(conditions).sql}"
    return replace(
        left,
        columns=left.columns if node.kind in {"semi", "anti"} else columns,
        source=(*left.source, *lines),
        items=left.items + 1,
        where=where,
        depth=max(left.depth, right.depth),
    )


def _left_opens(node: Join, left: Block) -> bool:
    if left.stage != Clause.SOURCE or not left.source or left.unnested or left.pinned:
        return False
    if node.kind == "full" and (left.where or not all(c.bare for c in left.columns)):
        return False
    return fits(left, [*(k.left for k in node.keys), node.residual], kept=True)


def _right_opens(node: Join, right: Block) -> bool:
    if right.stage != Clause.SOURCE or right.items != 1 or right.unnested or right.pinned:
        return False
    if node.kind in {"left", "full"} and not all(c.bare for c in right.columns):
        return False
    if node.kind == "full" and right.where:
        return False
    width = node.left.width
    keys = [shift(k.right, width) for k in node.keys]
    return fits(right, [*keys, node.residual], kept=node.kind == "inner", offset=width)


def add_not_in(writer: BlockWriter, key: JoinKey, left: Block, right: Block) -> Block:
    """NOT IN with nothing else to match by: the form that Spark runs as one null-aware hash join."""
    if left.stage != Clause.SOURCE or not left.source or not fits(left, [key.left], kept=True):
        left = writer.nested(left)
    if right.stage in {Clause.DISTINCT, Clause.CLOSED} or not fits(right, [key.right]) or right.group == "":
        right = writer.nested(right)
    sought, found = write(writer.dialect, key.left, left.columns), write(writer.dialect, key.right, right.columns)
    sought, found = writer.dialect.compared(sought, found)
    lines = writer.lines(replace(right, columns=(found,)), ["c0"])
    condition = writer.dialect.not_in(sought, "(" + "\n".join(["", *(f"  {line}" for line in lines), ")"]))
    return replace(left, where=(*left.where, condition), pinned=True, depth=max(left.depth, right.depth + 1))
