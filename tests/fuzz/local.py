"""Cases on DuckDB, by way of `sql.unparse.to_duckdb`: one connection, whose tables change with the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import duckdb

from tests.fuzz.outcomes import Broken, Declined, Outcome, Raised, bag
from tests.fuzz.tables import Case, Data
from tidewheel.engine.local.duck import connect, to_duck
from tidewheel.errors import UserError
from tidewheel.ir.rel import Query
from tidewheel.names import quote_double
from tidewheel.sql.unparse import PRELUDE, to_duckdb

DATA_ERRORS: Final = (duckdb.OutOfRangeException, duckdb.ConversionException, duckdb.InvalidInputException)
T = TypeVar("T")


def prepared() -> Any:
    """A connection that is ready for texts of `to_duckdb`."""
    connection = connect(threads=1)
    for statement in PRELUDE:
        connection.execute(statement)
    return connection


def attempt(query: Query, fetch: Callable[[str], T]) -> T | Raised | Declined | Broken:
    """What is fetched for the query's text, or what happened instead."""
    try:
        sql = to_duckdb(query)
    except UserError as error:
        return Declined(error.message) if error.code == "not-local" else Broken(str(error))
    try:
        return fetch(sql)
    except DATA_ERRORS as error:
        if "the local engine does not run" in str(error):
            return Declined(str(error).splitlines()[0].partition(":")[2].partition(":")[0])
        return Raised(str(error).splitlines()[0])
    except duckdb.Error as error:
        return Broken(f"{str(error)[:600]}\n{sql}")


class Local:
    """DuckDB with the tables of one case at a time."""

    def __init__(self) -> None:
        self.connection = prepared()
        self.loaded: tuple[Data, ...] = ()

    def load(self, tables: tuple[Data, ...]) -> None:
        if tables is self.loaded:
            return
        for table in self.loaded:
            self.connection.execute(f"DROP TABLE {quote_double(table.name)}")
        for table in tables:
            name = quote_double(table.name)
            columns = ", ".join(f"{quote_double(c.name)} {to_duck(c.type)}" for c in table.columns)
            self.connection.execute(f"CREATE TABLE {name} ({columns})")
            if table.rows:
                marks = ", ".join("?" for _ in table.columns)
                rows = ", ".join(f"({marks})" for _ in table.rows)
                self.connection.execute(f"INSERT INTO {name} VALUES {rows}", [v for row in table.rows for v in row])
        self.loaded = tables

    def run(self, case: Case, query: Query | None = None) -> Outcome:
        """The case's query, or another over its tables."""
        self.load(case.tables)
        return attempt(query or case.query, lambda sql: bag(self.connection.execute(sql).fetchall()))
