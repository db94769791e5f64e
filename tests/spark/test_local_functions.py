"""What the local engine may run gives the same rows there as on Spark: a case for every function on its list."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sqlglot import exp

import tidewheel as tw
from tidewheel.sql.local import CASTS, FUNCTIONS

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
CASES: dict[str, tuple[type[exp.Expr], str]] = {
    "count_": (exp.Count, "SELECT k, count(*) AS c, count(v) AS v, count(DISTINCT s) AS s FROM t GROUP BY k"),
    "sum_": (exp.Sum, "SELECT k, sum(v) AS v, sum(p) AS p FROM t GROUP BY k"),
    "sum_of_nothing": (exp.Sum, "SELECT sum(v) AS v, count(*) AS c FROM t WHERE id > 100"),
    "min_": (exp.Min, "SELECT k, min(s) AS s, min(d) AS d, min(p) AS p FROM t GROUP BY k"),
    "max_": (exp.Max, "SELECT k, max(s) AS s, max(d) AS d, max(p) AS p FROM t GROUP BY k"),
    "coalesce_": (exp.Coalesce, "SELECT id, coalesce(v, k, -1) AS c FROM t"),
    "abs_": (exp.Abs, "SELECT id, abs(v) AS v, abs(p) AS p FROM t"),
    "length_": (exp.Length, "SELECT id, length(s) AS n FROM t"),
    "case_": (exp.Case, "SELECT id, CASE WHEN v > 0 THEN 'p' WHEN v < 0 THEN 'n' END AS c FROM t"),
    "if_": (exp.If, "SELECT id, if(v > 0, 'p', 'n') AS c FROM t"),
    "nullif_": (exp.Nullif, "SELECT id, nullif(v, 5) AS c FROM t"),
    "greatest_": (exp.Greatest, "SELECT id, greatest(v, k) AS c FROM t WHERE v IS NOT NULL AND k IS NOT NULL"),
    "least_": (exp.Least, "SELECT id, least(v, k) AS c FROM t WHERE v IS NOT NULL AND k IS NOT NULL"),
    "row_number_": (exp.RowNumber, "SELECT id, row_number() OVER (PARTITION BY k ORDER BY id DESC) AS n FROM t"),
    "rank_": (exp.Rank, "SELECT id, rank() OVER (ORDER BY v) AS n FROM t"),
    "dense_rank_": (exp.DenseRank, "SELECT id, dense_rank() OVER (ORDER BY v DESC) AS n FROM t"),
    "lag_": (exp.Lag, "SELECT id, lag(v) OVER (ORDER BY id) AS n FROM t"),
    "lead_": (exp.Lead, "SELECT id, lead(v, 2) OVER (ORDER BY id) AS n FROM t"),
    "and_": (exp.And, "SELECT id FROM t WHERE v > 0 AND k = 1"),
    "or_": (exp.Or, "SELECT id, v > 0 OR k = 1 AS b FROM t"),
    "exists_": (exp.Exists, "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.v = t.v AND u.id <> t.id)"),
    "any_": (exp.Any, "SELECT id FROM t WHERE v IN (SELECT v FROM t WHERE k = 2)"),
    "cast_DATE": (exp.Cast, "SELECT id, CAST('2024-02-29' AS DATE) AS c FROM t"),
    "cast_DOUBLE": (exp.Cast, "SELECT id, CAST(v AS DOUBLE) AS c FROM t"),
}


def data() -> pa.Table:
    from tidewheel.store.arrow import to_arrow  # noqa: PLC0415
    from tidewheel.types import parse_schema  # noqa: PLC0415

    schema = to_arrow(parse_schema(SCHEMA))
    columns = [pa.array(column, field.type) for column, field in zip(zip(*ROWS, strict=True), schema, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def results(project: tw.Project) -> dict[str, list[str]]:
    project.ingest("t", data())
    run = project.refresh()
    assert not run.failed, [str(v.error) for v in run.failed.values()]
    return {name: sorted(repr(tuple(r.values())) for r in project.to_arrow(name).to_pylist()) for name in project.views}


def test_both_engines_give_the_same_rows(tmp_path: Path, spark: Any) -> None:
    views = {name: sql for name, (_, sql) in CASES.items()}
    local = results(tw.create(tmp_path / "local", sources=SOURCES, views=views, engine="local"))
    judged = results(tw.create(tmp_path / "spark", sources=SOURCES, views=views, spark=spark))
    assert local == judged


def test_every_function_on_the_list_has_a_case() -> None:
    assert {kind for kind, _ in CASES.values()} == set(FUNCTIONS)
    assert {name.removeprefix("cast_") for name in CASES if name.startswith("cast_")} == set(CASTS)
