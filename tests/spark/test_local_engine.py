"""The same project on both engines: the same rows, of the same types. Functions one by one: test_duckdb_functions."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw

pytestmark = pytest.mark.spark

SCHEMA = "id BIGINT, k INT, v BIGINT, s STRING, d DATE, p DECIMAL(12,2), x DOUBLE"
SOURCES = {"t": {"kind": "managed", "schema": SCHEMA}}
ROWS = [
    (1, 1, 5, "abc", dt.date(2024, 2, 29), Decimal("1.25"), 0.5),
    (2, 1, None, "", dt.date(1999, 12, 31), Decimal("-3.10"), -1.5),
    (3, 2, -7, None, None, None, None),
    (4, None, 0, "Grüße", dt.date(2026, 1, 1), Decimal("0.00"), 0.0),
    (5, None, 12, "ABC", dt.date(2026, 1, 1), Decimal("99.99"), 2.25),
    (6, 2, 5, "abc", dt.date(2024, 3, 1), Decimal("1.25"), 1e10),
]
VIEWS = {
    "count_": "SELECT k, count(*) AS c, count(v) AS v, count(DISTINCT s) AS s FROM t GROUP BY k",
    "sum_": "SELECT k, sum(v) AS v, sum(p) AS p FROM t GROUP BY k",
    "sum_of_nothing": "SELECT sum(v) AS v, count(*) AS c FROM t WHERE id > 100",
    "min_": "SELECT k, min(s) AS s, min(d) AS d, min(p) AS p FROM t GROUP BY k",
    "max_": "SELECT k, max(s) AS s, max(d) AS d, max(p) AS p FROM t GROUP BY k",
    "coalesce_": "SELECT id, coalesce(v, k, -1) AS c FROM t",
    "abs_": "SELECT id, abs(v) AS v, abs(p) AS p FROM t",
    "length_": "SELECT id, length(s) AS n FROM t",
    "case_": "SELECT id, CASE WHEN v > 0 THEN 'p' WHEN v < 0 THEN 'n' END AS c FROM t",
    "if_": "SELECT id, if(v > 0, 'p', 'n') AS c FROM t",
    "nullif_": "SELECT id, nullif(v, 5) AS c FROM t",
    "greatest_": "SELECT id, greatest(v, k) AS c FROM t WHERE v IS NOT NULL AND k IS NOT NULL",
    "least_": "SELECT id, least(v, k) AS c FROM t WHERE v IS NOT NULL AND k IS NOT NULL",
    "row_number_": "SELECT id, row_number() OVER (PARTITION BY k ORDER BY id DESC) AS n FROM t",
    "rank_": "SELECT id, rank() OVER (ORDER BY v) AS n FROM t",
    "dense_rank_": "SELECT id, dense_rank() OVER (ORDER BY v DESC) AS n FROM t",
    "lag_": "SELECT id, lag(v) OVER (ORDER BY id) AS n FROM t",
    "lead_": "SELECT id, lead(v, 2) OVER (ORDER BY id) AS n FROM t",
    "and_": "SELECT id FROM t WHERE v > 0 AND k = 1",
    "or_": "SELECT id, v > 0 OR k = 1 AS b FROM t",
    "exists_": "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.v = t.v AND u.id <> t.id)",
    "any_": "SELECT id FROM t WHERE v IN (SELECT v FROM t WHERE k = 2)",
    "cast_DATE": "SELECT id, CAST('2024-02-29' AS DATE) AS c FROM t",
    "cast_DOUBLE": "SELECT id, CAST(v AS DOUBLE) AS c FROM t",
}


def data() -> pa.Table:
    from tidewheel.ddl import parse_schema  # noqa: PLC0415
    from tidewheel.store.arrow import to_arrow  # noqa: PLC0415

    schema = to_arrow(parse_schema(SCHEMA))
    columns = [pa.array(column, field.type) for column, field in zip(zip(*ROWS, strict=True), schema, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def results(project: tw.Project) -> dict[str, list[str]]:
    project.ingest("t", data())
    run = project.refresh()
    assert not run.failed, [str(v.error) for v in run.failed.values()]
    found = {name: project.to_arrow(name) for name in project.views}
    return {
        name: [str(table.schema), *sorted(repr(tuple(r.values())) for r in table.to_pylist())]
        for name, table in found.items()
    }


def test_both_engines_give_the_same_rows(tmp_path: Path, spark: Any) -> None:
    local = results(tw.create(tmp_path / "local", sources=SOURCES, views=VIEWS, engine="local"))
    judged = results(tw.create(tmp_path / "spark", sources=SOURCES, views=VIEWS, spark=spark))
    assert local == judged
