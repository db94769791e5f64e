"""The reference gives what Spark gives on the whole corpus: our queries, TPC-H and TPC-DS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.corpus import Case, Table, catalog, in_spark, queries, tpcds_queries, tpcds_tables, tpch_queries, tpch_tables
from tests.spark.reference_corpus import Skipped, catalog_of, compare, tables_of
from tidewheel.errors import UserError

pytestmark = pytest.mark.spark

FAST = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
}
"""Tables of a dozen rows: compiling code and splitting the work costs more than the work."""
THEMES = sorted({case.theme for case in queries()})
MOSTLY_LEFT_OUT = frozenset({"pipes"})
"""Themes of which the binder makes opaque plans."""


def _session(spark: Any, tables: Iterable[Table]) -> Any:
    session = spark.newSession()
    for name, value in FAST.items():
        session.conf.set(name, value)
    in_spark(session, tables)
    return session


def _check(
    session: Any, tables: tuple[Table, ...], cases: Iterable[Case], *, normalized: bool = False
) -> tuple[list[str], list[str]]:
    """What differs, and what was left out."""
    known, ours = catalog_of(tables), tables_of(tables)
    different, skipped = [], []
    for case in cases:
        try:
            verdict = compare(session, case.sql, known, ours, normalized=normalized)
        except UserError as refused:  # the binder's tests are about this
            verdict = Skipped(refused.message)
        if isinstance(verdict, Skipped):
            skipped.append(f"{case.name}: {verdict.reason}")
        elif verdict is not None:
            different.append(f"{case.name}: {verdict}")
    return different, skipped


@pytest.fixture(scope="module")
def ours(spark: Any) -> Any:
    return _session(spark, catalog())


@pytest.mark.parametrize("theme", THEMES)
def test_our_queries(ours: Any, theme: str) -> None:
    cases = [c for c in queries() if c.theme == theme]
    different, skipped = _check(ours, catalog(), cases)
    assert not different, "\n".join(different)
    assert theme in MOSTLY_LEFT_OUT or len(skipped) <= max(2, len(cases) // 4), "\n".join(skipped)


def test_tpch(spark: Any) -> None:
    different, skipped = _check(_session(spark, tpch_tables()), tpch_tables(), tpch_queries(), normalized=True)
    assert not different, "\n".join(different)
    assert not skipped, "\n".join(skipped)


@pytest.mark.long
def test_tpcds(spark: Any) -> None:
    different, skipped = _check(_session(spark, tpcds_tables()), tpcds_tables(), tpcds_queries(), normalized=True)
    assert not different, "\n".join(different)
    assert len(skipped) <= 4, "\n".join(skipped)
