"""What file statistics tell of the rows of stored relations. Reads nothing but what the log has said already."""

from __future__ import annotations

import datetime as dt
import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tidewheel.ir.parts import Column
from tidewheel.optimize.facts import OWN, ColumnFacts, Facts
from tidewheel.store.log import DataFile
from tidewheel.types import DataType, Decimal, Primitive

WHOLE = frozenset({"byte", "short", "integer", "long", "date"})
"""Types of which a range holds only so many values."""


def facts_of(files: Sequence[DataFile], columns: Sequence[Column], known: Mapping[str, float]) -> Facts:
    """Facts of some files' columns; of some it is known how many values they have in all rows of their relation."""
    rows = float(sum(f.rows for f in files))
    stats = [stats_of(f) for f in files]
    return Facts(rows=rows, columns=tuple(_column(c, rows, stats, known.get(c.name)) for c in columns))


def stats_of(file: DataFile) -> dict[str, Any]:
    """What the log says of a file's columns, read once."""
    return _stats(file.stats)


@functools.lru_cache(maxsize=20_000)
def _stats(text: str) -> dict[str, Any]:
    return json.loads(text) if text else {}


def _column(column: Column, rows: float, stats: Sequence[dict[str, Any]], known: float | None) -> ColumnFacts:
    name = column.name
    nulls = sum(int((s.get("nullCount") or {}).get(name) or 0) for s in stats)
    lows = [_number((s.get("minValues") or {}).get(name)) for s in stats]
    highs = [_number((s.get("maxValues") or {}).get(name)) for s in stats]
    ends = [(low, high) for low, high in zip(lows, highs, strict=True) if low is not None and high is not None]
    share = min(nulls / rows, 1.0) if rows else 0.0
    guess = max(min(rows, rows * OWN if known is None else known), 1.0)
    if not ends or len(ends) < len(stats):
        return ColumnFacts(distinct=guess, nulls=share, guessed=known is None)
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    if _is_whole(column.type):
        # What is known is seen in a few files: where these lie apart, others have other values.
        apart = (high - low + 1) / (sum(b - a + 1 for a, b in ends) / len(ends))
        guess = min(rows, high - low + 1, math.inf if known is None else known * apart)
        return ColumnFacts(distinct=max(guess, 1.0), nulls=share, low=low, high=high)
    return ColumnFacts(distinct=guess, nulls=share, low=low, high=high, guessed=known is None)


def file_like(files: Sequence[DataFile], rows: int) -> DataFile:
    """A file that is not there, of so many rows whose values lie where those of some other files do."""
    there = sum(f.rows for f in files)
    size = round(rows * sum(f.size for f in files) / there) if there else 50 * rows
    stats = [stats_of(f) for f in files]
    merged = {
        "minValues": _ends([s.get("minValues") for s in stats], min),
        "maxValues": _ends([s.get("maxValues") for s in stats], max),
        "nullCount": {n: round(c * rows / max(there, 1)) for n, c in _nulls(stats).items()},
    }
    return DataFile(path="", size=size, rows=rows, stats=json.dumps(merged))


def _ends(values: Sequence[Mapping[str, Any] | None], end: Callable[..., Any]) -> dict[str, Any]:
    """The least or the greatest value of each column for which all files say one that orders."""
    names = (values[0] or {}).keys() if values else ()
    found = {}
    for name in names:
        of_files = [(v or {}).get(name) for v in values]
        if all(_number(v) is not None for v in of_files):
            found[name] = end(of_files, key=_number)
    return found


def _nulls(stats: Sequence[dict[str, Any]]) -> Counter[str]:
    counts = Counter[str]()
    for one in stats:
        counts.update({n: c for n, c in (one.get("nullCount") or {}).items() if isinstance(c, int)})
    return counts


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
