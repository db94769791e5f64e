"""Orders that leave ties are completed: the same rows at every refresh, and a note that says so."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject

SOURCES = {"s": {"kind": "managed", "schema": "k BIGINT, g STRING, v BIGINT"}}
VIEWS = {
    "top": "SELECT g, v, k FROM s ORDER BY v DESC LIMIT 3",
    "some": "SELECT k FROM s LIMIT 2",
    "numbered": "SELECT k, row_number() OVER (PARTITION BY g ORDER BY v) AS n FROM s",
    "before": "SELECT k, lag(k) OVER (ORDER BY v) AS last FROM s",
}
ROWS = [(k, "ab"[k % 2], k // 4) for k in range(12)]


def filled(make_project: MakeProject, seed: int) -> tw.Project:
    rows = random.Random(seed).sample(ROWS, len(ROWS))
    project = make_project(SOURCES, VIEWS, name=f"p{seed}")
    columns = dict(zip(("k", "g", "v"), zip(*rows, strict=True), strict=True))
    project.ingest("s", pa.table({name: list(values) for name, values in columns.items()}))
    project.refresh()
    return project


@pytest.mark.parametrize("view", VIEWS)
def test_the_order_in_which_rows_came_does_not_show(make_project: MakeProject, view: str) -> None:
    answers = set()
    for seed in range(3):
        project = filled(make_project, seed)
        answers.add(tuple(sorted(map(str, project.to_arrow(view).to_pylist()))))
        assert not project.verify(select=[view]).differences
    assert len(answers) == 1


def test_ties_are_broken_by_the_columns_that_are_left_in_their_order(make_project: MakeProject) -> None:
    project = filled(make_project, 1)
    assert sorted(project.to_arrow("some")["k"].to_pylist()) == [0, 1]
    top = sorted(project.to_arrow("top").to_pylist(), key=lambda row: int(row["k"]))
    assert [row["k"] for row in top] == [8, 9, 10]  # of four with v = 2: first those with g = a, then by k
