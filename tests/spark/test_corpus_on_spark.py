"""The corpus says of itself what Spark says: valid queries run, invalid ones are refused, pairs differ or agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from tests.corpus import (
    Case,
    Table,
    catalog,
    different_pairs,
    in_spark,
    invalid_queries,
    queries,
    same_pairs,
    tpcds_queries,
    tpcds_tables,
    tpch_queries,
    tpch_tables,
)

pytestmark = pytest.mark.spark

FAST = {
    # Tables of a dozen rows: compiling code and splitting the work costs more than the work.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
}
OUR_THEMES = sorted({case.theme for case in queries()})
INVALID_THEMES = sorted({case.theme for case in invalid_queries()})


def _session(spark: Any, tables: Iterable[Table]) -> Any:
    """The shared Spark with views and settings of its own: TPC-H and TPC-DS both have a table called customer."""
    session = spark.newSession()
    for key, value in FAST.items():
        session.conf.set(key, value)
    in_spark(session, tables)
    return session


@pytest.fixture(scope="module")
def ours(spark: Any) -> Any:
    return _session(spark, catalog())


@pytest.fixture(scope="module")
def tpch(spark: Any) -> Any:
    return _session(spark, tpch_tables())


@pytest.fixture(scope="module")
def tpcds(spark: Any) -> Any:
    return _session(spark, tpcds_tables())


def _names(session: Any, cases: Iterable[Case]) -> dict[str, list[str]]:
    return {case.name: session.sql(case.sql).columns for case in cases}


def _rows(session: Any, sql: str) -> Counter[str]:
    """The result as a bag; written out, because NaN is not equal to itself and a map has no hash."""
    return Counter(repr(tuple(row)) for row in session.sql(sql).collect())


def _has_good_names(names: list[str]) -> bool:
    return len({name.lower() for name in names}) == len(names) and not any("(" in name for name in names)


@pytest.mark.parametrize("theme", OUR_THEMES)
def test_our_queries_are_valid_and_name_their_columns(ours: Any, theme: str) -> None:
    names = _names(ours, [case for case in queries() if case.theme == theme])
    assert {name: columns for name, columns in names.items() if not _has_good_names(columns)} == {}


@pytest.mark.long
@pytest.mark.parametrize("theme", OUR_THEMES)
def test_our_queries_run(ours: Any, theme: str) -> None:
    for case in queries():
        if case.theme == theme:
            ours.sql(case.sql).collect()


def test_tpch_queries_name_their_columns(tpch: Any) -> None:
    names = _names(tpch, tpch_queries())
    assert len(names) == 22
    assert {name: columns for name, columns in names.items() if not _has_good_names(columns)} == {}


def test_tpcds_queries_name_their_columns(tpcds: Any) -> None:
    names = _names(tpcds, tpcds_queries())
    assert len(names) == 99
    assert {name: columns for name, columns in names.items() if not _has_good_names(columns)} == {}


@pytest.mark.long
@pytest.mark.parametrize("case", tpch_queries(), ids=lambda case: case.name)
def test_tiny_tpch_gives_rows(tpch: Any, case: Case) -> None:
    assert tpch.sql(case.sql).collect()


@pytest.mark.long
@pytest.mark.parametrize("case", tpcds_queries(), ids=lambda case: case.name)
def test_tiny_tpcds_gives_rows(tpcds: Any, case: Case) -> None:
    assert tpcds.sql(case.sql).collect()


@pytest.mark.parametrize("theme", INVALID_THEMES)
def test_invalid_queries_are_refused_as_recorded(ours: Any, theme: str) -> None:
    cases = [case for case in invalid_queries() if case.theme == theme]
    assert {case.name: _refusal(ours, case.sql) for case in cases} == {case.name: case.error for case in cases}


def _refusal(session: Any, sql: str) -> str | None:
    from pyspark.errors import PySparkException  # noqa: PLC0415  imported late, as everywhere in the tests

    try:
        session.sql(sql)
    except PySparkException as error:
        return str(error.getCondition())
    return None


@pytest.mark.long
def test_different_pairs_have_equal_names_and_different_rows(ours: Any) -> None:
    alike = []
    for pair in different_pairs():
        left, right = (_names_of(ours, sql) for sql in (pair.left, pair.right))
        assert left == right, pair.name
        if _rows(ours, pair.left) == _rows(ours, pair.right):
            alike.append(pair.name)
    assert alike == []


@pytest.mark.long
def test_same_pairs_have_equal_names_and_equal_rows(ours: Any) -> None:
    unlike = []
    for pair in same_pairs():
        left, right = (_names_of(ours, sql) for sql in (pair.left, pair.right))
        assert left == right, pair.name
        if _rows(ours, pair.left) != _rows(ours, pair.right):
            unlike.append(pair.name)
    assert unlike == []


def _names_of(session: Any, sql: str) -> list[str]:
    return [name.lower() for name in session.sql(sql).columns]
