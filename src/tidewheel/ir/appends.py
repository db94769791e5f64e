"""What happens to a result when rows are appended to one relation."""

from __future__ import annotations

from enum import Enum
from functools import reduce
from operator import or_

from tidewheel.ir import functions
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
from tidewheel.ir.tree import nodes, scalars_of


class AppendEffect(Enum):
    """How a result differs from the one before; by single bits, so that two changes together are their union."""

    NONE = 0
    GROWS = 1
    SHRINKS = 2
    ANY = 3

    def __or__(self, other: AppendEffect) -> AppendEffect:
        return AppendEffect(self.value | other.value)

    def inverse(self) -> AppendEffect:
        return {AppendEffect.GROWS: AppendEffect.SHRINKS, AppendEffect.SHRINKS: AppendEffect.GROWS}.get(self, self)


def preserves_appends(rel: Rel, relation: str) -> bool:
    """If rows are only appended to the relation, and nothing else changes, are rows only appended to the result."""
    return change_of(rel, relation) in {AppendEffect.NONE, AppendEffect.GROWS}


def change_of(rel: Rel, relation: str) -> AppendEffect:
    """What appending rows to one relation can do to the result of a plan, as a bag."""
    known: dict[bytes, AppendEffect] = {}
    for node in nodes(rel):
        known[node.digest] = _change(node, relation, [known[i.digest] for i in node.inputs])
    return known[rel.digest]


def _change(rel: Rel, relation: str, below: list[AppendEffect]) -> AppendEffect:
    if all(change is AppendEffect.NONE for change in below) and not isinstance(rel, (Scan, Opaque)):
        return AppendEffect.NONE
    if not all(map(functions.is_deterministic, scalars_of(rel))):
        return AppendEffect.ANY
    match rel:
        case Scan():
            return AppendEffect.GROWS if rel.relation == relation else AppendEffect.NONE
        case Opaque():
            return AppendEffect.ANY if relation in rel.reads else AppendEffect.NONE
        case Filter() | Project() | Unnest() | Distinct():
            # Each row of a Distinct stays as long as one copy does, so it is monotone, although it is not linear.
            return below[0]
        case Union():
            return reduce(or_, below)
        case SetOp():
            return below[0] | (below[1].inverse() if rel.kind == "except" else below[1])
        case Join():
            return _join_change(rel, *below)
        case Aggregate() | Window() | TopK():
            return AppendEffect.ANY
        case Values():
            return AppendEffect.NONE


def _join_change(rel: Join, left: AppendEffect, right: AppendEffect) -> AppendEffect:
    match rel.kind:
        case "inner" | "semi":
            return left | right
        case "anti":
            return left | right.inverse()
        case "left":
            # A first match takes the row with NULLs away.
            return left if right is AppendEffect.NONE else AppendEffect.ANY
        case "full":
            return AppendEffect.ANY
