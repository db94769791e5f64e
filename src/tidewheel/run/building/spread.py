"""How rows are spread over files: sorted by what rows are looked up by, so that a change within a range touches few.

The bounds between files are known beforehand, from the statistics of the inputs or of the files that are rewritten: no
job is run to find them.
"""

from __future__ import annotations

import bisect
import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidewheel.delta.change import comparable
from tidewheel.delta.lineage import lineage
from tidewheel.engine.base import Spread
from tidewheel.optimize.maintenance import StoredRelation
from tidewheel.plan.pricing.facts import WHOLE, stats_of
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Primitive

ROWS_PER_FILE = 50_000
MOST_FILES = 128
APART = 0.5
"""Files are kept apart by a column if each shares values with at most such a share of the others."""
POINTS = 16
"""Values of a file that stand for all of its rows."""


def rows_per_file(total: int) -> int:
    return max(ROWS_PER_FILE, -(-total // MOST_FILES))


def spread_of_build(stored: StoredRelation, wished: Sequence[str], now: Callable[[str], TableSnapshot]) -> Spread:
    """For all rows of a stored relation, whose number is not known yet: the inputs bound it.

    Rows of a bag are sorted by what keeps the files of an input apart; if nothing does, they stay in the order in which
    they come: what is ingested together mostly changes together.
    """

    def origin(name: str) -> list[Ends] | None:
        found = lineage(stored.layout.plan, stored.names.index(name)) if name in _ranged(stored) else None
        return None if found is None else _ends(now(found[0]).files, found[1])

    order = _asked_order(stored, wished)
    if order is None:
        order = _least(_ranged(stored), origin)
    total = max((now(name).rows for name in stored.reads), default=0)
    ends = origin(order[0]) if order else None
    if not ends:
        return Spread(order=order, rows=rows_per_file(total))
    values = max(e.high for e in ends) - min(e.low for e in ends) + 1
    if len(order) == 1 and stored.layout.key is not None:
        total = min(total, values)
    bounds = _quantiles(ends, min(-(-total // rows_per_file(total)), values))
    return Spread(order=order, rows=rows_per_file(total), bounds=tuple(_literal(b, day=ends[0].day) for b in bounds))


def spread_of_rewrite(
    stored: StoredRelation, wished: Sequence[str], files: Sequence[DataFile], touched: Sequence[DataFile], rows: int
) -> Spread:
    """For some of its files that are rewritten: none may reach over others, also where rows come that lie elsewhere.

    Rows of a bag are sorted by what keeps its files apart.
    """
    order = _asked_order(stored, wished)
    if order is None:
        first = [c.name for c in stored.columns if comparable([c.type])][:1]
        order = _least(_ranged(stored), lambda name: _ends(files, name)) or tuple(first)
    total = sum(f.rows for f in files) + rows - sum(f.rows for f in touched)
    each = rows_per_file(total)
    known = _ends(files, order[0]) if order and order[0] in _ranged(stored) else None
    anew = _ends(touched, order[0]) if known else None
    if not known or not anew:
        return Spread(order=order, rows=-(-rows // max(1, round(rows / each))))
    bounds = tuple(_literal(cut, day=anew[0].day) for cut in _cuts(known, anew, each))
    return Spread(order=order, rows=each, bounds=bounds, apart=True)


def _asked_order(stored: StoredRelation, wished: Sequence[str]) -> tuple[str, ...] | None:
    """The columns to sort by, as wished, or the key; None of a bag."""
    if wished:
        return tuple(wished)
    return None if stored.layout.key is None else tuple(stored.names[i] for i in stored.layout.key)


def _ranged(stored: StoredRelation) -> list[str]:
    """The columns of types that have ranges we can cut: a text may look like a date, and its neighbour may not."""
    return [c.name for c in stored.columns if isinstance(c.type, Primitive) and c.type.name in WHOLE]


def _least(names: Sequence[str], ends: Callable[[str], list[Ends] | None]) -> tuple[str, ...]:
    """The column by which files overlap least, if there is one by which they hardly do."""
    found = {name: _overlap(known) for name in names if (known := ends(name)) is not None}
    best = min(found, key=lambda name: found[name], default=None)
    return () if best is None or found[best] > APART else (best,)


def _overlap(ends: Sequence[Ends]) -> float:
    """The share of the other files that a file shares values with. How far away others are does not matter."""
    if len(ends) < 2:
        return 1.0
    lows, highs = sorted(e.low for e in ends), sorted(e.high for e in ends)
    many = len(ends)
    met = sum(bisect.bisect_right(lows, e.high) - bisect.bisect_left(highs, e.low) - 1 for e in ends)
    return met / (many * (many - 1))


def _cuts(files: Sequence[Ends], touched: Sequence[Ends], each: int) -> list[int]:
    """Where touched files begin, and where others do that follow them; neighbours with few rows are put together."""
    left = Counter(touched)
    found: set[int] = set()
    rows: int | None = None
    for file in sorted(files, key=lambda e: (e.low, e.high)):
        if left[file] > 0:
            left[file] -= 1
            if rows is None or rows + file.rows > each:
                found.add(file.low)
                rows = 0
            rows += file.rows
        elif rows is not None:
            found.add(file.low)
            rows = None
    return sorted(found)


def _quantiles(ends: Sequence[Ends], parts: int) -> list[int]:
    """Values that cut the rows of some files into parts of about the same size, if they lie evenly within each."""
    points = sorted(
        (e.low + (e.high - e.low) * i // POINTS, e.rows / POINTS) for e in ends if e.rows for i in range(POINTS)
    )
    each = sum(weight for _, weight in points) / max(parts, 1)
    found: list[int] = []
    seen = 0.0
    for value, weight in points:
        if seen >= each * (len(found) + 1) and value > (found[-1] if found else points[0][0]):
            found.append(value)
        seen += weight
    return found[: max(parts - 1, 0)]


@dataclass(frozen=True, slots=True)
class Ends:
    """The least and the greatest value of a column in a file, as numbers (of dates: days), and the file's rows."""

    low: int
    high: int
    rows: int
    day: bool


def _ends(files: Sequence[DataFile], column: str) -> list[Ends] | None:
    """Those of some files, without files of NULLs; None if others do not tell theirs."""
    found = []
    for file in files:
        stats = stats_of(file)
        low, high = ((stats.get(part) or {}).get(column) for part in ("minValues", "maxValues"))
        first, last = _number(low), _number(high)
        if first is not None and last is not None:
            found.append(Ends(first, last, file.rows, isinstance(low, str)))
        elif (stats.get("nullCount") or {}).get(column) != file.rows:
            return None
    return found or None


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        return dt.date.fromisoformat(value).toordinal() if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None


def _literal(value: int, *, day: bool) -> str:
    return f"DATE '{dt.date.fromordinal(value).isoformat()}'" if day else str(value)
