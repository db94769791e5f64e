"""Which columns of a result hang on the order in which rows come, and how.

`first(x)` of a group is any of its values, `collect_list(x)` all of them in any order: Spark gives another answer when
it reads files in another order, and each of them is right. Whatever is computed from such a column hangs on the order,
too, unless the order is lost on the way: `sort_array(collect_list(x))` and `size(collect_list(x))` are the same in each
run. A row that such a column decides on (by a filter, a key of a join or a group) may be there or not.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidewheel.ir.aggregates import AGGREGATES
from tidewheel.ir.dependencies import keys
from tidewheel.ir.memo import by_digest
from tidewheel.ir.parts import AggCall, Frame, WindowCall
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
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Scalar, columns


class Hang(enum.IntEnum):
    """How a value hangs on the order of rows: not at all, as an array of the same elements, or in any way."""

    NOT = 0
    ORDER = 1
    VALUE = 2


COLLECTS: Final = frozenset({"collect_list", "collect_set", "array_agg"})
"""Aggregates that give the same elements in any order."""
_FORGETS: Final = frozenset(
    {"size", "cardinality", "array_size", "sort_array", "array_contains", "array_max", "array_min", "isnull",
     "isnotnull", "arrays_overlap", "exists", "forall"}
)  # fmt: skip
"""Functions of arrays that do not see in which order the elements are."""
_KEEPS: Final = frozenset(
    {"array_distinct", "array_union", "array_intersect", "array_except", "array_remove", "array_compact", "concat",
     "transform", "filter", "reverse", "array_append", "array_prepend", "coalesce", "if", "nvl", "ifnull"}
)  # fmt: skip
"""Functions that give the same elements for the same elements."""


@dataclass(frozen=True, slots=True)
class OrderDependence:
    """What hangs on the order of rows: each column, and which rows there are."""

    columns: tuple[Hang, ...]
    rows: bool = False

    def hangs(self, scalars: Iterable[Scalar]) -> bool:
        return any(hang_of(s, self.columns) for s in scalars)

    def decided_by(self, scalars: Iterable[Scalar]) -> OrderDependence:
        """The rows that some expressions pick."""
        return replace(self, rows=self.rows or self.hangs(scalars))


def order_given(stored: Mapping[str, Mapping[str, Hang]]) -> Callable[[Rel], OrderDependence]:
    """What hangs on the order of rows in a plan, given what does in the relations that it reads."""

    @by_digest
    def order_of(rel: Rel) -> OrderDependence:
        if isinstance(rel, Scan):
            known = stored.get(rel.relation.lower(), {})
            return OrderDependence(tuple(known.get(c.name.lower(), Hang.NOT) for c in rel.columns))
        return _order(rel, [order_of(i) for i in rel.inputs])

    return order_of


def _order(rel: Rel, below: Sequence[OrderDependence]) -> OrderDependence:
    match rel:
        case Scan() | Values() | Opaque():
            return OrderDependence((Hang.NOT,) * rel.width)
        case Filter():
            return below[0].decided_by([rel.predicate])
        case Project():
            return replace(below[0], columns=tuple(hang_of(e, below[0].columns) for e in rel.exprs))
        case Join():
            return _join(rel, *below)
        case Aggregate():
            return _aggregate(rel, below[0])
        case Distinct():
            return below[0] if _has_sure_key(rel.input, below[0]) else replace(below[0], rows=_any(below))
        case Union():
            return OrderDependence(
                tuple(map(max, zip(*(b.columns for b in below), strict=True))), any(b.rows for b in below)
            )
        case SetOp():
            return replace(below[0], rows=_any(below))
        case Window():
            hang = [_window_call(rel, call, below[0]) for call in rel.calls]
            return replace(below[0], columns=(*below[0].columns, *hang))
        case TopK():
            return below[0].decided_by(k.expr for k in rel.order)
        case Unnest():
            return _unnest(rel, below[0])


def _any(below: Sequence[OrderDependence]) -> bool:
    return any(b.rows or any(b.columns) for b in below)


def _has_sure_key(rel: Rel, order: OrderDependence) -> bool:
    """Do columns that hang on nothing tell all rows apart."""
    return any(all(order.columns[i] is Hang.NOT for i in key) for key in keys(rel))


def _join(rel: Join, left: OrderDependence, right: OrderDependence) -> OrderDependence:
    ours = left.hangs(k.left for k in rel.keys) or right.hangs(k.right for k in rel.keys)
    both = OrderDependence(left.columns + right.columns, left.rows or right.rows or ours).decided_by([rel.residual])
    return replace(left, rows=both.rows) if rel.kind in {"semi", "anti"} else both


def _aggregate(rel: Aggregate, below: OrderDependence) -> OrderDependence:
    grouped = below.decided_by(rel.keys)
    hangs = (*(hang_of(k, below.columns) for k in rel.keys), *(_call(call, below) for call in rel.calls))
    rest = rel.width - len(hangs)
    return OrderDependence((*hangs, *(Hang.NOT,) * rest), grouped.rows)


def _call(call: AggCall, below: OrderDependence) -> Hang:
    facts = AGGREGATES.get(call.name)
    if below.hangs(call.scalars):
        return Hang.VALUE
    if facts is not None and (not facts.ordered or call.order):
        return Hang.NOT
    return Hang.ORDER if call.name in COLLECTS else Hang.VALUE


def _window_call(rel: Window, call: WindowCall, below: OrderDependence) -> Hang:
    """Orders of windows are completed where the function tells equals apart; where there is none, any row is first."""
    if below.hangs([*rel.partition, *(k.expr for k in rel.order), *call.scalars]):
        return Hang.VALUE
    facts = AGGREGATES.get(call.name)
    if rel.order or facts is None or not (facts.ordered or _is_part(call.frame)):
        return Hang.NOT
    return Hang.ORDER if call.name in COLLECTS and not _is_part(call.frame) else Hang.VALUE


def depends_on_order(rel: Window) -> bool:
    """Does a call hang on the order of rows by itself, whatever it is computed from."""
    below = OrderDependence((Hang.NOT,) * rel.input.width)
    return any(_window_call(rel, call, below) for call in rel.calls)


def _is_part(frame: Frame | None) -> bool:
    return frame is not None and frame.unit == "rows" and not (frame.start is None and frame.end is None)


def _unnest(rel: Unnest, below: OrderDependence) -> OrderDependence:
    """A row for each element: in whichever order they come, the rows are the same; their positions are not."""
    hang = max((hang_of(a, below.columns) for a in rel.args), default=Hang.NOT)
    is_bag = rel.generator in {"explode", "explode_outer", "inline", "inline_outer"}
    made = Hang.NOT if hang is Hang.NOT or (hang is Hang.ORDER and is_bag) else Hang.VALUE
    return OrderDependence((*below.columns, *(made,) * rel.arity), below.rows or hang is Hang.VALUE)


def hang_of(scalar: Scalar, below: Sequence[Hang]) -> Hang:
    """How the value of an expression hangs on the order of rows, given how the columns do."""
    worst = max((below[i] for i in columns(scalar)), default=Hang.NOT)
    if worst is not Hang.ORDER:
        return worst
    match scalar:
        case Col(index):
            return below[index]
        case Cast(arg, to) if to.upper().startswith("ARRAY"):
            return hang_of(arg, below)
        case Case(branches, otherwise) if not any(hang_of(condition, below) for condition, _ in branches):
            values = [value for _, value in branches] + ([] if otherwise is None else [otherwise])
            return max(hang_of(value, below) for value in values)
        case Call(name, args):
            return _of_call(name, args, below)
    return Hang.VALUE


def _of_call(name: str, args: Sequence[Scalar], below: Sequence[Hang]) -> Hang:
    worst = max(hang_of(a, below) for a in args)
    if worst is not Hang.ORDER or any(_counts(a) for a in args):
        return Hang.VALUE if worst else Hang.NOT
    if name in _FORGETS or (name == "array_sort" and len(args) == 1):
        return Hang.NOT
    return Hang.ORDER if name in _KEEPS else Hang.VALUE


def _counts(arg: Scalar) -> bool:
    """Is it a function of an element and its position."""
    return isinstance(arg, Lambda) and len(arg.params) > 1
