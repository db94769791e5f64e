"""What file statistics tell of the rows of stored relations. Reads nothing but what the log has said already."""

from __future__ import annotations

import datetime as dt
import functools
import json
from collections.abc import Sequence
from typing import Any

from tidewheel.ir.parts import Column
from tidewheel.optimize.facts import ColumnFacts, Facts
from tidewheel.store.log import DataFile
from tidewheel.types import DataType, Decimal, Primitive

WHOLE = frozenset({"byte", "short", "integer", "long", "date"})
"""Types of which a range holds only so many values."""
OWN = 0.1
"""Of values of which nothing is known, the share that is different from all others."""


def facts_of(files: Sequence[DataFile], columns: Sequence[Column]) -> Facts:
    """Facts of some files' columns."""
    rows = float(sum(f.rows for f in files))
    stats = [_stats(f.stats) for f in files]
    return Facts(rows=rows, columns=tuple(_column(c, rows, stats) for c in columns))


@functools.lru_cache(maxsize=20_000)
def _stats(text: str) -> dict[str, Any]:
    return json.loads(text) if text else {}


def _column(column: Column, rows: float, stats: Sequence[dict[str, Any]]) -> ColumnFacts:
    name = column.name
    nulls = sum(int((s.get("nullCount") or {}).get(name) or 0) for s in stats)
    lows = [_number((s.get("minValues") or {}).get(name)) for s in stats]
    highs = [_number((s.get("maxValues") or {}).get(name)) for s in stats]
    known_lows, known_highs = [v for v in lows if v is not None], [v for v in highs if v is not None]
    share = min(nulls / rows, 1.0) if rows else 0.0
    if not known_lows or len(known_lows) < len(lows) or len(known_highs) < len(highs):
        return ColumnFacts(distinct=max(rows * OWN, 1.0), nulls=share)
    low, high = min(known_lows), max(known_highs)
    values = high - low + 1 if _is_whole(column.type) else max(rows * OWN, 1.0)
    return ColumnFacts(distinct=max(min(rows, values), 1.0), nulls=share, low=low, high=high)


def _is_whole(kind: DataType) -> bool:
    return (isinstance(kind, Primitive) and kind.name in WHOLE) or (isinstance(kind, Decimal) and kind.scale == 0)


def _number(value: object) -> float | None:
    """A bound as a number that orders like it."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    try:
        if len(value) == 10:
            return float(dt.date.fromisoformat(value).toordinal())
        return dt.datetime.fromisoformat(value.removesuffix("Z")).replace(tzinfo=dt.UTC).timestamp()
    except (ValueError, OverflowError):
        return None
