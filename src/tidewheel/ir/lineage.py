"""Column lineage: which stored columns each column of a plan is computed from, and which only decide about rows.

    SELECT o.day, sum(o.amount) AS total FROM orders o JOIN stores s ON o.store = s.id WHERE s.open GROUP BY o.day

`day` is computed from `orders.day` and `total` from `orders.amount`; `orders.store`, `stores.id` and `stores.open`
decide which rows there are. A column that is in neither set never changes an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from tidewheel.ir.memo import by_digest
from tidewheel.ir.parts import AggCall, SortKey, WindowCall
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
from tidewheel.ir.scalar import Scalar, columns


class Origin(NamedTuple):
    """A column of a stored relation."""

    relation: str
    column: str


Origins: TypeAlias = frozenset[Origin]
NOTHING: Final[Origins] = frozenset()


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """Of one column: what its values are computed from, and what decides which rows or groups that is done over."""

    values: Origins = NOTHING
    conditions: Origins = NOTHING

    @property
    def all(self) -> Origins:
        return self.values | self.conditions


@dataclass(frozen=True, slots=True)
class Lineage:
    """Of a plan: its columns, and what decides which rows there are and how often."""

    columns: tuple[ColumnLineage, ...]
    rows: Origins = NOTHING

    def of(self, scalar: Scalar) -> ColumnLineage:
        """The lineage of an expression over these columns."""
        return _united([self.columns[i] for i in columns(scalar)])

    def behind(self, scalars: Iterable[Scalar]) -> Origins:
        """Everything that some expressions depend on."""
        return frozenset().union(*(self.of(scalar).all for scalar in scalars))

    @property
    def all(self) -> Origins:
        return self.rows.union(*(column.all for column in self.columns))

    @property
    def conditions_only(self) -> Origins:
        """Columns that filter, join, group or sort, and that no value is computed from."""
        return self.all.difference(*(column.values for column in self.columns))


@by_digest
def lineage(rel: Rel) -> Lineage:
    """Where the columns and the rows of a plan come from; of an opaque one, nothing is known."""
    match rel:
        case Scan(relation=relation):
            return Lineage(tuple(ColumnLineage(frozenset({Origin(relation, c.name)})) for c in rel.columns))
        case Values() | Opaque():
            return Lineage((ColumnLineage(),) * rel.width)
        case Filter(input=source, predicate=predicate):
            below = lineage(source)
            return Lineage(below.columns, below.rows | below.behind([predicate]))
        case Project(input=source, exprs=exprs):
            below = lineage(source)
            return Lineage(tuple(below.of(e) for e in exprs), below.rows)
        case Join():
            return _of_join(rel)
        case Aggregate():
            return _of_aggregate(rel)
        case Distinct(input=source):
            below = lineage(source)
            return Lineage(below.columns, below.all)
        case Union(parts=parts):
            return _of_union([lineage(part) for part in parts])
        case SetOp():
            return _of_set_operation(rel)
        case Window():
            return _of_window(rel)
        case TopK(input=source, order=order):
            below = lineage(source)
            return Lineage(below.columns, below.rows | below.behind(_sorted_by(order)))
        case Unnest(input=source, args=args):
            below = lineage(source)
            made = _united([below.of(a) for a in args])
            return Lineage((*below.columns, *(made,) * rel.arity), below.rows | made.all)


def _of_join(rel: Join) -> Lineage:
    left, right = lineage(rel.left), lineage(rel.right)
    both = Lineage((*left.columns, *right.columns))
    keys = left.behind(k.left for k in rel.keys) | right.behind(k.right for k in rel.keys)
    rows = left.rows | right.rows | keys | both.behind([rel.residual])
    return Lineage(both.columns[: rel.width], rows)


def _of_aggregate(rel: Aggregate) -> Lineage:
    """An aggregate depends on which rows are in its group; without keys there is one row, whatever happens below."""
    below = lineage(rel.input)
    members = below.rows | below.behind(rel.keys)
    keys = [below.of(key) for key in rel.keys]
    grouping_id = [ColumnLineage(conditions=members)] if rel.sets is not None else []
    calls = [_of_call(call, below, members | below.behind(_sorted_by(call.order))) for call in rel.calls]
    is_one_row = not rel.keys and rel.sets is None
    return Lineage((*keys, *grouping_id, *calls), NOTHING if is_one_row else members)


def _of_window(rel: Window) -> Lineage:
    below = lineage(rel.input)
    members = below.rows | below.behind([*rel.partition, *_sorted_by(rel.order)])
    return Lineage((*below.columns, *(_of_call(call, below, members) for call in rel.calls)), below.rows)


def _of_call(call: AggCall | WindowCall, below: Lineage, members: Origins) -> ColumnLineage:
    found = _united([below.of(a) for a in call.args])
    chosen = NOTHING if call.where is None else below.behind([call.where])
    return ColumnLineage(found.values, found.conditions | members | chosen)


def _of_union(parts: Sequence[Lineage]) -> Lineage:
    united = tuple(_united(column) for column in zip(*(p.columns for p in parts), strict=True))
    return Lineage(united, frozenset().union(*(p.rows for p in parts)))


def _of_set_operation(rel: SetOp) -> Lineage:
    """The rows are those of the left side; the whole of both sides decides which."""
    left, right = lineage(rel.left), lineage(rel.right)
    return Lineage(left.columns, left.all | right.all)


def _united(parts: Iterable[ColumnLineage]) -> ColumnLineage:
    known = list(parts)
    values = frozenset().union(*(p.values for p in known))
    return ColumnLineage(values, frozenset().union(*(p.conditions for p in known)))


def _sorted_by(order: Iterable[SortKey]) -> list[Scalar]:
    return [key.expr for key in order]
