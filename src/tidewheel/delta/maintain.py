"""The change of a stored relation, from its inputs' changes and its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidewheel.delta.change import PLUS, DeltaPlan, comes, comparable, consolidated, difference, goes, total
from tidewheel.delta.forms import Forms
from tidewheel.delta.groups import recomputed, split_sets, touched
from tidewheel.delta.layout import Layout
from tidewheel.delta.partials import ROWS, Merging, Sides, lost_extreme, merged, rows_left, signed_calls
from tidewheel.delta.restrict import Domain, semi_join
from tidewheel.ir.parts import AggCall, JoinKey
from tidewheel.ir.rel import Aggregate, Filter, Join, Project, Rel, Scan, SetOp, TopK, Union
from tidewheel.ir.scalar import FALSE, Call, Col, Lit, Scalar, conjunction, identity
from tidewheel.ir.tree import with_inputs
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.methods import ChangeMethod


@dataclass(frozen=True, slots=True)
class MaintainedChange:
    """The change of a stored relation, and the method. If `doubt` has a row, the change is not to be used."""

    change: DeltaPlan
    method: ChangeMethod
    doubt: Rel | None = None


def change_of(forms: Forms, layout: Layout, stored: Scan, *, quick: bool = False) -> MaintainedChange | None:
    """The exact change of a stored relation over all its columns; None if nothing it reads changed.

    A quick one leaves out what is rarely needed, and reads no more than changes and stored rows where it can: whether
    it was right is known when it was computed.
    """
    found = _change(forms, layout, stored, quick=quick)
    if found is None or not comparable(types_of(stored)):
        return found
    return replace(found, change=consolidated(found.change, keyed=layout.key is not None))


def _change(forms: Forms, layout: Layout, stored: Rel, *, quick: bool) -> MaintainedChange | None:
    core = layout.core
    if layout.merging is not None and isinstance(core, Aggregate):
        below = forms.delta(core.input)
        if below is None:
            return None
        if core.sets is None or not (below.signed and layout.merging.has_extremes):
            return _merge(forms, layout, layout.merging, below, stored, quick=quick)
        split = split_sets(core)
        if split is not None:
            change = forms.delta(layout.over(split))
            return None if change is None else MaintainedChange(change, "groups")
    if layout.scope is None:
        change = forms.delta(layout.plan)
        return None if change is None else MaintainedChange(change, "append" if not change.signed else "rows")
    if quick and isinstance(core, TopK) and layout.is_buffer:
        below = forms.delta(core.input)
        return None if below is None else _next_top(layout, core, below, stored)
    values = touched(forms, core)
    if values is None:
        return None
    if not layout.scope:
        new = with_inputs(core, [forms.whole(part, "new") for part in core.inputs])
        return MaintainedChange(
            difference(layout.over(new), stored), "topk" if isinstance(core, TopK) else "difference"
        )
    new = layout.over(recomputed(forms, core, "new", values))
    old = semi_join(stored, Domain(tuple(Col(i) for i in layout.scope), values))
    return MaintainedChange(difference(new, old), "groups")


def _next_top(layout: Layout, core: TopK, below: DeltaPlan, stored: Rel) -> MaintainedChange:
    """The first rows of those that are stored and left, and of those that come.

    A row that is not stored comes after all stored ones. So if stored rows go, and the last one of the new rows comes
    after the last one of the old, or there are fewer, then a row that is not stored may have its place.
    """
    old = Project(input=stored, exprs=tuple(Col(layout.exprs.index(Col(i))) for i in range(core.width)))
    exact = consolidated(below, keyed=False)
    going = exact.going()
    left = old if going is None else SetOp(kind="except", all=True, left=old, right=going)
    new = replace(core, input=Union(parts=(left, exact.coming())))
    change = difference(layout.over(new), stored)
    if going is None:
        return MaintainedChange(change, "topk")
    same = tuple(JoinKey(left=Col(i), right=Col(i), kind="<=>") for i in range(core.width))
    lost = Join(kind="semi", left=old, right=going, keys=same)
    back = tuple(replace(k, descending=not k.descending, nulls_first=not k.nulls_first) for k in core.order)
    last = TopK(input=old, order=back, limit=1)
    beyond = SetOp(kind="except", all=True, left=TopK(input=Union(parts=(new, last)), order=back, limit=1), right=last)
    count = Aggregate(input=new, keys=(), calls=(ROWS,))
    few = Filter(input=count, predicate=Call("<", (Col(0), Lit("bigint", str(core.limit)))))
    either = Union(parts=tuple(Project(input=part, exprs=(PLUS,)) for part in (beyond, few)))
    return MaintainedChange(change, "topk", Join(kind="semi", left=either, right=lost))


def _merge(
    forms: Forms, layout: Layout, merging: Merging, below: DeltaPlan, stored: Rel, *, quick: bool
) -> MaintainedChange:
    """The groups that the change touches: their old rows go, and rows with merged values come."""
    rel = merging.rel
    keys = rel.width - len(rel.calls)
    kept = [rel.calls[i - keys] for i in merging.stored() if i >= keys]
    sign = below.sign if below.signed else None
    delta = replace(rel, input=below.rel, calls=signed_calls(kept, sign))
    pairs = tuple(JoinKey(left=Col(i), right=Col(layout.exprs.index(Col(i))), kind="<=>") for i in range(keys))
    joined = Join(kind="left", left=delta, right=stored, keys=pairs)
    sides = _sides(layout, rel, kept, delta, signed=below.signed)
    kinds, nulls = types_of(rel.input), nullable_of(rel.input)
    values = [*(Col(i) for i in range(keys)), *(merged(c, kinds, nulls, sides) for c in rel.calls)]
    lost = lost_extreme(kept, sides)
    alive = [] if not rel.keys and rel.sets is None else [rows_left(sides)]
    sound = [] if lost is None else [Call("not", (Call("coalesce", (lost, FALSE)),))]
    coming: Rel = joined
    if alive or sound:
        coming = Filter(input=joined, predicate=conjunction([*alive, *sound]))
    parts = [
        goes(_old(joined, delta.width, sides)),
        comes(layout.over(Project(input=coming, exprs=tuple(values)))),
    ]
    if lost is None:
        return MaintainedChange(total(parts), "merge")
    bad = Filter(input=joined, predicate=lost)
    if quick:
        return MaintainedChange(total(parts), "merge", Project(input=bad, exprs=(PLUS,)))
    return MaintainedChange(total([*parts, comes(layout.over(_repaired(forms, rel, bad, keys)))]), "merge")


def _old(joined: Join, delta: int, sides: Sides) -> Rel:
    """The stored rows of the touched groups."""
    there = Filter(input=joined, predicate=Call("isnotnull", (sides.old(ROWS),)))
    return Project(input=there, exprs=tuple(Col(i) for i in range(delta, joined.width)))


def _repaired(forms: Forms, rel: Aggregate, bad: Rel, keys: int) -> Rel:
    """Groups that cannot be merged, computed anew."""
    values = Project(input=bad, exprs=identity(keys))
    made = replace(rel, input=forms.part(rel.input, "new", rel.keys, values))
    return made if keys else Join(kind="semi", left=made, right=values)


def _sides(layout: Layout, rel: Aggregate, kept: Sequence[AggCall], delta: Aggregate, *, signed: bool) -> Sides:
    """Where the values of a call stand in the join of the change's groups with the stored rows."""
    keys = rel.width - len(rel.calls)
    place = {call: i for i, call in enumerate(kept)}

    def old(call: AggCall) -> Scalar:
        return Col(delta.width + layout.exprs.index(Col(keys + rel.calls.index(call))))

    def come(call: AggCall) -> Scalar:
        return Col(keys + place[call])

    def gone(call: AggCall) -> Scalar | None:
        return Col(keys + len(kept) + place[call]) if signed else None

    return Sides(old, come, gone)
