"""Sorting rows by sort keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tidewheel.ir.parts import SortKey
from tidewheel.tvr.reference.values import Key, Row, Value, key

Compiled: TypeAlias = tuple[SortKey, Callable[[Row], Value]]


def sort_rows(rows: Sequence[Row], order: Sequence[Compiled]) -> list[Row]:
    """Sorted, rows with equal keys in the order in which they came: by the last key first, stably."""
    found = list(rows)
    for sort, run in reversed(order):
        found.sort(key=lambda row, run=run, sort=sort: place(run(row), sort), reverse=sort.descending)  # type: ignore[misc]
    return found


def place(value: Value, sort: SortKey) -> Key:
    """Where a value stands under one key, before the direction is applied: NULL below or above everything."""
    if value is None:
        return (0 if sort.nulls_first != sort.descending else 2,)
    return (1, key(value))
