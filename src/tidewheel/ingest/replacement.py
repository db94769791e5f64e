"""Replace: a full extract against what is there. Only the difference is written, and becomes an ordinary change."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidewheel.engine.local import duck
from tidewheel.ingest.commit import ROWS_PER_FILE, CommitWork
from tidewheel.ingest.merge import FILE_BYTES, Merge, columns_of, numbered, signed
from tidewheel.names import literal
from tidewheel.store import disk, log
from tidewheel.store.footers import describe_folder
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot

if TYPE_CHECKING:
    import duckdb


class Replacement(Merge):
    """The rows that go and those that come, both as bags of whole rows: with a key or without, the difference is one.

    With old rows a, a, b and given rows a, c, one a and b go and c comes; the other a stays in its file.
    """

    __slots__ = ()

    def _on(self, snapshot: TableSnapshot, version: int) -> CommitWork:
        with self.connect() as connection:
            self._compare(connection, snapshot)
            body = signed("SELECT * FROM lost", "SELECT * FROM won")
            change, added, removed = self._write_change(connection, body)
            if not change:
                return CommitWork(actions=(), about={"mode": self.mode, "rows": 0})
            touched = self._touched(connection, snapshot, "lost", self.schema.names) if removed else []
            kept = self._write_kept(connection, version, [os.path.join(snapshot.table, f.path) for f in touched])
            new = self._write_new(connection, version, added)
        actions: list[dict[str, Any]] = [log.remove_action(f.path) for f in touched]
        actions += [log.add_action(f) for f in (*kept, *new)]
        about = {"mode": self.mode, "rows": added, "removed": removed, "change": change}
        return CommitWork(actions=tuple(actions), about=about)

    def _compare(self, connection: duckdb.DuckDBPyConnection, snapshot: TableSnapshot) -> None:
        columns = columns_of(self.schema.names)
        old = f"SELECT {columns} FROM {duck.scan(snapshot.paths(), self.schema)}"
        new = f"SELECT {columns} FROM given"
        connection.execute(f"CREATE TEMP TABLE lost AS ({old}) EXCEPT ALL ({new})")
        connection.execute(f"CREATE TEMP TABLE won AS ({new}) EXCEPT ALL ({old})")

    def _write_kept(
        self, connection: duckdb.DuckDBPyConnection, version: int, paths: Sequence[str]
    ) -> tuple[DataFile, ...]:
        """What stays of files that hold a row that goes, each by itself, so that it holds the range that it held."""
        if not paths:
            return ()
        columns = columns_of(self.schema.names)
        scans = [f"SELECT *, {i} AS _tw_file FROM {duck.scan([path], self.schema)}" for i, path in enumerate(paths)]
        connection.execute(f"CREATE TEMP VIEW old AS {' UNION ALL '.join(scans)}")
        rows = numbered(self.schema, "lost", and_also="_tw_file")
        connection.execute(
            f"CREATE TEMP TABLE kept AS SELECT {columns}, _tw_file FROM ({rows}) WHERE _tw_copy > _tw_wanted"
        )
        folder = self._folder(f"kept-{version}")
        for i in range(len(paths)):
            body = f"SELECT {columns} FROM kept WHERE _tw_file = {i}{self._order()}"
            self._copy(connection, body, os.path.join(folder, f"part-{i:05d}.parquet"), "")
        return self._described(f"kept-{version}")

    def _write_new(self, connection: duckdb.DuckDBPyConnection, version: int, added: int) -> tuple[DataFile, ...]:
        """The rows that come; if those are all that were given, they are in files already."""
        if added == sum(f.rows for f in self.files):
            return self.files
        if not added:
            return ()
        body = f"SELECT * FROM won{self._order()}"
        size = f", ROW_GROUP_SIZE {ROWS_PER_FILE}, FILE_SIZE_BYTES {FILE_BYTES}"
        self._copy(connection, body, self._folder(f"new-{version}"), size)
        return self._described(f"new-{version}")

    def _order(self) -> str:
        return f" ORDER BY {columns_of(self.match)}" if self.match else ""

    def _folder(self, name: str) -> str:
        folder = os.path.join(self.attempt.data, name)
        disk.remove(folder, step="discard.attempt")
        disk.make_dirs(folder, "ingest.data")
        return folder

    def _copy(self, connection: duckdb.DuckDBPyConnection, body: str, target: str, options: str) -> None:
        with disk.io_step("ingest.data", target):
            connection.execute(f"COPY ({body}) TO {literal(target)} (FORMAT parquet, COMPRESSION zstd{options})")

    def _described(self, name: str) -> tuple[DataFile, ...]:
        folder = os.path.join(self.attempt.data, name)
        return tuple(f for f in describe_folder(folder, self.attempt.relative(name), self.schema) if f.rows)
