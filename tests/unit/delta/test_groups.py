"""Which groups may come out differently when they are computed twice: those are kept, not computed again."""

from __future__ import annotations

import pytest

from tests.unit.delta.stories import stored
from tests.unit.ir.test_dependencies import plan
from tidewheel.delta.groups import may_vary, scope, split_sets
from tidewheel.ir.parts import AggCall, Column, WindowCall
from tidewheel.ir.rel import Aggregate, Scan, Window
from tidewheel.ir.scalar import Col
from tidewheel.ir.text import parse_rel
from tidewheel.types import UNKNOWN

Z = "scan z (g INT, x INT, f DOUBLE, h FLOAT, m DECIMAL(10,2))"
VARIES = {
    "a sum of integers": ("aggregate by c0 compute sum(c1)", False),
    "a sum of decimals": ("aggregate by c0 compute sum(c4)", False),
    "a sum of doubles": ("aggregate by c0 compute sum(c2)", True),
    "a sum of floats": ("aggregate by c0 compute count(), sum(c3)", True),
    "the maximum of doubles": ("aggregate by c0 compute max(c2), min(c3)", False),
    "a count of doubles": ("aggregate by c0 compute count(c2)", False),
    "the median of doubles": ("aggregate by c0 compute median(c2)", False),
    "an average of integers": ("aggregate by c0 compute avg(c1)", False),
    "an average of doubles": ("aggregate by c0 compute avg(c2)", True),
    "a deviation": ("aggregate by c0 compute stddev(c1)", True),
    "a list": ("aggregate by c0 compute collect_list(c1)", True),
    "a rank": ("window partition c0 order c2 asc first compute rank()", False),
    "the maximum over a window": ("window partition c0 compute max(c2)", False),
    "a sum of integers over a window": ("window partition c0 compute sum(c1)", False),
    "a sum of doubles over a window": ("window partition c0 compute sum(c2)", True),
    "a deviation over a window": ("window partition c0 compute stddev(c1)", True),
    "an average of integers over a window": ("window partition c0 compute avg(c1)", False),
    "an average of doubles over a window": ("window partition c0 compute avg(c2)", True),
    "a count of doubles over a window": ("window partition c0 compute count(c2)", False),
    "a rank as a share": ("window partition c0 order c2 asc first compute percent_rank(), cume_dist()", False),
    "the double before": ("window partition c0 order c1 asc first compute lag(c2)", False),
    "a list over a window": ("window partition c0 compute collect_list(c1)", True),
    "a list over a window in an order": ("window partition c0 order c1 asc first compute collect_list(c1)", False),
    "any value of a partition": ("window partition c0 compute first(c1)", True),
    "distinct rows": ("distinct", False),
}


@pytest.mark.parametrize("name", VARIES)
def test_may_vary(name: str) -> None:
    line, expected = VARIES[name]
    assert may_vary(parse_rel(plan(line, f".{Z}"))) is expected


def test_unknown_types_may_be_floating_point() -> None:
    unknown = Scan(relation="z", columns=(Column("g", UNKNOWN, nullable=True),))
    assert may_vary(Aggregate(input=unknown, keys=(Col(0),), calls=(AggCall(name="sum", args=(Col(0),)),)))
    assert may_vary(Window(input=unknown, partition=(Col(0),), calls=(WindowCall(name="sum", args=(Col(0),)),)))


@pytest.mark.parametrize(("call", "states"), [("sum(f)", 1), ("avg(f)", 1), ("sum(m)", 0), ("max(f)", 0)])
def test_groups_that_vary_are_kept_below_a_join(call: str, states: int) -> None:
    sql = f"SELECT b.y, q.s FROM b JOIN (SELECT g, {call} AS s FROM d GROUP BY g) AS q ON q.g = b.g"
    assert len(stored(sql).states) == states


SCOPES = {
    "groups": ("aggregate by c1, c0 compute count()", "c1, c0"),
    "a total": ("aggregate compute count()", ""),
    "grouping sets": ("aggregate by c0 sets (0) () compute count()", ""),
    "partitions": ("window partition c1 compute count()", "c1"),
    "all rows": ("window compute count()", ""),
    "distinct rows": ("distinct", "c0, c1, c2, c3, c4"),
    "a limit": ("topk order c0 asc first limit 1", ""),
}


@pytest.mark.parametrize("name", SCOPES)
def test_scope(name: str) -> None:
    line, expected = SCOPES[name]
    assert ", ".join(map(str, scope(parse_rel(plan(line, f".{Z}"))))) == expected


def test_grouping_sets_become_a_union_of_groups() -> None:
    found = split_sets(parse_rel(plan("aggregate by c0, c1 sets (0, 1) (1) () compute count()", f".{Z}")))
    assert found == parse_rel(
        plan(
            "union",
            ".project c0, c1, 0L, c2",
            "..aggregate by c0, c1 compute count()",
            f"...{Z}",
            ".project CAST(NULL AS INT), c0, 2L, c1",
            "..aggregate by c1 compute count()",
            f"...{Z}",
            ".project CAST(NULL AS INT), CAST(NULL AS INT), 3L, c0",
            "..filter (c1 > 0L)",
            "...aggregate compute count(), count()",
            f"....{Z}",
        )
    )


def test_the_empty_set_alone_has_a_row_over_no_rows() -> None:
    found = split_sets(parse_rel(plan("aggregate sets () compute count()", f".{Z}")))
    assert found == parse_rel(plan("union", ".project 0L, c0", "..aggregate compute count()", f"...{Z}"))


def test_plain_groups_are_not_split() -> None:
    assert split_sets(parse_rel(plan("aggregate by c0 compute count()", f".{Z}"))) is None
