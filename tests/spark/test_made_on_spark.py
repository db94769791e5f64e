"""Intermediates on Spark: rows that go through the driver, or files, are read as the query that they are of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeProject
from tests.corpus.large import large_queries
from tests.fuzz.ctes import large_query
from tests.streams.rounds import Rounds
from tests.streams.saas import SaasStream
from tests.unit.engine.made import NOTHING, ROWS, VIEW, check_made, query_of, reader_of, session_of, written
from tidewheel.engine.base import Session
from tidewheel.engine.spark.engine import SparkEngine
from tidewheel.ir.rel import Project, Query
from tidewheel.ir.scalar import Cast, Col
from tidewheel.project.config import SparkOptions

pytestmark = pytest.mark.spark

TYPES = """
SELECT CAST('NaN' AS DOUBLE) AS x, CAST(-0.0 AS FLOAT) AS f, X'00ff' AS b, TIMESTAMP '1900-01-01 00:00:00.123456' AS t,
  TIMESTAMP_NTZ '2024-03-10 02:30:00' AS n, CAST(1 AS TINYINT) AS i, array(1, NULL) AS l,
  named_struct('p', 1, 'q', 'z') AS r, CAST(NULL AS DECIMAL(38,10)) AS d
UNION ALL SELECT 1.5D, 2.5F, NULL, NULL, NULL, NULL, array(), NULL, 12345678901234567890.5
"""
MAPS = "SELECT map('a', 1, 'b', NULL) AS m, INTERVAL '3' MONTH AS i"


@pytest.fixture
def session(spark: Any) -> Session:
    return session_of(SparkEngine(SparkOptions(), "tests", spark))


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("sql", [ROWS, NOTHING, TYPES])
def test_what_is_made_is_read_until_it_is_dropped(session: Session, tmp_path: Path, sql: str, *, few: bool) -> None:
    check_made(session, tmp_path, sql, few=few)


def test_what_does_not_travel_is_written(session: Session, tmp_path: Path) -> None:
    query = query_of(MAPS)
    assert session.make(VIEW, "maps", query, str(tmp_path / "made"), few=True) == 1
    assert list((tmp_path / "made").glob("*.parquet"))
    whole = reader_of("maps", query).rel
    maps = Query(rel=Project(input=whole, exprs=(Col(0), Cast(Col(1), "STRING"))), names=("m", "i"))
    assert "3" in written(session, maps, tmp_path / "read")[0]


@pytest.mark.parametrize("name", ["churn_risk", "diamond 10"])
def test_a_large_view_is_computed_in_pieces_that_are_gone_at_the_end(
    make_spark_project: MakeProject, name: str
) -> None:
    """Built in full and brought up to date with every statement on Spark."""
    sql = large_queries().get(name) or large_query("diamond", 10, 1)
    views = {"report": sql}
    project = make_spark_project(SaasStream.sources, views, placement="spark")
    rounds = Rounds(project, SaasStream(1, share=1.0), views)
    rounds.step()
    assert rounds.runs[-1].views["report"].method != "full"
    assert not list(Path(project.warehouse().scratch).glob("made-*/*"))
