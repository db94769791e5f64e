"""Every kind of aggregate under rows that come and go: merged where that is exact, computed anew where it is not."""

from __future__ import annotations

import decimal
from dataclasses import replace

import pytest

from tests.unit.delta.stories import Rows, becomes, come, go, happening, once, told
from tests.unit.ir.test_dependencies import plan
from tidewheel.delta.partials import mergeable
from tidewheel.ir.parts import SortKey
from tidewheel.ir.rel import Aggregate
from tidewheel.ir.scalar import Col
from tidewheel.ir.text import parse_rel
from tidewheel.ir.typing import types_of

MERGED = (
    "count(*)", "count(x)", "count(g, x)", "sum(x)", "avg(x)", "mean(x)", "min(x)", "max(x)", "sum(x + g)",
    "count(*) FILTER (WHERE x > 1)", "count(x) FILTER (WHERE g = 1)", "sum(x) FILTER (WHERE x > 1)",
    "avg(x) FILTER (WHERE x < 5)", "min(x) FILTER (WHERE x > 1)", "max(x) FILTER (WHERE x < 5)",
)  # fmt: skip
ANEW = (
    "count(DISTINCT x)", "sum(DISTINCT x)", "avg(DISTINCT x)", "stddev(x)", "bool_or(x > 1)", "count_if(x > 1)",
    "sum(CAST(x AS DOUBLE))", "avg(CAST(x AS DOUBLE))", "median(x)",
)  # fmt: skip
ROWS: Rows = [(1, 1), (1, 4), (1, 9), (1, None), (2, 4), (2, 4), (3, None), (None, 2)]
ROUNDS = (
    {"a": come((1, 0), (4, 7))},  # a new minimum, a new group
    {"a": come((1, 12), (2, None))},
    {"a": go((1, 12))},  # the maximum goes
    {"a": go((1, 0), (1, 4))},  # the minimum goes, and one between
    {"a": go((2, 4))},  # one of two copies
    {"a": becomes((1, 9), (1, 8))},
    {"a": becomes((3, None), (3, 5))},
    {"a": becomes((3, 5), (3, None))},  # no value is left, the row is
    {"a": go((2, 4), (2, None))},  # the group goes
    {"a": come((2, 3))},  # and comes back
    {"a": [*come((1, 20)), *go((1, 20))]},
    {"a": [*come((3, 20), (3, -20)), *go((3, 20), (3, -20))]},  # where no value is
    {"a": [*becomes((1, 8), (1, -7)), *come((5, -1), (5, -2))]},
    {"a": [*becomes((1, -7), (1, 8)), *go((5, -1), (5, -2))]},
    {"a": becomes((None, 2), (2, 2))},
    {"a": go((1, 1), (1, 8), (1, None), (2, 3), (2, 2), (3, None), (4, 7))},
    {"a": come((1, None))},
)


@pytest.mark.parametrize("call", MERGED)
def test_a_group_is_merged(call: str) -> None:
    counts = once(told(f"SELECT g, {call} AS r FROM a GROUP BY g", *ROUNDS, a=ROWS))
    assert counts["method: merge"] == len(ROUNDS)


@pytest.mark.parametrize("call", MERGED)
def test_a_total_is_merged(call: str) -> None:
    counts = once(told(f"SELECT {call} AS r FROM a", *ROUNDS, a=ROWS))
    assert counts["method: merge"] == len(ROUNDS)


@pytest.mark.parametrize("call", MERGED)
def test_rows_that_only_come_are_merged(call: str) -> None:
    appends = [{"a": come((1, 0), (4, 7))}, {"a": come((1, 12), (2, None), (None, None))}, {"a": come((4, 1))}]
    counts = once(told(f"SELECT g, {call} AS r FROM a GROUP BY g", *appends, a=ROWS))
    assert counts["method: merge"] == len(appends)


@pytest.mark.parametrize("call", ANEW)
def test_a_group_is_computed_anew(call: str) -> None:
    counts = once(told(f"SELECT g, {call} AS r FROM a GROUP BY g", *ROUNDS, a=ROWS))
    assert counts["method: groups"] == len(ROUNDS)


@pytest.mark.parametrize("call", ANEW)
def test_a_total_is_computed_anew(call: str) -> None:
    counts = once(told(f"SELECT {call} AS r FROM a", *ROUNDS, a=ROWS))
    assert counts["method: difference"] == len(ROUNDS)


@pytest.mark.parametrize("call", [*MERGED[:8], *ANEW[:2]])
def test_grouping_sets(call: str) -> None:
    sql = f"SELECT g, x, {call} AS r FROM a GROUP BY GROUPING SETS ((g, x), (g), ())"
    once(told(sql, *ROUNDS, a=ROWS))


def test_extremes_of_grouping_sets_are_merged_while_rows_only_come() -> None:
    sql = "SELECT g, max(x) AS r FROM a GROUP BY ROLLUP (g)"
    counts = once(told(sql, {"a": come((1, 50))}, {"a": go((1, 50))}, a=ROWS))
    assert counts["method: groups"] == 1


def test_several_at_once() -> None:
    calls = ", ".join(f"{call} AS r{i}" for i, call in enumerate(MERGED))
    once(told(f"SELECT g, {calls} FROM a GROUP BY g", *ROUNDS, a=ROWS), local_share=1.0)


def test_the_key_need_not_be_shown() -> None:
    once(told("SELECT sum(x) + 1 AS r FROM a GROUP BY g", *ROUNDS, a=ROWS), local_share=1.0)


def money(text: str) -> decimal.Decimal:
    return decimal.Decimal(text)


SMALL, ONE = money("0.00000000000000000001"), money("1.00000000000000000000")
DECIMAL_CALLS = ["sum(m)", "avg(m)", "min(m)", "max(s)", "sum(m) FILTER (WHERE s > 'a')", "max(p)"]


@pytest.mark.parametrize("call", DECIMAL_CALLS)
def test_decimals_and_strings_are_merged(call: str) -> None:
    rows: Rows = [
        (1, money("0.10"), 0.5, "a", SMALL),
        (1, money("0.20"), None, "b", -SMALL),
        (2, None, 1.0, None, None),
    ]
    rounds = (
        {"d": come((1, money("-0.30"), 0.0, "c", SMALL), (2, money("99999999.99"), 0.0, "", ONE))},
        {"d": go((1, money("0.20"), None, "b", -SMALL))},
        {"d": go((2, money("99999999.99"), 0.0, "", ONE))},
        {"d": come((1, money("0.05"), 1.0, "b", SMALL), (1, money("0.06"), 1.0, "b", SMALL))},
        {"d": go((1, money("0.05"), 1.0, "b", SMALL))},
        {"d": come((2, money("-0.01"), 1.0, "b", -SMALL), (2, money("-0.01"), 1.0, "b", None))},
        {"d": come((2, money("-0.03"), 1.0, "b", -SMALL))},
    )
    counts = once(told(f"SELECT g, {call} AS r FROM d GROUP BY g", *rounds, d=rows), local_share=0.3)
    assert counts["method: merge"] == len(rounds)


@pytest.mark.parametrize(("digits", "method"), [(26, "merge"), (27, "groups")])
def test_sums_of_many_digits_lose_none(digits: int, method: str) -> None:
    rows: Rows = [(1, None, None, None, SMALL), (1, None, None, None, -SMALL)]
    rounds = ({"d": come((1, None, None, None, SMALL))}, {"d": go((1, None, None, None, -SMALL))}, {"d": go(rows[0])})
    sql = f"SELECT g, sum(CAST(p AS DECIMAL({digits},20))) AS r FROM d GROUP BY g"
    assert once(told(sql, *rounds, d=rows))[f"method: {method}"] == 3


def test_sums_of_floating_point_numbers_never_drift() -> None:
    rows: Rows = [(1, None, 1e16, "a", None), (1, None, 1.0, "b", None)]
    rounds = ({"d": come((1, None, 1.0, "c", None))}, {"d": go((1, None, 1e16, "a", None))})
    counts = once(told("SELECT g, sum(f) AS r FROM d GROUP BY g", *rounds, d=rows))
    assert counts["method: groups"] == 2


def test_an_unsigned_change_of_kind_mixed_is_merged_too() -> None:
    sql = "SELECT g, max(x) AS m, sum(x) AS s FROM a GROUP BY g"
    once(told(sql, happening({"a": come((1, 50), (9, None))}, mixed=True), a=ROWS))


# --- what is kept ---


def aggregate(calls: str, schema: str = "g INT, x INT, n INT NOT NULL") -> Aggregate:
    rel = parse_rel(plan(f"aggregate by c0 compute {calls}", f".scan z ({schema})"))
    assert isinstance(rel, Aggregate)
    return rel


KEPT = {
    "a count is its own": ("count(c1)", ["count(c1)", "count()"]),
    "the number of rows is kept once": ("count()", ["count()"]),
    "a sum needs its count": ("sum(c1)", ["sum(c1)", "count()", "count(c1)"]),
    "a sum of what is never NULL needs the rows": ("sum(c2)", ["sum(c2)", "count()"]),
    "a filtered one does not suffice": (
        "sum(c2) where (c1 > 0)",
        ["sum(c2) where (c1 > 0)", "count()", "count(c2) where (c1 > 0)"],
    ),
    "an average is a sum and a count": ("avg(c1)", ["avg(c1)", "count()", "sum(c1)", "count(c1)"]),
    "an extreme is its own": ("min(c1), max(c1)", ["min(c1)", "max(c1)", "count()"]),
    "what is there is not kept twice": (
        "sum(c1), avg(c1), count(c1)",
        ["sum(c1)", "avg(c1)", "count(c1)", "count()"],
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept(name: str) -> None:
    calls, expected = KEPT[name]
    rel = aggregate(calls)
    merging = mergeable(rel)
    assert merging is not None
    assert [str(call) for call in merging.rel.calls] == expected
    assert merging.given == len(rel.calls)
    assert merging.rel.input == rel.input


def test_averages_are_not_stored_for_merging() -> None:
    merging = mergeable(aggregate("avg(c1), sum(c1)"))
    assert merging is not None
    assert merging.stored() == [0, 2, 3, 4]


@pytest.mark.parametrize(("calls", "has"), [("min(c1)", True), ("sum(c1), max(c1)", True), ("sum(c1)", False)])
def test_extremes_are_known(calls: str, has: bool) -> None:
    merging = mergeable(aggregate(calls))
    assert merging is not None
    assert merging.has_extremes is has


DECIMALS = {
    "a sum that has room": ("sum(c1)", "DECIMAL(10,2)", True),
    "a sum of the most digits before the point": ("sum(c1)", "DECIMAL(38,0)", True),
    "a sum that just has room": ("sum(c1)", "DECIMAL(26,20)", True),
    "a sum that would lose a digit when rows go": ("sum(c1)", "DECIMAL(27,20)", False),
    "a sum that would lose digits": ("sum(c1)", "DECIMAL(38,10)", False),
    "an average that has room": ("avg(c1)", "DECIMAL(12,2)", True),
    "an average whose quotient is rounded early": ("avg(c1)", "DECIMAL(20,8)", False),
    "an average whose sum has no room": ("avg(c1)", "DECIMAL(30,2)", False),
    "an average whose sum just has no room": ("avg(c1)", "DECIMAL(29,2)", False),
    "an average whose quotient just has the digits": ("avg(c1)", "DECIMAL(15,2)", True),
    "an average whose quotient just lacks one": ("avg(c1)", "DECIMAL(16,2)", False),
    "an average of the most digits": ("avg(c1)", "DECIMAL(38,2)", False),
    "a double": ("sum(c1)", "DOUBLE", False),
    "an average of doubles": ("avg(c1)", "DOUBLE", False),
    "a float": ("sum(c1)", "FLOAT", False),
    "a small number": ("sum(c1)", "TINYINT", True),
    "a large number": ("avg(c1)", "BIGINT", True),
    "the maximum of a double": ("max(c1)", "DOUBLE", True),
    "text": ("min(c1)", "STRING", True),
    "different values": ("count(distinct c1)", "INT", False),
    "an array": ("sum(c1)", "ARRAY<INT>", False),
    "a list": ("collect_list(c1)", "INT", False),
}


@pytest.mark.parametrize("name", DECIMALS)
def test_what_can_be_merged(name: str) -> None:
    calls, kind, expected = DECIMALS[name]
    rel = aggregate(calls, f"g INT, x {kind}")
    assert (mergeable(rel) is not None) is expected
    assert types_of(rel)


def test_an_order_or_a_choice_of_values_is_not_merged() -> None:
    rel = aggregate("min(c1)")
    (call,) = rel.calls
    for other in (replace(call, order=(SortKey(expr=Col(0)),)), replace(call, ignore_nulls=True)):
        assert mergeable(replace(rel, calls=(other,))) is None


def test_one_that_cannot_be_merged_spoils_the_others() -> None:
    assert mergeable(aggregate("sum(c1), count(distinct c1)")) is None
