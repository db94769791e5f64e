"""Upsert and delete: rewrite just the files that hold a touched row, and write down the exact change."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidewheel.engine.local import duck
from tidewheel.errors import StoreError, UserError
from tidewheel.ingest.commit import Base, CommitWork, IngestAttempt
from tidewheel.names import WEIGHT, literal, quote_double
from tidewheel.store import disk, log
from tidewheel.store.footers import describe_folder
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot, require_files
from tidewheel.types import Schema

if TYPE_CHECKING:
    import duckdb

FILE_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """New rows (or rows to delete) against a source. Empty `match` means: whole rows, one copy for each given one."""

    attempt: IngestAttempt
    schema: Schema
    given: Schema
    files: tuple[DataFile, ...]
    match: tuple[str, ...]
    mode: str
    memory: int

    def connect(self) -> duckdb.DuckDBPyConnection:
        connection = duck.connect(memory=self.memory, scratch=self.attempt.warehouse.scratch)
        paths = [os.path.join(self.attempt.table, f.path) for f in self.files]
        connection.execute(f"CREATE TEMP VIEW given AS SELECT * FROM {duck.scan(paths, self.given)}")
        return connection

    def refuse_duplicates(self) -> None:
        """Two new rows with one key: neither is the right one."""
        if not self.match or self.mode == "delete":
            return
        keys = columns_of(self.match)
        with duck.io_errors(self.attempt.table), self.connect() as connection:
            found = connection.execute(
                f"SELECT {keys}, count(*) FROM given GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"
            ).fetchone()
        if found:
            shown = ", ".join(f"{c} = {v}" for c, v in zip(self.match, found[:-1], strict=True))
            raise UserError(
                f"the rows to {self.mode} hold the key ({shown}) {found[-1]} times",
                code="duplicate-key",
                relation=self.attempt.source,
                hint="Keep one row for each key.",
            )

    def on(self, base: Base) -> CommitWork:
        """The commit that merges the given rows into a base version."""
        snapshot = base.snapshot()
        try:
            with duck.io_errors(self.attempt.table, snapshot.paths()):
                return self._on(snapshot, base.version)
        except StoreError:
            require_files(snapshot, self.attempt.source)  # if that is why: this is no base any more
            raise

    def _on(self, snapshot: TableSnapshot, version: int) -> CommitWork:
        with self.connect() as connection:
            touched = self._touched(connection, snapshot, "given", self.match or self.schema.names)
            paths = [os.path.join(snapshot.table, f.path) for f in touched]
            connection.execute(f"CREATE TEMP VIEW old AS SELECT * FROM {duck.scan(paths, self.schema)}")
            change, added, removed = self._write_change(connection, self._change())
            if not change:
                return CommitWork(actions=(), about={"mode": self.mode, "rows": 0})
            survivors = self._write_survivors(connection, version, paths) if touched else ()
        new = self.files if self.mode == "upsert" else ()
        actions: list[dict[str, Any]] = [log.remove_action(f.path) for f in touched]
        actions += [log.add_action(f) for f in (*survivors, *new)]
        about = {"mode": self.mode, "rows": added, "removed": removed, "change": change}
        return CommitWork(actions=tuple(actions), about=about)

    def _touched(
        self, connection: duckdb.DuckDBPyConnection, snapshot: TableSnapshot, rows: str, match: tuple[str, ...]
    ) -> list[DataFile]:
        """Files that hold a row to replace or remove: DuckDB skips by statistics, then looks at the match columns."""
        if not snapshot.files:
            return []
        by_path = {os.path.abspath(p): f for p, f in zip(snapshot.paths(), snapshot.files, strict=True)}
        kinds = {f.name: f.type for f in self.schema}
        same = " AND ".join(
            f"{duck.column(f'o.{quote_double(c)}', kinds[c])} IS NOT DISTINCT FROM g.{quote_double(c)}" for c in match
        )
        nothing = ", ".join(f"CAST(NULL AS {duck.to_duck(kinds[c])}) AS {quote_double(c)}" for c in match)
        files = duck.read_files(list(by_path), filename=literal("_tw_file"))  # a file may be older than a column
        scan = f"SELECT * FROM {files} UNION ALL BY NAME SELECT {nothing} WHERE false"
        found = connection.execute(
            f"SELECT DISTINCT _tw_file FROM ({scan}) o WHERE EXISTS (SELECT 1 FROM {rows} g WHERE {same})"
        ).fetchall()
        return [by_path[os.path.abspath(path)] for (path,) in sorted(found)]

    def _change(self) -> str:
        """The exact change as rows with weights; rows that were there already are no change."""
        columns = columns_of(self.schema.names)
        gone, new = self._gone(), f"SELECT {columns} FROM given"
        if self.mode == "upsert":
            return signed(
                f"SELECT * FROM (({gone}) EXCEPT ALL ({new}))", f"SELECT * FROM (({new}) EXCEPT ALL ({gone}))"
            )
        return f"SELECT *, CAST(-1 AS BIGINT) AS {WEIGHT} FROM ({gone})"

    def _write_change(self, connection: duckdb.DuckDBPyConnection, body: str) -> tuple[str, int, int]:
        """Write the rows of a change, with how many came and went; none, if there is none."""
        name = f"{self.attempt.source}/{self.attempt.id}.parquet"
        path = self.attempt.warehouse.own("changes", name)
        with disk.io_step("ingest.change", path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            connection.execute(f"COPY ({body}) TO {literal(path)} (FORMAT parquet, COMPRESSION zstd)")
        counts = connection.execute(
            f"SELECT count(*) FILTER ({WEIGHT} > 0), count(*) FILTER ({WEIGHT} < 0) FROM {duck.read_files([path])}"
        ).fetchone()
        added, removed = counts or (0, 0)
        if added + removed == 0:
            disk.remove(path, step="discard.attempt")
            return "", 0, 0
        return name, added, removed

    def _gone(self) -> str:
        """The old rows that this ingest replaces or removes."""
        columns = columns_of(self.schema.names)
        if self.match:
            return f"SELECT {columns} FROM old SEMI JOIN given USING ({columns_of(self.match)})"
        return f"SELECT {columns} FROM ({numbered(self.schema)}) WHERE _tw_copy <= _tw_wanted"

    def _write_survivors(
        self, connection: duckdb.DuckDBPyConnection, version: int, paths: Sequence[str]
    ) -> tuple[DataFile, ...]:
        """The rows that stay; with a key each file by itself, so that it holds the range that it held."""
        columns = columns_of(self.schema.names)
        folder = os.path.join(self.attempt.data, f"kept-{version}")
        with disk.io_step("ingest.data", folder):
            os.makedirs(self.attempt.data, exist_ok=True)
            disk.remove(folder, step="discard.attempt")
            if not self.match:
                rest = f"SELECT {columns} FROM ({numbered(self.schema)}) WHERE _tw_copy > _tw_wanted"
                connection.execute(
                    f"COPY ({rest}) TO {literal(folder)} "
                    f"(FORMAT parquet, COMPRESSION zstd, FILE_SIZE_BYTES {FILE_BYTES})"
                )
            for number, path in enumerate(paths if self.match else ()):
                os.makedirs(folder, exist_ok=True)
                file = duck.scan([path], self.schema)
                rest = f"SELECT {columns} FROM {file} ANTI JOIN given USING ({columns_of(self.match)})"
                target = os.path.join(folder, f"part-{number:05d}.parquet")
                connection.execute(f"COPY ({rest}) TO {literal(target)} (FORMAT parquet, COMPRESSION zstd)")
        described = describe_folder(folder, self.attempt.relative(f"kept-{version}"), self.schema)
        return tuple(f for f in described if f.rows)


def columns_of(names: tuple[str, ...]) -> str:
    return ", ".join(quote_double(n) for n in names)


def signed(lost: str, won: str) -> str:
    """Rows that go and rows that come, with their weights."""
    return f"SELECT *, CAST(-1 AS BIGINT) AS {WEIGHT} FROM ({lost}) UNION ALL SELECT *, 1 FROM ({won})"


def numbered(schema: Schema, given: str = "given", *, and_also: str = "") -> str:
    """Old rows with the number of each copy, and how many copies are to go. NULL equals NULL here."""
    columns = columns_of(schema.names)
    same = " AND ".join(f"o.{quote_double(c)} IS NOT DISTINCT FROM g.{quote_double(c)}" for c in schema.names)
    more = f", {and_also}" if and_also else ""
    copies = f"SELECT {columns}{more}, row_number() OVER (PARTITION BY {columns}) AS _tw_copy FROM old"
    wanted = f"SELECT {columns}, count(*) AS _tw_wanted FROM {given} GROUP BY {columns}"
    return f"SELECT o.*, coalesce(g._tw_wanted, 0) AS _tw_wanted FROM ({copies}) o LEFT JOIN ({wanted}) g ON {same}"
