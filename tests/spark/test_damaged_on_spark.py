"""Damaged data files on Spark: named, and never read as no rows or as other rows."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.e2e.damage import DAMAGE, damage, flipped

pytestmark = pytest.mark.spark
ROWS = pa.table({"k": list(range(500)), "s": [f"text {i * 7919 % 500}" for i in range(500)]})


@pytest.fixture
def project(make_spark_project: MakeProject) -> tw.Project:
    sources = {"orders": {"kind": "managed", "schema": "k BIGINT, s STRING"}}
    made = make_spark_project(sources, {"plain": "SELECT k, s FROM orders"}, placement="spark")
    made.ingest("orders", ROWS)
    made.refresh()
    return made


def data_file(project: tw.Project, relation: str) -> Path:
    return min(Path(project.root, "warehouse", relation, "_data").rglob("*.parquet"))


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_of_a_source_is_named_and_publishes_nothing(project: tw.Project, how: str) -> None:
    path = data_file(project, "orders")
    damage(path, how)
    with pytest.raises(tw.StoreError) as caught:
        project.refresh(full_refresh=True)
    assert caught.value.code == "corrupt-file"
    assert str(path) in (caught.value.detail or "")
    assert project.epoch().number == 1


def test_a_flipped_byte_that_still_decodes_is_found_by_its_checksum(project: tw.Project) -> None:
    path = data_file(project, "orders")
    body, rows = path.read_bytes(), pq.read_table(path)
    for place in range(len(body) // 4, len(body) // 2):
        path.write_bytes(flipped(body, place, place + 1))
        try:
            if pq.ParquetFile(path).read() != rows:
                break
        except (OSError, pa.ArrowException, ValueError):
            continue
    with pytest.raises(tw.StoreError) as caught:
        project.refresh(full_refresh=True)
    assert caught.value.code == "corrupt-file"


def test_files_that_spark_wrote_have_checksums(project: tw.Project) -> None:
    path = data_file(project, "plain")
    path.write_bytes(flipped(path.read_bytes(), 60, 61))
    found = project.verify()
    assert (found.exit_code, found.views["plain"].damaged) == (3, True)
    assert str(path) in (found.views["plain"].problem or "")
