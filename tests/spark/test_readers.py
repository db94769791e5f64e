"""Any Delta reader reads every view and shows exactly its declared columns, whatever the types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.ddl import parse_schema
from tidewheel.store.arrow import to_arrow

pytestmark = pytest.mark.spark

SCHEMA = (
    "b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f FLOAT, d DOUBLE, s STRING, bin BINARY, day DATE, "
    "ts TIMESTAMP, ntz TIMESTAMP_NTZ, small DECIMAL(5,2), wide DECIMAL(38,10), list ARRAY<INT>, "
    "pairs MAP<STRING, BIGINT>, deep STRUCT<x: INT, y: ARRAY<STRUCT<z: STRING>>>"
)
MOMENT = dt.datetime.fromisoformat("2026-02-28T23:59:59.999999")
FULL: dict[str, Any] = {
    "b": True, "i8": -128, "i16": 32767, "i32": -(2**31), "i64": 2**63 - 1, "f": 1.5, "d": float("nan"),
    "s": "Straße 'x' \\ \"y\" 🦀", "bin": b"\x00\xff", "day": dt.date(1, 1, 1), "ts": MOMENT.replace(tzinfo=dt.UTC),
    "ntz": MOMENT, "small": Decimal("-999.99"), "wide": Decimal("1234567890123456789012345678.0123456789"),
    "list": [1, None, 3], "pairs": [("a", 1), ("b", None)], "deep": {"x": 1, "y": [{"z": "q"}, {"z": None}]},
}  # fmt: skip


def data() -> pa.Table:
    empty = dict.fromkeys(FULL)
    return pa.Table.from_pylist([FULL, empty, FULL], schema=to_arrow(parse_schema(SCHEMA)))


def same(left: pa.Table, right: pa.Table) -> bool:
    """Equal as bags; NaN equals NaN."""
    return sorted(map(repr, left.to_pylist())) == sorted(map(repr, right.to_pylist()))


@pytest.fixture
def project(make_spark_project: MakeProject) -> tw.Project:
    made = make_spark_project(
        {"t": {"kind": "managed", "schema": SCHEMA}},
        {"everything": "SELECT * FROM t", "none_left": "SELECT i64, s FROM t WHERE false"},
    )
    made.ingest("t", data())
    made.refresh()
    return made


def test_every_type_survives_spark_and_all_readers(project: tw.Project) -> None:
    table = str(Path(project.root) / "warehouse" / "everything")
    expected = data()
    assert same(project.to_arrow("everything"), expected)
    assert same(project.table("everything").toArrow().cast(expected.schema), expected)
    ours = DeltaTable(table).to_pyarrow_table()
    assert ours.schema.names == expected.schema.names
    assert same(ours.cast(expected.schema), expected)
    frame = pl.read_delta(table)
    assert frame.columns == expected.schema.names
    assert frame.height == 3
    assert not project.verify().differences


def test_an_empty_view_is_a_table_with_columns_and_no_rows(project: tw.Project) -> None:
    table = str(Path(project.root) / "warehouse" / "none_left")
    found = DeltaTable(table).to_pyarrow_table()
    assert (found.num_rows, found.schema.names) == (0, ["i64", "s"])
    assert pl.read_delta(table).shape == (0, 2)
    assert project.table("none_left").count() == 0


def test_a_snapshot_reads_several_relations_with_spark_sql(project: tw.Project) -> None:
    with project.snapshot() as snapshot:
        joined = snapshot.sql("SELECT count(*) AS c FROM everything e JOIN t ON e.i64 <=> t.i64")
        assert joined.collect()[0]["c"] == 5
        assert snapshot.table("t").count() == 3


def test_an_older_epoch_is_still_there(project: tw.Project) -> None:
    project.ingest("t", data())
    run = project.refresh()
    assert project.table("everything").count() == 6
    assert project.table("everything", epoch=run.epoch - 1).count() == 3
    assert project.to_arrow("t", epoch=run.epoch - 1).num_rows == 3


def test_a_spark_dataframe_is_ingested(project: tw.Project) -> None:
    result = project.ingest("t", project.table("everything"))
    assert result.rows == 3
    project.refresh()
    assert project.to_arrow("everything").num_rows == 6
    assert same(project.to_arrow("everything").slice(0, 3), data())


def test_clustered_views_are_written_in_order(make_spark_project: MakeProject) -> None:
    sql = "-- tidewheel: {cluster_by: [k]}\nSELECT id % 7 AS k, id FROM n"
    made = make_spark_project({"n": {"kind": "managed", "schema": "id BIGINT"}}, {"v": sql})
    made.ingest("n", pa.table({"id": pa.array(range(1000), pa.int64())}))
    made.refresh()
    keys = made.to_arrow("v").column("k").to_pylist()
    assert keys == sorted(keys)
    assert not made.verify().differences


def test_the_clock_is_pinned_by_the_epoch(make_spark_project: MakeProject) -> None:
    sql = "SELECT id, current_date() AS today, now() AS moment, unix_timestamp() AS unix FROM n"
    made = make_spark_project({"n": {"kind": "managed", "schema": "id BIGINT"}}, {"v": sql})
    made.ingest("n", pa.table({"id": [1]}))
    made.refresh()
    [row] = made.to_arrow("v").to_pylist()
    assert row["moment"] == made.epoch().moment
    assert row["today"] == made.epoch().moment.date()
    assert not made.verify().differences
    assert not made.refresh().published
