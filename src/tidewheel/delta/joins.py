"""Changes of joins.

Inner joins are taken together with the inner joins below them, and each input that changed leads a term of its own: its
change is joined with the others in the order in which they connect, so that the small side comes first. Outer, semi and
anti joins are linear in their left side; a change of the right side touches the left rows that it matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tidewheel.delta.change import DeltaPlan, difference, total
from tidewheel.delta.forms import Forms, When, is_simple
from tidewheel.ir.equality import compares_exactly
from tidewheel.ir.parts import JoinKey, KeyKind
from tidewheel.ir.rel import Distinct, Filter, Join, Project, Rel, Union
from tidewheel.ir.scalar import (
    NULL,
    Call,
    Cast,
    Col,
    Scalar,
    columns,
    conjunction,
    conjuncts,
    disjunction,
    identity,
    remap,
    shift,
    substitute,
)  # fmt: skip
from tidewheel.ir.typing import type_of, types_of
from tidewheel.types import UNKNOWN, to_sql

# --- inner joins ---


@dataclass(slots=True)
class Cluster:
    """Inner joins as one: inputs side by side, conditions and results over all of their columns."""

    forms: Forms
    inputs: list[Rel] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    conditions: list[Scalar] = field(default_factory=list)

    def add(self, rel: Rel) -> list[Scalar]:
        """Take a plan in; gives what its columns are over the columns of all inputs."""
        match rel:
            case _ if self.forms.is_kept(rel):
                pass  # as it is stored, whatever it is made of
            case Join(kind="inner"):
                left, right = self.add(rel.left), self.add(rel.right)
                for key in rel.keys:
                    pair = (substitute(key.left, left), substitute(key.right, right))
                    self.conditions.append(Call(key.kind, pair))
                self.conditions += [substitute(c, [*left, *right]) for c in conjuncts(rel.residual)]
                return left + right
            case Filter(input=below) if self._holds_join(below):
                inner = self.add(below)
                self.conditions += [substitute(c, inner) for c in conjuncts(rel.predicate)]
                return inner
            case Project(input=below) if self._holds_join(below):
                inner = self.add(below)
                return [substitute(e, inner) for e in rel.exprs]
        start = self.starts[-1] + self.inputs[-1].width if self.inputs else 0
        self.inputs.append(rel)
        self.starts.append(start)
        return [Col(start + i) for i in range(rel.width)]

    def _holds_join(self, rel: Rel) -> bool:
        while isinstance(rel, (Filter, Project)) and not self.forms.is_kept(rel):
            rel = rel.input
        return isinstance(rel, Join) and rel.kind == "inner" and not self.forms.is_kept(rel)

    def input_columns(self, number: int) -> range:
        return range(self.starts[number], self.starts[number] + self.inputs[number].width)


def by_terms(forms: Forms, rel: Join) -> DeltaPlan | None:
    """d(A x B x C) = dA x B_new x C_new + A_old x dB x C_new + A_old x B_old x dC."""
    if rel.kind != "inner":
        return None
    cluster = Cluster(forms)
    results = cluster.add(rel)
    terms = []
    for number, part in enumerate(cluster.inputs):
        change = forms.delta(part)
        if change is not None:
            terms.append(_term(forms, cluster, number, change, results))
    return total(terms) if terms else None


def _term(forms: Forms, cluster: Cluster, lead: int, change: DeltaPlan, results: Sequence[Scalar]) -> DeltaPlan:
    """The change of one input joined with the others: those before it as they were, those after it as they are."""
    places = {column: i for i, column in enumerate(cluster.input_columns(lead))}
    sign = change.width if change.signed else None
    waiting = list(cluster.conditions)
    own, waiting = _split(waiting, places)
    current: Rel = Filter(input=change.rel, predicate=_moved(own, places)) if own else change.rel
    left = [n for n in range(len(cluster.inputs)) if n != lead]
    while left:
        number = _next(cluster, left, waiting, places)
        left.remove(number)
        theirs = {column: i for i, column in enumerate(cluster.input_columns(number))}
        both = {**places, **{c: current.width + i for c, i in theirs.items()}}
        ready, waiting = _split(waiting, both)
        keys, rest = _as_keys(ready, places, theirs)
        when: When = "old" if number < lead else "new"
        if keys and not is_simple(cluster.inputs[number]):
            current = forms.shared(current)
        right = _matching(forms, cluster.inputs[number], when, current, keys)
        joined = Join(kind="inner", left=current, right=right, keys=tuple(keys), residual=_moved(rest, both))
        current, places = joined, both
    exprs = tuple(remap(e, lambda i: places[i]) for e in results)
    signs = () if sign is None else (Col(sign),)
    return DeltaPlan(rel=Project(input=current, exprs=(*exprs, *signs)), signed=change.signed)


def _matching(forms: Forms, part: Rel, when: When, current: Rel, keys: Sequence[JoinKey]) -> Rel:
    """The rows that may match; where they have to be computed in groups, only the groups in question."""
    if keys and not is_simple(part):
        values = Distinct(input=Project(input=current, exprs=tuple(k.left for k in keys)))
        return forms.part(part, when, [k.right for k in keys], values)
    return forms.whole(part, when)


def _split(waiting: Iterable[Scalar], known: Iterable[int]) -> tuple[list[Scalar], list[Scalar]]:
    """The conditions that read known columns only, and the others."""
    have = set(known)
    ready: list[Scalar] = []
    rest: list[Scalar] = []
    for condition in waiting:
        (ready if columns(condition) <= have else rest).append(condition)
    return ready, rest


def _moved(conditions: Sequence[Scalar], places: dict[int, int]) -> Scalar:
    return conjunction([remap(c, lambda i: places[i]) for c in conditions])


def _next(cluster: Cluster, left: Sequence[int], waiting: Sequence[Scalar], places: dict[int, int]) -> int:
    """The first input that an equality connects to what is joined already; else the first that any condition does."""
    for wanted in (True, False):
        for number in left:
            theirs = set(cluster.input_columns(number))
            for condition in waiting:
                used = columns(condition)
                if used & theirs and used <= theirs | places.keys() and (not wanted or _equality(condition)):
                    return number
    return left[0]


def _equality(condition: Scalar) -> bool:
    return isinstance(condition, Call) and condition.name in {"=", "<=>"}


def _as_keys(
    ready: Sequence[Scalar], ours: dict[int, int], theirs: dict[int, int]
) -> tuple[list[JoinKey], list[Scalar]]:
    """Equalities between the two sides as keys, each over its own side; the rest as they are."""
    keys: list[JoinKey] = []
    rest: list[Scalar] = []
    for condition in ready:
        sides = condition.args if isinstance(condition, Call) and condition.name in {"=", "<=>"} else ()
        used = [columns(s) for s in sides]
        kind: KeyKind = "<=>" if sides and isinstance(condition, Call) and condition.name == "<=>" else "="
        if sides and all(used) and used[0] <= ours.keys() and used[1] <= theirs.keys():
            keys.append(JoinKey(left=_at(sides[0], ours), right=_at(sides[1], theirs), kind=kind))
        elif sides and all(used) and used[1] <= ours.keys() and used[0] <= theirs.keys():
            keys.append(JoinKey(left=_at(sides[1], ours), right=_at(sides[0], theirs), kind=kind))
        else:
            rest.append(condition)
    return keys, rest


def _at(scalar: Scalar, places: dict[int, int]) -> Scalar:
    return remap(scalar, lambda i: places[i])


# --- joins that are linear in their left side ---


def by_parts(forms: Forms, rel: Join) -> DeltaPlan | None:
    """d(L op R) = dL op R_new + (M op R_new - M op R_old), where M are the rows of L_old that dR matches."""
    if rel.kind not in {"left", "semi", "anti"}:
        return None
    left, right = forms.delta(rel.left), forms.delta(rel.right)
    parts = []
    if left is not None:
        parts.append(_direct(forms, rel, left))
    if right is not None:
        parts.append(_indirect(forms, rel, right))
    return total(parts) if parts else None


def _direct(forms: Forms, rel: Join, change: DeltaPlan) -> DeltaPlan:
    """The changed left rows, with the right side as it is now."""
    width = rel.left.width
    usable = [k for k in rel.keys if k.kind != "in"]
    if usable and not is_simple(rel.right):
        right = forms.part(rel.right, "new", [k.right for k in usable], change.domain([k.left for k in usable]))
    else:
        right = forms.whole(rel.right, "new")
    moved = remap(rel.residual, lambda i: i if i < width else i + change.signed)
    joined = replace(rel, left=change.rel, right=right, residual=moved)
    places = [*range(width), *range(width + change.signed, joined.width)]
    signs = [Col(width)] if change.signed else []
    return DeltaPlan(rel=Project(input=joined, exprs=(*(Col(i) for i in places), *signs)), signed=change.signed)


def _indirect(forms: Forms, rel: Join, change: DeltaPlan) -> DeltaPlan:
    """The left rows that a changed right row matches, with the right side as it is now and as it was."""
    usable = [k for k in rel.keys if k.kind != "in"]
    if usable:
        values = _not_null(change.domain([k.right for k in usable]), usable)
        left = forms.part(rel.left, "old", [k.left for k in usable], values)
        rights = {when: forms.part(rel.right, when, [k.right for k in usable], values) for when in _WHEN}
    else:
        condition = conjunction([rel.residual, *(_may_match(k, rel.left.width) for k in rel.keys)])
        left = Join(kind="semi", left=forms.whole(rel.left, "old"), right=change.rows(), residual=condition)
        rights = {when: forms.whole(rel.right, when) for when in _WHEN}
    return difference(replace(rel, left=left, right=rights["new"]), replace(rel, left=left, right=rights["old"]))


_WHEN: tuple[When, When] = ("new", "old")


def _may_match(key: JoinKey, width: int) -> Scalar:
    """NOT IN: a NULL on either side matches everything."""
    right = shift(key.right, width)
    if key.kind != "in":
        return Call(key.kind, (key.left, right))
    unknown = (Call("isnull", (key.left,)), Call("isnull", (right,)))
    return disjunction([Call("=", (key.left, right)), *unknown])


def _not_null(values: Rel, keys: Sequence[JoinKey]) -> Rel:
    """Keys that can match: under `=` a NULL does not."""
    wanted = [Call("isnotnull", (Col(i),)) for i, k in enumerate(keys) if k.kind == "="]
    return Filter(input=values, predicate=conjunction(wanted)) if wanted else values


def by_keys(forms: Forms, rel: Join) -> DeltaPlan | None:
    """d(L op R) = (L_new op R_new) in D - (L_old op R_old) in D, where D are the join keys in dL and dR."""
    if rel.kind == "inner" or not rel.keys:
        return None
    kinds = [types_of(side) for side in rel.inputs]
    pairs = [(type_of(k.left, kinds[0]), type_of(k.right, kinds[1])) for k in rel.keys]
    if any(k.kind == "in" for k in rel.keys) or any(a != b or not compares_exactly(a, b) for a, b in pairs):
        return None
    domains = []
    for side, keys in ((rel.left, [k.left for k in rel.keys]), (rel.right, [k.right for k in rel.keys])):
        change = forms.delta(side)
        if change is not None:
            domains.append(Project(input=change.rel, exprs=tuple(keys)))
    if not domains:
        return None
    values = Distinct(input=domains[0] if len(domains) == 1 else Union(parts=tuple(domains)))
    both = [
        replace(
            rel,
            left=forms.part(rel.left, when, [k.left for k in rel.keys], values),
            right=forms.part(rel.right, when, [k.right for k in rel.keys], values),
        )
        for when in _WHEN
    ]
    return difference(*both)


def full_as_union(forms: Forms, rel: Join) -> DeltaPlan | None:
    """d(L full R) = d(L left R) + d(R anti L, with NULLs for L)."""
    if rel.kind != "full":
        return None
    kinds = types_of(rel.left)
    if UNKNOWN in kinds:
        return None
    width = rel.left.width
    swapped = tuple(JoinKey(left=k.right, right=k.left, kind=k.kind) for k in rel.keys)
    residual = remap(rel.residual, lambda i: i + rel.right.width if i < width else i - width)
    alone = Join(kind="anti", left=rel.right, right=rel.left, keys=swapped, residual=residual)
    nulls = tuple(Cast(NULL, to_sql(kind)) for kind in kinds)
    padded = Project(input=alone, exprs=(*nulls, *identity(rel.right.width)))
    return forms.delta(Union(parts=(replace(rel, kind="left"), padded)))
