"""Operators over groups of rows: what a change does not touch stays, and the groups it touches are computed anew.

The touched groups are those of the keys that occur in the change: the domain. Old and new rows are restricted to it
before anything is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tidewheel.delta.change import DeltaPlan, difference, total
from tidewheel.delta.forms import Forms, When
from tidewheel.delta.linear import in_types_of
from tidewheel.ir.order import depends_on_order
from tidewheel.ir.parts import AggCall, WindowCall
from tidewheel.ir.props import is_deterministic
from tidewheel.ir.rel import Aggregate, Distinct, Filter, Project, Rel, SetOp, Union, Window
from tidewheel.ir.scalar import NULL, Call, Cast, Col, Lit, Scalar, identity
from tidewheel.ir.tree import nodes, with_inputs
from tidewheel.ir.typing import type_of, types_of
from tidewheel.types import UNKNOWN, DataType, to_sql


def scope(rel: Rel) -> tuple[Scalar, ...]:
    """The keys, over its inputs, of the groups that an operator treats each by itself; none if all rows are one."""
    match rel:
        case Aggregate(sets=None, keys=keys):
            return keys
        case Window(partition=partition):
            return partition
        case Distinct() | SetOp():
            return identity(rel.width)
    return ()


def touched(forms: Forms, rel: Rel) -> Rel | None:
    """The keys of the groups that a change touches: the domain of the operator's change."""
    changes = [change for part in rel.inputs if (change := forms.delta(part)) is not None]
    if not changes:
        return None
    if isinstance(rel, SetOp):
        changes = [in_types_of(rel, change) for change in changes]
    return total(changes).domain(scope(rel))


def recomputed(forms: Forms, rel: Rel, when: When, values: Rel) -> Rel:
    """The touched groups, before or after."""
    keys = scope(rel)
    match rel:
        case SetOp():
            sides = [forms.part(part, when, _keys_of(rel, part), values) for part in rel.inputs]
            return replace(rel, left=sides[0], right=sides[1])
        case Aggregate() | Window() | Distinct():
            return replace(rel, input=forms.part(rel.input, when, keys, values))
    raise TypeError(f"{type(rel).__name__} has no groups")


def _keys_of(rel: SetOp, part: Rel) -> tuple[Scalar, ...]:
    """The columns of one side, in the types of the result."""
    kinds = zip(types_of(part), types_of(rel), strict=True)
    return tuple(Col(i) if b in {a, UNKNOWN} else Cast(Col(i), to_sql(b)) for i, (a, b) in enumerate(kinds))


def by_groups(forms: Forms, rel: Rel) -> DeltaPlan | None:
    """d(g X) = g(X_new in D) - g(X_old in D), where D are the keys in dX."""
    if not scope(rel):
        return None
    values = touched(forms, rel)
    if values is None:
        return None
    if may_vary(rel):
        forms.keep(rel)
    return difference(recomputed(forms, rel, "new", values), recomputed(forms, rel, "old", values))


def may_vary(rel: Rel) -> bool:
    """May computing the same groups twice give different rows: sums of floating point numbers, lists, first values."""
    match rel:
        case Aggregate():
            return not is_deterministic(rel) or _adds_floats(rel)
        case Window():
            return not is_deterministic(rel) or depends_on_order(rel) or _adds_floats(rel)
    return False


def varying(forms: Forms, rel: Rel) -> Iterator[Rel]:
    """What may come out differently each time that a plan is computed: it, or parts of it that are not stored."""
    todo, seen = [rel], {rel.digest}
    while todo:
        node = todo.pop()
        if may_vary(node):
            yield node
            continue
        below = {i.digest: i for i in node.inputs if i.digest not in seen and not forms.is_kept(i)}
        seen |= below.keys()
        todo += below.values()


def _adds_floats(rel: Aggregate | Window) -> bool:
    """A deviation of integers is computed with floating point numbers, too: the type of the result tells."""
    calls: Sequence[AggCall | WindowCall] = rel.calls
    inputs, kinds = types_of(rel.input), types_of(rel)[rel.width - len(calls) :]
    return any(_is_float(kind) and _adds_up(call, inputs) for call, kind in zip(calls, kinds, strict=True))


_EXACT = frozenset(
    {"min", "max", "count", "any_value", "first", "last", "single_value", "median", "percentile", "percent_rank",
     "cume_dist", "lag", "lead", "first_value", "last_value", "nth_value"}
)  # fmt: skip


def _is_float(kind: DataType) -> bool:
    return to_sql(kind) in {"FLOAT", "DOUBLE"} or kind == UNKNOWN


def _adds_up(call: AggCall | WindowCall, inputs: Sequence[DataType]) -> bool:
    """Does an aggregate add floating point numbers, in whatever order; an average of integers is exact."""
    if call.name in _EXACT:
        return False
    if call.name in {"avg", "mean"}:
        return any(_is_float(type_of(a, inputs)) for a in call.args)
    return True


def by_sets(forms: Forms, rel: Rel) -> DeltaPlan | None:
    """d(sets g X) = sum of d(g_s X) over the grouping sets s."""
    return forms.delta(split) if (split := split_sets(rel)) is not None else None


def split_sets(rel: Rel) -> Rel | None:
    """Grouping sets as a union of one aggregate for each; None if there is nothing to split."""
    if not isinstance(rel, Aggregate) or rel.sets is None:
        return None
    kinds = types_of(rel)
    if UNKNOWN in kinds[: len(rel.keys)]:
        return None
    return Union(parts=tuple(_one_set(rel, chosen, kinds) for chosen in rel.sets))


def with_sets_apart(rel: Rel) -> Rel:
    """A plan in which grouping sets that may vary are unions of groups.

    Each of these is kept, and whoever reads the sets must read what is kept: not those of the plan's own result, which
    is stored as a union itself.
    """
    top = rel
    while isinstance(top, Project):
        top = top.input
    found: dict[bytes, Rel] = {}
    for node in nodes(rel):
        made = with_inputs(node, [found[i.digest] for i in node.inputs])
        apart = split_sets(made) if node is not top and may_vary(made) else None
        found[node.digest] = apart or made
    return found[rel.digest]


def _one_set(rel: Aggregate, chosen: tuple[int, ...], kinds: Sequence[DataType]) -> Rel:
    grouped = len(chosen)
    calls = rel.calls
    alone = not chosen and (rel.keys or rel.sets != ((),))
    if alone:
        calls = (*calls, AggCall(name="count"))
    part: Rel = Aggregate(input=rel.input, keys=tuple(rel.keys[i] for i in chosen), calls=calls)
    if alone:
        # Over no rows a grouping set among others gives no row.
        part = Filter(input=part, predicate=Call(">", (Col(part.width - 1), Lit("bigint", "0"))))
    bits = sum(1 << (len(rel.keys) - 1 - i) for i in range(len(rel.keys)) if i not in chosen)
    keys = [Col(chosen.index(i)) if i in chosen else Cast(NULL, to_sql(kinds[i])) for i in range(len(rel.keys))]
    values = [Col(grouped + i) for i in range(len(rel.calls))]
    return Project(input=part, exprs=(*keys, Lit("bigint", str(bits)), *values))
