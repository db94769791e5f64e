"""Files that are left out hold none of the rows; and files are left out."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidewheel.ddl import parse_schema
from tidewheel.store import prune
from tidewheel.store.arrow import to_arrow
from tidewheel.store.footers import describe_file
from tidewheel.store.log import DataFile
from tidewheel.store.prune import ColumnValues, files_of_rows, united, values_in, values_of
from tidewheel.store.tables import TableSnapshot

FIRST, SECOND = (dt.datetime.fromisoformat(f"2024-01-0{day}") for day in (1, 2))
COLUMNS = {
    "INT": st.integers(-5, 5),
    "BIGINT": st.sampled_from([-(2**63), -1, 0, 2**53, 2**53 + 1, 2**63 - 1]),
    "STRING": st.sampled_from(["", "a", "ab", "é", "\U0001f600", "\uffff", "z" * 40]),
    "DATE": st.dates(dt.date(2024, 1, 1), dt.date(2024, 1, 9)),
    "TIMESTAMP": st.datetimes(FIRST, SECOND).map(lambda t: t.replace(tzinfo=dt.UTC)),
    "TIMESTAMP_NTZ": st.datetimes(FIRST, SECOND),
    "DECIMAL(9,2)": st.decimals(-3, 3, places=2),
    "DECIMAL(38,3)": st.sampled_from([decimal.Decimal(x) for x in ("-1e30", "0", "0.001", "1e30")]),
    "DOUBLE": st.sampled_from([-0.0, 0.0, 1.5, float("inf"), float("nan")]),
    "BOOLEAN": st.booleans(),
    "BINARY": st.sampled_from([b"", b"a", b"\xff"]),
}


def written(folder: Path, kind: str, files: Sequence[Sequence[Any]]) -> list[DataFile]:
    schema = parse_schema(f"x {kind}, n INT")
    described = []
    for number, values in enumerate(files):
        columns = {"x": list(values), "n": [number] * len(values)}
        pq.write_table(pa.table(columns, schema=to_arrow(schema)), folder / f"{number}.parquet")
        described.append(describe_file(str(folder / f"{number}.parquet"), f"{number}.parquet", schema))
    return described


def column(kind: str, values: Sequence[Any]) -> pa.Table:
    return pa.table({"x": list(values)}, schema=to_arrow(parse_schema(f"x {kind}")))


@pytest.mark.parametrize("kind", list(COLUMNS))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_file_that_is_left_out_holds_none_of_the_rows(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    value = st.none() | COLUMNS[kind]
    files = data.draw(st.lists(st.lists(value, min_size=1, max_size=4), min_size=1, max_size=4))
    wanted = data.draw(st.lists(value, min_size=1, max_size=3))
    described = written(tmp_path, kind, files)
    chosen = {f.path for f in files_of_rows(described, column(kind, wanted))}
    for file, values in zip(described, files, strict=True):
        if any(v == w or (v is None and w is None) for v in values for w in wanted):
            assert file.path in chosen


@pytest.mark.parametrize(
    ("kind", "files", "wanted", "chosen"),
    [
        ("INT", [[1, 2], [3, 9], [4, None]], [2], [0]),
        ("INT", [[1, 2], [3, 9], [None, 1]], [None], [2]),
        ("INT", [[1, 2], [3, 9]], [2, 5, 10], [0, 1]),
        ("STRING", [["a", "b"], ["c", "d"]], ["bb"], []),
        ("DATE", [[dt.date(2024, 1, 1)], [dt.date(2024, 1, 2)]], [dt.date(2024, 1, 2)], [1]),
        ("TIMESTAMP_NTZ", [[FIRST], [SECOND]], [SECOND], [1]),
        ("DECIMAL(9,2)", [[decimal.Decimal("0.10")], [decimal.Decimal("0.20")]], [decimal.Decimal("0.20")], [1]),
    ],
)
def test_files_are_left_out(kind: str, files: list[Any], wanted: list[Any], chosen: list[int], tmp_path: Path) -> None:
    found = files_of_rows(written(tmp_path, kind, files), column(kind, wanted))
    assert [f.path for f in found] == [f"{i}.parquet" for i in chosen]


def test_values_of_several_columns_together() -> None:
    one, two = (values_of(column("INT", v)["x"]) for v in ([3, 1, 1], [2, None]))
    assert united([one, two]) == ColumnValues([1, 2, 3], has_null=True)
    assert united([one, None]) is None


def test_values_that_are_too_many_or_not_there_say_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = written(tmp_path, "INT", [[5, 1], [3]])
    change = TableSnapshot(table=str(tmp_path), version=-1, schema=parse_schema("x INT, n INT"), files=tuple(files))
    assert values_in([change], "x") == ColumnValues([1, 3, 5], has_null=False)
    assert values_in([change], "y") is None
    monkeypatch.setattr(prune, "MOST_VALUES", 2)
    assert values_in([change], "x") is None


def test_a_file_without_statistics_may_hold_anything(tmp_path: Path) -> None:
    (file,) = written(tmp_path, "INT", [[1]])
    bare = DataFile(path=file.path, size=file.size, rows=file.rows)
    assert files_of_rows([bare], column("INT", [7])) == [bare]
