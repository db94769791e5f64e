"""Plans of every kind, as SQL on Spark: the rows are those of the reference evaluator, and DuckDB's are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.golden.unparse_cases import TABLES, Case, read_cases
from tests.golden.unparse_runs import comparable, load_duckdb, load_spark, run_duckdb, run_spark
from tests.spark.proven import UnlessProven, digest
from tidewheel.engine.local.duck import to_duck
from tidewheel.errors import UserError
from tidewheel.ir.rel import Query
from tidewheel.sql.unparse import to_duckdb, to_spark
from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.evaluate import evaluate

pytestmark = pytest.mark.spark
CASES = [c for c in read_cases() if c.name != "names_of_ctes_do_not_hide_relations"]
UNTYPED = {"values_no_rows", "literals"}
GIVEN = digest(TABLES)


@pytest.fixture(scope="module")
def loaded(spark: Any) -> Any:
    session = spark.newSession()
    load_spark(session)
    return session


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    connection = load_duckdb()
    yield connection
    connection.close()


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.file}-{c.name}")
def test_all_engines_give_the_same_rows(case: Case, loaded: Any, duck: Any, unless_proven: UnlessProven) -> None:
    query = case.query
    try:
        expected = evaluate(query.rel, TABLES).to_rows()
    except Unsupported:
        expected = None
    sql, text = to_spark(query), local_text(query)
    types, rows = (None, None) if text is None else run_duckdb(duck, text)
    ours = [None if bag is None else comparable(bag) for bag in (expected, rows)]
    unless_proven(GIVEN, query.rel.fingerprint(), sql, text, types, ours)
    schema, judged = run_spark(loaded, sql)
    if query.names:
        assert expected is None or comparable(judged) == comparable(expected)
    if rows is None:
        return
    assert comparable(rows) == comparable(judged)
    assert types == [to_duck(f.type) for f in schema] or case.name in UNTYPED


def local_text(query: Query) -> str | None:
    """The text for DuckDB; None of what the goldens say is refused."""
    try:
        return to_duckdb(query)
    except UserError:
        return None
