"""How much a change reads: what the rules are for, and no comparison of rows would show."""

from __future__ import annotations

from tests.unit.delta.changed import FirstRules, W, X
from tests.unit.delta.stories import stored
from tests.unit.delta.test_rules import FIRES
from tests.unit.ir.test_dependencies import U, V, plan
from tidewheel.ir.rel import Distinct, Filter, Join, Project, Scan
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.tree import nodes
from tidewheel.optimize.maintenance import changes


def test_a_join_reads_the_other_side_as_it_is_stored() -> None:
    """A join with the rows of one table restricts them well enough by itself."""
    change = FirstRules({"v": "mixed"}).change(parse_rel(FIRES["inner join"][0]))
    assert change is not None
    assert not any(isinstance(node, Distinct) for node in nodes(change.rel))


def test_a_join_asks_only_for_the_groups_in_question() -> None:
    memo = FirstRules({"v": "mixed"})
    rel = parse_rel(FIRES["an inner join over groups"][0])
    change = memo.change(rel)
    assert change is not None
    (semi,) = [n for n in nodes(change.rel) if isinstance(n, Join) and n.kind == "semi"]
    assert semi.left == parse_rel(plan(W))
    assert not memo.spared(rel)


def test_the_change_leads_and_the_others_follow_as_they_connect() -> None:
    """The change of u is joined with v, which it connects to, before w."""
    rel = parse_rel(plan("join inner on c1 = c0", ".join inner on c0 = c0", f"..{W}", f"..{V}", f".{U}"))
    change = FirstRules({"u": "append"}).change(rel)
    assert change is not None
    order = [n.label for n in nodes(change.rel) if isinstance(n, Scan)]
    assert order == ["u from before to now", "w", "v"]


def test_only_what_connects_is_a_reason_to_be_next() -> None:
    """A table joined by an equality goes before one that only a comparison connects, however it stands."""
    one = "scan {} (a INT)"
    first, second, third = (one.format(name) for name in ("v", "w", "x"))
    rel = parse_rel(
        plan("join inner on c0 = c0, c1 = c0", ".join inner where (c0 < c1)", f"..{first}", f"..{second}", f".{third}")
    )
    change = FirstRules({"v": "append"}).change(rel)
    assert change is not None
    assert [n.label for n in nodes(change.rel) if isinstance(n, Scan)] == ["v from before to now", "x", "w"]


def test_a_table_that_only_a_comparison_connects_goes_before_one_that_nothing_does() -> None:
    rel = parse_rel(plan("join inner where (c0 < c4)", ".join inner", f"..{V}", f"..{W}", f".{U}"))
    change = FirstRules({"v": "append"}).change(rel)
    assert change is not None
    assert [n.label for n in nodes(change.rel) if isinstance(n, Scan)] == ["v from before to now", "u", "w"]


def test_a_comparison_with_a_constant_is_no_key() -> None:
    for residual in ("(c3 = 1)", "(1 = c3)"):
        change = FirstRules({"v": "append"}).change(parse_rel(plan(f"join inner where {residual}", f".{V}", f".{W}")))
        assert change is not None
        (join,) = [n for n in nodes(change.rel) if isinstance(n, Join)]
        assert (join.keys, str(join.residual)) == ((), residual)


def test_conditions_on_the_change_alone_come_first() -> None:
    change = FirstRules({"v": "append"}).change(parse_rel(FIRES["an equality of one side only"][0]))
    assert change is not None
    (join,) = [n for n in nodes(change.rel) if isinstance(n, Join)]
    assert isinstance(join.left, Filter)


def test_a_change_of_the_right_touches_the_left_rows_that_it_matches() -> None:
    change = FirstRules({"w": "mixed"}).change(parse_rel(FIRES["left join"][0]))
    assert change is not None
    semi = [n for n in nodes(change.rel) if isinstance(n, Join) and n.kind == "semi"]
    assert {n.left for n in semi} == {parse_rel(plan(s)) for s in (V, W, W.replace("scan w", "scan w at before"))}


def test_null_matches_nothing_and_is_not_asked_for() -> None:
    """Under `=` no left row is touched by a NULL on the right; under `<=>` one may be."""
    asked = {
        "left join": ["isnotnull(c0)"],
        "left join, null-safe": [],
        "left join by two keys": ["(isnotnull(c0) and isnotnull(c1))"],
        "left join by two keys, one null-safe": ["isnotnull(c0)"],
    }
    for name, expected in asked.items():
        change = FirstRules({"w": "append"}).change(parse_rel(FIRES[name][0]))
        assert change is not None
        assert [str(n.predicate) for n in nodes(change.rel) if isinstance(n, Filter)] == expected


def test_what_comes_of_one_row_does_not_pass_through_projections_twice() -> None:
    change = FirstRules({"v": "append"}).change(parse_rel(plan("project c0", ".project c1, c0", f"..{V}")))
    assert change is not None
    assert sum(isinstance(n, Project) for n in nodes(change.rel)) == 2


def test_a_merge_of_rows_that_only_come_looks_for_none_that_go() -> None:
    upkeep = stored("SELECT g, sum(x) AS s FROM a GROUP BY g")
    for kind, expected in (("append", False), ("mixed", True)):
        (statement,), _ = changes(upkeep, {"a": "append" if kind == "append" else "mixed"})
        assert (" where " in print_rel(statement.change.rel)) is expected


def test_sides_of_a_set_operation_are_restricted_in_the_types_of_the_whole() -> None:
    change = FirstRules({"v": "mixed"}).change(parse_rel(FIRES["INTERSECT ALL of several types"][0]))
    assert change is not None
    semi = [n for n in nodes(change.rel) if isinstance(n, Join) and n.kind == "semi"]
    keys = {str(n.left): [str(key.left) for key in n.keys] for n in semi}
    assert keys == {
        str(parse_rel(plan(V))): ["CAST(c0 AS BIGINT)", "CAST(c1 AS BIGINT)"],
        str(parse_rel(plan(V.replace("scan v", "scan v at before")))): ["CAST(c0 AS BIGINT)", "CAST(c1 AS BIGINT)"],
        str(parse_rel(plan(X))): ["c0", "c1"],
    }
