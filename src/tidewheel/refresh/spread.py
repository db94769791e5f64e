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
APART = 0.5
"""Files are kept apart by a column if each has at most such a share of its range."""


def rows_per_file(total: int) -> int:
    return max(ROWS_PER_FILE, -(-total // MOST_FILES))


def spread_of_build(stored: Stored, wished: Sequence[str], now: Callable[[str], Snapshot]) -> Spread:
    """For all rows of a stored relation, whose number is not known yet: the inputs bound it.

    Rows of a bag are sorted by what keeps the files of an input apart; if nothing does, they stay in the order in which
    they come: what is ingested together mostly changes together.
    """

    def apart(name: str) -> float:
        origin = lineage(stored.layout.plan, stored.names.index(name))
        return 1.0 if origin is None else _overlap(now(origin[0]).files, origin[1])

    order = _asked_order(stored, wished) or _least([c.name for c in stored.columns], apart)
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
    stored: Stored, wished: Sequence[str], files: Sequence[DataFile], touched: Sequence[DataFile], rows: int
) -> Spread:
    """For some of its files that are rewritten: as many as before, with the same bounds, unless that is too many rows.

    Rows of a bag are sorted by what keeps its files apart.
    """
    sortable = [c.name for c in stored.columns if comparable([c.type])]
    order = _asked_order(stored, wished) or _least(sortable, lambda name: _overlap(files, name)) or tuple(sortable[:1])
    total = sum(f.rows for f in files) + rows - sum(f.rows for f in touched)
    many = max(1, round(rows / rows_per_file(total)))
    ends = [_ends([file], order[0]) for file in touched] if order else []
    known = sorted({(low, day) for end in ends if end is not None for low, _, day in [end]})
    bounds = [_literal(low, day=day) for low, day in known[1:]] if len(known) == len(touched) else []
    return Spread(order=order, rows=-(-rows // many), bounds=tuple(bounds))


def _asked_order(stored: Stored, wished: Sequence[str]) -> tuple[str, ...]:
    """The columns to sort by, as wished, or the key."""
    return tuple(wished) or tuple(stored.names[i] for i in stored.layout.key or ())


def _least(names: Sequence[str], overlap: Callable[[str], float]) -> tuple[str, ...]:
    """The column by which files overlap least, if there is one by which they hardly do."""
    found = {name: overlap(name) for name in names}
    best = min(found, key=lambda name: found[name], default=None)
    return () if best is None or found[best] > APART else (best,)


def _overlap(files: Sequence[DataFile], column: str) -> float:
    """How much of all values of a column lies within the range of one file, as a share; 1 if that is not known."""
    ends = [_ends([file], column) for file in files]
    known = [(low, high) for end in ends if end is not None for low, high, _ in [end]]
    if len(known) < max(len(files), 2):
        return 1.0
    whole = max(high for _, high in known) - min(low for low, _ in known)
    return sum(high - low for low, high in known) / len(known) / whole if whole else 1.0


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
