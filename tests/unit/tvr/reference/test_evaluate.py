"""Each operator's rules: NULLs, duplicates, emptiness."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import pytest

from tests.unit.tvr.reference.plans import run
from tidewheel.ir.rel import Opaque, Rel
from tidewheel.ir.text import parse_rel
from tidewheel.tvr.reference.changes import delta
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.evaluate import Table, evaluate
from tidewheel.tvr.reference.zset import ZSet

L = Table.of("k INT, v STRING", [(1, "a"), (1, "a"), (2, "b"), (None, "n"), (3, "c")])
R = Table.of("k INT, w INT", [(1, 10), (2, 20), (2, 21), (None, 0), (9, 90)])
NONE = Table.of("k INT, w INT", [])
SCAN_L = "scan l (k INT, v STRING)"
SCAN_R = "scan r (k INT, w INT)"


def join(kind: str, condition: str = "on c0 = c0", r: Table = R) -> list[tuple[object, ...]]:
    return run(f"join {kind} {condition}\n  {SCAN_L}\n  {SCAN_R}", l=L, r=r)


def test_a_scan_takes_columns_by_name_in_its_own_order() -> None:
    assert run("scan L (V STRING, k INT)", l=Table.of("k INT, v STRING", [(1, "a")])) == [("a", 1)]


def test_a_float_column_has_single_precision() -> None:
    ((value,),) = run("scan t (f FLOAT)", t=Table.of("f FLOAT", [(0.1,)]))
    assert value == 0.10000000149011612


def test_a_filter_keeps_neither_false_nor_null() -> None:
    assert run(f"filter (c0 > 1)\n  {SCAN_L}", l=L) == [(2, "b"), (3, "c")]


def test_a_projection_keeps_duplicates() -> None:
    assert run(f"project c1\n  {SCAN_L}", l=L) == [("a",), ("a",), ("b",), ("c",), ("n",)]


def test_values_have_the_common_type_of_their_rows() -> None:
    assert run("values 1 (1) (2.50) (NULL)")[1:] == [(1,), (run("values 1 (2.50)")[0][0],)]


def test_select_without_from_reads_one_row_of_no_columns() -> None:
    assert run("project 1\n  values 0 ()") == [(1,)]


def test_inner_join_multiplies_copies_and_never_matches_null() -> None:
    assert join("inner") == [(1, "a", 1, 10), (1, "a", 1, 10), (2, "b", 2, 20), (2, "b", 2, 21)]


def test_null_safe_join_matches_null_with_null() -> None:
    assert (None, "n", None, 0) in join("inner", "on c0 <=> c0")


def test_left_join_keeps_rows_without_a_partner() -> None:
    assert join("left")[:1] + join("left")[-1:] == [(None, "n", None, None), (3, "c", None, None)]
    assert len(join("left")) == 6


def test_left_join_over_nothing_keeps_everything() -> None:
    assert join("left", r=NONE) == [(*row, None, None) for row in [(None, "n"), (1, "a"), (1, "a"), (2, "b"), (3, "c")]]


def test_the_residual_of_a_left_join_decides_about_partners_not_about_rows() -> None:
    assert (2, "b", None, None) in join("left", "on c0 = c0 where (c3 > 50)")


def test_full_join_keeps_both_sides() -> None:
    rows = join("full")
    assert (None, None, None, 0) in rows
    assert (None, None, 9, 90) in rows
    assert (None, "n", None, None) in rows
    assert len(rows) == 8


def test_semi_and_anti_join_give_each_left_row_once_per_copy() -> None:
    assert join("semi") == [(1, "a"), (1, "a"), (2, "b")]
    assert join("anti") == [(None, "n"), (3, "c")]


def test_not_in_is_empty_as_soon_as_the_list_has_a_null() -> None:
    assert join("anti", "on c0 in c0") == []
    without_null = Table(R.columns, tuple(r for r in R.rows if r[0] is not None))
    assert join("anti", "on c0 in c0", without_null) == [(3, "c")]
    assert len(join("anti", "on c0 in c0", NONE)) == 5


def test_a_join_compares_keys_in_their_common_type() -> None:
    a, b = Table.of("k INT", [(1,)]), Table.of("k DECIMAL(5,2)", [(1,)])
    assert len(run("join inner on c0 = c0\n  scan a (k INT)\n  scan b (k DECIMAL(5,2))", a=a, b=b)) == 1


def test_a_cross_join_has_no_condition() -> None:
    assert len(join("inner", "")) == 25


def test_groups_take_null_for_equal() -> None:
    t = Table.of("k DOUBLE", [(None,), (None,), (math.nan,), (math.nan,), (0.0,), (-0.0,)])
    assert [r[1] for r in run("aggregate by c0 compute count()\n  scan t (k DOUBLE)", t=t)] == [2, 2, 2]


def test_a_global_aggregate_over_nothing_gives_one_row() -> None:
    rows = run(f"aggregate compute count(), count(c1), sum(c1), max(c1), avg(c1)\n  {SCAN_R}", r=NONE)
    assert rows == [(0, 0, None, None, None)]


def test_groups_over_nothing_give_nothing() -> None:
    assert run(f"aggregate by c0 compute count()\n  {SCAN_R}", r=NONE) == []


@pytest.mark.parametrize(
    ("keys", "sets", "rows"),
    [("", "()", [(0, 0)]), ("", "() ()", []), (" by c0", "(0) ()", []), (" by c0", "()", [])],
)
def test_grouping_sets_over_nothing(keys: str, sets: str, rows: list[tuple[object, ...]]) -> None:
    """Only GROUPING SETS (()) gives a row, and only if it has no keys."""
    assert run(f"aggregate{keys} sets {sets} compute count()\n  {SCAN_R}", r=NONE) == rows


def test_rollup_tells_a_total_from_a_null_key_by_the_grouping_id() -> None:
    rows = run(f"aggregate by c0 sets (0) () compute count()\n  {SCAN_R}", r=R)
    assert rows == [(None, 0, 1), (None, 1, 5), (1, 0, 1), (2, 0, 2), (9, 0, 1)]


def test_the_first_key_has_the_highest_bit_of_the_grouping_id() -> None:
    rows = run(f"aggregate by c0, c1 sets (0) (1) () compute count()\n  {SCAN_R}", r=Table(R.columns, ((1, 2),)))
    assert rows == [(None, None, 3, 1), (None, 2, 2, 1), (1, None, 1, 1)]


def test_a_grouping_set_given_twice_counts_twice() -> None:
    assert len(run(f"aggregate by c0 sets (0) (0) compute count()\n  {SCAN_R}", r=R)) == 8


def test_distinct_and_union() -> None:
    assert run(f"distinct\n  {SCAN_L}", l=L) == [(None, "n"), (1, "a"), (2, "b"), (3, "c")]
    assert len(run(f"union\n  {SCAN_L}\n  {SCAN_L}", l=L)) == 10


@pytest.mark.parametrize(
    ("operation", "rows"),
    [
        ("except", [(3,)]),
        ("except all", [(1,), (3,)]),
        ("intersect", [(None,), (1,), (2,)]),
        ("intersect all", [(None,), (1,), (2,)]),
    ],
)
def test_set_operations_take_null_for_equal(operation: str, rows: list[tuple[object, ...]]) -> None:
    assert run(f"{operation}\n  project c0\n    {SCAN_L}\n  project c0\n    {SCAN_R}", l=L, r=R) == rows


def test_top_rows_after_an_offset() -> None:
    assert run(f"topk order c1 desc last limit 2 offset 1\n  {SCAN_R}", r=R) == [(2, 20), (2, 21)]
    assert run(f"topk order c1 asc first limit 0\n  {SCAN_R}", r=R) == []


def test_nulls_are_where_the_order_says() -> None:
    for order, first in [("asc first", None), ("asc last", 1), ("desc first", None), ("desc last", 9)]:
        assert run(f"topk order c0 {order} limit 1\n  {SCAN_R}", r=R)[0][0] == first


ARRAYS = Table.of(
    "id INT, a ARRAY<INT>, m MAP<STRING, INT>", [(1, (5, None), (("x", 1),)), (2, (), ()), (3, None, None)]
)
SCAN_A = "scan t (id INT, a ARRAY<INT>, m MAP<STRING, INT>)"


def unnest(what: str) -> list[tuple[object, ...]]:
    rows = run(f"unnest {what}\n  {SCAN_A}", t=ARRAYS)
    return [(row[0], *row[3:]) for row in rows]


def test_explode_leaves_out_rows_without_elements() -> None:
    assert unnest("explode(c1) width 1") == [(1, None), (1, 5)]
    assert unnest("outer explode(c1) width 1") == [(1, None), (1, 5), (2, None), (3, None)]
    assert unnest("explode(c2) width 2") == [(1, "x", 1)]
    assert unnest("outer posexplode(c1) width 2") == [(1, 0, 5), (1, 1, None), (2, None, None), (3, None, None)]


def test_stack_fills_its_last_row_with_nulls() -> None:
    assert unnest("stack(2, c0, 7, 8) width 2")[:2] == [(1, 1, 7), (1, 8, None)]


def test_inline_of_a_null_struct_is_a_row_of_nulls() -> None:
    t = Table.of("a ARRAY<STRUCT<x: INT, y: STRING>>", [(((1, "p"), None),)])
    rows = run("unnest inline(c0) width 2\n  scan t (a ARRAY<STRUCT<x: INT, y: STRING>>)", t=t)
    assert [row[1:] for row in rows] == [(None, None), (1, "p")]


def test_an_opaque_plan_cannot_be_evaluated() -> None:
    with pytest.raises(Unsupported, match="opaque"):
        evaluate(Opaque(sql="SELECT 1", reads=(), columns=(), reason="pivot"), {})


def test_a_function_without_a_rule_is_named() -> None:
    with pytest.raises(Unsupported, match="no_such_thing"):
        run("project no_such_thing(1)\n  values 0 ()")


def test_a_shared_part_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidewheel.tvr.reference import evaluate as module  # noqa: PLC0415

    seen: list[str] = []
    original = module._compute

    def counted(rel: Rel, *rest: Any) -> Any:
        seen.append(rel.line)
        return original(rel, *rest)

    monkeypatch.setattr(module, "_compute", counted)
    run(f"union\n  distinct\n    {SCAN_L}\n  distinct\n    {SCAN_L}", l=L)
    assert seen.count("distinct") == 1


def test_the_clock_is_told() -> None:
    plan = parse_rel("plan\n  project current_date()\n    values 0 ()\n")
    now = dt.datetime(2024, 2, 29, 23, tzinfo=dt.UTC)
    assert evaluate(plan, {}, now=now).to_rows() == [(dt.date(2024, 2, 29),)]
    with pytest.raises(Unsupported, match="clock"):
        evaluate(plan, {})


def test_a_change_is_new_minus_old() -> None:
    plan = parse_rel(f"plan\n  aggregate by c0 compute sum(c1)\n    {SCAN_R}\n")
    after = R + ZSet([((1, 10), -1), ((2, 1), 1), ((7, 7), 2)])
    assert delta(plan, {"r": R}, {"r": after}) == ZSet(
        [((1, 10), -1), ((2, 41), -1), ((2, 42), 1), ((7, 14), 1)],
    )


def test_a_table_cannot_lose_a_row_it_does_not_have() -> None:
    with pytest.raises(ValueError, match="negative"):
        NONE + ZSet([((1, 1), -1)])


def test_a_scalar_subquery_of_two_rows_raises() -> None:
    one = Table.of("k INT, w INT", [(1, 1)])
    plan = f"aggregate compute single_value(c1)\n  {SCAN_R}"
    assert run(plan, r=NONE) == [(None,)]
    assert run(plan, r=one) == [(1,)]
    with pytest.raises(EvaluationError) as error:
        run(plan, r=R)
    assert error.value.code == "more-than-one-row"
