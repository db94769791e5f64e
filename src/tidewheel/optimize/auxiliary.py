"""Auxiliary states: what a change would have to look up, kept instead where it is small.

Two joins make a change read much of a relation by columns that its files are not sorted by. Of a semi or anti join it
must know whether rows with a key are left; of a join with groups it computes the groups that a change touches from all
their rows, though only some of them have a partner. Each has a decomposition over relations that are small, and that
are maintained from changes alone. A decomposition gives the same rows; whether it is worth its states is for the
caller to say, and is written down with what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tidewheel.delta.forms import is_simple
from tidewheel.delta.partials import mergeable
from tidewheel.ir.dependencies import keys
from tidewheel.ir.equality import compares_exactly, is_plain
from tidewheel.ir.functions import is_deterministic
from tidewheel.ir.parts import AggCall, JoinKey
from tidewheel.ir.rel import Aggregate, Filter, Join, Project, Rel, Scan, Values
from tidewheel.ir.scalar import TRUE, Call, Col, Scalar, conjuncts, shift
from tidewheel.ir.tree import nodes, relations, with_inputs
from tidewheel.ir.typing import type_of, types_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """A join by other operators, and the plans within it that are to be kept."""

    name: str
    rel: Rel
    states: tuple[Rel, ...]


Worth: TypeAlias = Callable[[Decomposition], bool]
"""Is a decomposition worth the states that it keeps."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan as it is maintained: with some decompositions."""

    rel: Rel
    aids: tuple[Decomposition, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(aid.name for aid in self.aids))

    @property
    def states(self) -> tuple[Rel, ...]:
        """What is kept for them."""
        return tuple(dict.fromkeys(state for aid in self.aids for state in aid.states))


def prepared(rel: Rel, worth: Worth) -> Prepared:
    """The plan with every decomposition that is worth it, inputs first."""
    found: dict[bytes, Rel] = {}
    aids: list[Decomposition] = []
    for node in nodes(rel):
        made = with_inputs(node, [found[i.digest] for i in node.inputs])
        rewritten = _rewritten(made) if isinstance(made, Join) else None
        if rewritten is not None:
            aid = Decomposition(name=node.fingerprint()[:12], rel=rewritten[0], states=rewritten[1])
            if worth(aid):
                aids.append(aid)
                made = aid.rel
        found[node.digest] = made
    return Prepared(found[rel.digest], tuple(aids))


def _rewritten(rel: Join) -> Rewritten | None:
    return count_partners(rel) or groups_of_partners(rel)


Rewritten: TypeAlias = tuple[Rel, tuple[Rel, ...]]
"""A join by other operators, and what is to be kept."""


def count_partners(rel: Join) -> Rewritten | None:
    """L semi R on a = b -> L semi (count R by b) on a = b; the same for anti.

    Not if R has each key once: then its own change says which keys come and go. Nor if R is one stored relation: the
    counts would be about as large.
    """
    if rel.kind not in {"semi", "anti"} or not rel.keys or rel.residual != TRUE or is_simple(rel.right):
        return None
    kinds = types_of(rel.right)
    if any(k.kind == "in" or not is_deterministic(k.right) or not is_plain(type_of(k.right, kinds)) for k in rel.keys):
        return None
    told = {k.right.index for k in rel.keys if isinstance(k.right, Col)}
    if any(key <= told for key in keys(rel.right)):
        return None
    counted = Aggregate(input=rel.right, keys=tuple(k.right for k in rel.keys), calls=(AggCall(name="count"),))
    pairs = tuple(replace(k, right=Col(i)) for i, k in enumerate(rel.keys))
    return replace(rel, right=counted, keys=pairs), (counted,)


def groups_of_partners(rel: Join) -> Rewritten | None:
    """J x (g B by b) on a = b -> J x (g (B semi S on b = a) by b), where S is that part of J that a comes from.

    A group that no row of S asks for has no partner. The groups that are left are kept, and J with them: a change of B
    is looked up in S, and nothing else is.
    """
    if rel.kind != "inner" or not rel.keys:
        return None
    mirrored = tuple(JoinKey(left=k.right, right=k.left, kind=k.kind) for k in rel.keys)
    if (made := _restricted(rel.left, rel.right, rel.keys)) is not None:
        return replace(rel, right=made[0]), made[1]
    if (made := _restricted(rel.right, rel.left, mirrored)) is not None:
        return replace(rel, left=made[0]), made[1]
    return None


def _restricted(other: Rel, groups: Rel, pairs: Sequence[JoinKey]) -> Rewritten | None:
    """The groups for which there may be a partner, and what is to be kept."""
    core = _core(groups)
    if not isinstance(core, Aggregate) or core.sets is not None or mergeable(core) is None:
        return None
    if not (_is_joined(core.input) and _is_joined(other) and all(map(is_plain, types_of(other)))):
        return None
    found: dict[Rel, dict[JoinKey, None]] = {}
    for pair in pairs:
        number = _group_key(groups, pair.right)
        if number is None or not isinstance(pair.left, Col):
            continue
        kind = type_of(core.keys[number], types_of(core.input))
        if not compares_exactly(kind, types_of(other)[pair.left.index]):
            continue  # 1.0000001 = 1 if it is compared with six digits: what equals the 1 need not equal both
        for part, column in _sources(other, pair.left.index, set()):
            if compares_exactly(kind, types_of(part)[column]):
                key = JoinKey(left=core.keys[number], right=Col(column), kind=pair.kind)
                found.setdefault(part, {})[key] = None
    reads = set(relations(core.input))
    chosen = next((p for p in sorted(found, key=lambda p: -len(found[p])) if not reads & set(relations(p))), None)
    if chosen is None:
        return None
    semi = Join(kind="semi", left=core.input, right=chosen, keys=tuple(found[chosen]))
    restricted = replace(core, input=semi)
    return _over(groups, restricted), (restricted, *(() if is_simple(other) else (other,)))


def _core(rel: Rel) -> Rel:
    while isinstance(rel, (Project, Filter)):
        rel = rel.input
    return rel


def _over(rel: Rel, core: Rel) -> Rel:
    """Projections and filters over another core of the same columns."""
    return with_inputs(rel, [_over(rel.input, core)]) if isinstance(rel, (Project, Filter)) else core


def _is_joined(rel: Rel) -> bool:
    """Is a plan made of joins and of what goes row by row, so that its change is made of changes."""
    fits = (Scan, Values, Filter, Project, Join)
    return all(isinstance(n, fits) and not (isinstance(n, Join) and n.kind in {"left", "full"}) for n in nodes(rel))


def _group_key(rel: Rel, scalar: Scalar) -> int | None:
    """Which key of the groups an expression over them is; None if it is none of them."""
    while isinstance(rel, (Project, Filter)):
        if not isinstance(scalar, Col):
            return None
        scalar = rel.exprs[scalar.index] if isinstance(rel, Project) else scalar
        rel = rel.input
    if isinstance(rel, Aggregate) and isinstance(scalar, Col) and scalar.index < len(rel.keys):
        return scalar.index
    return None


def _sources(rel: Rel, column: int, seen: set[tuple[bytes, int]]) -> Iterator[tuple[Rel, int]]:
    """The parts of a join that select something, and that a column has its values from, with its place there.

    What was `seen` is not looked at again: columns of many tables may all be equal.
    """
    if (rel.digest, column) in seen:
        return
    seen.add((rel.digest, column))
    match rel:
        case Filter():
            if is_simple(rel) and any(_selects(c) for c in conjuncts(rel.predicate)):
                yield rel, column
            yield from _sources(rel.input, column, seen)
        case Project():
            if isinstance(below := rel.exprs[column], Col):
                yield from _sources(rel.input, below.index, seen)
        case Join(kind="semi" | "anti"):
            if rel.kind == "semi" and is_simple(rel.left) and is_simple(rel.right):
                yield rel, column
            yield from _sources(rel.left, column, seen)
        case Join(kind="inner"):
            width = rel.left.width
            for place in dict.fromkeys([column, *_equals(rel, column)]):
                if place < width:
                    yield from _sources(rel.left, place, seen)
                else:
                    yield from _sources(rel.right, place - width, seen)


def _equals(rel: Join, column: int) -> Iterator[int]:
    """The columns of a join that are equal to one of it in every row."""
    kinds = [types_of(side) for side in rel.inputs]
    for key in rel.keys:
        right = shift(key.right, rel.left.width)
        if not (isinstance(key.left, Col) and isinstance(right, Col)):
            continue
        if compares_exactly(type_of(key.left, kinds[0]), type_of(key.right, kinds[1])):
            if key.left.index == column:
                yield right.index
            elif right.index == column:
                yield key.left.index


def _selects(condition: Scalar) -> bool:
    return not (isinstance(condition, Call) and condition.name == "isnotnull")
