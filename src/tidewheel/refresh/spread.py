"""How rows are spread over files: sorted by what rows are looked up by, so that a change within a range touches few.

The bounds between files are known beforehand, from the statistics of the inputs or of the files that are rewritten: no
job is run to find them.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence

from tidewheel.delta.change import comparable
from tidewheel.delta.lineage import lineage
from tidewheel.engine.base import Spread
from tidewheel.optimize.upkeep import Stored
from tidewheel.store.log import DataFile
from tidewheel.store.tables import Snapshot

ROWS_PER_FILE = 50_000
MOST_FILES = 128


def rows_per_file(total: int) -> int:
    return max(ROWS_PER_FILE, -(-total // MOST_FILES))


def order_of(stored: Stored, wished: Sequence[str]) -> tuple[str, ...]:
    """The columns to sort by: as wished, or the key, or of a bag the first column that can be sorted."""
    if wished:
        return tuple(wished)
    if stored.layout.key is not None:
        return tuple(stored.names[i] for i in stored.layout.key)
    return tuple(c.name for c in stored.columns if comparable([c.type]))[:1]


def spread_of_build(stored: Stored, wished: Sequence[str], now: Callable[[str], Snapshot]) -> Spread:
    """For all rows of a stored relation, whose number is not known yet: the inputs bound it."""
    order = order_of(stored, wished)
    total = max((now(name).rows for name in stored.reads), default=0)
    found = lineage(stored.layout.plan, stored.names.index(order[0])) if order and order[0] in stored.names else None
    bounds: list[int] = []
    day = False
    if found is not None:
        ends = _ends(now(found[0]).files, found[1])
        if ends is not None:
            low, high, day = ends
            total = min(total, high - low + 1) if len(order) == 1 and stored.layout.key is not None else total
            parts = min(-(-total // rows_per_file(total)), high - low + 1)
            bounds = [low + (high - low + 1) * i // parts for i in range(1, parts)]
    return Spread(order=order, rows=rows_per_file(total), bounds=tuple(_literal(b, day=day) for b in bounds))


def spread_of_rewrite(
    stored: Stored, wished: Sequence[str], touched: Sequence[DataFile], rows: int, total: int
) -> Spread:
    """For some files that are rewritten: as many as before, with the same bounds, unless they have become too many."""
    order = order_of(stored, wished)
    files = max(1, round(rows / rows_per_file(total)))
    ends = [_ends([file], order[0]) for file in touched] if order else []
    known = sorted({(low, day) for end in ends if end is not None for low, _, day in [end]})
    bounds = [_literal(low, day=day) for low, day in known[1:]] if len(known) == len(touched) else []
    return Spread(order=order, rows=-(-rows // files), bounds=tuple(bounds))


def _ends(files: Sequence[DataFile], column: str) -> tuple[int, int, bool] | None:
    """The least and the greatest value of a column of integers or dates (as days), if all files tell theirs."""
    lows, highs = [], []
    days = False
    for file in files:
        stats = json.loads(file.stats) if file.stats else {}
        low, high = (stats.get(part, {}).get(column) for part in ("minValues", "maxValues"))
        days = isinstance(low, str)
        ends = [_number(low), _number(high)]
        if ends[0] is None or ends[1] is None:
            return None
        lows.append(ends[0])
        highs.append(ends[1])
    return (min(lows), max(highs), days) if lows else None


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        return dt.date.fromisoformat(value).toordinal() if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None


def _literal(value: int, *, day: bool) -> str:
    return f"DATE '{dt.date.fromordinal(value).isoformat()}'" if day else str(value)
