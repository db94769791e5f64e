"""Which plans need the session's time zone: those that take a moment to a calendar, and no others."""

from __future__ import annotations

import pytest

from tidewheel.ddl import parse_schema
from tidewheel.ir.zones import depends_on_zone
from tidewheel.sql.bind import CatalogRelation, bind

CATALOG = {
    "t": CatalogRelation.of(
        "t", parse_schema("a INT, at TIMESTAMP, later TIMESTAMP, local TIMESTAMP_NTZ, day DATE, s STRING")
    )
}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a, at, day FROM t",
        "SELECT max(at) AS x, count(at) AS n FROM t GROUP BY day",
        "SELECT a FROM t WHERE at < later OR at IS NULL",
        "SELECT coalesce(at, later) AS x FROM t",
        "SELECT CASE WHEN a = 1 THEN at ELSE later END AS x FROM t",
        "SELECT x.a FROM t x JOIN t y ON x.at = y.later",
        "SELECT at FROM t UNION SELECT later FROM t",
        "SELECT lag(at) OVER (ORDER BY a, at, later, local, day, s) AS x FROM t",
        "SELECT year(day) AS y, hour(local) AS h FROM t",
    ],
)
def test_moments_alone_need_no_zone(sql: str) -> None:
    assert not depends_on_zone(bind(sql, CATALOG).rel)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT CAST(at AS DATE) AS d FROM t",
        "SELECT CAST(at AS STRING) AS d FROM t",
        "SELECT CAST(s AS TIMESTAMP) AS d FROM t",
        "SELECT hour(at) AS h FROM t",
        "SELECT a FROM t GROUP BY a HAVING max(hour(at)) > 3",
        "SELECT date_trunc('DAY', at) AS d FROM t",
        "SELECT a FROM t WHERE at > TIMESTAMP '2026-01-01 00:00:00'",
        "SELECT a FROM t WHERE at > day",
        "SELECT a FROM t WHERE at > s",
        "SELECT x.a FROM t x JOIN t y ON x.at = y.day",
        "SELECT x.a FROM t x JOIN t y ON x.a = y.a AND x.at > y.local",
        "SELECT at FROM t UNION SELECT day FROM t",
        "SELECT at + INTERVAL 1 DAY AS x FROM t",
        "SELECT make_timestamp(2026, 1, 1, 0, 0, 0) AS x FROM t",
        "SELECT collect_list(CAST(at AS DATE)) AS x FROM t",
        "SELECT coalesce(at, day) AS x FROM t",
    ],
)
def test_a_moment_that_meets_a_calendar_needs_one(sql: str) -> None:
    assert depends_on_zone(bind(sql, CATALOG).rel)
