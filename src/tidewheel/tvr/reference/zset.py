"""Z-sets: rows with integer weights. A bag of rows has positive weights, a change has weights of either sign.

Rows are equal as GROUP BY sees them: NULL equals NULL, NaN equals NaN, -0.0 equals 0.0, decimals by value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tidewheel.tvr.reference.values import Key, Row, row_key


class ZSet:
    """A finite map from rows to weights that are not zero; iterates over (row, weight)."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[tuple[Row, int]] = ()) -> None:
        found: dict[Key, tuple[Row, int]] = {}
        for row, weight in entries:
            at = row_key(row)
            kept, so_far = found.get(at, (row, 0))
            found[at] = (kept, so_far + weight)
        self._entries = {at: entry for at, entry in found.items() if entry[1]}

    @classmethod
    def of_rows(cls, rows: Iterable[Row]) -> ZSet:
        """Each row with the number of its copies."""
        return cls((tuple(row), 1) for row in rows)

    def to_rows(self) -> list[Row]:
        """Every copy of every row, sorted; only a bag has a list of rows."""
        if not self.is_bag():
            raise ValueError("a row with a negative weight cannot be listed")
        return [row for at in sorted(self._entries) for row in [self._entries[at][0]] * self._entries[at][1]]

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        """The number of different rows."""
        return len(self._entries)

    def weight(self, row: Row) -> int:
        return self._entries.get(row_key(row), (row, 0))[1]

    def total(self) -> int:
        """The sum of all weights: of a bag, the number of rows."""
        return sum(weight for _, weight in self)

    def is_bag(self) -> bool:
        return all(weight > 0 for _, weight in self)

    def is_set(self) -> bool:
        return all(weight == 1 for _, weight in self)

    def __add__(self, other: ZSet) -> ZSet:
        return ZSet([*self, *other])

    def __neg__(self) -> ZSet:
        return self * -1

    def __sub__(self, other: ZSet) -> ZSet:
        return self + -other

    def __mul__(self, factor: int) -> ZSet:
        return ZSet((row, weight * factor) for row, weight in self)

    def distinct(self) -> ZSet:
        """Each row of positive weight once."""
        return ZSet((row, 1) for row, weight in self if weight > 0)

    def inserted(self) -> ZSet:
        """The part of a change that adds rows."""
        return ZSet((row, weight) for row, weight in self if weight > 0)

    def deleted(self) -> ZSet:
        """The part of a change that removes rows, as a bag."""
        return ZSet((row, -weight) for row, weight in self if weight < 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ZSet):
            return NotImplemented
        return {at: w for at, (_, w) in self._entries.items()} == {at: w for at, (_, w) in other._entries.items()}

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        body = ", ".join(f"{row}: {weight:+d}" for _, (row, weight) in sorted(self._entries.items()))
        return f"ZSet({{{body}}})"


EMPTY: Final = ZSet()
