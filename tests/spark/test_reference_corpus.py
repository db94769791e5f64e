"""The reference gives what Spark gives on the whole corpus: our queries, TPC-H and TPC-DS."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.corpus import Case, Table, catalog, in_spark, queries, tpcds_queries, tpcds_tables, tpch_queries, tpch_tables
from tests.spark.proven import UnlessProven, digest
from tests.spark.reference_corpus import Answer, Skipped, answer, catalog_of, difference, tables_of
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


class Suite:
    """Queries that the reference answered; and, of those that it did not, why."""

    def __init__(self, tables: tuple[Table, ...], cases: Iterable[Case], *, normalized: bool = False) -> None:
        self.tables = tables
        self.answers: dict[str, Answer] = {}
        self.skipped: list[str] = []
        known, ours = catalog_of(tables), tables_of(tables)
        for case in cases:
            try:
                found = answer(case.sql, known, ours, normalized=normalized)
            except UserError as refused:  # the binder's tests are about this
                found = Skipped(refused.message)
            if isinstance(found, Skipped):
                self.skipped.append(f"{case.name}: {found.reason}")
            else:
                self.answers[case.name] = found

    def check(self, session: Callable[[], Any], unless_proven: UnlessProven, *, most_skipped: int) -> None:
        """Spark gives the same, or gave it before for the same texts, tables and rows."""
        assert len(self.skipped) <= most_skipped, "\n".join(self.skipped)
        unless_proven(digest(self.tables), most_skipped, [(name, found.parts) for name, found in self.answers.items()])
        different = self._different(session())
        assert not different, "\n".join(different)
        assert len(self.skipped) <= most_skipped, "\n".join(self.skipped)

    def _different(self, session: Any) -> list[str]:
        lines = []
        for name, found in self.answers.items():
            try:
                line = difference(session, found)
            except UserError as refused:  # Spark gives a type that nobody can store
                self.skipped.append(f"{name}: {refused.message}")
            else:
                lines += [] if line is None else [f"{name}: {line}"]
        return lines


@pytest.fixture(scope="module")
def ours(spark: Any) -> Callable[[], Any]:
    return functools.cache(lambda: _session(spark, catalog()))


@pytest.mark.parametrize("theme", THEMES)
def test_our_queries(ours: Callable[[], Any], theme: str, unless_proven: UnlessProven) -> None:
    cases = [c for c in queries() if c.theme == theme]
    most = len(cases) if theme in MOSTLY_LEFT_OUT else max(2, len(cases) // 4)
    Suite(catalog(), cases).check(ours, unless_proven, most_skipped=most)


def test_tpch(spark: Any, unless_proven: UnlessProven) -> None:
    suite = Suite(tpch_tables(), tpch_queries(), normalized=True)
    suite.check(lambda: _session(spark, tpch_tables()), unless_proven, most_skipped=0)


@pytest.mark.long
def test_tpcds(spark: Any, unless_proven: UnlessProven) -> None:
    suite = Suite(tpcds_tables(), tpcds_queries(), normalized=True)
    suite.check(lambda: _session(spark, tpcds_tables()), unless_proven, most_skipped=4)
