"""Changes: signs, parts, sums, and the smallest change that does the same."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import V, plan
from tidewheel.ddl import parse_type
from tidewheel.delta.change import (
    DeltaPlan,
    comes,
    comparable,
    consolidated,
    difference,
    goes,
    nothing,
    total,
)  # fmt: skip
from tidewheel.ir.rel import Project, Rel, Union
from tidewheel.ir.scalar import Col
from tidewheel.ir.text import parse_rel
from tidewheel.tvr.reference.evaluate import Table, compute

ROWS = Table.of("a INT, b INT", [(1, 1), (1, 1), (2, None)])
SIGNED = Table.of(
    "a INT, b INT, _tw_weight BIGINT",
    [(1, 1, 1), (1, 1, 1), (1, 1, -1), (2, None, -1), (3, 3, 1), (4, 4, 1), (4, 4, -1)],
)
SCAN = parse_rel(plan(V))
MIXED = DeltaPlan(rel=parse_rel(plan("scan s (a INT, b INT, _tw_weight BIGINT NOT NULL)")), signed=True)


def rows(rel: Rel) -> list[tuple[object, ...]]:
    return sorted(compute(rel, {"v": ROWS, "s": SIGNED}).rows, key=str)


def test_rows_that_come_have_no_sign() -> None:
    change = comes(SCAN)
    assert (change.signed, change.width, change.rel) == (False, 2, SCAN)
    assert change.coming() == change.rows() == SCAN
    assert change.going() is None
    assert rows(change.with_sign()) == [(1, 1, 1), (1, 1, 1), (2, None, 1)]


def test_rows_that_go_have_one() -> None:
    change = goes(SCAN)
    assert (change.signed, change.width) == (True, 2)
    assert rows(change.rel) == [(1, 1, -1), (1, 1, -1), (2, None, -1)]
    assert change.with_sign() == change.rel


def test_the_parts_of_a_change() -> None:
    going = MIXED.going()
    assert going is not None
    assert MIXED.width == 2
    assert rows(MIXED.coming()) == [(1, 1), (1, 1), (3, 3), (4, 4)]
    assert rows(going) == [(1, 1), (2, None), (4, 4)]
    assert len(rows(MIXED.rows())) == 7


def test_the_domain_is_of_all_rows_once() -> None:
    assert rows(MIXED.domain([Col(0)])) == [(1,), (2,), (3,), (4,)]


def test_expressions_pass_the_sign_on() -> None:
    assert MIXED.through(MIXED.rel, [Col(1)]).rel.width == 2
    assert comes(SCAN).through(SCAN, [Col(1)]).rel.width == 1


def test_a_sum_has_signs_if_a_part_has() -> None:
    assert not total([comes(SCAN), comes(SCAN)]).signed
    both = total([comes(SCAN), goes(SCAN)])
    assert both.signed
    assert rows(both.rel) == sorted(((*row, sign) for row in ROWS.rows for sign in (1, -1)), key=str)
    assert total([MIXED]) is MIXED


def test_sums_of_sums_are_one_union() -> None:
    found = total([total([comes(SCAN), comes(SCAN)]), comes(SCAN)]).rel
    assert isinstance(found, Union)
    assert len(found.parts) == 3


def test_a_difference_comes_and_goes() -> None:
    change = difference(SCAN, Project(input=SCAN, exprs=(Col(0), Col(0))))
    assert rows(change.coming()) == [(1, 1), (1, 1), (2, None)]
    assert change.signed


def test_nothing_has_a_width_and_no_rows() -> None:
    assert (nothing(3).width, rows(nothing(3).rel)) == (3, [])


def test_a_bag_is_consolidated_by_counting() -> None:
    found = consolidated(MIXED, keyed=False)
    assert found.signed
    assert rows(found.rel) == [(1, 1, 1), (2, None, -1), (3, 3, 1)]


def test_copies_that_remain_stay_single() -> None:
    change = total([comes(SCAN), comes(SCAN), goes(SCAN)])
    assert rows(consolidated(change, keyed=False).rel) == [(1, 1, 1), (1, 1, 1), (2, None, 1)]


def test_rows_with_a_key_are_consolidated_by_adding() -> None:
    found = consolidated(MIXED, keyed=True)
    assert rows(found.rel) == [(1, 1, 1), (2, None, -1), (3, 3, 1)]


def test_an_append_is_as_small_as_it_gets() -> None:
    assert consolidated(comes(SCAN), keyed=False) == consolidated(comes(SCAN), keyed=True) == comes(SCAN)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("INT", True),
        ("ARRAY<INT>", True),
        ("STRUCT<a: INT, b: STRING>", True),
        ("MAP<INT, INT>", False),
        ("ARRAY<MAP<INT, INT>>", False),
        ("STRUCT<a: INT, b: MAP<INT, INT>>", False),
        ("ARRAY<STRUCT<a: ARRAY<MAP<INT, INT>>>>", False),
    ],
)
def test_maps_cannot_be_told_apart(kind: str, expected: bool) -> None:
    assert comparable([parse_type("INT"), parse_type(kind)]) is expected
