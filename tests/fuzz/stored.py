"""A history in a real project: its tables are sources, its views are texts, its rounds are ingests and refreshes.

Rows of a source have a key of their own, so that one of two equal rows can be deleted; views do not see it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

import tidewheel as tw
from tests.conftest import MakeProject
from tests.fuzz.histories import History, Round, Step
from tests.fuzz.tables import Data, Row
from tidewheel.ingest.ingest import Mode
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query, Rel, Scan
from tidewheel.ir.tree import nodes, with_inputs
from tidewheel.sql.unparse import to_spark
from tidewheel.store.arrow import to_arrow
from tidewheel.tvr.reference.values import row_key
from tidewheel.types import LONG, Field, Schema

ID = Field("id_of_row", LONG, nullable=False)
Refresh = Callable[[tw.Project, Sequence[str]], None]


class StoredHistory:
    """A project that follows a history."""

    def __init__(self, make: MakeProject, history: History, refresh: Refresh | None = None) -> None:
        self.history, self.refresh = history, refresh or _refresh
        self.rng = random.Random(f"stored {history.label}")
        self.sources = {t.name: _Source(t) for t in history.tables}
        declared = {
            s.name: {"kind": "managed", "schema": s.schema.to_sql(), "key": [ID.name]} for s in self.sources.values()
        }
        names = {t.name: [c.name for c in t.columns] for t in history.tables}
        names |= {name: list(query.names) for name, query in history.views.items()}
        self.project = make(declared, {name: _text(query, names) for name, query in history.views.items()})
        self.methods: Counter[str] = Counter()

    def play(self) -> None:
        """All rounds; after each, every view equals its query, and everything that is stored is what it should be."""
        for source in self.sources.values():
            self._ingest(source, "append", source.add(row for row in source.first))
        self._take(Round(steps={}))
        for current in self.history.rounds:
            for name, step in current.steps.items():
                self._change(self.sources[name], step)
            self._take(current)

    def _take(self, current: Round) -> None:
        self.refresh(self.project, [n for n in self.history.views if n not in current.stale])
        self.methods.update(v["method"] for run in self.project.history(limit=1) for v in run["views"].values())
        found = self.project.verify(deep=True).differences
        assert not found, f"{found}\n{self.history}"

    def _change(self, source: _Source, step: Step) -> None:
        coming, going = ([row for row, weight in step.entries if weight == sign] for sign in (1, -1))
        if step.kind == "layered":  # one change upon the other: a row may come just to go again
            self._ingest(source, "upsert", source.add(coming))
            self._ingest(source, "delete", source.remove(going))
            return
        many = min(len(coming), len(going)) if self.rng.random() < 0.7 else 0
        if many:
            self._ingest(source, "upsert", source.replace(going[:many], coming[:many]))
        if going[many:]:
            self._ingest(source, "delete", source.remove(going[many:]))
        if coming[many:]:
            self._ingest(source, "append", source.add(coming[many:]))

    def _ingest(self, source: _Source, mode: Mode, rows: Sequence[Row]) -> None:
        table = pa.table(
            {f.name: [row[i] for row in rows] for i, f in enumerate(source.schema)}, schema=to_arrow(source.schema)
        )
        self.project.ingest(source.name, table.select([ID.name]) if mode == "delete" else table, mode=mode)


class _Source:
    """The rows of a table, each with its key."""

    def __init__(self, table: Data) -> None:
        self.name, self.first = table.name, table.rows
        columns = (Field(f"c{i}", c.type) for i, c in enumerate(table.columns))
        self.schema = Schema((*columns, ID))
        self.rows: dict[int, Row] = {}
        self.next = 0

    def add(self, rows: Iterable[Row]) -> list[Row]:
        added = []
        for row in rows:
            self.rows[self.next] = row
            added.append((*row, self.next))
            self.next += 1
        return added

    def remove(self, rows: Iterable[Row]) -> list[Row]:
        gone = []
        for row in rows:
            key = self._find(row)
            gone.append((*self.rows.pop(key), key))
        return gone

    def replace(self, going: Sequence[Row], coming: Sequence[Row]) -> list[Row]:
        replaced = []
        for old, new in zip(going, coming, strict=True):
            key = self._find(old)
            del self.rows[key]
            replaced.append((key, new))
        self.rows |= dict(replaced)
        return [(*row, key) for key, row in replaced]

    def _find(self, row: Row) -> int:
        return next(key for key, found in self.rows.items() if row_key(found) == row_key(row))


def _refresh(project: tw.Project, views: Sequence[str]) -> None:
    run = project.refresh(select=views)
    assert not run.failed, {name: str(view.error) for name, view in run.failed.items()}


def _text(query: Query, names: Mapping[str, Sequence[str]]) -> str:
    """The query over columns with names that can be stored."""
    found: dict[bytes, Rel] = {}
    for node in nodes(query.rel):
        made: Rel = with_inputs(node, [found[i.digest] for i in node.inputs])
        if isinstance(node, Scan):
            places = [names[node.relation].index(c.name) for c in node.columns]
            columns = tuple(Column(f"c{i}", c.type, c.nullable) for i, c in zip(places, node.columns, strict=True))
            made = replace(node, columns=columns, keys=())
        found[node.digest] = made
    rel = found[query.rel.digest]
    return to_spark(Query(rel=rel, names=tuple(f"c{i}" for i in range(rel.width))))
