"""A column that a source got later than its files is NULL in their rows, for Spark too."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.conftest import MakeProject
from tests.e2e.foreign import bag

pytestmark = pytest.mark.spark


def test_old_and_new_files_are_read_together(make_spark_project: MakeProject) -> None:
    views = {"sums": "SELECT v, sum(k) AS k FROM s GROUP BY v", "stars": "SELECT * FROM s", "c": "SELECT k, c FROM s"}
    source = {"kind": "managed", "schema": "k BIGINT, v STRING", "key": ["k"]}
    project = make_spark_project({"s": source}, {n: sql for n, sql in views.items() if n != "c"})
    project.ingest("s", [{"k": 1, "v": "a"}, {"k": 2, "v": "b"}])
    project.refresh()
    path = Path(project.root, "tidewheel.yml")
    body = yaml.safe_load(path.read_text())
    body["sources"]["s"]["schema"] += ", c DATE"
    path.write_text(yaml.safe_dump(body))
    project.add_view("c", views["c"])
    project.ingest("s", [{"k": 3, "v": "a", "c": "2026-01-31"}])
    run = project.refresh(full_refresh=True)
    assert {v.method for v in run.views.values()} == {"full"}
    project.ingest("s", [{"k": 2, "v": "a", "c": None}], mode="upsert")
    run = project.refresh()
    assert "full" not in {v.method for v in run.views.values()}
    rows = project.to_arrow("stars").to_pylist()
    assert bag([{"k": r["k"], "c": str(r["c"])} for r in rows]) == bag(
        [{"k": 1, "c": "None"}, {"k": 2, "c": "None"}, {"k": 3, "c": "2026-01-31"}]
    )
    assert project.verify().differences == {}
