"""Domain extraction: the rows of a plan whose keys are among given ones, without computing the others.

A *domain* is a plan of different keys, made of a change. Restricting a plan by it is a semi join; here that join is
pushed down to the stored relations as far as it goes, so that joins and aggregates above see few rows. Keys compare
null-safely, as groups do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tidewheel.ir.equality import compares_exactly
from tidewheel.ir.functions import is_deterministic
from tidewheel.ir.parts import JoinKey
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
from tidewheel.ir.scalar import Call, Cast, Col, Scalar, columns, shift, substitute
from tidewheel.ir.tree import with_inputs
from tidewheel.ir.typing import type_of, types_of
from tidewheel.types import to_sql

Keys: TypeAlias = list[tuple[int, Scalar]]
"""Some keys of a domain by number, each as an expression over another plan."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Wanted keys: expressions over the plan to restrict, and a plan of the values they may have."""

    keys: tuple[Scalar, ...]
    values: Rel

    def of(self, chosen: Keys) -> Domain | None:
        """Some of the keys, by number, with other expressions; None of none."""
        if not chosen:
            return None
        numbers = [number for number, _ in chosen]
        keys = tuple(key for _, key in chosen)
        if numbers == list(range(self.values.width)):
            return Domain(keys, self.values)
        values = Distinct(input=Project(input=self.values, exprs=tuple(Col(n) for n in numbers)))
        return Domain(keys, values)


@dataclass(frozen=True, slots=True)
class Restricted:
    """A plan that is restricted, and the operators that are computed for all their rows nevertheless."""

    rel: Rel
    whole: tuple[Rel, ...] = ()


class Restrictions:
    """Plans restricted to domains. What is asked for twice, as parts of a plan are that it reads twice, is made once.

    A plan is a graph and not a tree: of sixty subqueries, each read three times, a walk along every path would never
    come to an end.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, Domain], Restricted] = {}

    def of(self, rel: Rel, keys: Sequence[Scalar], values: Rel) -> Restricted:
        """The rows of the plan whose keys are among the values."""
        if not keys:
            return Restricted(rel, (rel,))
        return self.push(rel, Domain(tuple(keys), values))

    def whole(self, rel: Rel) -> Rel:
        """All rows of a part of the plan, where it is not restricted."""
        return rel

    def push(self, rel: Rel, domain: Domain) -> Restricted:
        """A part of the plan, restricted."""
        key = (rel.digest, domain)
        if key not in self._known:
            self._known[key] = self.pushed(rel, domain)
        return self._known[key]

    def pushed(self, rel: Rel, domain: Domain) -> Restricted:
        """An operator over inputs that are restricted as far as that goes."""
        match rel:
            case Project(input=below, exprs=exprs):
                inner = self.push(below, replace(domain, keys=tuple(substitute(k, exprs) for k in domain.keys)))
                return Restricted(with_inputs(rel, [inner.rel]), inner.whole)
            case Filter(input=below) | Distinct(input=below):
                inner = self.push(below, domain)
                return Restricted(with_inputs(rel, [inner.rel]), inner.whole)
            case Union() | SetOp():
                inners = [self.push(part, _as_in(rel, part, domain)) for part in rel.inputs]
                return Restricted(with_inputs(rel, [inner.rel for inner in inners]), _all(inners))
            case Aggregate(sets=None, keys=grouped):
                return self._below(rel, domain, _through(domain, dict(enumerate(grouped))))
            case Window(partition=partition):
                same = {p.index: p for p in partition if isinstance(p, Col)}
                return self._below(rel, domain, _through(domain, same))
            case Unnest(input=below):
                return self._below(rel, domain, _through(domain, {i: Col(i) for i in range(below.width)}))
            case Join():
                return self._join(rel, domain)
            case Aggregate() | TopK() | Opaque():
                return Restricted(semi_join(self.whole(rel), domain), (rel,))
            case Scan() | Values():
                return Restricted(semi_join(self.whole(rel), domain))

    def _below(self, rel: Aggregate | Window | Unnest, domain: Domain, wanted: Keys) -> Restricted:
        """Restrict the input by the keys that can be known there, and the result by the others."""
        inner_domain = domain.of(wanted)
        if inner_domain is None:
            blocked = () if isinstance(rel, Unnest) else (rel,)
            return Restricted(semi_join(self.whole(rel), domain), blocked)
        inner = self.push(rel.input, inner_domain)
        pushed = with_inputs(rel, [inner.rel])
        if len(wanted) < len(domain.keys):
            pushed = semi_join(pushed, domain)
        return Restricted(pushed, inner.whole)

    def _join(self, rel: Join, domain: Domain) -> Restricted:
        """Each key goes to the side that it reads, and over an equality to the other side as well."""
        left, right = _sides(rel, domain)
        inners = [
            self.push(side, part) if (part := domain.of(wanted)) is not None else Restricted(self.whole(side))
            for side, wanted in ((rel.left, left), (rel.right, right))
        ]
        pushed = with_inputs(rel, [inner.rel for inner in inners])
        # Keys told by both sides together are not enough: of (1, a) and (2, b) the sides make (1, b) as well.
        told = [left, right] if rel.kind == "inner" else [left]
        exact = rel.kind != "full" and any(len(wanted) == len(domain.keys) for wanted in told)
        return Restricted(pushed if exact else semi_join(pushed, domain), _all(inners))


def semi_join(rel: Rel, domain: Domain) -> Rel:
    keys = tuple(JoinKey(left=key, right=Col(i), kind="<=>") for i, key in enumerate(domain.keys))
    return Join(kind="semi", left=rel, right=domain.values, keys=keys)


def _all(inners: Sequence[Restricted]) -> tuple[Rel, ...]:
    return tuple(dict.fromkeys(w for inner in inners for w in inner.whole))


def _as_in(whole: Rel, part: Rel, domain: Domain) -> Domain:
    """The keys over one part of several whose columns are brought to common types."""
    own = [
        Col(i) if a == b else Cast(Col(i), to_sql(b))
        for i, (a, b) in enumerate(zip(types_of(part), types_of(whole), strict=True))
    ]
    return replace(domain, keys=tuple(substitute(key, own) for key in domain.keys))


def _through(domain: Domain, same: Mapping[int, Scalar]) -> Keys:
    """The keys that can be computed below an operator, given what some of its columns are there."""
    found: Keys = []
    for number, key in enumerate(domain.keys):
        used = columns(key)
        if used and used <= same.keys() and is_deterministic(key):
            width = max(used) + 1
            found.append((number, substitute(key, [same.get(i, Col(i)) for i in range(width)])))
    return found


def _sides(rel: Join, domain: Domain) -> tuple[Keys, Keys]:
    """The keys that each side can tell. A side that a row needs for its matches loses none of them.

    The right columns of a left join, and all columns of a full one, are NULL also where there was no match, so a key
    over them tells nothing of the stored rows; a key that merges both sides of an equality, as USING does, tells both.
    """
    width = rel.left.width
    left: Keys = []
    right: Keys = []
    for number, key in enumerate(domain.keys):
        used = columns(key)
        if not used or not is_deterministic(key):
            continue
        if rel.kind == "full":
            pair = _merged(rel, key)
            left += [] if pair is None else [(number, pair.left)]
            right += [] if pair is None else [(number, pair.right)]
        elif max(used) < width:
            left.append((number, key))
            right += [(number, k.right) for k in rel.keys if k.left == key and _same(rel, k)][:1]
        elif min(used) >= width and rel.kind == "inner":
            own = shift(key, -width)
            right.append((number, own))
            left += [(number, k.left) for k in rel.keys if k.right == own and _same(rel, k)][:1]
    return left, right


def _same(rel: Join, key: JoinKey) -> bool:
    """Are both sides of a join key the same value where they match."""
    return key.kind != "in" and compares_exactly(
        type_of(key.left, types_of(rel.left)), type_of(key.right, types_of(rel.right))
    )


def _merged(rel: Join, key: Scalar) -> JoinKey | None:
    """The join key whose sides a coalesce merges."""
    if not isinstance(key, Call) or key.name != "coalesce":
        return None
    width = rel.left.width
    for pair in rel.keys:
        if {pair.left, shift(pair.right, width)} == set(key.args) and pair.kind == "=" and _same(rel, pair):
            return pair
    return None
