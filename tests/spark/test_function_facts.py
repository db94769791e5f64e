"""What the tables say of functions holds in Spark: they do not raise, are not NULL or are, and start as stated."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.spark.nasty import INPUTS, KINDS, WIDTH, failures, make_view
from tests.spark.typed import to_spark
from tidewheel.ir.aggregates import AGGREGATES
from tidewheel.ir.functions import NEVER_NULL, NULL_INTOLERANT, TOTAL, can_raise
from tidewheel.ir.nullability import may_be_null
from tidewheel.ir.operators import OPERATORS
from tidewheel.ir.raising import _SAFE
from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.scalar import INFIX, NULL, Call, Cast, Col, Lit, Scalar
from tidewheel.ir.typing import type_of
from tidewheel.types import UNKNOWN, to_sql

pytestmark = pytest.mark.spark

COLUMN = {kind: Col(i) for i, kind in enumerate(KINDS)}
EXTRA = (
    "(c6 / 3)", "(c6 % 7)", "(c7 / 0.01)", "(c2 % 5)", "(c3 div 7)", "round(c6, 1)", "round(c7)", "ceil(c7)",
    "round(c5, 2)", "ceil(c8)", "floor(c7)", "(c6 * c22)", "(c6 + c22)", "(c6 * 2)", "(c6 - 1)", "(c7 * 1)",
    "(c6 * c6)",
    "like(c9, 'a%_[')", "ilike(c9, '%B%')", "in(c2, 1, 2)", "in(c9, 'a', 'b')", "(c11 >= '2020-01-01')",
    "(c12 < '2020-01-01')",
    "(c2 = '12')", "(c6 > '1.5')", "CASE WHEN (c2 > 0) THEN c6 ELSE 0 END", "CASE WHEN c0 THEN c2 ELSE c3 END",
    "coalesce(c6, c2)", "coalesce(c2, c6, c5)", "greatest(c2, c3)", "nullif(c2, c6)", "extract(YEAR, c11)",
    "extract(DAY, c12)",
    "substring(c9, c2, c18)", "left(c9, c2)", "right(c9, c2)",
    "replace(c9, c25, 'x')",
    "translate(c9, c25, 'xy')", "concat_ws(c9, c25, 'a')",
    "locate(c9, c25, c2)", "named_struct('a', c2)", "get_field(c15, 'a')",
    "CAST(c12 AS DATE)", "CAST(c5 AS FLOAT)", "CAST(c2 AS BOOLEAN)", "CAST(c3 AS DECIMAL(20,0))",
    "CAST(c3 AS DOUBLE)",
    "CAST(c6 AS DECIMAL(6,3))", "CAST(c6 AS DECIMAL(4,1))", "CAST(c10 AS STRING)", "CAST(c11 AS STRING)",
    "CAST(c12 AS STRING)",
    "TRY_CAST(c9 AS INT)", "(c2 <=> NULL)", "nanvl(c5, c4)", "atan2(c5, c21)", "power(c5, c21)",
    "log(c5, c21)",
)  # fmt: skip


@pytest.fixture(scope="module")
def nasty(spark: Any) -> Any:
    """The rows, in a session that interprets expressions: nothing here is worth compiling."""
    session = spark.newSession()
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    make_view(session)
    return session


def calls(names: frozenset[str] | set[str], pairs: int = 12) -> Iterator[Call]:
    """Each function over every column, and some pairs of columns, for which we know its type."""
    rng = random.Random(7)
    for name in sorted(names):
        both = [(Col(i), Col(j + WIDTH)) for i, j in itertools.product(range(WIDTH), repeat=2)]
        known = [c for args in both if type_of(c := Call(name, args), INPUTS) != UNKNOWN]
        yield from rng.sample(known, min(pairs, len(known)))
        for args in [(), *((Col(i),) for i in range(WIDTH))]:
            if name not in INFIX and type_of(Call(name, args), INPUTS) != UNKNOWN:
                yield Call(name, args)


def expressions() -> list[Scalar]:
    unary = {"round", "bround", "ceil", "floor", "abs", "negative", "positive"}
    return [*calls(_SAFE | set(OPERATORS) | unary), *casts(), *map(parse_scalar, EXTRA)]


def casts() -> list[Scalar]:
    return [Cast(Col(i), kind) for i in range(WIDTH) for kind in KINDS[:13]]


def test_what_cannot_raise_does_not_raise(nasty: Any) -> None:
    safe = [s for s in expressions() if not can_raise(s, INPUTS)]
    texts = [to_spark(s) for s in safe]
    found = [f for start in range(0, len(texts), 200) for f in failures(nasty, texts[start : start + 200])]
    assert found == []
    assert len(texts) > 700


def test_the_everyday_expressions_are_known_not_to_raise() -> None:
    """Of the two others, the quotient may need more digits than there are, and rounding may carry into one more."""
    raising = [t for t in EXTRA if can_raise(parse_scalar(t), INPUTS)]
    assert raising == ["(c7 / 0.01)", "CAST(c6 AS DECIMAL(4,1))"]


def test_what_cannot_be_null_is_not_null(nasty: Any) -> None:
    """Over columns without NULLs; what may raise is asked only where it does not."""
    never = (False,) * len(INPUTS)
    asked = [*calls(TOTAL | NEVER_NULL, pairs=6), *casts(), *map(parse_scalar, EXTRA)]
    wanted = [c for c in asked if not may_be_null(c, never, INPUTS) and not can_raise(c, INPUTS)]
    for start in range(0, len(wanted), 200):
        part = [to_spark(c) for c in wanted[start : start + 200]]
        counts = ", ".join(f"count_if(({text}) IS NULL) AS x{i}" for i, text in enumerate(part))
        row = nasty.sql(f"SELECT {counts} FROM nasty").collect()[0]
        assert [text for i, text in enumerate(part) if row[i]] == []


def samples(name: str) -> Iterator[tuple[Scalar, ...]]:
    """Arguments that the function takes, with harmless values."""
    harmless: dict[str, Scalar] = {
        "INT": Lit("int", "1"), "STRING": Lit("string", "a"), "DATE": Lit("date", "2020-01-01"),
        "TIMESTAMP": Lit("timestamp", "2020-01-01 00:00:00"), "DOUBLE": Lit("double",
        "1.0"), "BOOLEAN": Lit("boolean", "true"),
        "ARRAY<INT>": parse_scalar("array(1, 2)"), "MAP<STRING, INT>": parse_scalar("map('a', 1)"),
    }  # fmt: skip
    for count in (1, 2) if name in {"like", "ilike"} else (1, 2, 3):  # a third one is a single character
        for args in itertools.product(harmless.values(), repeat=count):
            if (name not in INFIX or count == 2) and type_of(Call(name, args), ()) != UNKNOWN:
                yield args
                break


def is_valid(spark: Any, text: str) -> bool:
    """Our types admit some calls that Spark refuses: there is nothing to learn from those."""
    try:
        spark.sql(f"SELECT {text} AS x")
    except Exception:  # noqa: BLE001  analysis, and sometimes Spark's own bugs in it
        return False
    return True


def test_null_intolerant_functions_give_null_for_any_null(spark: Any) -> None:
    checked, texts = set(), []
    for name in sorted(NULL_INTOLERANT - {"get_field"}):
        for args in samples(name):
            for place, arg in enumerate(args):
                typed = Cast(NULL, to_sql(type_of(arg, ())))
                text = to_spark(Call(name, (*args[:place], typed, *args[place + 1 :])))
                if is_valid(spark, text):
                    texts.append(text)
                    checked.add(name)
    row = spark.sql("SELECT " + ", ".join(f"({t}) IS NULL AS x{i}" for i, t in enumerate(texts))).collect()[0]
    assert [t for i, t in enumerate(texts) if not row[i]] == []
    assert set(NULL_INTOLERANT) - checked <= {"get_field", "make_date"}


def test_aggregates_over_no_rows(spark: Any) -> None:
    spark.sql("SELECT 1 AS i, 1D AS d, true AS b, 'a' AS s").createOrReplaceTempView("one_row")
    wanted: dict[str, Any] = {"null": None, "zero": 0, "empty-array": []}
    special = {
        "corr": "d, d", "covar_pop": "d, d", "covar_samp": "d, d", "max_by": "i, i", "min_by": "i, i",
        "percentile": "i, 0.5", "percentile_approx": "i, 0.5", "approx_percentile": "i, 0.5", "listagg": "s",
        "string_agg": "s",
        **dict.fromkeys(("bool_and", "bool_or", "every", "some", "any", "count_if"), "b"),
        **{n: "d, d" for n in AGGREGATES if n.startswith("regr_")},
    }  # fmt: skip
    known = [n for n, facts in AGGREGATES.items() if facts.empty != "unknown" and n != "single_value"]
    listed = ", ".join(f"{n}({special.get(n, 'i')}) AS x{i}" for i, n in enumerate(known))
    types = {"i": "INT", "d": "DOUBLE", "b": "BOOLEAN", "s": "STRING"}
    nulls = "SELECT " + ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in types.items())
    for rows in ("one_row WHERE i > 1", f"({nulls})"):
        row = spark.sql(f"SELECT {listed} FROM {rows}").collect()[0]
        assert [(n, row[i]) for i, n in enumerate(known) if row[i] != wanted[AGGREGATES[n].empty]] == []


def test_aggregates_that_ignore_duplicates_do(spark: Any) -> None:
    names = [n for n, facts in AGGREGATES.items() if facts.ignores_duplicates]
    flags = {"bool_and", "bool_or", "every", "some", "any"}
    listed = ", ".join(f"{n}({'b' if n in flags else 'i'}) AS x{i}" for i, n in enumerate(names))
    values = "VALUES (5, true), (3, false), (NULL, NULL) AS t(i, b)"
    once = spark.sql(f"SELECT {listed} FROM {values}").collect()[0]
    thrice = spark.sql(f"SELECT {listed} FROM (SELECT * FROM {values} UNION ALL SELECT * FROM {values})").collect()[0]
    assert [n for i, n in enumerate(names) if _plain(once[i]) != _plain(thrice[i])] == []


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value
