"""A type that we state is Spark's own; its analyzer is asked, without running anything."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.spark.typed import INPUTS, KINDS, make_view, our_type, spark_types, to_spark
from tests.spark.typed_cases import AGGREGATE_CASES, SCALAR_CASES, WINDOW_CASES
from tidewheel.ir.aggregates import AGGREGATE_RULES, AGGREGATES, WINDOW_FUNCTIONS
from tidewheel.ir.builtins import BUILTINS
from tidewheel.ir.functions import GENERATORS
from tidewheel.ir.operators import OPERATORS
from tidewheel.ir.parts import AggCall, WindowCall
from tidewheel.ir.reader import Reader, parse_scalar
from tidewheel.ir.resolve import _RULES
from tidewheel.ir.scalar import Call, Col, Lit, Scalar
from tidewheel.ir.signatures import PATTERNS
from tidewheel.ir.typing import agg_type, type_of, window_type
from tidewheel.types import UNKNOWN, DataType, Decimal, to_sql

pytestmark = pytest.mark.spark

CASTS = {
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "date", "timestamp",
    "decimal",
}  # fmt: skip
LOOSE = CASTS | {"hash", "xxhash64"}
"""Functions that Spark refuses for some types for which we still name the result; harmless, and not swept."""
ONE_ARGUMENT = {
    "abs", "negative", "positive", "bit_not", "zeroifnull", "nullifzero", "reverse", "round", "bround", "ceil",
    "ceiling", "floor",
}  # fmt: skip
SHARE_KNOWN = 0.97


@pytest.fixture(scope="module")
def view(spark: Any) -> Any:
    make_view(spark)
    return spark


def shown(kind: DataType | str) -> str:
    return kind if isinstance(kind, str) else to_sql(kind)


def differences(spark: Any, found: list[tuple[str, DataType]]) -> list[str]:
    """Those of (SQL, our type) that Spark sees otherwise; what we do not know is not compared."""
    known = [(sql, kind) for sql, kind in found if kind != UNKNOWN]
    wrong = []
    for start in range(0, len(known), 250):
        part = known[start : start + 250]
        theirs = spark_types(spark, [sql for sql, _ in part])
        wrong += [
            f"{sql}: ours {to_sql(ours)}, Spark {shown(kind)}"
            for (sql, ours), kind in zip(part, theirs, strict=True)
            if kind != ours
        ]
    return wrong


def called(call: AggCall | WindowCall) -> str:
    return f"{call.name}({', '.join(map(to_spark, call.args)) or ('*' if call.name == 'count' else '')})"


def swept(name: str, arity: int, kinds: range) -> Iterator[tuple[str, DataType]]:
    for places in itertools.product(kinds, repeat=arity):
        call = Call(name, tuple(map(Col, places)))
        yield to_spark(call), type_of(call, INPUTS)


def test_functions_of_one_argument_over_every_type(view: Any) -> None:
    names = sorted(
        {n for n, ps in PATTERNS.items() if any(p.takes(1) for p in ps)} - LOOSE | (set(_RULES) - {"extract"})
    )
    single = [n for n in names if n.isidentifier() and n not in {"and", "or", "in", "get_item", "get_field", "div"}]
    found = [case for name in single for case in swept(name, 1, range(len(KINDS)))]
    assert sum(kind != UNKNOWN for _, kind in found) > 1000
    assert differences(view, found) == []


def test_operators_and_functions_of_two_arguments_over_every_pair_of_types(view: Any) -> None:
    names = [
        *sorted(set(OPERATORS) - ONE_ARGUMENT),
        "array_contains", "array_append", "array_union", "element_at", "get_item", "date_add", "datediff", "trunc",
        "date_trunc", "substring", "left", "split", "concat_ws", "shiftleft", "map", "array", "sequence", "atan2",
    ]  # fmt: skip
    found = [case for name in names for case in swept(name, 2, range(23))]
    assert sum(kind != UNKNOWN for _, kind in found) > 5000
    assert differences(view, found) == []


def test_expressions_of_all_kinds(view: Any) -> None:
    scalars = [parse_scalar(text) for text in SCALAR_CASES]
    found = [(to_spark(s), type_of(s, INPUTS)) for s in scalars]
    assert differences(view, found) == []
    unknown = [sql for sql, kind in found if kind == UNKNOWN]
    assert len(found) > 350
    assert len(unknown) < (1 - SHARE_KNOWN) * len(found), unknown


def test_spark_accepts_all_the_expressions(view: Any) -> None:
    texts = [to_spark(parse_scalar(text)) for text in SCALAR_CASES]
    assert [t for t, kind in zip(texts, spark_types(view, texts), strict=True) if isinstance(kind, str)] == []


def test_aggregates_over_every_type(view: Any) -> None:
    names = sorted(set(AGGREGATE_RULES) - {"single_value", "grouping", "grouping_id", "count_if", "regr_count"})
    calls = [AggCall(name=n, args=(Col(i),)) for n in names for i in range(len(KINDS))]
    assert differences(view, [(f"{c.name}({c.args[0]})", agg_type(c, INPUTS)) for c in calls]) == []


def test_aggregates_of_all_kinds(view: Any) -> None:
    calls = [Reader(text).agg_call() for text in AGGREGATE_CASES]
    found = [(called(c), agg_type(c, INPUTS)) for c in calls]
    assert [sql for sql, kind in found if kind == UNKNOWN] == []
    assert differences(view, found) == []


def test_window_functions(view: Any) -> None:
    calls = [Reader(text).window_call() for text in WINDOW_CASES]
    found = [(f"{called(c)} OVER (ORDER BY c3)", window_type(c, INPUTS)) for c in calls]
    assert [sql for sql, kind in found if kind == UNKNOWN] == []
    assert differences(view, found) == []


OPERANDS = ("+", "-", "*", "/", "%", "coalesce", "greatest", "pmod", "nullif", "case")


def random_arithmetic(rng: random.Random, depth: int, width: int) -> Scalar:
    """Decimals of all sizes, integers, literals of both, nested."""
    if depth == 0 or rng.random() < 0.1:
        roll = rng.random()
        if roll < 0.6:
            return Col(rng.randrange(width))
        if roll < 0.8:
            return Lit("int", str(rng.choice([0, 1, 7, -3, 100, 2147483647, -99999])))
        if roll < 0.9:
            return Lit("bigint", str(rng.choice([1, 12345678901, -9])))
        return Lit("decimal", rng.choice(["1.5", "0.001", "-20.00", "123456789.123456789", "0.0", "3.14159"]))
    name = rng.choice(OPERANDS)
    args = tuple(random_arithmetic(rng, depth - 1, width) for _ in range(2))
    if name == "case":
        condition = Call("=", args)
        return parse_scalar(f"CASE WHEN {condition} THEN {args[0]} ELSE {args[1]} END")
    return Call(name, args)


@pytest.mark.parametrize("seed", range(4))
def test_random_decimal_arithmetic(spark: Any, seed: int) -> None:
    rng = random.Random(seed)
    print("seed", seed)
    texts = ["TINYINT", "SMALLINT", "INT", "BIGINT"]
    for _ in range(26):
        precision = rng.randint(1, 38)
        texts.append(f"DECIMAL({precision},{rng.randint(0, precision)})")
    columns = ", ".join(f"CAST(NULL AS {t}) AS c{i}" for i, t in enumerate(texts))
    spark.sql(f"SELECT {columns}").createOrReplaceTempView("decimals")
    inputs = [our_type(t) for t in texts]
    scalars = [random_arithmetic(rng, 3, len(texts)) for _ in range(250)]
    theirs = spark_types(spark, [to_spark(s) for s in scalars], "decimals")
    ours = [type_of(s, inputs) for s in scalars]
    wrong = [
        f"{s}: ours {to_sql(a)}, Spark {shown(b)}" for s, a, b in zip(scalars, ours, theirs, strict=True) if a != b
    ]
    assert wrong == []
    assert sum(isinstance(kind, Decimal) for kind in ours) > 200


def test_the_names_of_builtins_are_those_of_spark(spark: Any) -> None:
    assert {row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()} == BUILTINS


def test_aggregates_windows_and_generators_are_those_of_spark(spark: Any) -> None:
    catalog, jvm = spark._jsparkSession.sessionState().catalog(), spark._jvm
    groups: dict[str, set[str]] = {}
    for name in BUILTINS:
        found = catalog.lookupFunctionInfo(jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name))
        groups.setdefault(found.getGroup(), set()).add(name)
    assert groups["agg_funcs"] <= set(AGGREGATES)
    assert set(AGGREGATES) - BUILTINS == {"single_value"}
    assert groups["window_funcs"] == WINDOW_FUNCTIONS
    assert groups["generator_funcs"] - {"collations", "sql_keywords"} <= GENERATORS <= BUILTINS
