"""The local engine's texts give the rows of the reference evaluator, without a JVM; Spark judges in tests/spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.golden.unparse_cases import TABLES, Case, read_cases
from tests.golden.unparse_runs import comparable, load_duckdb, run_duckdb
from tests.spark import duckdb_cases, duckdb_rows
from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.rel import Project, Query
from tidewheel.ir.text import parse_rel
from tidewheel.sql.unparse import to_duckdb
from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.evaluate import evaluate

CASES = [c for c in read_cases() if not c.duckdb.startswith("not-local") and "scan s1" not in c.plan]
SCAN = parse_rel(f"plan\n  scan f ({' '.join(duckdb_rows.SCHEMA.split())})\n")
GROUPS = {**duckdb_cases.SCALARS, **{" to ".join(k): v for k, v in duckdb_cases.CASTS.items()}}


@pytest.fixture(scope="module")
def plans() -> Iterator[Any]:
    connection = load_duckdb()
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def values() -> Iterator[Any]:
    connection = load_duckdb(duckdb_rows.TABLES)
    yield connection
    connection.close()


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.file}-{c.name}")
def test_plans(case: Case, plans: Any) -> None:
    query = case.query
    expected = evaluate(query.rel, TABLES).to_rows()
    rows = run_duckdb(plans, to_duckdb(query))[1]
    assert comparable(rows) == comparable(expected) or not query.names


@pytest.mark.parametrize("name", GROUPS)
def test_functions_operators_and_casts(name: str, values: Any) -> None:
    exprs = tuple(parse_scalar(duckdb_cases.placed(text)) for text in ("{i}", *GROUPS[name]))
    query = Query(rel=Project(input=SCAN, exprs=exprs), names=tuple(f"n{i}" for i in range(len(exprs))))
    rows = run_duckdb(values, to_duckdb(query))[1]
    try:
        expected = evaluate(query.rel, duckdb_rows.TABLES).to_rows()
    except Unsupported as error:
        pytest.skip(f"not in the reference: {error}")
    assert comparable(rows) == comparable(expected)
