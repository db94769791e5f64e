"""The list of what was proven on Spark is in order, and a digest changes with whatever a result hangs on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark import proven, test_bound_plans, test_reference_scalars
from tidewheel.ir.rel import Query
from tidewheel.ir.text import parse_rel
from tidewheel.sql.unparse import to_spark

PLAN = "plan\n  filter (c0 > 1)\n    scan t (a INT)\n"


def digest_of(plan: str, rows: object = ((1,),)) -> str:
    query = Query(rel=parse_rel(plan), names=("a",))
    return proven.digest(query.rel.fingerprint(), to_spark(query), rows)


def test_the_list_is_sorted_and_names_no_test_and_no_digest_twice() -> None:
    lines = proven.LIST.read_text("utf-8").splitlines()
    names, digests = zip(*(line.rsplit(" ", 1) for line in lines), strict=True)
    assert len(lines) > 1000
    assert list(names) == sorted(set(names))
    assert len(set(digests)) == len(digests)


def test_the_tests_on_the_list_are_there() -> None:
    root = Path(__file__).parents[2]
    assert {name for name in proven.read() if not (root / name.split("::", maxsplit=1)[0]).exists()} == set()


def test_the_same_plan_has_the_same_digest() -> None:
    assert digest_of(PLAN) == digest_of(PLAN) == "fbdaf1d6a855d0ec1aec1e77496d2de4"


@pytest.mark.parametrize("other", [PLAN.replace("1", "2"), PLAN.replace("INT", "BIGINT"), PLAN.replace(">", ">=")])
def test_another_plan_has_another_digest(other: str) -> None:
    assert digest_of(other) != digest_of(PLAN)


def test_other_rows_have_another_digest() -> None:
    assert len({digest_of(PLAN, rows) for rows in (((1,),), ((2,),), ((1,), (1,)), ((1.0,),), (("1",),))}) == 5


def test_parts_are_told_apart() -> None:
    assert proven.digest("a", "b") != proven.digest("a\nb") != proven.digest("ab")


def test_a_part_that_only_shows_its_address_is_refused() -> None:
    with pytest.raises(ValueError, match="its address"):
        proven.digest(object())


def test_the_code_of_a_test_is_a_part_with_what_it_imports_from_our_tests() -> None:
    assert proven.code_of(test_bound_plans) != proven.code_of(test_reference_scalars)


def test_what_passed_gets_a_line_what_failed_loses_it_and_the_others_stay() -> None:
    known = {"a": "1", "b": "2", "c": "3", "gone": "4"}
    outcomes = {"a": "9", "b": None, "new": "5", "bad": None}
    assert proven.noted(known, outcomes, None) == {"a": "9", "c": "3", "gone": "4", "new": "5"}
    assert proven.noted(known, outcomes, frozenset({"a", "b", "c", "new"})) == {"a": "9", "c": "3", "new": "5"}


def test_the_list_reads_back(tmp_path: Path) -> None:
    known = {"f.py::t[a b]": "1", "f.py::s": "2"}
    proven.write(known, tmp_path / "list")
    assert proven.read(tmp_path / "list") == known
