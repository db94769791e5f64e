"""The local engine gives the same values and types in DuckDB as Spark does: cases for each name on its lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.golden.unparse_runs import comparable, load_duckdb, load_spark, run_duckdb, run_spark
from tests.spark.duckdb_cases import AGGREGATES, CASTS, RAISING, SCALARS, WINDOWS, placed
from tests.spark.duckdb_rows import NAMES, ROWS, SCHEMA, TABLES
from tidewheel.engine.local.duck import to_duck
from tidewheel.errors import UserError
from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.rel import Project, Query, Rel
from tidewheel.ir.text import parse_rel
from tidewheel.sql.unparse import duck_aggregates, duck_casts, duck_functions, duck_windows, to_duckdb, to_spark

pytestmark = pytest.mark.spark
SCAN = parse_rel(f"plan\n  scan f ({' '.join(SCHEMA.split())})\n")
WIDE = 40


@pytest.fixture(scope="module")
def loaded(spark: Any) -> Any:
    session = spark.newSession()
    load_spark(session, TABLES)
    return session


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    connection = load_duckdb(TABLES)
    yield connection
    connection.close()


def named(rel: Rel) -> Query:
    return Query(rel=rel, names=tuple(f"col{i}" for i in range(rel.width)))


def compare(texts: list[str], query: Query, spark: Any, duck: Any) -> list[str]:
    """The texts whose values or types differ."""
    schema, judged = run_spark(spark, to_spark(query))
    types, rows = run_duckdb(duck, to_duckdb(query))
    judged, rows = sorted(judged, key=lambda r: r[0]), sorted(rows, key=lambda r: r[0])
    wrong = []
    for text, i in zip(texts, range(len(types) - len(texts), len(types)), strict=True):
        ours, theirs = (comparable([(n, r[i]) for n, r in enumerate(bag)]) for bag in (rows, judged))
        wanted = to_duck(schema.fields[i].type)
        if ours != theirs or types[i] != wanted:
            wrong.append(f"{text}: {types[i]} {ours} is on Spark {wanted} {theirs}")
    return wrong


def scalar_cases() -> list[str]:
    return [text for group in (SCALARS, CASTS) for texts in group.values() for text in texts]


def test_functions_operators_and_casts(loaded: Any, duck: Any) -> None:
    texts = scalar_cases()
    wrong = []
    for start in range(0, len(texts), WIDE):
        part = texts[start : start + WIDE]
        exprs = tuple(parse_scalar(placed(text)) for text in ("{i}", *part))
        wrong += compare(part, named(Project(input=SCAN, exprs=exprs)), loaded, duck)
    assert not wrong, "\n".join(wrong)


def plan(line: str) -> Query:
    columns = " ".join(SCHEMA.split())
    key = f"project {', '.join(f'c{i}' for i in range(len(NAMES)))}, (c0 % 2)"
    return named(parse_rel(f"plan\n  {line}\n    {key}\n      scan f ({columns})\n"))


@pytest.mark.parametrize("keys", ["by {one} ", "by {i} ", ""])
def test_aggregates(keys: str, loaded: Any, duck: Any) -> None:
    texts = [text for texts in AGGREGATES.values() for text in texts]
    texts = [t if keys else t.replace("{one}", "1") for t in texts]
    wrong = []
    for start in range(0, len(texts), WIDE):
        part = texts[start : start + WIDE]
        line = placed(f"aggregate {keys}compute {', '.join(part)}")
        wrong += compare(part, plan(line), loaded, duck)
    assert not wrong, "\n".join(wrong)


def test_windows(loaded: Any, duck: Any) -> None:
    summed = [
        f"{t} frame [rows -2 to 0]" for n in duck_windows.AGGREGATES_TOO for t in AGGREGATES[n] if "distinct" not in t
    ]
    texts = [t for texts in WINDOWS.values() for t in texts]
    texts += [t for t in summed if " where " not in t and "({a}, {x})" not in t]
    wrong = []
    for start in range(0, len(texts), WIDE):
        part = texts[start : start + WIDE]
        line = placed(f"window partition {{one}} order {{b}} asc first, {{i}} asc first compute {', '.join(part)}")
        wrong += compare(part, plan(line), loaded, duck)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("text", RAISING)
def test_what_raises_on_spark_raises_in_duckdb(text: str, loaded: Any, duck: Any) -> None:
    query = named(Project(input=SCAN, exprs=(parse_scalar(placed(text)),)))
    try:
        sql = to_duckdb(query)
    except UserError:
        sql = ""
    with pytest.raises(Exception, match=r"(?s)."):
        run_spark(loaded, to_spark(query))
    if sql:
        with pytest.raises(Exception, match=r"(?s)."):
            run_duckdb(duck, sql)


def test_every_name_on_the_lists_has_a_case() -> None:
    assert set(SCALARS) == set(duck_functions.FUNCTIONS)
    assert set(CASTS) == set(duck_casts.CASTS)
    assert set(AGGREGATES) == set(duck_aggregates.AGGREGATES)
    assert set(WINDOWS) == set(duck_windows.WINDOWS)


def test_the_rows_are_of_the_schema() -> None:
    assert {len(r) for r in ROWS} == {len(NAMES)}
