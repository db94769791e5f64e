"""The same tables beside the project, in DuckDB: what every view must hold, and what its Delta table does hold.

Nothing of the store, of `ingest` or of a refresh is used here: changes are applied by plain statements, views are
computed from scratch by the plans of their texts (which other tests compare with Spark), tables are read by delta-rs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder

from tests.fuzz.local import prepared
from tidewheel.ddl import parse_schema
from tidewheel.demo.shop import Batch
from tidewheel.engine.local.duck import from_duck, to_duck
from tidewheel.ir.typing import types_of
from tidewheel.names import quote_double
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view
from tidewheel.sql.unparse import to_duckdb
from tidewheel.types import UNKNOWN, Field, Schema

CLOSE = 1e-9
"""How far apart floats may be that were summed in another order, relative to their size."""


class Shadow:
    """Sources and views in one connection; `views` come in an order in which each reads only those before it."""

    def __init__(self, sources: Mapping[str, Mapping[str, Any]], views: Mapping[str, str]) -> None:
        self.connection = prepared()
        self.keys = {name: tuple(entry.get("key", ())) for name, entry in sources.items()}
        self.catalog: dict[str, CatalogRelation] = {}
        self.queries: dict[str, str] = {}
        for name, entry in sources.items():
            self._declare(name, parse_schema(entry["schema"]))
        for name, sql in views.items():
            query = bind_view(SqlText(sql=sql), self.catalog).query
            text = to_duckdb(query)
            found = self.connection.sql(text)
            fields = [
                from_duck(column, duck) if kind == UNKNOWN else Field(column, kind)
                for column, kind, duck in zip(query.names, types_of(query.rel), found.types, strict=True)
            ]
            columns = ", ".join(f"CAST({quote_double(f.name)} AS {to_duck(f.type)})" for f in fields)
            self.queries[name] = f"SELECT {columns} FROM ({text})"
            self._declare(name, Schema(tuple(fields)))

    def _declare(self, name: str, schema: Schema) -> None:
        columns = ", ".join(f"{quote_double(f.name)} {to_duck(f.type)}" for f in schema)
        self.connection.execute(f"CREATE TABLE {name} ({columns})")
        self.catalog[name] = CatalogRelation.of(name, schema)

    def apply(self, batch: Batch) -> None:
        """The batch as `ingest` promises to take it."""
        self.connection.register("given", batch.rows)
        key = self.keys[batch.source]
        if batch.mode != "append" and key:
            same = " AND ".join(f"t.{c} = g.{c}" for c in key)
            self.connection.execute(f"DELETE FROM {batch.source} t USING given g WHERE {same}")
        elif batch.mode == "delete":
            self._delete_copies(batch)
        if batch.mode != "delete":
            columns = ", ".join(c.name for c in self.catalog[batch.source].columns)
            self.connection.execute(f"INSERT INTO {batch.source} SELECT {columns} FROM given")
        self.connection.unregister("given")

    def _delete_copies(self, batch: Batch) -> None:
        """Of the rows that equal a given one, as many as are given."""
        columns = ", ".join(c.name for c in self.catalog[batch.source].columns)
        same = " AND ".join(f"t.{c.name} IS NOT DISTINCT FROM g.{c.name}" for c in self.catalog[batch.source].columns)
        self.connection.execute(
            f"""
            DELETE FROM {batch.source} WHERE rowid IN (
              SELECT t.id
              FROM (SELECT *, rowid AS id, row_number() OVER (PARTITION BY {columns}) AS copy FROM {batch.source}) t
              JOIN (SELECT {columns}, count(*) AS wanted FROM given GROUP BY {columns}) g ON {same}
              WHERE copy <= wanted
            )
            """
        )

    def compute(self) -> None:
        """Every view anew from the sources."""
        for name, text in self.queries.items():
            self.connection.execute(f"DELETE FROM {name}")
            self.connection.execute(f"INSERT INTO {name} {text}")

    def rows(self, name: str) -> pa.Table:
        return self.connection.sql(f"FROM {name}").to_arrow_table()

    def difference(self, name: str, found: pa.Table) -> str | None:
        """How the rows found differ from those a relation must hold; None if they are the same bag."""
        return self.compare(found, self.rows(name))

    def compare(self, found: pa.Table, wanted: pa.Table) -> str | None:
        if found.column_names != wanted.column_names:
            return f"columns {found.column_names}"
        self.connection.register("found", found)
        self.connection.register("wanted", wanted)
        missing = self.connection.sql("FROM wanted EXCEPT ALL FROM found").fetchall()
        unexpected = self.connection.sql("FROM found EXCEPT ALL FROM wanted").fetchall()
        self.connection.unregister("found")
        self.connection.unregister("wanted")
        if _are_close(missing, unexpected):
            return None
        return f"{len(missing)} missing, as {missing[:2]}; {len(unexpected)} unexpected, as {unexpected[:2]}"


def stored(root: str, name: str) -> pa.Table:
    """A relation's table as delta-rs reads it, at its newest version."""
    opened = DeltaTable(os.path.join(root, "warehouse", name))
    return pa.RecordBatchReader.from_stream(QueryBuilder().register("t", opened).execute("SELECT * FROM t")).read_all()


def _are_close(left: list[Any], right: list[Any]) -> bool:
    """Whether the rows are the same but for the last digits of floats."""

    def order(row: Any) -> tuple[list[str], list[str]]:
        return [repr(v) for v in row if not isinstance(v, float)], [f"{v:.6e}" for v in row if isinstance(v, float)]

    if len(left) != len(right):
        return False
    pairs = zip(sorted(left, key=order), sorted(right, key=order), strict=True)
    return all(_is_close(a, b) for one, other in pairs for a, b in zip(one, other, strict=True))


def _is_close(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-12)
    return bool(a == b)
