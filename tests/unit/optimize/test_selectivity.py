"""The share of rows that conditions keep, and what is left to know of their columns."""

from __future__ import annotations

import pytest

from tidewheel.ir.rel import Filter
from tidewheel.ir.scalar import Call, Cast, Col, Lit, Scalar
from tidewheel.ir.text import parse_rel
from tidewheel.optimize.facts import ColumnFacts, Facts
from tidewheel.optimize.selectivity import FEW, SOME, narrowed, number, share_of, together, value_of

FACTS = Facts(
    rows=1000,
    columns=(
        ColumnFacts(distinct=100, low=0, high=200),
        ColumnFacts(distinct=20, nulls=0.1),
        ColumnFacts(distinct=1000),
    ),
)


def condition(text: str) -> Scalar:
    rel = parse_rel(f"plan\n  filter {text}\n    scan t (a INT, b INT, s STRING)\n")
    assert isinstance(rel, Filter)
    return rel.predicate


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("(c0 = 5)", 1 / 100),
        ("(c0 = c1)", 1 / 100),
        ("(c0 <> 5)", 99 / 100),
        ("(c0 < 50)", 1 / 4),
        ("(c0 > 50)", 3 / 4),
        ("(50 <= c0)", 3 / 4),
        ("(c0 < -1)", 0.0),
        ("(c1 < 50)", SOME),
        ("in(c1, 1, 2)", 2 / 20),
        ("isnull(c1)", 0.1),
        ("isnotnull(c1)", 0.9),
        ("not((c0 = 5))", 99 / 100),
        ("((c0 = 5) or (c1 = 5))", 1 - 0.99 * 0.95),
        ("((c0 = 5) and (c1 = 5))", 0.01 * 0.05),
        ("like(c2, 'a%')", FEW),
        ("(length(c2) < 3)", SOME),
    ],
)
def test_the_share_that_a_condition_keeps(text: str, share: float) -> None:
    assert share_of(condition(text), FACTS) == pytest.approx(share)


def test_more_values_than_a_column_has_are_all_its_rows() -> None:
    values = tuple(Lit("int", str(i)) for i in range(50))
    assert share_of(Call("in", (Col(1), *values)), FACTS) == 1.0


def test_of_a_column_that_is_compared_with_constants_only_those_values_are_left() -> None:
    kept = narrowed(condition("((c0 = 5) and in(c1, 1, 2))"), FACTS)
    assert [column.distinct for column in kept.columns] == pytest.approx([1.0, 1.0, 1.0], abs=0.1)
    assert kept.rows == pytest.approx(1000 * 0.01 * 0.1)
    assert kept.whole == 1000


def test_an_expression_has_no_more_values_than_the_columns_it_is_made_of() -> None:
    assert value_of(Cast(Col(0), "STRING"), FACTS) == FACTS.columns[0]
    assert value_of(Lit("int", "1"), FACTS).distinct == 1.0
    both = value_of(Call("+", (Col(0), Col(1))), FACTS)
    assert 100 < both.distinct <= 1000
    assert both.nulls == 0.1


@pytest.mark.parametrize(
    ("several", "rows", "expected"), [([], 5, 1.0), ([], 0, 0), ([10], 100, 10), ([10, 10], 20, 20), ([0.0], 10, 1.0)]
)
def test_combinations_are_no_more_than_rows(several: list[float], rows: float, expected: float) -> None:
    assert together(several, rows) == expected


def test_constants_order_like_their_numbers() -> None:
    days = [number(Lit("date", text)) for text in ("2020-01-31", "2020-02-01")]
    assert days[0] is not None
    assert days[1] == days[0] + 1
    assert number(Lit("timestamp", "1970-01-01 00:01:00")) == 60.0
    assert number(Lit("string", "12")) is None
    assert number(Lit("date", "10000-01-01")) is None
