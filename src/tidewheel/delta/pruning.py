"""Which stored rows a change plan can need at all: what equalities with the rows of a change say about stored columns.

Before anything runs, the values in a change's columns are known on the driver, and so are the bounds of every stored
file. Where a plan joins a stored relation with a change, directly or over other equalities, files whose bounds exclude
all those values need not be read. Nothing here knows files: a plan goes in, and out comes the plan in which every scan
of a stored relation has the bounds that hold for it at that place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from tidewheel.ir.forms import Delta
from tidewheel.ir.memo import by_digest
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Opaque,
    Project,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip
from tidewheel.ir.scalar import Col, Scalar
from tidewheel.ir.tree import with_inputs
from tidewheel.ir.typing import has_types_of, types_of

Source: TypeAlias = tuple[str, str]
"""A column of the change of a relation: the relation's name and the column's."""
Origins: TypeAlias = frozenset[Source]
"""The values of a column are among those of these columns, taken together."""


@dataclass(frozen=True, slots=True)
class ColumnBounds:
    """For some columns, by position: of all rows only those are needed whose values are among these."""

    of: frozenset[tuple[int, Origins]] = frozenset()

    def moved(self, place: Callable[[int], int | None]) -> ColumnBounds:
        """The bounds of those columns that have a place elsewhere."""
        if not self.of:
            return self
        return ColumnBounds(frozenset((at, origins) for i, origins in self.of if (at := place(i)) is not None))

    def __or__(self, other: ColumnBounds) -> ColumnBounds:
        return ColumnBounds(self.of | other.of)


NONE = ColumnBounds()


class Pruned:
    """Plans whose scans have bounds; `show` makes of each scan with its bounds what is read instead, once."""

    def __init__(self, show: Callable[[Scan, ColumnBounds], Rel]) -> None:
        self.show = show
        self._done: dict[tuple[bytes, ColumnBounds], Rel] = {}
        self._origins = by_digest(self._origins_of)

    def plan(self, rel: Rel, bounds: ColumnBounds = NONE) -> Rel:
        known = self._done.get((rel.digest, bounds))
        if known is None:
            known = self._done[rel.digest, bounds] = self._plan(rel, bounds)
            has_types_of(known, rel)
        return known

    def _plan(self, rel: Rel, bounds: ColumnBounds) -> Rel:
        match rel:
            case Scan():
                return self.show(rel, NONE if _is_change(rel) else bounds)
            case Values() | Opaque():
                return rel
            case Join():
                return self._join(rel, bounds)
            case Union() | SetOp():
                kinds = types_of(rel)
                parts = [self.plan(part, _same_types(bounds, types_of(part), kinds)) for part in rel.inputs]
                return with_inputs(rel, parts)
            case Filter() | Distinct():
                return with_inputs(rel, [self.plan(rel.input, bounds)])
            case Project(exprs=exprs):
                return with_inputs(rel, [self.plan(rel.input, bounds.moved(_plain(exprs)))])
            case Aggregate(keys=keys, sets=None):
                return with_inputs(rel, [self.plan(rel.input, bounds.moved(_plain(keys)))])
            case Window(partition=partition):
                kept = bounds.moved(lambda i: i if Col(i) in partition else None)
                return with_inputs(rel, [self.plan(rel.input, kept)])
            case Unnest():
                return with_inputs(rel, [self.plan(rel.input, bounds.moved(_first(rel.input.width)))])
            case Aggregate() | TopK():
                return with_inputs(rel, [self.plan(rel.input)])

    def _join(self, rel: Join, bounds: ColumnBounds) -> Rel:
        """A key bounds one side by what the other can hold, where a row without a match is not needed."""
        width = rel.left.width
        both = rel.kind in {"inner", "semi"}
        left = bounds.moved(_first(width)) if rel.kind != "full" else NONE
        right = NONE
        if rel.kind == "inner":
            right = bounds.moved(lambda i: i - width if i >= width else None)
        if rel.kind != "full":
            right |= self._from(rel, self._origins(rel.left), of_right=True)
        if both:
            left |= self._from(rel, self._origins(rel.right), of_right=False)
        return with_inputs(rel, [self.plan(rel.left, left), self.plan(rel.right, right)])

    def _from(self, rel: Join, origins: Sequence[Origins | None], *, of_right: bool) -> ColumnBounds:
        """What the columns of the other side say about this one, by keys that compare columns of one type."""
        found = set()
        kinds = types_of(rel.left), types_of(rel.right)
        for key in rel.keys:
            if key.kind == "in" or not isinstance(key.left, Col) or not isinstance(key.right, Col):
                continue
            if kinds[0][key.left.index] != kinds[1][key.right.index]:
                continue
            mine, theirs = (key.right, key.left) if of_right else (key.left, key.right)
            known = origins[theirs.index]
            if known is not None:
                found.add((mine.index, known))
        return ColumnBounds(frozenset(found))

    def _origins_of(self, rel: Rel) -> tuple[Origins | None, ...]:
        """For each column, where its values come from, if that is the rows of changes alone."""
        below = [self._origins(part) for part in rel.inputs]
        match rel:
            case Scan():
                if _is_change(rel):
                    return tuple(frozenset({(rel.relation, c.name)}) for c in rel.columns)
                return (None,) * rel.width
            case Filter() | Distinct() | TopK():
                return below[0]
            case Project(exprs=exprs):
                return tuple(below[0][e.index] if isinstance(e, Col) else None for e in exprs)
            case Aggregate(keys=keys):
                found = [below[0][k.index] if isinstance(k, Col) and rel.sets is None else None for k in keys]
                return (*found, *((None,) * (rel.width - len(keys))))
            case Window() | Unnest():
                return (*below[0], *((None,) * (rel.width - len(below[0]))))
            case Join():
                return self._join_origins(rel, below[0], below[1])
            case Union():
                kinds = types_of(rel)
                parts = [types_of(part) for part in rel.parts]
                return tuple(
                    _together([b[i] for b in below]) if all(p[i] == kinds[i] for p in parts) else None
                    for i in range(rel.width)
                )
            case SetOp():  # all rows are rows of the left side
                alike = zip(below[0], types_of(rel.left), types_of(rel), strict=True)
                return tuple(origins if a == b else None for origins, a, b in alike)
            case Values() | Opaque():
                return (None,) * rel.width

    def _join_origins(
        self, rel: Join, left: tuple[Origins | None, ...], right: tuple[Origins | None, ...]
    ) -> tuple[Origins | None, ...]:
        """A column that equals one with known values has known values, too."""
        if rel.kind == "full":
            return (None,) * rel.width
        known = [*left, *right] if rel.kind == "inner" else [*left]
        known += [None] * (rel.width - len(known))
        if rel.kind in {"inner", "semi"}:
            for i, origins in self._from(rel, right, of_right=False).of:
                known[i] = known[i] or origins
        if rel.kind == "inner":
            for i, origins in self._from(rel, left, of_right=True).of:
                known[rel.left.width + i] = known[rel.left.width + i] or origins
        return tuple(known)


def _is_change(scan: Scan) -> bool:
    return isinstance(scan.form, Delta)


def _together(parts: Sequence[Origins | None]) -> Origins | None:
    known = [p for p in parts if p is not None]
    return reduce(frozenset.union, known) if len(known) == len(parts) else None


def _first(width: int) -> Callable[[int], int | None]:
    """The first columns stay where they are."""
    return lambda i: i if i < width else None


def _plain(exprs: Sequence[Scalar]) -> Callable[[int], int | None]:
    """Columns of the input as they are, and nothing else, have a place in it."""

    def place(i: int) -> int | None:
        expr = exprs[i] if i < len(exprs) else None
        return expr.index if isinstance(expr, Col) else None

    return place


def _same_types(bounds: ColumnBounds, part: Sequence[object], whole: Sequence[object]) -> ColumnBounds:
    return ColumnBounds(frozenset((i, origins) for i, origins in bounds.of if part[i] == whole[i]))
