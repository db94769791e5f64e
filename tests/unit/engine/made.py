"""What every engine does with intermediates, for the tests of each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from tidewheel.engine.base import Engine, Output, Session
from tidewheel.errors import TidewheelError
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query, Scan
from tidewheel.project.config import Config, ViewOptions
from tidewheel.project.graph import View
from tidewheel.sql.bind import SqlText, bind_view

VIEW: Final = View(
    name="v",
    sql="",
    file="",
    offset=0,
    file_text="",
    reads=(),
    fingerprint="",
    clock="none",
    deterministic=True,
    options=ViewOptions(),
)
ROWS: Final = """
SELECT CAST(NULL AS BIGINT) AS a, 'x' AS s, CAST(1.50 AS DECIMAL(12,2)) AS d, DATE '2024-02-29' AS day, true AS b
UNION ALL SELECT 7, 'it''s', CAST(-3 AS DECIMAL(12,2)), CAST(NULL AS DATE), false
UNION ALL SELECT 7, 'it''s', CAST(-3 AS DECIMAL(12,2)), CAST(NULL AS DATE), false
UNION ALL SELECT 9, NULL, CAST(0 AS DECIMAL(12,2)), DATE '1999-12-31', CAST(NULL AS BOOLEAN)
"""
NOTHING: Final = f"SELECT * FROM ({ROWS}) WHERE s = 'nobody'"


def session_of(engine: Engine) -> Session:
    return engine.session(Config(name="p", sources={}).settings)


def query_of(sql: str) -> Query:
    query = bind_view(SqlText(sql=sql), {}).query
    return Query(rel=query.rel, names=tuple(f"c{i}" for i in range(query.rel.width)))


def reader_of(name: str, query: Query) -> Query:
    """All rows of what was made from a query."""
    from tidewheel.ir.typing import types_of  # noqa: PLC0415

    columns = tuple(Column(n, kind) for n, kind in zip(query.names, types_of(query.rel), strict=True))
    return Query(rel=Scan(relation=name, columns=columns), names=query.names)


def written(session: Session, query: Query, folder: Path) -> list[str]:
    """The rows of a query as text, in which a NaN is one."""
    session.run(VIEW, [Output(query=query, folder=str(folder))])
    table = pa.concat_tables([pq.read_table(folder / f) for f in sorted(os.listdir(folder)) if f.endswith(".parquet")])
    return sorted(repr(tuple(row.values())) for row in table.to_pylist())


def check_made(session: Session, folder: Path, sql: str, *, few: bool) -> None:
    """Rows that were made are those of the query, are counted, and are gone once they are dropped."""
    query = query_of(sql)
    expected = written(session, query, folder / "expected")
    assert session.make(VIEW, "_tw_made_x", query, str(folder / "made"), few=few) == len(expected)
    assert session.bytes("_tw_made_x") >= 0
    assert written(session, reader_of("_tw_made_x", query), folder / "read") == expected
    again = query_of("SELECT 1 AS a")
    assert session.make(VIEW, "_tw_made_x", again, str(folder / "again"), few=few) == 1
    session.drop("_tw_made_x")
    session.drop("_tw_made_x")  # what is gone is gone
    try:
        written(session, reader_of("_tw_made_x", query), folder / "gone")
    except TidewheelError:
        return
    raise AssertionError("what was dropped is read")
