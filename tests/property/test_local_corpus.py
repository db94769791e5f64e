"""The local engine gives the reference's rows, and types, for every query of the corpus that it accepts.

What Spark gives is told by tests/spark/test_reference_corpus.py; here no JVM is needed. Our queries are compared as
bound and as normalized; those of TPC only as normalized: tables joined with commas are a cross product before, which is
too large for the reference.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import pytest

from tests.corpus import Case, in_duckdb
from tests.fuzz.compare import computed
from tests.fuzz.local import attempt, prepared
from tests.fuzz.outcomes import Broken, Declined, Raised
from tests.spark.reference import rows_of, same_rows
from tests.spark.reference_corpus import first_difference, tables_of
from tests.unit.sql.bind.catalogs import SUITES, TABLES, bound
from tidewheel.engine.local.duck import from_duck
from tidewheel.errors import UserError
from tidewheel.ir.norm import normalize
from tidewheel.ir.rel import Query
from tidewheel.tvr.reference.evaluate import Result
from tidewheel.types import to_sql

THEMES = sorted({case.theme for case in SUITES["queries"]()})
COMPARED = 0.75
"""The share of our queries that both run, at least; of TPC it is all of them."""
SLOW = frozenset({"q14", "q64", "q88"})
"""Queries of TPC-DS that take the reference several times as long as all others together."""


class Suite:
    """Queries, and their tables in DuckDB and for the reference."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connection = prepared()
        in_duckdb(self.connection, TABLES[name]())
        self.tables = tables_of(TABLES[name]())
        self.known: dict[str, str | Declined | None] = {}

    def check(self, cases: Iterable[Case]) -> tuple[list[str], list[str]]:
        """What differs, and what was declined."""
        different, declined = [], []
        for case in cases:
            if case.name not in self.known:
                self.known[case.name] = self._verdict(case)
            match self.known[case.name]:
                case str(difference):
                    different.append(f"{case.name}: {difference}")
                case Declined(reason):
                    declined.append(f"{case.name}: {reason}")
        return different, declined

    def _verdict(self, case: Case) -> str | Declined | None:
        """What differs, or why nothing was compared; None if both agree on every form that both run."""
        try:
            forms = list(self._forms(case))
        except UserError as refused:  # the binder's tests are about this
            return Declined(refused.message)
        found = [attempt(query, self._fetch) for query in forms]
        if isinstance(found[0], Declined) and isinstance(found[-1], Declined):
            return found[0]
        expected = computed(forms[0], self.tables)
        verdicts = [_compared(query, expected, outcome) for query, outcome in zip(forms, found, strict=True)]
        different = next((v for v in verdicts if isinstance(v, str)), None)
        return different or (None if None in verdicts else verdicts[0])

    def _forms(self, case: Case) -> Iterator[Query]:
        query = bound(self.name, case.sql).query
        if self.name == "queries":
            yield query
        yield normalize(query)

    def _fetch(self, sql: str) -> Result | Declined:
        found = self.connection.sql(sql)
        try:
            kinds = tuple(from_duck(*column).type for column in zip(found.columns, found.types, strict=True))
        except UserError as error:
            return Declined(error.message)
        return Result(kinds, rows_of(found.to_arrow_table(), kinds))


Outcome = Result | Raised | Declined | Broken


def _compared(query: Query, expected: Outcome, found: Outcome) -> str | Declined | None:
    match expected, found:
        case (Raised(), Raised()):
            return None
        case (Result() | Raised(), Declined()):
            return found
        case (Declined(), Result() | Raised()):
            return expected
        case (Result(), Result()):
            if expected.types != found.types:
                return f"types {[to_sql(k) for k in found.types]}, not {[to_sql(k) for k in expected.types]}"
            same = same_rows(expected, found.rows)
            return None if same else first_difference(query, expected.rows, found.rows, who="local")
    shown = [f"{len(o.rows)} rows" if isinstance(o, Result) else str(o) for o in (expected, found)]
    return f"the reference: {shown[0]}; local: {shown[1]}"


@functools.cache
def suite(name: str) -> Suite:
    return Suite(name)


@pytest.mark.parametrize("theme", THEMES)
def test_our_queries(theme: str) -> None:
    different, _ = suite("queries").check(c for c in SUITES["queries"]() if c.theme == theme)
    assert not different, "\n".join(different)


def test_most_of_our_queries_are_compared() -> None:
    cases = SUITES["queries"]()
    _, declined = suite("queries").check(cases)
    assert len(declined) <= (1 - COMPARED) * len(cases), "\n".join(declined)


def test_tpch() -> None:
    assert suite("tpch").check(SUITES["tpch"]()) == ([], [])


def test_tpcds() -> None:
    assert suite("tpcds").check(c for c in SUITES["tpcds"]() if c.name not in SLOW) == ([], [])


@pytest.mark.long
def test_tpcds_slow() -> None:
    assert suite("tpcds").check(c for c in SUITES["tpcds"]() if c.name in SLOW) == ([], [])
