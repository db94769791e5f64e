"""How a relation is stored for its own maintenance: which columns beside its own, and by which key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidewheel.delta.change import comparable
from tidewheel.delta.groups import scope, split_sets
from tidewheel.delta.partials import Merging, mergeable
from tidewheel.ir.dependencies import keys
from tidewheel.ir.rel import Aggregate, Distinct, Project, Rel, SetOp, TopK, Window
from tidewheel.ir.scalar import Col, Scalar, identity, substitute
from tidewheel.ir.typing import types_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A stored relation: `exprs` over `core` are its columns, first those of the view, then hidden ones.

    `key` are columns that are unique, None of a bag. `scope` are the columns that tell in which of the core's groups a
    row is: the rows of a group are replaced together.
    """

    exprs: tuple[Scalar, ...]
    core: Rel
    visible: int
    key: tuple[int, ...] | None
    scope: tuple[int, ...] | None = None
    merging: Merging | None = None

    @property
    def plan(self) -> Rel:
        if self.exprs == identity(self.core.width):
            return self.core
        return Project(input=self.core, exprs=self.exprs)

    @property
    def is_buffer(self) -> bool:
        """Can the first rows be found among those that are stored and those that come."""
        return _buffers(self.core)

    def over(self, core: Rel) -> Rel:
        """The stored columns of other rows of the core."""
        return replace(self, core=core).plan


def layout_of(rel: Rel) -> Layout:
    """The layout of a plan's result."""
    exprs, core = _core(rel)
    columns = _Columns(exprs)
    match core:
        case Aggregate():
            return _aggregate(core, columns)
        case Distinct() | SetOp(all=False):
            whole = columns.places(identity(core.width))
            return columns.layout(core, key=whole, scope=whole)
        case SetOp():
            return columns.layout(core, key=None, scope=columns.places(identity(core.width)))
        case Window() if core.partition:
            return columns.keyed(core, scope=columns.places(core.partition))
        case TopK() | Window():
            if _buffers(core):
                columns.places(identity(core.width))  # what comes is put in order with what is stored
            return columns.keyed(core, scope=())
    return columns.keyed(core, scope=None)


def _core(rel: Rel) -> tuple[tuple[Scalar, ...], Rel]:
    """The operator that decides how a plan is maintained, and the columns over it."""
    exprs = identity(rel.width)
    while isinstance(rel, Project):
        exprs = tuple(substitute(e, rel.exprs) for e in exprs)
        rel = rel.input
    return exprs, rel


def _aggregate(core: Aggregate, columns: _Columns) -> Layout:
    keys_width = core.width - len(core.calls)
    if core.sets is not None and len(set(core.sets)) < len(core.sets):
        # A grouping set that is listed twice gives every row twice.
        return columns.layout(split_sets(core) or core, key=None, scope=None)
    merging = mergeable(core)
    if merging is not None:
        columns.places([Col(i) for i in merging.stored()])
    key = columns.places(identity(keys_width))
    if merging is None and core.sets is not None and (split := split_sets(core)) is not None:
        return columns.layout(split, key=key, scope=None)
    rel = core if merging is None else merging.rel
    groups = key if core.sets is None and scope(core) else ()
    return columns.layout(rel, key=key, scope=groups, merging=merging)


def _buffers(core: Rel) -> bool:
    return isinstance(core, TopK) and bool(core.limit) and not core.offset and comparable(types_of(core))


class _Columns:
    """The columns of a layout while it is made."""

    def __init__(self, exprs: Sequence[Scalar]) -> None:
        self.exprs = list(exprs)
        self.visible = len(exprs)

    def places(self, wanted: Sequence[Scalar]) -> tuple[int, ...]:
        """Where some expressions stand; those that do not yet are added."""
        self.exprs += [e for e in dict.fromkeys(wanted) if e not in self.exprs]
        return tuple(self.exprs.index(e) for e in wanted)

    def layout(
        self,
        core: Rel,
        *,
        key: tuple[int, ...] | None,
        scope: tuple[int, ...] | None,
        merging: Merging | None = None,
    ) -> Layout:
        return Layout(exprs=tuple(self.exprs), core=core, visible=self.visible, key=key, scope=scope, merging=merging)

    def keyed(self, core: Rel, *, scope: tuple[int, ...] | None) -> Layout:
        """With a key that can be derived, if there is one."""
        made = self.layout(core, key=None, scope=scope)
        found = keys(made.plan)
        return replace(made, key=tuple(sorted(found[0]))) if found else made
