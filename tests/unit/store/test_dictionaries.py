"""How many values columns have, as the dictionaries of files tell it."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidewheel.store.dictionaries import Group, _Header, distinct_values, expected

ROWS = 40_000


def table(seed: int) -> pa.Table:
    rng = random.Random(seed)
    return pa.table(
        {
            "few": [f"value {rng.randrange(7)}" for _ in range(ROWS)],
            "many": [f"value {rng.randrange(30_000)}" for _ in range(ROWS)],
            "own": [f"{'x' * 40} {seed} {i}" for i in range(ROWS)],
            "nothing": pa.nulls(ROWS, pa.string()),
            "inner": [{"few": rng.randrange(3)} for _ in range(ROWS)],
        }
    )


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("page", ["1.0", "2.0"])
def test_what_arrow_writes(tmp_path: Path, compression: str, page: str) -> None:
    paths = [str(tmp_path / f"{n}.parquet") for n in range(5)]
    for number, path in enumerate(paths):
        pq.write_table(table(number), path, compression=compression, data_page_version=page)
    found = distinct_values(paths, 5 * ROWS)
    assert found["few"] == pytest.approx(7)
    assert found["many"] == pytest.approx(30_000, rel=0.1)
    assert "own" not in found, "its dictionary was given up"
    assert not any("." in name for name in found)


def test_what_duckdb_writes(tmp_path: Path) -> None:
    given = table(1)
    path = str(tmp_path / "d.parquet")
    duckdb.from_arrow(given).write_parquet(path)
    assert distinct_values([path], ROWS)["few"] == pytest.approx(7)


def test_no_rows_and_no_files(tmp_path: Path) -> None:
    path = str(tmp_path / "e.parquet")
    pq.write_table(table(1).slice(0, 0), path)
    assert distinct_values([], 0) == {}
    assert all(n == 1.0 for n in distinct_values([path], 0).values())


def test_values_are_expected_among_all_rows() -> None:
    assert expected(Group(1000, 3), 10**6) == pytest.approx(3)
    assert expected(Group(1000, 999), 10**6) == pytest.approx(999_000), "nearly every row has its own"
    assert expected(Group(1000, 632), 10**6) == pytest.approx(1000, rel=0.01), "as many values as rows were seen"
    assert expected(Group(1000, 800), 1000) <= 1000


@pytest.mark.parametrize("data", [b"", b"\x15", b"\xff" * 64, b"\x00" * 64, b"\x15\x04\x15\x80\x80\x80\x80"])
def test_what_is_no_header_tells_nothing(data: bytes) -> None:
    with contextlib.suppress(IndexError):
        assert _Header(data).values() is None
