"""What is known of the rows of a stored relation before they are read: how many, and how many different values.

A plan of dozens of CTEs has ten thousand estimates of a dozen columns each: they are tuples, which cost least to make.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

OWN: Final = 0.1
"""Of values of which nothing is known, the share that is different from all others."""


class ColumnFacts(NamedTuple):
    """One column: different values, the share of NULLs, and where its values lie, as numbers that order like them."""

    distinct: float
    nulls: float = 0.0
    low: float | None = None
    high: float | None = None
    domain: float | None = None
    """Different values before conditions took rows away, if any did: what values of other columns are among."""
    guessed: bool = False
    """Nothing but the number of rows stands behind `distinct`."""
    population: float | None = None
    """Of a key in a change: how many keys the whole relation has. What changed is a sample of these."""

    @property
    def values(self) -> float:
        return self.distinct if self.domain is None else self.domain

    def among(self, rows: float) -> ColumnFacts:
        """The column of so many of the rows."""
        if rows >= self.distinct:
            return self
        values = self.distinct if self.domain is None else self.domain
        return ColumnFacts(max(rows, 0.0), self.nulls, self.low, self.high, values, self.guessed, self.population)

    def restricted(self, values: float) -> ColumnFacts:
        """The column where only so many of its values are wanted."""
        kept = min(self.distinct, values)
        return self._replace(distinct=kept, domain=kept)


class Facts(NamedTuple):
    """So many rows, and what is known of each of their columns.

    `keys` are sets of columns taken to be unique: derived, or declared, which nobody
    checks.
    """

    rows: float
    columns: tuple[ColumnFacts, ...]
    keys: tuple[frozenset[int], ...] = ()
    before: float | None = None
    """Rows before conditions took some away, if any did."""

    @property
    def whole(self) -> float:
        return self.rows if self.before is None else max(self.before, self.rows)

    def limited(self, rows: float) -> Facts:
        """So many of the rows."""
        columns = tuple([c if rows >= c.distinct else c.among(rows) for c in self.columns])
        return Facts(rows, columns, self.keys, self.whole)

    def restricted(self, column: int, values: float) -> Facts:
        """The rows, if of a column only so many values are wanted."""
        columns = tuple(c.restricted(values) if i == column else c for i, c in enumerate(self.columns))
        return self._replace(columns=columns)

    def scaled(self, times: float) -> Facts:
        """So many times as many rows, of the same kind."""
        rows = self.rows * times
        columns = tuple(c._replace(distinct=rows * OWN if c.guessed else min(c.distinct, rows)) for c in self.columns)
        return self if times == 1.0 else self._replace(rows=rows, columns=columns)

    def keyed(self, key: Iterable[int]) -> Facts:
        """Some columns are unique together."""
        known = frozenset(key)
        columns = self.columns
        if len(known) == 1:
            columns = tuple(self._unique(c) if i in known else c for i, c in enumerate(columns))
        return self._replace(columns=columns, keys=(*self.keys, known))

    def _unique(self, column: ColumnFacts) -> ColumnFacts:
        distinct = max(self.rows * (1 - column.nulls), min(self.rows, 1.0))
        return column._replace(distinct=distinct, domain=None, guessed=False)

    def sampled(self, key: Iterable[int], population: float | None) -> Facts:
        """Rows of a change of a relation that has so many keys."""
        known = frozenset(key)
        if len(known) != 1:
            return self
        columns = (c._replace(population=population) if i in known else c for i, c in enumerate(self.columns))
        return self._replace(columns=tuple(columns))

    def is_unique(self, columns: Iterable[int]) -> bool:
        given = frozenset(columns)
        return any(key <= given for key in self.keys)


def unknown(rows: float, width: int) -> Facts:
    """Of rows of which nothing but the number is known, one in ten has a value of its own."""
    column = ColumnFacts(distinct=max(rows * OWN, 1.0), guessed=True)
    return Facts(rows=rows, columns=(column,) * width)
