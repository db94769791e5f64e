from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from tests.unit.tvr.reference.plans import scalar
from tidewheel.tvr.reference.errors import EvaluationError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(NULL and FALSE)", False),
        ("(NULL and TRUE)", None),
        ("(NULL or TRUE)", True),
        ("(NULL or FALSE)", None),
        ("not(CAST(NULL AS BOOLEAN))", None),
        ("(NULL = 1)", None),
        ("(NULL <=> NULL)", True),
        ("in(1, 2, NULL)", None),
        ("in(1, 1, NULL)", True),
        ("in(NULL, 1)", None),
        ("(CAST('NaN' AS DOUBLE) = CAST('NaN' AS DOUBLE))", True),
        ("(CAST('NaN' AS DOUBLE) > CAST('Infinity' AS DOUBLE))", True),
        ("(-0.0D = 0.0D)", True),
        ("('a' < 'B')", False),
        ("coalesce(NULL, 2)", 2),
    ],
)
def test_logic_is_three_valued(text: str, value: Any) -> None:
    assert scalar(text) is value or scalar(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(7 / 2)", 3.5),
        ("(-7 div 2)", -3),
        ("(-7 % 3)", -1),
        ("pmod(-7, 3)", 2),
        ("(1.0 / 3)", Decimal("0.333333")),
        ("round(2.5)", Decimal(3)),
        ("round(-2.5)", Decimal(-3)),
        ("bround(2.5)", Decimal(2)),
        ("(0.1 + 0.2)", Decimal("0.3")),
        ("CAST(1e10D AS STRING)", "1.0E10"),
        ("CAST(0.001D AS STRING)", "0.001"),
        ("CAST(' 12 ' AS INT)", 12),
        ("CAST(-1.9 AS INT)", -1),
        ("CAST(1.005 AS DECIMAL(5,2))", Decimal("1.01")),
        ("TRY_CAST('x' AS INT)", None),
        ("CAST('2024-2-3' AS DATE)", dt.date(2024, 2, 3)),
        ("(DATE '2024-01-31' + INTERVAL '1' MONTH)", dt.date(2024, 2, 29)),
        ("substring('abc', -5, 3)", "a"),
        ("concat('a', NULL)", None),
        ("concat_ws('-', 'a', NULL, 'b')", "a-b"),
        ("transform(array(1, 2), lambda(x0: (x0 * 2)))", (2, 4)),
        ("get_field(named_struct('a', 1), 'A')", 1),
    ],
)
def test_values(text: str, value: Any) -> None:
    found = scalar(text)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(1 / 0)", "divide-by-zero"),
        ("(1.5D % 0)", "divide-by-zero"),
        ("(2147483647 + 1)", "overflow"),
        ("(99999999999999999999999999999999999999 + 1)", "overflow"),
        ("CAST(300 AS TINYINT)", "overflow"),
        ("CAST('x' AS INT)", "bad-cast"),
        ("CAST('1.5' AS INT)", "bad-cast"),
        ("get_item(array(1), 1)", "out-of-bounds"),
        ("element_at(array(1), 0)", "bad-argument"),
        ("map('a', 1, 'a', 2)", "duplicate-map-key"),
        ("map(NULL, 1)", "null-map-key"),
        ("raise_error('stop')", "raised"),
    ],
)
def test_what_spark_refuses_raises(text: str, code: str) -> None:
    with pytest.raises(EvaluationError) as error:
        scalar(text)
    assert error.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        "CASE WHEN TRUE THEN 1 ELSE (1 div 0) END",
        "coalesce(1, (1 div 0))",
        "((1 = 1) or ((1 div 0) = 1))",
        "not(((1 = 2) and ((1 div 0) = 1)))",
        "in(1, 1, (1 div 0))",
    ],
)
def test_what_is_not_needed_does_not_raise(text: str) -> None:
    assert scalar(text)
