"""Sources at the two extremes: one ingest of ten million rows, and hundreds of ingests of one row."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import tidewheel as tw
from tests.e2e.foreign import commit_file, newest_version
from tidewheel.ingest.commit import ROWS_PER_FILE
from tidewheel.ingest.compaction import FAN_IN
from tidewheel.store.changes import ChangeKind

Make = Callable[..., tw.Project]
ROWS = 10_000_000
GROWTH_MIB = 150
"""What ten million rows may add to the peak memory of a process; as Arrow they are 610 MiB."""

INGEST = """
import resource, sys
import pyarrow as pa
import tidewheel as tw

def batches(rows, size=100_000):
    for first in range(0, rows, size):
        keys = pa.array(range(first, min(first + size, rows)), pa.int64())
        text = pa.array([f"some text that takes its room {i}" for i in range(len(keys))])
        yield pa.RecordBatch.from_arrays([keys, keys, text], schema=schema)

schema = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("c", pa.string())])
rows = int(sys.argv[2])
reader = pa.RecordBatchReader.from_batches(schema, batches(rows))
result = tw.open(sys.argv[1]).ingest("s", reader, id="once")
assert result.rows == rows, result
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def peak_mib(root: str, rows: int) -> int:
    command = [sys.executable, "-c", INGEST, root, str(rows)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.long
def test_ten_million_rows_are_ingested_in_bounded_memory(make_project: Make) -> None:
    source = {"kind": "managed", "schema": "a BIGINT, b BIGINT, c STRING"}
    small = make_project({"s": source}, {}, name="small")
    large = make_project({"s": source}, {"v": "SELECT count(*) AS n, sum(a) AS total FROM s"}, name="large")
    floor = peak_mib(small.root, 100_000)
    growth = peak_mib(large.root, ROWS) - floor
    print(f"floor {floor} MiB, growth {growth} MiB")
    assert growth < GROWTH_MIB
    large.refresh()
    assert large.to_arrow("v").to_pylist() == [{"n": ROWS, "total": ROWS * (ROWS - 1) // 2}]


def live_files(project: tw.Project) -> int:
    return len(DeltaTable(str(Path(project.root) / "warehouse" / "s")).file_uris())


def test_two_hundred_small_appends_leave_few_files_and_every_row(make_project: Make) -> None:
    project = make_project(
        {"s": {"kind": "managed", "schema": "a BIGINT"}}, {"v": "SELECT count(*) AS n, sum(a) AS total FROM s"}
    )
    most = 0
    for i in range(200):
        project.ingest("s", pa.table({"a": [i]}))
        most = max(most, live_files(project))
    assert most <= 2 * FAN_IN
    project.refresh()
    assert project.to_arrow("v").to_pylist() == [{"n": 200, "total": 199 * 100}]
    assert project.verify().differences == {}


def test_a_compaction_is_no_change_to_any_view(make_project: Make) -> None:
    project = make_project({"s": {"kind": "managed", "schema": "a BIGINT"}}, {"v": "SELECT a FROM s"})
    table = Path(project.root) / "warehouse" / "s"
    for i in range(FAN_IN - 1):
        project.ingest("s", pa.table({"a": [i]}))
    project.refresh()
    project.ingest("s", pa.table({"a": [FAN_IN]}))
    newest = json.loads(commit_file(table, newest_version(table)).read_text().splitlines()[0])
    assert newest["commitInfo"]["operation"] == "COMPACT"
    change = project.plan().sources["s"].change
    assert (change.kind, change.added) == (ChangeKind.APPEND, 1), "the rows that were only moved do not count"
    project.refresh()
    assert not project.refresh().published
    assert sorted(row["a"] for row in project.to_arrow("v").to_pylist()) == [*range(FAN_IN - 1), FAN_IN]


def test_a_batch_of_any_size_becomes_files_of_bounded_size(make_project: Make) -> None:
    project = make_project({"s": {"kind": "managed", "schema": "id BIGINT"}}, {"v": "SELECT count(*) AS n FROM s"})
    project.ingest("s", pa.table({"id": pa.array(range(2 * ROWS_PER_FILE + 10), pa.int64())}))
    table = DeltaTable(project.warehouse().table("s"))
    rows = pa.RecordBatchReader.from_stream(table.get_add_actions()).read_all()["num_records"].to_pylist()
    assert sorted(rows) == [10, ROWS_PER_FILE, ROWS_PER_FILE]
    project.refresh()
    assert project.to_arrow("v").to_pylist() == [{"n": 2 * ROWS_PER_FILE + 10}]
