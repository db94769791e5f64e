"""What is known of the rows of a stored relation before they are read: how many, and how many different values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFacts:
    """One column: different values, the share of NULLs, and where its values lie, as numbers that order like them."""

    distinct: float
    nulls: float = 0.0
    low: float | None = None
    high: float | None = None

    def among(self, rows: float) -> ColumnFacts:
        """The column of so many of the rows."""
        if rows >= self.distinct:
            return self
        return ColumnFacts(distinct=max(rows, 0.0), nulls=self.nulls, low=self.low, high=self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """So many rows, and what is known of each of their columns."""

    rows: float
    columns: tuple[ColumnFacts, ...]

    def limited(self, rows: float) -> Facts:
        """So many of the rows."""
        return Facts(rows=rows, columns=tuple(c.among(rows) for c in self.columns))


def unknown(rows: float, width: int) -> Facts:
    """Of rows of which nothing but the number is known, one in ten has a value of its own."""
    return Facts(rows=rows, columns=tuple(ColumnFacts(distinct=max(rows / 10, 1.0)) for _ in range(width)))
