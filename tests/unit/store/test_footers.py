"""Statistics can only prove absence: a bound that is not exact is left out, and every value lies within the rest."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidewheel.ddl import parse_schema
from tidewheel.errors import StoreError
from tidewheel.store.arrow import to_arrow
from tidewheel.store.footers import check_schema, describe_file, has_nanoseconds, read_footer, same_type, statistics
from tidewheel.types import Schema

D = decimal.Decimal
UTC = dt.UTC


def stats_of(schema: str, values: list[Any], path: Path, **options: Any) -> dict[str, Any]:
    """The statistics of a file with one column `x`; numbers are kept as they are written."""
    declared = parse_schema(f"x {schema}")
    pq.write_table(pa.table({"x": pa.array(values, to_arrow(declared).field("x").type)}), path, **options)
    found: dict[str, Any] = json.loads(statistics(read_footer(str(path)), declared), parse_float=D)
    return found


def bounds(found: dict[str, Any]) -> tuple[Any, Any] | None:
    if "x" not in found["minValues"]:
        assert "x" not in found["maxValues"], "never one bound without the other"
        return None
    return found["minValues"]["x"], found["maxValues"]["x"]


NAIVE = dt.datetime.fromisoformat


@pytest.mark.parametrize(
    ("schema", "values", "expected"),
    [
        ("BIGINT", [3, None, -(2**63), 2**63 - 1], (-(2**63), 2**63 - 1)),
        ("TINYINT", [-128, 127], (-128, 127)),
        ("DATE", [dt.date(1, 1, 1), dt.date(9999, 12, 31)], ("0001-01-01", "9999-12-31")),
        ("STRING", ["b", None, "a", "é"], ("a", "é")),
        ("STRING", ["", 'a"\n\\'], ("", 'a"\n\\')),
        ("STRING", ["a" * 32], ("a" * 32, "a" * 32)),
        ("STRING", ["a" * 33], None),
        ("STRING", ["a", "b" * 5000], None),
        ("STRING", ["é" * 17], None),
        ("DECIMAL(15,2)", [D("-0.10"), D("9999999999999.99")], (D("-0.10"), D("9999999999999.99"))),
        ("DECIMAL(15,0)", [D("123456789012345")], (123456789012345, 123456789012345)),
        ("DECIMAL(16,2)", [D("0.10")], None),
        ("DECIMAL(38,10)", [D("0.1")], None),
        ("DOUBLE", [1.5, 2.5], None),
        ("DOUBLE", [1.5, float("nan")], None),
        ("FLOAT", [1.5], None),
        ("BOOLEAN", [True, False], None),
        ("BINARY", [b"a"], None),
        ("ARRAY<BIGINT>", [[1, 2]], None),
        ("STRUCT<x: BIGINT>", [{"x": 1}], None),
        ("TIMESTAMP_NTZ", [NAIVE("2024-01-01T00:00:00.000001"), NAIVE("2024-01-01T00:00:00.001001")],
         ("2024-01-01T00:00:00.000", "2024-01-01T00:00:00.002")),
        ("TIMESTAMP", [NAIVE("1960-01-01T00:00:00.999999+00:00")],
         ("1960-01-01T00:00:00.999Z", "1960-01-01T00:00:01.000Z")),
        ("TIMESTAMP", [NAIVE("2024-01-01T00:00:00.005+00:00")], ("2024-01-01T00:00:00.005Z",) * 2),
        ("TIMESTAMP_NTZ", [NAIVE("9999-12-31T23:59:59.999999")], None),
        ("BIGINT", [None, None], None),
        ("BIGINT", [], None),
    ],
)  # fmt: skip
def test_a_bound_is_exact_or_rounded_outward_or_left_out(
    tmp_path: Path, schema: str, values: list[Any], expected: tuple[Any, Any] | None
) -> None:
    found = stats_of(schema, values, tmp_path / "f.parquet")
    assert bounds(found) == expected
    assert found["numRecords"] == len(values)


def test_decimals_never_pass_through_a_float(tmp_path: Path) -> None:
    found = stats_of("DECIMAL(15,14)", [D("0.10000000000001"), D("1.00000000000000")], tmp_path / "f.parquet")
    assert bounds(found) == (D("0.10000000000001"), D("1.00000000000000"))


def test_nulls_are_counted_and_bounds_span_all_row_groups(tmp_path: Path) -> None:
    values = [None, 5, None, None, 1, 9, None]
    found = stats_of("INT", values, tmp_path / "f.parquet", row_group_size=2)
    assert (found["nullCount"], bounds(found)) == ({"x": 4}, (1, 9))
    all_null = stats_of("INT", [5, None, None, None], tmp_path / "f.parquet", row_group_size=2)
    assert (all_null["nullCount"], bounds(all_null)) == ({"x": 3}, (5, 5)), "a group of NULLs has no say"


def test_a_file_without_statistics_has_no_bounds(tmp_path: Path) -> None:
    found = stats_of("BIGINT", [1, 2], tmp_path / "f.parquet", write_statistics=False)
    assert found == {"numRecords": 2, "minValues": {}, "maxValues": {}, "nullCount": {}}


def test_dates_beyond_year_9999_have_no_bound(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"x": pa.array([0, 4_000_000], pa.int32()).cast(pa.date32())}), path)
    found = json.loads(statistics(read_footer(str(path)), parse_schema("x DATE")))
    assert (found["minValues"], found["maxValues"], found["nullCount"]) == ({}, {}, {"x": 0})


def test_strings_of_a_writer_that_may_cut_them_have_no_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidewheel.store.footers._TRUSTED_WRITERS", ("somebody else",))
    assert bounds(stats_of("STRING", ["a"], tmp_path / "f.parquet")) is None
    assert bounds(stats_of("BIGINT", [1], tmp_path / "f.parquet")) == (1, 1)


def test_a_column_with_a_dot_is_not_taken_for_a_field_of_a_struct(tmp_path: Path) -> None:
    schema = parse_schema("a STRUCT<b: BIGINT>, `a.b` BIGINT")
    table = pa.table({"a": [{"b": 1}], "a.b": pa.array([100], pa.int64())})
    pq.write_table(table, tmp_path / "f.parquet")
    found = json.loads(statistics(read_footer(str(tmp_path / "f.parquet")), schema))
    assert found["minValues"].get("a.b", 100) == 100
    assert found["maxValues"].get("a.b", 100) == 100


moments = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30))  # noqa: DTZ001


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), moments), min_size=1, max_size=6))
def test_every_timestamp_lies_within_its_bounds(tmp_path_factory: pytest.TempPathFactory, values: list[Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "moments.parquet"
    found = bounds(stats_of("TIMESTAMP_NTZ", values, path))
    if found is not None:
        low, high = (dt.datetime.fromisoformat(text) for text in found)
        assert all(low <= value <= high for value in values if value is not None)
        assert all(text[-4] == "." for text in found), "milliseconds, as Delta keeps them"


@pytest.mark.parametrize("writer", ["arrow", "duckdb"])
def test_a_file_is_described_with_its_rows_and_size(tmp_path: Path, writer: str) -> None:
    path = tmp_path / "f.parquet"
    if writer == "arrow":
        pq.write_table(pa.table({"x": pa.array([1, 2], pa.int64()), "_tw_key": [1, 2]}), path)
    else:
        duckdb.sql(f"COPY (SELECT CAST(range + 1 AS BIGINT) AS x FROM range(2)) TO '{path}' (FORMAT parquet)")
    found = describe_file(str(path), "_data/f.parquet", parse_schema("x BIGINT"))
    assert (found.path, found.size, found.rows) == ("_data/f.parquet", path.stat().st_size, 2)
    assert json.loads(found.stats)["maxValues"] == {"x": 2}, "hidden columns have no statistics"


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 garbage PAR1", bytes(100)])
def test_what_is_no_parquet_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f.parquet").write_bytes(content)
    with pytest.raises(StoreError) as caught:
        read_footer(str(tmp_path / "f.parquet"))
    assert caught.value.code == "corrupt-file"
    assert "f.parquet" in str(caught.value)


@pytest.mark.parametrize(
    ("found", "declared", "fits"),
    [
        ("x BIGINT", "x BIGINT", True),
        ("x BIGINT, y INT", "x BIGINT", True),
        ("x INT", "x BIGINT", False),
        ("y BIGINT", "x BIGINT", False),
        ("x DECIMAL(10,2)", "x DECIMAL(12,2)", False),
        ("x TIMESTAMP", "x TIMESTAMP_NTZ", False),
        ("x ARRAY<INT>", "x ARRAY<BIGINT>", False),
        ("x STRUCT<a: INT>", "x STRUCT<b: INT>", False),
        ("x MAP<STRING, ARRAY<INT>>", "x MAP<STRING, ARRAY<INT>>", True),
    ],
)
def test_a_file_must_hold_the_declared_columns_with_their_types(found: str, declared: str, *, fits: bool) -> None:
    def check() -> None:
        check_schema(to_arrow(parse_schema(found)), parse_schema(declared), "f.parquet")

    if fits:
        check()
        return
    with pytest.raises(StoreError) as caught:
        check()
    assert caught.value.code == "schema-mismatch"


def test_what_parquet_does_not_keep_is_no_difference() -> None:
    assert same_type(pa.list_(pa.field("item", pa.large_string(), nullable=False)), pa.list_(pa.string()))
    assert same_type(pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC"))
    assert not same_type(pa.timestamp("us"), pa.timestamp("us", "UTC"))


def test_nanoseconds_are_seen_at_any_depth() -> None:
    nano = pa.timestamp("ns")
    assert has_nanoseconds(pa.schema([("a", pa.int64()), ("b", nano)]))
    assert has_nanoseconds(pa.schema([("a", pa.list_(pa.struct([("x", pa.map_(pa.string(), nano))])))]))
    assert not has_nanoseconds(pa.schema([("a", pa.timestamp("us")), ("b", pa.list_(pa.int64()))]))


def test_an_empty_schema_has_just_a_count(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / "f.parquet")
    assert json.loads(statistics(read_footer(str(tmp_path / "f.parquet")), Schema(())))["numRecords"] == 1
