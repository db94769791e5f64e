"""Files of a view stay apart from each other, however often some of them are rewritten."""

from __future__ import annotations

import datetime as dt
import random
import statistics

import pyarrow as pa

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.run.building import spread
from tidewheel.store.epochs import view_record

DAYS, EACH = 40, 5000
SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, day DATE, tag STRING, x INT", "key": ["id"]}}
VIEWS = {"v": "SELECT tag, day, x FROM s"}


def rows(first: int, last: int, *, tag: str | None = "a") -> pa.Table:
    ids = range(first * EACH, last * EACH)
    days = [None if i % 997 == 0 else dt.date(2024, 1, 1) + dt.timedelta(days=i // EACH) for i in ids]
    tags = pa.array([tag] * len(ids), pa.string())
    return pa.table({"id": ids, "day": days, "tag": tags, "x": pa.array([i % 9 for i in ids], pa.int32())})


def widest(project: tw.Project) -> int:
    """Days that the widest file of the view reaches over."""
    ends = spread._ends(view_record(project.warehouse(), project.epoch(), "v").files, "day")
    assert ends is not None
    return max(e.high - e.low + 1 for e in ends)


def test_files_do_not_grow_wider(make_project: MakeProject) -> None:
    project, rng = make_project(SOURCES, VIEWS), random.Random(3)
    for start in range(0, DAYS, 4):
        project.ingest("s", rows(start, start + 4))
    project.refresh()
    first, written = widest(project), []
    for number in range(8):
        gone = [EACH * rng.randrange(DAYS) + rng.randrange(EACH) for _ in range(2)]
        project.ingest("s", pa.table({"id": gone}), mode="delete")
        project.ingest("s", rows(DAYS + number, DAYS + number + 1, tag=None if number == 3 else "b"))
        run = project.refresh()
        assert run.views["v"].method == "rows"
        written.append(run.views["v"].rows_written)
    assert statistics.median(written) < 3 * 51_200 + 2 * EACH, written
    assert widest(project) <= first + 2
    assert not project.verify(deep=True).differences
