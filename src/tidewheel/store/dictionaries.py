"""How many different values columns have, from the dictionaries of a few data files: page headers, no rows.

A Parquet writer that finds values repeated puts each of them once into a dictionary page, whose header says how many
there are. That tells of one row group; what it means for all rows is worked out by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

SAMPLE: Final = 3
"""Files that are looked at, of a relation."""
HEADER: Final = 64
"""Bytes in which a page header without statistics ends."""
FULL: Final = 900_000
"""Bytes of a dictionary from which writers give up on it: the rest of the values is elsewhere."""
_I32, _STRUCT = 5, 12


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one row group, and how many different values a column has among them."""

    rows: int
    distinct: int


def distinct_values(paths: Sequence[str], rows: int) -> dict[str, float]:
    """For columns with dictionaries, how many different values they have among so many rows, of which some are seen."""
    found: dict[str, list[Group]] = {}
    for path in _some(paths):
        for column, group in _groups(path):
            found.setdefault(column, []).append(group)
    return {column: max(expected(group, rows) for group in groups) for column, groups in found.items()}


def expected(group: Group, rows: int) -> float:
    """The values among all rows, if those of a row group are drawn from them at random.

    Of D values n draws show d = D * (1 - exp(-n / D)): that is solved for D by bisection.
    """
    n, d = group.rows, group.distinct
    if n <= 0 or d >= 0.95 * n:  # hardly any value comes twice
        return max(1.0, rows * min(d / max(n, 1), 1.0))
    low, high = float(max(d, 1)), float(max(rows, d, 1))
    for _ in range(50):
        middle = (low + high) / 2
        if middle * -math.expm1(-n / middle) < d:
            low = middle
        else:
            high = middle
    return min(low, float(max(rows, 1)))


def _some(paths: Sequence[str]) -> Iterable[str]:
    """The first, the last, and some between."""
    many = min(SAMPLE, len(paths))
    return [paths[i * (len(paths) - 1) // max(many - 1, 1)] for i in range(many)]


def _groups(path: str) -> list[tuple[str, Group]]:
    """Of the first row group, each column with a dictionary."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    found = []
    with open(path, "rb") as file:
        metadata = pq.read_metadata(file)
        if not metadata.num_row_groups:
            return []
        group = metadata.row_group(0)
        for column in (group.column(i) for i in range(group.num_columns)):
            offset = column.dictionary_page_offset
            if offset is None or "." in column.path_in_schema:
                continue
            distinct = _dictionary_size(file, offset)
            if distinct is not None:
                found.append((column.path_in_schema, Group(group.num_rows, distinct)))
    return found


def _dictionary_size(file: BinaryIO, offset: int) -> int | None:
    """Values in the dictionary page at an offset; None if it is no such page, or not all values are in it."""
    file.seek(offset)
    try:
        return _Header(file.read(HEADER)).values()
    except (IndexError, ValueError):
        return None


class _Header:
    """A page header in Thrift's compact protocol, as far as the number of its values."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def values(self) -> int | None:
        """Fields 1 to 3 are the kind and the sizes, 4 a checksum, 7 the header of a dictionary; its field 1 counts."""
        field = 0
        while (head := self._byte()) != 0:
            field = field + (head >> 4) if head >> 4 else self._number()
            kind = head & 0x0F
            if kind == _I32:
                value = self._number()
                if field == 2 and value >= FULL:
                    return None
            elif kind == _STRUCT and field == 7:
                return self._number() if self._byte() == (1 << 4 | _I32) else None
            else:
                return None
        return None

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _number(self) -> int:
        """A variable-length integer, whose lowest bit is the sign."""
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
