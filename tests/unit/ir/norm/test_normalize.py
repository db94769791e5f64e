"""Normalization as a whole: what it shares, what it switches off, and that it ends."""

from __future__ import annotations

from tests.fuzz.generate import generate
from tests.unit.ir.test_dependencies import plan
from tidewheel.ir.norm import RULES, normalize
from tidewheel.ir.rel import Filter, Join, Query, Rel
from tidewheel.ir.scalar import Call, Col, Lit
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.tree import nodes

SHARED = """\
let 1
  aggregate by c0 compute count()
    scan t (a INT, b INT)
plan
  join inner on c0 = c0
    filter (c0 > 1)
      use 1
    filter (c0 < 5)
      use 1
"""


def test_a_shared_part_is_not_specialized_for_one_of_its_users() -> None:
    text = print_rel(normalize(parse_rel(SHARED)))
    assert text.count("aggregate") == 1
    assert "use 1" in text


def test_a_part_with_one_user_is_specialized() -> None:
    alone = plan("filter (c0 > 1)", ".aggregate by c0 compute count()", "..scan t (a INT)")
    text = print_rel(normalize(parse_rel(alone)))
    assert text.index("aggregate") < text.index("filter")


def test_equal_parts_become_one_object() -> None:
    twice = plan("union", ".distinct", "..scan t (a INT)", ".distinct", "..scan t (a INT)")
    rel = normalize(parse_rel(twice))
    first, second = rel.inputs
    assert first is second


def test_what_is_shared_by_name_is_normalized_once_however_often_it_is_used() -> None:
    rel: Rel = parse_rel(plan("scan t (a INT)"))
    for level in range(40):
        narrow = Filter(input=rel, predicate=Call(">", (Col(0), Lit("int", str(level)))))
        rel = Join(kind="semi", left=narrow, right=rel, keys=())
    assert sum(1 for _ in nodes(normalize(rel))) < 200


def test_deep_plans_need_no_deep_stack() -> None:
    rel: Rel = parse_rel(plan("scan t (a INT)"))
    for level in range(1200):
        rel = Join(kind="semi", left=rel, right=parse_rel(plan(f"scan u{level} (a INT)")))
    new = normalize(Filter(input=rel, predicate=Call(">", (Col(0), Lit("int", "1")))))
    assert isinstance(new, Join)


def test_disabled_rules_do_not_fire() -> None:
    rel = parse_rel(SHARED)
    assert normalize(rel, disabled=frozenset(RULES)) == rel


def test_a_query_keeps_names_and_notes() -> None:
    query = Query(rel=parse_rel(plan("filter TRUE", ".scan t (a INT)")), names=("x",), notes=("n",))
    assert normalize(query) == Query(rel=parse_rel(plan("scan t (a INT)")), names=("x",), notes=("n",))


def test_normal_forms_stay_as_they_are() -> None:
    for seed in range(150):
        once = normalize(generate(seed).query.rel)
        assert normalize(once) == once, f"seed {seed}\n{print_rel(once)}"


def test_the_usual_comma_join_becomes_a_join_by_keys() -> None:
    scans = [f"scan {name} (a INT, b INT, c STRING)" for name in "xyz"]
    text = plan(
        "project c2",
        ".filter ((c0 = c3) and (c4 = c6) and (c8 = 'v') and ((c1 = 1) or (c1 = 2)))",
        "..join inner",
        "...join inner",
        *(f"....{s}" for s in scans[:2]),
        f"...{scans[2]}",
    )
    assert print_rel(normalize(parse_rel(text))) == plan(
        "project c2",
        ".join inner on c4 = c0",
        "..join inner on c0 = c0",
        "...filter ((c1 = 1) or (c1 = 2))",
        "....scan x (a INT, b INT, c STRING)",
        "...scan y (a INT, b INT)",
        "..filter (c1 = 'v')",
        "...scan z (a INT, c STRING)",
    )
