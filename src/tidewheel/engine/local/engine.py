"""Views run in DuckDB inside the driver: for tests of everything but Spark, and for small statements."""

from __future__ import annotations

import itertools
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tidewheel.engine.base import Spread
from tidewheel.engine.local import duck
from tidewheel.engine.local.ability import in_duckdb, is_utc, not_local, planned, require_rules, translated
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query
from tidewheel.names import literal, quote_double
from tidewheel.sql.answers import bind_answer
from tidewheel.sql.bind import CatalogRelation
from tidewheel.sql.unparse import PRELUDE
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import UNKNOWN, Field, Primitive, Schema

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from tidewheel.engine.base import Output
    from tidewheel.project.graph import View

ROW_GROUP = 122_880


class LocalEngine:
    name = "local"
    parallelism = 1

    def __init__(self, memory: int, scratch: str) -> None:
        self.memory, self.scratch = memory, scratch

    is_ready = True

    def start(self, size: int) -> None:
        """There is nothing to start."""

    def session(self, settings: dict[str, str]) -> LocalRun:
        require_rules(settings, None)
        connection = duck.cursor(self.memory, self.scratch, PRELUDE)
        return LocalRun(connection, in_utc=is_utc(settings))

    def cancel(self) -> None:
        """Statements are short here: the one that runs is waited for."""

    def stop(self) -> None:
        """Nothing is held between sessions."""


class LocalRun:
    copies = False

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, in_utc: bool) -> None:
        self.connection, self.in_utc = connection, in_utc
        self.relations: dict[str, CatalogRelation] = {}
        self.files: dict[str, tuple[str, ...]] = {}
        self.made: dict[str, int] = {}
        self.lock = threading.Lock()
        self.waits = threading.local()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One statement at a time."""
        began = time.monotonic()
        with self.lock:
            self.waits.seconds = getattr(self.waits, "seconds", 0.0) + time.monotonic() - began
            yield

    def waited(self) -> float:
        seconds = float(getattr(self.waits, "seconds", 0.0))
        self.waits.seconds = 0.0
        return seconds

    def register(self, name: str, *parts: TableSnapshot) -> None:
        self.files[name] = tuple(path for part in parts for path in part.paths())
        with translated(None):
            self._name(name, " UNION ALL ".join(map(_rows_of, parts)))
        self.relations[name.lower()] = CatalogRelation.of(name, parts[0].schema)

    def define(self, view: View, sql: str) -> None:
        with translated(view):
            text, schema = self._translate(sql, view)
            self._name(view.name, text)
        self.files[view.name] = self._read_by(text)
        self.relations[view.name.lower()] = CatalogRelation.of(view.name, schema)

    def _name(self, name: str, body: str) -> None:
        with self._turn():
            self._execute(f"CREATE OR REPLACE TEMP VIEW {quote_double(name)} AS {body}")

    def _execute(self, statement: str) -> None:
        with self._reading(statement):
            self.connection.execute(statement)

    @contextmanager
    def _reading(self, statement: str) -> Iterator[None]:
        """If a file that a statement reads is damaged, that is why it failed."""
        import duckdb  # noqa: PLC0415

        try:
            yield
        except duckdb.Error as error:
            raise duck.read_error(error, self._read_by(statement)) or error from error

    def _read_by(self, statement: str) -> tuple[str, ...]:
        """The files behind the relations that a statement of ours names."""

        def is_named(relation: str) -> bool:
            return re.search(rf"(?<!\w){re.escape(relation)}(?!\w)", statement, re.IGNORECASE) is not None

        named = [*self.files.items()]  # another thread may add to them
        return tuple(path for relation, paths in named if is_named(relation) for path in paths)

    def _translate(self, sql: str, view: View) -> tuple[str, Schema]:
        """The query in DuckDB's words, with the columns that Spark would give it."""
        text, columns = in_duckdb(sql, tuple(self.relations.values()), view.name, in_utc=self.in_utc)
        view.check_columns([column.name for column in columns])
        return text, self._schema(text, columns)

    def _schema(self, text: str, columns: Sequence[Column]) -> Schema:
        if any(c.type == UNKNOWN for c in columns):
            with self._reading(text):
                relation = self.connection.sql(text)
            fields = [duck.from_duck(n, t) for n, t in zip(relation.columns, relation.types, strict=True)]
            return Schema(tuple(fields))
        return Schema(tuple(Field(c.name, c.type, c.nullable) for c in columns))

    def write(self, view: View, sql: str, folder: str, spread: Spread | None = None) -> Schema:
        with translated(view), self._turn():
            text, schema = self._translate(sql, view)
            spread = spread or Spread(order=view.options.cluster_by, rows=0)
            self._copy(f"SELECT {_typed(schema)} FROM ({text})", folder, spread)
        return schema

    def run(self, view: View, outputs: Sequence[Output]) -> list[Schema]:
        schemas = []
        with translated(view), self._turn():
            for output in outputs:
                text, columns = planned(output.query, view.name, in_utc=self.in_utc)
                schema = output.schema or self._schema(text, columns)
                self._copy(f"SELECT {_typed(schema)} FROM ({text})", output.folder, output.spread)
                schemas.append(schema)
        return schemas

    def make(self, view: View, name: str, query: Query, folder: str, *, few: bool) -> int:  # noqa: ARG002
        """A temporary table, whatever its size: DuckDB moves to its scratch folder what does not fit into memory."""
        with translated(view), self._turn():
            text, columns = planned(query, view.name, in_utc=self.in_utc)
            schema = self._schema(text, columns)
            before = self._held()
            made = f"CREATE OR REPLACE TEMP TABLE {quote_double(name)} AS SELECT {_typed(schema)} FROM ({text})"
            with self._reading(made):
                (rows,) = self.connection.execute(made).fetchone() or (0,)
            self.made[name] = max(self._held() - before, 0)
            self.files[name] = self._read_by(text)
        return int(rows)

    def _held(self) -> int:
        """Bytes of all temporary tables."""
        size = "memory_usage_bytes + temporary_storage_bytes"
        held = f"SELECT sum({size}) FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'"
        (size,) = self.connection.execute(held).fetchone() or (0,)
        return int(size or 0)

    def drop(self, name: str) -> None:
        with translated(None), self._turn():
            self.connection.execute(f"DROP TABLE IF EXISTS {quote_double(name)}")
        self.made.pop(name, None)
        self.files.pop(name, None)

    def bytes(self, name: str) -> int:
        return self.made[name]

    def _copy(self, query: str, folder: str, spread: Spread | None) -> None:
        order = ", ".join(quote_double(c) for c in spread.order) if spread else ""
        query += f" ORDER BY {order}" if order else ""
        os.makedirs(folder)
        if spread is None or not spread.rows:
            target = os.path.join(folder, "part-00000.parquet")
            self._execute(f"COPY ({query}) TO {literal(target)} (FORMAT parquet)")
            return
        limit = spread.rows * 3 // 2 if spread.apart else spread.rows  # not a few rows in a file of their own
        size = f"ROW_GROUP_SIZE {min(limit, ROW_GROUP)}, ROW_GROUPS_PER_FILE {max(1, limit // ROW_GROUP)}"
        if spread.apart:
            self._copy_apart(query, folder, spread, order, size)
        else:
            with self._one_thread():
                self._execute(f"COPY ({query}) TO {literal(folder)} (FORMAT parquet, {size})")

    @contextmanager
    def _one_thread(self) -> Iterator[None]:
        """Several threads write files whose ranges overlap. The setting is the database's, which outlives a session."""
        self.connection.execute("SET threads = 1")
        try:
            yield
        finally:
            self.connection.execute(f"SET threads = {duck.cores()}")

    def _copy_apart(self, query: str, folder: str, spread: Spread, order: str, size: str) -> None:
        """The rows between two bounds into files of their own; NULLs come first."""
        first = quote_double(spread.order[0])
        self._execute(f"CREATE OR REPLACE TEMP TABLE _tw_apart AS {query}")
        try:
            with self._one_thread():
                for number, (low, high) in enumerate(itertools.pairwise([None, *spread.bounds, None])):
                    above = f"{first} >= {low}" if low else f"({first} IS NULL OR {first} < {high})"
                    below = f" AND {first} < {high}" if low and high else ""
                    part = os.path.join(folder, f"{number:05d}")
                    rows = f"SELECT * FROM _tw_apart WHERE {above}{below} ORDER BY {order}"
                    self.connection.execute(f"COPY ({rows}) TO {literal(part)} (FORMAT parquet, {size})")
                    for name in os.listdir(part):
                        os.rename(os.path.join(part, name), os.path.join(folder, f"part-{number:05d}-{name}"))
                    os.rmdir(part)
        finally:
            self.connection.execute("DROP TABLE IF EXISTS _tw_apart")

    def collect(self, sql: str, limit: int | None = None) -> pa.Table:
        """Unlike those of a view, columns may share a name: they are numbered until the rows are there."""
        from tidewheel.store.arrow import to_arrow  # noqa: PLC0415  Arrow: not for those who only plan

        query = bind_answer(sql, {r.name.lower(): r for r in self.relations.values()})
        if query is None:
            raise not_local("a query whose order, or whose columns' names, only Spark knows", None)
        numbered = replace(query, names=tuple(f"c{i}" for i in range(len(query.names))))
        with translated(None), self._turn():
            text, columns = planned(numbered, None, in_utc=self.in_utc)
            schema = self._schema(text, columns)
            if not self.in_utc and any(f.type == Primitive("timestamp") for f in schema):
                raise not_local("a query for timestamps in another time zone than UTC", None)
            cut = "" if limit is None else f" LIMIT {limit}"
            with self._reading(text):
                rows: pa.Table = self.connection.sql(f"SELECT {_typed(schema)} FROM ({text}){cut}").to_arrow_table()
        return rows.cast(to_arrow(schema)).rename_columns(list(query.names))

    def close(self) -> None:
        self.connection.close()


def _typed(schema: Schema) -> str:
    return ", ".join(
        f"CAST({quote_double(f.name)} AS {duck.to_duck(f.type)}) AS {quote_double(f.name)}" for f in schema
    )


def _rows_of(snapshot: TableSnapshot) -> str:
    """A query over the files of a snapshot."""
    parts: dict[tuple[tuple[str, str | None], ...], list[str]] = {}
    for file, path in zip(snapshot.files, snapshot.paths(), strict=True):
        parts.setdefault(file.partition, []).append(path)
    stored = snapshot.schema.without(snapshot.partition_columns)
    queries = [_part(snapshot.schema, stored, paths, dict(values)) for values, paths in parts.items()]
    return " UNION ALL ".join(queries) or f"SELECT * FROM {duck.scan([], snapshot.schema)}"


def _part(schema: Schema, stored: Schema, paths: list[str], values: dict[str, str | None]) -> str:
    columns = []
    for field in schema:
        name = quote_double(field.name)
        if field.name in values:
            text = values[field.name]
            value = "NULL" if text is None else literal(text)
            columns.append(f"CAST({value} AS {duck.to_duck(field.type)}) AS {name}")
        else:
            columns.append(name)
    return f"SELECT {', '.join(columns)} FROM {duck.scan(paths, stored)}"
