"""What is said of functions: NULLs, the clock, chance, and errors."""

from __future__ import annotations

import pytest

from tidewheel.ir.aggregates import AGGREGATES
from tidewheel.ir.builtins import BUILTINS
from tidewheel.ir.functions import (
    GENERATORS,
    NEVER_NULL,
    NULL_INTOLERANT,
    OPERATORS,
    TOTAL,
    WINDOW_FUNCTIONS,
    can_raise,
    clock_of,
    is_deterministic,
    is_null_intolerant,
    rejects_nulls,
)
from tidewheel.ir.reader import parse_scalar
from tidewheel.types import DATE, DOUBLE, INT, STRING, UNKNOWN, Decimal

INPUTS = (INT, Decimal(12, 2), STRING, DATE, DOUBLE, UNKNOWN, Decimal(38, 2))


@pytest.mark.parametrize(
    ("predicate", "columns"),
    [
        ("(c0 = 1)", {0}),
        ("(c0 = c1)", {1}),
        ("((c0 + c1) > 2)", {1}),
        ("isnotnull(c0)", {0}),
        ("not(isnull(c0))", {0}),
        ("((c0 = 1) and (c1 = 2))", {1}),
        ("((c0 = 1) or (c1 = 2))", {0, 1}),
        ("((c0 = 1) or (c0 > 5))", {0}),
        ("not((c0 = 1))", {0}),
        ("in(c0, 1, 2)", {0}),
        ("not(in(c0, 1, 2))", {0}),
        ("(c0 <=> 1)", {0}),
        ("like(upper(c2), 'A%')", {2}),
        ("(CAST(c0 AS BIGINT) > 1L)", {0}),
        ("(coalesce(c0, c1) > 1)", {0, 1}),
        ("CASE WHEN (c0 = 1) THEN TRUE ELSE FALSE END", {0}),
        ("(CASE WHEN isnull(c0) THEN c0 ELSE 1 END > 0)", {0}),
        ("FALSE", set()),
        ("NULL", set()),
    ],
)
def test_never_true_when_the_columns_are_null(predicate: str, columns: set[int]) -> None:
    assert rejects_nulls(parse_scalar(predicate), columns)


@pytest.mark.parametrize(
    ("predicate", "columns"),
    [
        ("isnull(c0)", {0}),
        ("((c0 = 1) or (c1 = 2))", {0}),
        ("(c0 <=> c1)", {0, 1}),
        ("(c0 <=> c1)", {0}),
        ("not((c0 <=> 1))", {0}),
        ("(coalesce(c0, 1) = 1)", {0}),
        ("(coalesce(c0, c1) > 1)", {0}),
        ("not(((c0 = 1) and (c1 = 2)))", {0}),
        ("CASE WHEN (c0 = 1) THEN FALSE ELSE TRUE END", {0}),
        ("in(c1, c0, 2)", {0}),
        ("(nobody_knows(c0) = 1)", {0}),
        ("(concat_ws(',', c2) = '')", {2}),
        ("(greatest(c0, c1) > 1)", {0}),
        ("TRUE", {0}),
        ("(c0 = 1)", {1}),
    ],
)
def test_may_be_true_when_the_columns_are_null(predicate: str, columns: set[int]) -> None:
    assert not rejects_nulls(parse_scalar(predicate), columns)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("(c0 + 1)", "none"),
        ("(c3 >= current_date())", "day"),
        ("now()", "time"),
        ("coalesce(current_timestamp(), current_date())", "time"),
        ("unix_timestamp()", "time"),
        ("unix_timestamp(c3)", "none"),
        ("DATE 'today'", "day"),
        ("TIMESTAMP 'now'", "time"),
        ("TIMESTAMP 'tomorrow'", "day"),
        ("DATE '2020-01-01'", "none"),
        ("localtimestamp()", "time"),
    ],
)
def test_clock(text: str, clock: str) -> None:
    assert clock_of(parse_scalar(text)) == clock


def test_chance_and_strangers_are_not_deterministic() -> None:
    assert is_deterministic(parse_scalar("(upper(c2) = 'A')"))
    assert is_deterministic(parse_scalar("now()"))
    assert not is_deterministic(parse_scalar("(c0 + rand())"))
    assert not is_deterministic(parse_scalar("my_udf(c0)"))


@pytest.mark.parametrize(
    "text",
    [
        "(c0 = 1)", "(c1 * 2)", "(c1 + c1)", "(c1 * c0)", "(c3 >= '2020-01-01')", "upper(c2)", "like(c2, 'a%')",
        "(c4 / 2)",
        "coalesce(c1, 0)", "CASE WHEN (c0 > 1) THEN c1 ELSE 0 END", "year(c3)", "(c4 * c4)", "round(c1, 1)",
        "CAST(c0 AS BIGINT)",
        "TRY_CAST(c2 AS INT)", "in(c0, 1, 2)", "nullif(c0, 0)", "(c1 / 3)",
    ],
)  # fmt: skip
def test_cannot_raise(text: str) -> None:
    assert not can_raise(parse_scalar(text), INPUTS)


@pytest.mark.parametrize(
    "text",
    [
        "(c0 + 1)", "(c0 / c0)", "(c1 / c1)", "(c2 = 1)", "CAST(c2 AS INT)", "CAST(c1 AS INT)",
        "(c3 >= '2020-02-30')",
        "(c3 >= c2)", "like(c2, c2)", "nobody_knows(c0)", "(c5 = 1)", "negative(c0)", "(c6 + c6)", "(c0 % 0)",
        "(c0 % -1)",
        "element_at(array(1), c0)", "CAST(c1 AS DECIMAL(11,1))", "CASE WHEN (c0 = 0) THEN 1 ELSE (1 div c0) END",
        "nullif(c0, c2)", "(upper(c2) = (c0 + 1))", "repeat(c2, c0)", "to_date(c2)", "(c4 div 2)", "(c0 - c0)",
    ],
)  # fmt: skip
def test_may_raise(text: str) -> None:
    assert can_raise(parse_scalar(text), INPUTS)


def test_tables_name_only_what_exists() -> None:
    known = BUILTINS | OPERATORS
    for table in (NULL_INTOLERANT, NEVER_NULL, TOTAL, GENERATORS, WINDOW_FUNCTIONS):
        assert table - known == set()
    assert set(AGGREGATES) - BUILTINS == {"single_value"}
    assert not NEVER_NULL & NULL_INTOLERANT


def test_a_function_of_which_we_know_nothing_tolerates_null() -> None:
    assert is_null_intolerant("upper")
    assert not is_null_intolerant("concat_ws")
    assert not is_null_intolerant("my_udf")
