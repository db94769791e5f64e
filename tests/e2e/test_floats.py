"""Floating point numbers: sums depend on the order of rows, so nothing may rely on computing them twice alike."""

from __future__ import annotations

import random

import pyarrow as pa

import tidewheel as tw
from tests.conftest import MakeProject

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g INT, x DOUBLE", "key": ["id"]}}
VIEWS = {
    "sums": "SELECT g, sum(x) AS total, avg(x) AS mean, stddev(x) AS spread FROM s GROUP BY g",
    "shares": "SELECT id, x / sum(x) OVER (PARTITION BY g) AS share FROM s",
    "over": "SELECT s.id, t.total FROM s JOIN (SELECT g, sum(x) AS total FROM s GROUP BY g) t ON s.g = t.g",
    "big": "SELECT g, total FROM sums WHERE total > 0",
    "all_of_it": "SELECT sum(total) AS total FROM sums",
}


def rows(rng: random.Random, ids: range) -> pa.Table:
    schema = pa.schema({"id": pa.int64(), "g": pa.int32(), "x": pa.float64()})
    values = [rng.choice([1e16, -1e16, 0.1, 3.7, 1e-9]) * rng.random() for _ in ids]
    return pa.table([list(ids), [i % 3 for i in ids], values], schema=schema)


def test_views_of_floats_stay_equal_to_their_queries(make_project: MakeProject) -> None:
    rng = random.Random(5)
    project = make_project(SOURCES, VIEWS)
    project.ingest("s", rows(rng, range(200)))
    project.refresh()
    for step in range(6):
        project.ingest("s", rows(rng, range(200 + 5 * step, 205 + 5 * step)))
        project.ingest("s", rows(rng, range(step, step + 3)), mode="upsert")
        project.ingest("s", pa.table({"id": pa.array([50 + step], pa.int64())}), mode="delete")
        run = project.refresh()
        assert not run.failed
        assert count(project) == {"sums": 3, "shares": 199 + 4 * (step + 1) + 1, "over": 199 + 4 * (step + 1) + 1}


def count(project: tw.Project) -> dict[str, int]:
    """No row is there twice because the one before it was not found."""
    return {name: project.to_arrow(name).num_rows for name in ("sums", "shares", "over")}
