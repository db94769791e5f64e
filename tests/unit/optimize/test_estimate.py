"""Rows that plans are estimated to give, over tables of known size and values."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import plan
from tidewheel.ir.rel import Scan
from tidewheel.ir.text import parse_rel
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.facts import ColumnFacts, Facts, unknown

BIG = "scan big (k INT, g INT, d DATE)"
SMALL = "scan small (k INT, s STRING)"
NONE = "scan none (k INT)"
AFAR = "scan afar (k INT)"
TOWNS = "scan towns (name STRING, size INT)"
PEOPLE = "scan people (town STRING)"
PAIRS = "scan pairs (a INT, b INT)"
LINES = "scan lines (a INT, b INT)"
FIVE_TOWNS = "topk order c1 asc first limit 5"

TABLES = {
    "big": Facts(
        rows=1_000_000,
        columns=(
            ColumnFacts(distinct=1_000_000, low=1, high=1_000_000),
            ColumnFacts(distinct=100, nulls=0.1, low=1, high=100),
            ColumnFacts(distinct=1000, low=730_000, high=731_000),
        ),
    ),
    "small": Facts(rows=100, columns=(ColumnFacts(distinct=100), ColumnFacts(distinct=10))),
    "towns": Facts(rows=50, columns=(ColumnFacts(distinct=5, guessed=True), ColumnFacts(distinct=50))).keyed([0]),
    "people": Facts(rows=9000, columns=(ColumnFacts(distinct=900, guessed=True),)),
    "pairs": Facts(rows=1000, columns=(ColumnFacts(distinct=100), ColumnFacts(distinct=50))).keyed([0, 1]),
    "lines": Facts(rows=8000, columns=(ColumnFacts(distinct=100), ColumnFacts(distinct=50))),
    "afar": Facts(rows=1000, columns=(ColumnFacts(distinct=1000, low=2e6, high=3e6),)).keyed([0]),
    "none": Facts(rows=0, columns=(ColumnFacts(distinct=0),)),
}

# name: plan, rows at least, rows at most
CASES: dict[str, tuple[str, float, float]] = {
    "a table": (plan(BIG), 1e6, 1e6),
    "an empty table": (plan(NONE), 0, 0),
    "equal to a value": (plan("filter (c1 = 5)", f".{BIG}"), 10_000, 10_000),
    "one of two values": (plan("filter in(c1, 5, 6)", f".{BIG}"), 20_000, 20_000),
    "not equal": (plan("filter (c1 <> 5)", f".{BIG}"), 990_000, 990_000),
    "below a value": (plan("filter (c0 < 250000)", f".{BIG}"), 249_000, 251_000),
    "above a value": (plan("filter (250000 < c0)", f".{BIG}"), 749_000, 751_000),
    "beyond all values": (plan("filter (c0 > 5000000)", f".{BIG}"), 0, 0),
    "two conditions": (plan("filter ((c1 = 5) and (c0 < 500000))", f".{BIG}"), 4900, 5100),
    "one or the other": (plan("filter ((c1 = 5) or (c1 = 6))", f".{BIG}"), 19_000, 20_000),
    "NULL": (plan("filter isnull(c1)", f".{BIG}"), 100_000, 100_000),
    "not NULL": (plan("filter isnotnull(c1)", f".{BIG}"), 900_000, 900_000),
    "something else": (plan("filter (length(c1) > c0)", f".{SMALL}"), 1, 50),
    "groups": (plan("aggregate by c1 compute count()", f".{BIG}"), 100, 100),
    "groups of few rows": (plan("aggregate by c0 compute count()", f".{SMALL}"), 100, 100),
    "all rows": (plan("aggregate compute count()", f".{BIG}"), 1, 1),
    "all rows of nothing": (plan("aggregate compute count()", f".{NONE}"), 1, 1),
    "grouping sets": (plan("aggregate by c1 sets (0) () compute count()", f".{BIG}"), 101, 101),
    "different rows": (plan("distinct", ".project c1", f"..{BIG}"), 100, 100),
    "a join by a key": (plan("join inner on c0 = c0", f".{SMALL}", f".{BIG}"), 100, 100),
    "a join that multiplies": (plan("join inner on c0 = c1", f".{SMALL}", f".{BIG}"), 800_000, 1e6),
    "a join with nothing": (plan("join inner on c0 = c0", f".{NONE}", f".{BIG}"), 0, 0),
    "a cross join": (plan("join inner", f".{SMALL}", f".{SMALL}"), 10_000, 10_000),
    "a left join": (plan("join left on c0 = c0", f".{BIG}", f".{SMALL}"), 1e6, 1.01e6),
    "a semi join": (plan("join semi on c0 = c0", f".{BIG}", f".{SMALL}"), 100, 100),
    "an anti join": (plan("join anti on c0 = c0", f".{BIG}", f".{SMALL}"), 0.99e6, 1e6),
    "a full join": (plan("join full on c0 = c0", f".{BIG}", f".{SMALL}"), 1e6, 1.01e6),
    "a foreign key of which nothing is known": (plan("join inner on c0 = c0", f".{PEOPLE}", f".{TOWNS}"), 9000, 9000),
    "the key on the left": (plan("join inner on c0 = c0", f".{TOWNS}", f".{PEOPLE}"), 9000, 9000),
    "a key of two columns": (plan("join inner on c0 = c0, c1 = c1", f".{LINES}", f".{PAIRS}"), 8000, 8000),
    "some of those with the key": (
        plan("join inner on c0 = c0", f".{PEOPLE}", f".{FIVE_TOWNS}", f"..{TOWNS}"),
        900,
        900,
    ),
    "the key of groups": (
        plan("join inner on c0 = c0", f".{PEOPLE}", ".aggregate by c0 compute count()", f"..{PEOPLE}"),
        9000,
        9000,
    ),
    "keys from elsewhere": (plan("join inner on c0 = c0", ".project c0", f"..{BIG}", ".project c0", f"..{AFAR}"), 0, 0),
    "INTERSECT with few": (plan("intersect", ".project c0", f"..{SMALL}", ".project c0", f"..{BIG}"), 0, 100),
    "a union": (plan("union", ".project c0", f"..{BIG}", ".project c0", f"..{SMALL}"), 1_000_100, 1_000_100),
    "INTERSECT": (plan("intersect", ".project c0", f"..{BIG}", ".project c0", f"..{SMALL}"), 100, 100_000),
    "EXCEPT": (plan("except", ".project c0", f"..{SMALL}", ".project c0", f"..{BIG}"), 0, 10),
    "the first rows": (plan("topk order c0 asc first limit 7", f".{BIG}"), 7, 7),
    "the first rows of few": (plan("topk order c0 asc first limit 700", f".{SMALL}"), 100, 100),
}


def facts(scan: Scan) -> Facts:
    return TABLES[scan.relation]


@pytest.mark.parametrize("name", CASES)
def test_rows(name: str) -> None:
    text, least, most = CASES[name]
    assert least <= Estimator(facts).rows(parse_rel(text)) <= most


def test_what_is_made_of_a_column_has_no_more_values_than_it() -> None:
    rel = parse_rel(plan("aggregate by (c1 + 1) compute count()", f".{BIG}"))
    assert Estimator(facts).rows(rel) == 100


def test_days_are_compared_as_days() -> None:
    rel = parse_rel(plan("filter (c2 < DATE '2000-01-01')", f".{BIG}"))
    assert Estimator(facts).rows(rel) == pytest.approx(1e6 * (730_120 - 730_000) / 1000)


def test_of_unknown_tables_an_estimate_is_given_too() -> None:
    rel = parse_rel(plan("join inner on c0 = c0", f".{SMALL}", f".{BIG}"))
    assert Estimator(lambda scan: unknown(1000, scan.width)).rows(rel) == pytest.approx(10_000)
