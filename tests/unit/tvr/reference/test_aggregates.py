from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from tests.unit.tvr.reference.plans import run
from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.evaluate import Table

T = Table.of(
    "i INT, d DECIMAL(5,2), x DOUBLE, s STRING, b BOOLEAN",
    [
        (1, Decimal("1.10"), 1.5, "b", True),
        (2, Decimal("2.25"), math.nan, "a", None),
        (2, Decimal("2.25"), None, "a", False),
        (None, None, -0.0, None, None),
    ],
)
SCAN = "scan t (i INT, d DECIMAL(5,2), x DOUBLE, s STRING, b BOOLEAN)"


def one(call: str, table: Table = T) -> Any:
    return run(f"aggregate compute {call}\n  {SCAN}", t=table)[0][0]


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("count()", 4),
        ("count(c0)", 3),
        ("count(c0, c2)", 2),
        ("count(distinct c0)", 2),
        ("count(distinct c0, c3)", 2),
        ("sum(c0)", 5),
        ("sum(distinct c0)", 3),
        ("sum(c1)", Decimal("5.60")),
        ("avg(c1)", Decimal("1.866667")),
        ("avg(c0)", 5 / 3),
        ("min(c3)", "a"),
        ("max(c3)", "b"),
        ("min(c2)", 0.0),
        ("count() where (c0 = 2)", 2),
        ("sum(c0) where (c0 > 5)", None),
        ("count_if(c4)", 1),
        ("bool_and(c4)", False),
        ("bool_or(c4)", True),
        ("first(c0)", 1),
        ("last(c0)", None),
        ("last(c0) ignore nulls", 2),
        ("last(c0, TRUE)", 2),
        ("max_by(c3, c0)", "a"),
        ("min_by(c3, c0)", "b"),
        ("collect_list(c0)", (1, 2, 2)),
        ("collect_set(c0)", (1, 2)),
        ("collect_list(c3) order [c3 asc first]", ("a", "a", "b")),
        ("listagg(c3, '-') order [c3 desc last]", "b-a-a"),
        ("bit_and(c0)", 0),
        ("bit_xor(c0)", 1),
        ("median(c0)", 2.0),
        ("percentile(c0, 0.25)", 1.5),
        ("mode(c0)", 2),
        ("var_pop(c0)", pytest.approx(2 / 9)),
        ("stddev_samp(c0)", pytest.approx(math.sqrt(1 / 3))),
    ],
)
def test_nulls_do_not_count(call: str, value: Any) -> None:
    assert one(call) == value


@pytest.mark.parametrize(
    "call", ["sum(c0)", "avg(c0)", "min(c0)", "stddev(c0)", "first(c0)", "bool_or(c4)", "mode(c0)"]
)
def test_most_aggregates_of_nothing_are_null(call: str) -> None:
    assert one(call, Table(T.columns, ())) is None


@pytest.mark.parametrize(("call", "value"), [("count(c0)", 0), ("collect_list(c0)", ()), ("count_if(c4)", 0)])
def test_counts_and_lists_of_nothing_are_empty(call: str, value: Any) -> None:
    assert one(call, Table(T.columns, ())) == value


def test_the_variance_of_one_row_needs_another() -> None:
    table = Table(T.columns, T.rows[:1])
    assert one("var_samp(c0)", table) is None
    assert one("var_pop(c0)", table) == 0.0


def test_nan_is_the_greatest_number() -> None:
    assert math.isnan(one("max(c2)"))


def test_a_sum_that_does_not_fit_raises() -> None:
    big = Table.of("l BIGINT", [(2**63 - 1,), (1,)])
    with pytest.raises(EvaluationError) as error:
        run("aggregate compute sum(c0)\n  scan t (l BIGINT)", t=big)
    assert error.value.code == "overflow"
    assert run("aggregate compute try_sum(c0)\n  scan t (l BIGINT)", t=big) == [(None,)]
