"""Sets of columns as masks, what columns determine others, and which sets are keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

Pair = tuple[int, int]
"""A dependency: the mask of what determines, the mask of what is determined."""


_MAX_KEYS: Final = 8


_MAX_PAIRS: Final = 96


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What determines what among the columns of one relation, and its keys."""

    width: int
    pairs: tuple[Pair, ...]
    unique: tuple[int, ...]

    def closure(self, known: Iterable[int]) -> frozenset[int]:
        """All columns that these determine, themselves included."""
        return columns_of_mask(closure_of(mask_of(known), self.all_pairs))

    def determines(self, known: Iterable[int], others: Iterable[int]) -> bool:
        return self.closure(known) >= frozenset(others)

    def is_unique(self, chosen: Iterable[int]) -> bool:
        """Are these columns, perhaps with more than necessary, a key."""
        reached = closure_of(mask_of(chosen), self.all_pairs)
        return any(key & ~reached == 0 for key in self.unique)

    @property
    def constants(self) -> frozenset[int]:
        """Columns that have one value in all rows."""
        return self.closure(())

    @property
    def all_pairs(self) -> tuple[Pair, ...]:
        """A key determines everything."""
        everything = (1 << self.width) - 1
        return (*self.pairs, *((key, everything) for key in self.unique))


def mask_of(chosen: Iterable[int]) -> int:
    mask = 0
    for i in chosen:
        mask |= 1 << i
    return mask


def columns_of_mask(mask: int) -> frozenset[int]:
    return frozenset(bits_of(mask))


def bits_of(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def closure_of(known: int, pairs: Iterable[Pair]) -> int:
    return closer_over(pairs)(known)


def closer_over(pairs: Iterable[Pair]) -> Callable[[int], int]:
    """Gives for some columns all that they determine. Most columns are determined by one other: those are looked up."""
    single: dict[int, int] = {}
    several: list[Pair] = []
    constant = 0
    for x, y in pairs:
        if not x:
            constant |= y
        elif x & (x - 1):
            several.append((x, y))
        else:
            single[x] = single.get(x, 0) | y

    def close(known: int) -> int:
        known |= constant
        new = known
        while new:
            while new:
                low = new & -new
                more = single.get(low, 0) & ~known
                known, new = known | more, (new ^ low) | more
            for x, y in several:
                if not x & ~known:
                    new |= y & ~known
                    known |= y
        return known

    return close


def reduced_key(key: int, close: Callable[[int], int]) -> int:
    """The key without columns that the rest of it determines; the last ones are tried first."""
    return reduced_first(key, key, close)


def dependencies_of(width: int, pairs: Iterable[Pair], unique: Iterable[int]) -> Dependencies:
    """Dependencies without what says nothing, keys made as small as the dependencies allow."""
    useful = sorted({(x, y & ~x) for x, y in pairs if y & ~x})[:_MAX_PAIRS]
    everything = (1 << width) - 1
    given = sorted(set(unique), key=_by_size)[:_MAX_KEYS]
    if not given:
        return Dependencies(width, tuple(useful), ())
    implied = [*useful, *((key, everything) for key in given)]
    small: list[int] = []
    close = closer_over(implied)
    for key in sorted({reduced_key(key, close) for key in given}, key=_by_size):
        if not any(other & ~key == 0 for other in small):
            small.append(key)
    return Dependencies(width, tuple(useful), tuple(small))


def _by_size(mask: int) -> tuple[int, int]:
    return mask.bit_count(), mask


def reduced_first(key: int, first: int, close: Callable[[int], int]) -> int:
    for i in sorted(bits_of(key & first), reverse=True):
        rest = key & ~(1 << i)
        if close(rest) >> i & 1:
            key = rest
    return key
