"""How many rows each operator of a plan gives: the textbook rules, over what is known of the stored relations.

An estimate need not be right, it must be of the right size: values are taken to be spread evenly, conditions to have
nothing to do with each other, and the smaller of two sets of keys to be part of the larger. It is never beyond what
the plan can give at all (`ir/props.py`): no semi join has more rows than its left side, however wrong a guess is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tidewheel.ir.memo import by_digest
from tidewheel.ir.props import RowBounds, cardinality_given
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
from tidewheel.ir.scalar import Call, Col, Scalar
from tidewheel.optimize.facts import ColumnFacts, Facts, unknown
from tidewheel.optimize.match import Match
from tidewheel.optimize.selectivity import narrowed, share_of, together, value_of

FANOUT: Final = 4.0
"""Elements of an array of which nothing is known."""


class Estimator:
    """Estimates over one set of facts; each plan is looked at once."""

    def __init__(self, stored: Callable[[Scan], Facts]) -> None:
        self._stored = stored
        self.facts = by_digest(self._facts)
        self.bounds = cardinality_given(lambda scan: RowBounds(0, math.ceil(self.facts(scan).rows)))

    def rows(self, rel: Rel) -> float:
        return self.facts(rel).rows

    def _facts(self, rel: Rel) -> Facts:
        if isinstance(rel, Scan):
            return self._stored(rel)
        guess, bounds = self._guess(rel), self.bounds(rel)
        rows = max(guess.rows, bounds.low)
        rows = rows if bounds.high is None else min(rows, bounds.high)
        return guess if rows == guess.rows else guess.limited(rows)._replace(before=guess.before)

    def _guess(self, rel: Rel) -> Facts:
        match rel:
            case Scan():
                return self._stored(rel)
            case Values():
                return Facts(rows=len(rel.rows), columns=(ColumnFacts(distinct=len(rel.rows)),) * rel.arity)
            case Opaque():
                return unknown(1000, rel.width)
            case Filter():
                return narrowed(rel.predicate, self.facts(rel.input))
            case Project():
                return _project(rel.exprs, self.facts(rel.input))
            case Join():
                return self._join(rel)
            case Aggregate():
                return self._aggregate(rel)
            case Distinct():
                below = self.facts(rel.input)
                groups = below.limited(together([c.distinct for c in below.columns], below.rows))
                return groups._replace(keys=(*below.keys, frozenset(range(rel.width))), before=None)
            case Union():
                return _sum([self.facts(part) for part in rel.parts])
            case SetOp():
                left, right = self.facts(rel.left), self.facts(rel.right)
                kept = (
                    min(left.rows, right.rows)
                    if rel.kind == "intersect"
                    else max(left.rows - right.rows, left.rows / 10)
                )
                return left.limited(kept)
            case Window():
                below = self.facts(rel.input)
                added = (ColumnFacts(distinct=max(below.rows / 2, 1.0)),) * (rel.width - len(below.columns))
                return below._replace(columns=below.columns + added)
            case TopK():
                below = self.facts(rel.input)
                rest = max(below.rows - rel.offset, 0.0)
                return below.limited(rest if rel.limit is None else min(rest, rel.limit))
            case Unnest():
                return _unnest(rel, self.facts(rel.input))

    def _join(self, rel: Join) -> Facts:
        left, right = self.facts(rel.left), self.facts(rel.right)
        match = Match.of(rel.keys, left, right)
        both = match.both()
        rest = share_of(rel.residual, both)
        pairs = rest * (match.pairs() if rel.keys else both.rows)
        if rel.kind == "inner":
            return both.limited(pairs)._replace(before=left.whole if match.right.is_unique else None)
        matched = left.rows * rest * match.matched() if rel.keys else min(left.rows, pairs)
        if rel.kind == "semi":
            return _asked_for(rel, left.limited(min(matched, left.rows)), match.right.there)
        if rel.kind == "anti":
            return left.limited(max(left.rows - matched, left.rows / 100))
        alone, most = max(left.rows - matched, 0.0), left.rows * max(right.rows, 1.0)
        if rel.kind == "full":
            alone += max(right.rows * (1 - match.turned().matched()), 0.0)
            most = max(both.rows, left.rows + right.rows)
        keys = left.keys if rel.kind == "left" and match.right.is_unique else ()
        return both.limited(min(pairs + alone, most))._replace(keys=keys, before=None)

    def _aggregate(self, rel: Aggregate) -> Facts:
        below = self.facts(rel.input)
        values = [value_of(k, below) for k in rel.keys]
        sets = rel.sets if rel.sets is not None else (tuple(range(len(values))),)
        groups = sum(_groups([values[i] for i in chosen], below) for chosen in sets)
        added = (ColumnFacts(distinct=max(groups, 1.0)),) * (rel.width - len(values))
        keys = (frozenset(range(len(values))),) if rel.sets is None else ()
        return Facts(rows=groups, columns=tuple(v.among(groups) for v in values) + added, keys=keys)


def _groups(keys: Sequence[ColumnFacts], below: Facts) -> float:
    return together([k.distinct for k in keys], below.rows) if keys else 1.0


def _project(exprs: Sequence[Scalar], below: Facts) -> Facts:
    """Keys stay if all of their columns do."""
    at: dict[int, int] = {}
    for position, expr in enumerate(exprs):
        if isinstance(expr, Col):
            at.setdefault(expr.index, position)
    keys = tuple([frozenset([at[i] for i in key]) for key in below.keys if key <= at.keys()])
    return Facts(below.rows, tuple([value_of(e, below) for e in exprs]), keys, below.before)


def _asked_for(rel: Join, kept: Facts, there: float) -> Facts:
    """After a semi join the values that were asked for are all there are: whoever joins with them finds its partner."""
    asked = [k.left.index for k in rel.keys if isinstance(k.left, Col)]
    for index in asked:
        kept = kept.restricted(index, there)
    return kept._replace(before=None) if asked else kept


def _unnest(rel: Unnest, below: Facts) -> Facts:
    many = below.rows * (1.0 if _repeats(rel.args) else FANOUT)
    added = (ColumnFacts(distinct=max(many / 4, 1.0), guessed=True),) * rel.arity
    return Facts(rows=many, columns=below.columns + added)


def _repeats(args: Iterable[Scalar]) -> bool:
    """Copies of a row of a bag: mostly one."""
    return any(isinstance(a, Call) and a.name == "array_repeat" for a in args)


def _sum(parts: Sequence[Facts]) -> Facts:
    rows = sum(p.rows for p in parts)
    several = zip(*(p.columns for p in parts), strict=True)
    return Facts(rows=rows, columns=tuple(_all_of(list(same)) for same in several))


def _all_of(same: list[ColumnFacts]) -> ColumnFacts:
    lows, highs = [c.low for c in same if c.low is not None], [c.high for c in same if c.high is not None]
    known = len(lows) == len(highs) == len(same)
    populations = [c.population for c in same if c.population is not None]
    return ColumnFacts(
        distinct=sum(c.distinct for c in same),
        nulls=max(c.nulls for c in same),
        low=min(lows) if known else None,
        high=max(highs) if known else None,
        guessed=any(c.guessed for c in same),
        population=max(populations) if len(populations) == len(same) else None,
    )
