"""The business behind the large queries as managed sources, and rounds of changes by seed.

    stream = SaasStream(seed=1)
    stream.load()          # the first rows of each source
    stream.round()         # what is ingested before the next refresh

A round touches most sources: rows are added (late ones too, and in sources without a key copies of others), change
(also to NULL), go, and go with all others of their group.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from tests.corpus import to_arrow_table
from tests.corpus.large import CATALOG, KEYS, SOURCES
from tests.corpus.table import Table
from tests.streams.saas_data import Row, SaasRows
from tidewheel.ddl import parse_schema
from tidewheel.demo.shop import Batch, Mode
from tidewheel.types import Schema

SCHEMAS: dict[str, Schema] = {name: parse_schema(entry["schema"]) for name, entry in SOURCES.items()}
LASTING = frozenset({"calendar", "plans"})
"""Whose rows change, and do not go: they are the frame of what is shown."""


class SaasStream:
    """Rounds of changes; a `share` of the sources is touched in a round, about `fraction` of the rows of each."""

    sources = SOURCES

    def __init__(self, seed: int, *, share: float = 0.6, fraction: float = 0.06, scale: int = 1) -> None:
        self.random, self.share, self.fraction = random.Random(seed), share, fraction
        self.made = SaasRows(seed, scale)
        self.rows = self.made.tables()
        for name in self.rows.keys() - LASTING:
            self.rows[name][0] = self._with_null(name, self.rows[name][0])
        self.numbers = {name: len(rows) for name, rows in self.rows.items()}

    def load(self) -> list[Batch]:
        return [self._batch(name, "append", rows) for name, rows in self.rows.items()]

    def round(self) -> list[Batch]:
        """Some sources change, each in one to four ways; one at least."""
        chosen = [name for name in CATALOG if self._is_chosen(self.share)] or ["orders"]
        return [batch for name in chosen for batch in list(self._changes(name)) or self._updated(name)]

    def _changes(self, name: str) -> Iterator[Batch]:
        if self._is_chosen(0.7) and name not in LASTING:
            yield from self._inserted(name)
        if self._is_chosen(0.5):
            yield from self._updated(name)
        if self._is_chosen(0.4) and name not in LASTING:
            yield from self._deleted(name, self._some(name))
        if self._is_chosen(0.1) and name not in LASTING:
            yield from self._deleted(name, self._group(name))

    def _inserted(self, name: str) -> Iterator[Batch]:
        new = [self.made.row(name, self._next_number(name)) for _ in self._some(name)]
        if KEYS[name]:
            taken = {self._key(name, row) for row in self.rows[name]}
            new = [row for row in new if self._key(name, row) not in taken]
        else:
            new += self._some(name)[:1]
        if new:
            self.rows[name] += new
            yield self._batch(name, "append", new)

    def _updated(self, name: str) -> Iterator[Batch]:
        old = self._some(name)
        new = [self._changed(name, row) for row in old]
        if not KEYS[name]:
            yield from self._deleted(name, old)
        else:
            self._remove(name, old)
        self.rows[name] += new
        yield self._batch(name, "upsert" if KEYS[name] else "append", new)

    def _deleted(self, name: str, rows: Sequence[Row]) -> Iterator[Batch]:
        if rows:
            self._remove(name, rows)
            yield self._batch(name, "delete", rows)

    def _remove(self, name: str, rows: Sequence[Row]) -> None:
        gone = Counter(rows)
        kept = []
        for row in self.rows[name]:
            if gone[row]:
                gone[row] -= 1
            else:
                kept.append(row)
        self.rows[name] = kept

    def _group(self, name: str) -> list[Row]:
        """All rows with the same value in some column; fewer, if that were nearly all."""
        column = self.random.randrange(len(SCHEMAS[name]))
        value = self.random.choice(self.rows[name])[column]
        found = [row for row in self.rows[name] if row[column] == value]
        return found[: len(self.rows[name]) // 3]

    def _some(self, name: str) -> list[Row]:
        rows = self.rows[name]
        return self.random.sample(rows, min(len(rows) - 1, max(1, round(len(rows) * self.fraction))))

    def _changed(self, name: str, row: Row) -> Row:
        """The row with other values in up to two columns outside its key: those of other rows, or NULL."""
        free = [i for i, column in enumerate(SCHEMAS[name].names) if column not in KEYS[name]]
        values = list(row)
        for index in self.random.sample(free, min(len(free), 2)):
            nothing = self._is_chosen(0.15) and name not in LASTING
            values[index] = None if nothing else self.random.choice(self.rows[name])[index]
        return tuple(values)

    def _with_null(self, name: str, row: Row) -> Row:
        """The row without the last of its values."""
        assert SCHEMAS[name].names[-1] not in KEYS[name]
        return (*row[:-1], None)

    def _next_number(self, name: str) -> int:
        """What no row of the source was made from before."""
        self.numbers[name] += 1
        return self.numbers[name]

    def _key(self, name: str, row: Row) -> Row:
        return tuple(row[SCHEMAS[name].names.index(column)] for column in KEYS[name])

    def _is_chosen(self, share: float) -> bool:
        return self.random.random() < share

    def _batch(self, name: str, mode: Mode, rows: Sequence[Row]) -> Batch:
        return Batch(name, mode, to_arrow_table(Table(name, SCHEMAS[name], tuple(rows))))
