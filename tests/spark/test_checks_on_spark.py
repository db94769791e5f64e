"""Spark is the judge of the binder's refusals: what we refuse, its analyzer refuses too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import AnalysisException, ParseException

from tests.spark.proven import UnlessProven
from tests.unit.sql.bind.expressions import KINDS, TYPES, VALID, VALID_AGGREGATES, VALID_WINDOWS
from tidewheel.errors import UserError
from tidewheel.ir.arity import ARITY, takes
from tidewheel.ir.builtins import names
from tidewheel.ir.functions import AGGREGATES, GENERATORS, WINDOW_FUNCTIONS
from tidewheel.sql.bind import bind

pytestmark = pytest.mark.spark

SEED = 20260116
CALLS = 1200
OPERATORS = ["+", "-", "*", "/", "%", "div", "&", "|", "=", "<", "<=>", "<>", "AND", "OR", "||"]
OTHERS = names("cast case raise_error assert_true java_method reflect try_reflect")
LITERALS = ["1", "'1'", "NULL", "1.5", "DATE '2024-01-01'", "INTERVAL '1' DAY", "true", "array(1)", "map('a', 1)", "1L"]


@pytest.fixture
def kinds(spark: Any) -> Iterator[Any]:
    """A view with one column of each type."""
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in TYPES.items())
    spark.sql(f"CREATE OR REPLACE TEMP VIEW kinds AS SELECT {columns}")
    yield spark
    spark.catalog.dropTempView("kinds")


def accepts(spark: Any, sql: str) -> bool:
    try:
        spark.sql(sql)
    except (AnalysisException, ParseException):
        return False
    return True


def is_refused(sql: str) -> bool:
    try:
        bind(sql, {"kinds": KINDS})
    except UserError:
        return True
    return False


@pytest.mark.parametrize("texts", [VALID, VALID_AGGREGATES, VALID_WINDOWS], ids=["plain", "aggregates", "windows"])
def test_spark_takes_the_expressions_we_call_valid(kinds: Any, texts: list[str]) -> None:
    items = ", ".join(f"{text} AS c{i}" for i, text in enumerate(texts))
    if not accepts(kinds, f"SELECT {items} FROM kinds"):
        refused = [text for text in texts if not accepts(kinds, f"SELECT {text} AS x FROM kinds")]
        assert refused == []


def random_calls(count: int) -> Iterator[str]:
    chance = random.Random(SEED)
    functions = sorted(set(ARITY) - GENERATORS - WINDOW_FUNCTIONS - OTHERS)

    def argument(depth: int) -> str:
        if depth and chance.random() < 0.2:
            return call(depth - 1)
        return chance.choice(LITERALS) if chance.random() < 0.2 else chance.choice(list(TYPES))

    def call(depth: int) -> str:
        if chance.random() < 0.35:
            return f"({argument(depth)} {chance.choice(OPERATORS)} {argument(depth)})"
        name = chance.choice(functions)
        counts = [n for n in range(5) if takes(name, n)] or [0]
        return f"{name}({', '.join(argument(depth) for _ in range(chance.choice(counts)))})"

    for _ in range(count):
        yield call(1)


def test_spark_refuses_what_we_refuse(kinds: Any, unless_proven: UnlessProven) -> None:
    refused = [sql for text in random_calls(CALLS) if is_refused(sql := f"SELECT {text} AS x FROM kinds")]
    assert len(refused) > CALLS // 4
    unless_proven(TYPES, refused)
    assert [sql for sql in refused if accepts(kinds, sql)] == []


def test_spark_counts_arguments_as_the_table_does(kinds: Any, unless_proven: UnlessProven) -> None:
    """For some functions, each number of arguments that the table refuses just beside one that it takes."""
    chance = random.Random(SEED)
    refused = []
    for name in chance.sample(sorted(set(ARITY) - AGGREGATES.keys()), 60):
        beside = [n for n in range(8) if not takes(name, n) and (takes(name, n - 1) or takes(name, n + 1))]
        refused += [f"SELECT {name}({', '.join(['NULL'] * n)})" for n in beside]
    unless_proven(refused)
    assert [sql for sql in refused if accepts(kinds, sql)] == []
