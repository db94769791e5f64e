"""The tiny TPC-DS of the corpus as managed sources, and rounds of changes by seed.

Facts have no key: rows come (some of them copies of rows that are there, or with NULLs in place of keys), go one copy
at a time, and change. Dimensions are keyed: rows change, are added, go (and leave facts that point nowhere) and return.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tests.corpus import to_arrow_table, tpcds_queries, tpcds_tables
from tests.corpus.table import Row, Table
from tests.streams.tpch import managed
from tidewheel.demo.shop import Batch, Mode

FACTS = (
    "store_sales",
    "store_returns",
    "catalog_sales",
    "catalog_returns",
    "web_sales",
    "web_returns",
    "inventory",
)
FIXED = {"d_date", "d_year", "d_moy", "d_month_seq", "d_week_seq"}
"""Columns that do not change: Q6, Q54 and Q58 ask for the one month or week of a date, and raise if there are two."""
LASTING = {"date_dim"}
"""Dimensions without new rows, for the same reason."""
MOST_FULL = 9
"""How many of the 99 views may be recomputed."""
VIEWS = {case.name: case.sql for case in tpcds_queries()}
SOURCES = {
    table.name: managed(table.schema, () if table.name in FACTS else table.schema.names[:1]) for table in tpcds_tables()
}


class TpcdsStream:
    """Rounds of changes; about `fraction` of a table's rows are touched in a round that touches it.

    What went or changed mostly returns in a later round, so that the few rows behind a query do not wear off.
    """

    sources = SOURCES

    def __init__(self, seed: int, *, fraction: float = 0.06) -> None:
        self.random, self.fraction = random.Random(seed), fraction
        self.tables = {table.name: table for table in tpcds_tables()}
        self.rows = {name: list(table.rows) for name, table in self.tables.items()}
        self.first = {name: {row[0]: row for row in rows} for name, rows in self.rows.items() if name not in FACTS}
        self.gone: dict[str, list[Row]] = {name: [] for name in self.tables}

    def load(self) -> list[Batch]:
        return [self._batch(name, "append", rows) for name, rows in self.rows.items()]

    def round(self) -> list[Batch]:
        """Most facts and a quarter of the dimensions change, each in some of the possible ways."""
        return [batch for name in self.tables for batch in self._changes(name)]

    def _changes(self, name: str) -> Iterator[Batch]:
        if name in FACTS:
            if self._is_chosen(0.6):
                yield from self._fact_changes(name)
        elif self._is_chosen(0.25):
            yield from self._dimension_changes(name)

    def _fact_changes(self, name: str) -> Iterator[Batch]:
        kind = self.random.choice(("insert", "insert", "delete", "update", "all"))
        new = self._returning(name) if kind != "delete" else []
        if kind in {"insert", "all"}:
            new += [self._changed(name, row, first=0) for row in self._some(name)]
            new += self._some(name)
        if kind in {"delete", "update", "all"}:
            old = self._take(name)
            self.gone[name] += old
            yield self._batch(name, "delete", old)
            new += [self._changed(name, row, first=0) for row in old] if kind != "delete" else []
        if new:
            self.rows[name] += new
            yield self._batch(name, "append", new)

    def _dimension_changes(self, name: str) -> Iterator[Batch]:
        if back := self._returning(name):
            self.rows[name] += back
            yield self._batch(name, "append", back)
        old = self._take(name)
        new = [self._restored(name, row) or self._changed(name, row, first=1) for row in old]
        if name not in LASTING and self._is_chosen(0.5):
            key = 1 + max(row[0] for row in (*self.rows[name], *old, *self.gone[name]))
            new.append((key, *self._changed(name, old[0], first=1)[1:]))
        self.rows[name] += new
        yield self._batch(name, "upsert", new)
        if self._is_chosen(0.3):
            dropped = self._take(name)
            self.gone[name] += dropped
            yield self._batch(name, "delete", dropped)

    def _is_chosen(self, share: float) -> bool:
        return self.random.random() < share

    def _some(self, name: str) -> list[Row]:
        rows = self.rows[name]
        return self.random.sample(rows, min(len(rows), max(1, round(len(rows) * self.fraction))))

    def _take(self, name: str) -> list[Row]:
        """Some rows, which are removed; the last one stays."""
        taken = self._some(name)[: len(self.rows[name]) - 1]
        for row in taken:
            self.rows[name].remove(row)
        return taken

    def _returning(self, name: str) -> list[Row]:
        """Now and then, all that went in earlier rounds."""
        back = self.gone[name] if self._is_chosen(0.7) else []
        self.gone[name] = [] if back else self.gone[name]
        return list(back)

    def _restored(self, name: str, row: Row) -> Row | None:
        """Mostly, the row of a dimension as it was at first, if it is another now."""
        first = self.first[name].get(row[0], row)
        return first if first != row and self._is_chosen(0.7) else None

    def _changed(self, name: str, row: Row, *, first: int) -> Row:
        """The row with other values in up to three columns from `first` on: those of other rows, or NULL."""
        names = self.tables[name].schema.names
        free = [index for index in range(first, len(row)) if names[index] not in FIXED]
        values = list(row)
        for index in self.random.sample(free, min(len(free), 3)):
            values[index] = None if self._is_chosen(0.15) else self.random.choice(self.rows[name])[index]
        return tuple(values)

    def _batch(self, name: str, mode: Mode, rows: Sequence[Row]) -> Batch:
        return Batch(name, mode, to_arrow_table(Table(name, self.tables[name].schema, tuple(rows))))
