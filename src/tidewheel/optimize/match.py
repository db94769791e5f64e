"""How many rows of two relations meet in a join by keys.

Orders meet customers by a key of the customers: each order meets one or none, so there are as many pairs as orders,
times the share whose customer is there. That share is known from what was taken away: where a condition left one
customer in ten, one order in ten keeps its partner. Only where no side has a key are there more pairs than rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tidewheel.ir.parts import JoinKey
from tidewheel.ir.scalar import Col, Scalar
from tidewheel.optimize.facts import ColumnFacts, Facts
from tidewheel.optimize.selectivity import together, value_of


class Side(NamedTuple):
    """One side of a join: its rows, what is known of the keys, and whether these are unique in it.

    `there`: different values of the keys; `before`: the same before conditions took rows away.
    """

    facts: Facts
    keys: tuple[ColumnFacts, ...]
    is_unique: bool
    there: float
    before: float

    @classmethod
    def of(cls, facts: Facts, keys: Sequence[Scalar]) -> Side:
        found = tuple([value_of(k, facts) for k in keys])
        there = together([k.distinct for k in found], facts.rows)
        before = together([k.values for k in found], facts.whole)
        return cls(facts, found, facts.is_unique([k.index for k in keys if isinstance(k, Col)]), there, before)

    @property
    def is_seen(self) -> bool:
        """Does more than the number of rows tell how many values there are; combinations are never seen."""
        return len(self.keys) == 1 and not self.keys[0].guessed

    @property
    def population(self) -> float | None:
        return self.keys[0].population if len(self.keys) == 1 else None


class Match(NamedTuple):
    """Rows of the left look for partners on the right."""

    left: Side
    right: Side
    not_null: float

    @classmethod
    def of(cls, keys: Sequence[JoinKey], left: Facts, right: Facts) -> Match:
        ours, theirs = Side.of(left, [k.left for k in keys]), Side.of(right, [k.right for k in keys])
        pairs = zip(keys, ours.keys, theirs.keys, strict=True)
        return cls(ours, theirs, math.prod((1 - a.nulls) * (1 - b.nulls) for k, a, b in pairs if k.kind == "="))

    def turned(self) -> Match:
        """The other way round."""
        return Match(self.right, self.left, self.not_null)

    def both(self) -> Facts:
        """All pairs, as they are known before any condition; keys of a side whose rows come once stay keys."""
        left, right, width = self.left.facts, self.right.facts, len(self.left.facts.columns)
        kept = left.keys if self.right.is_unique else ()
        shifted = tuple(frozenset(i + width for i in key) for key in right.keys) if self.left.is_unique else ()
        return Facts(rows=left.rows * right.rows, columns=left.columns + right.columns, keys=kept + shifted)

    def pairs(self) -> float:
        """Pairs that are equal in all keys."""
        ways = (self, self.turned())
        lookups = [way.left.facts.rows * way.matched() for way in ways if way.right.is_unique]
        if lookups:
            return self.not_null * min(lookups)
        sampled = [way for way in ways if way.right.population is not None]
        values = (sampled or ways)[0].values()
        return self.not_null * self.left.facts.rows * self.right.facts.rows / values

    def matched(self) -> float:
        """The share of the left rows that have a partner: of the values that there were, those that there are."""
        return min(1.0, self.right.there / self.values(), self._overlap())

    def values(self) -> float:
        """Different values that the keys may have, of which the right has some.

        A change has some of its relation's keys: which part of them, its relation says, or those it is joined with.
        """
        ours, theirs, population = self.left.there, self.right.before, self.right.population
        if population is not None:
            return max(min(ours, population) if self.left.is_seen else population, self.right.there, 1.0)
        is_foreign_key = self.right.is_unique and not self.left.is_seen
        return max(theirs, 0.0 if is_foreign_key else ours, 1.0)

    def _overlap(self) -> float:
        """The share of the left values' range in which the right has values."""
        return min(map(_shared, self.left.keys, self.right.keys), default=1.0)


def _shared(ours: ColumnFacts, theirs: ColumnFacts) -> float:
    if ours.low is None or ours.high is None or theirs.low is None or theirs.high is None:
        return 1.0
    within = min(ours.high, theirs.high) - max(ours.low, theirs.low)
    if within < 0 or ours.high <= ours.low:
        return 1.0 if within >= 0 else 0.0
    return max(within, 1.0) / max(ours.high - ours.low, 1.0)
