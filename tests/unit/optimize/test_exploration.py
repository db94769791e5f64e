"""The memo refers and never inlines: its size, its bounds, and the alternatives of small plans, as text."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.corpus.large import SOURCES, large_queries
from tests.fuzz.ctes import large_query
from tests.unit.ir.test_dependencies import V, plan
from tidewheel.ddl import parse_schema
from tidewheel.delta.change import Kind
from tidewheel.ir.forms import CHANGE, Part
from tidewheel.ir.norm import normalize
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.tree import nodes
from tidewheel.optimize.alternatives import Goal
from tidewheel.optimize.exploration import Exploration, ExplorationOptions, TooLargeError
from tidewheel.optimize.extraction import expanded
from tidewheel.optimize.maintenance import explored, upkeep_of
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view

W = "scan w (p INT, q INT)"
BOTH: dict[str, Kind] = {"v": "mixed", "w": "mixed"}
MOST_FORMS = ExplorationOptions().most_forms


def memo_of(sql: str) -> Exploration:
    relations = {
        name.lower(): CatalogRelation.of(name, parse_schema(entry["schema"])) for name, entry in SOURCES.items()
    }
    query = normalize(bind_view(SqlText(sql=sql), relations).query)
    return explored(upkeep_of(query.rel, query.names), dict.fromkeys(relations, "mixed"))[1]


def forms(memo: Exploration) -> Counter[bytes]:
    return Counter(goal.rel.digest for goal in memo.goals.values())


@pytest.mark.parametrize("name", large_queries())
def test_every_goal_has_a_way_and_no_relation_many_forms(name: str) -> None:
    memo = memo_of(large_queries()[name])
    assert all(goal.alternatives for goal in memo.goals.values())
    assert max(forms(memo).values()) <= MOST_FORMS


@pytest.mark.parametrize("family", ["chain", "diamond", "fan", "outer", "unions"])
def test_the_memo_grows_with_the_query(family: str) -> None:
    small, large = (memo_of(large_query(family, size, 1)) for size in (20, 80))
    assert len(large.goals) <= 8 * len(small.goals)
    assert max(forms(large).values()) <= MOST_FORMS


def filled(rel: Rel, options: ExplorationOptions | None = None, **changed: Kind) -> tuple[Exploration, Goal]:
    memo = Exploration(changed or BOTH, {}, options=options)
    change = memo.delta(rel)
    assert change is not None
    memo.explore()
    assert isinstance(change.rel, Scan)
    return memo, memo.goals[change.rel.digest]


def test_a_join_has_a_term_for_each_input() -> None:
    _, goal = filled(parse_rel(plan("join inner on c0 = c0", f".{V}", f".{W}")))
    (way,) = goal.alternatives
    assert way.rule == "join-terms"
    assert sorted(scan.label for scan in way.references()) == [
        "v at before", "v from before to now", "w", "w from before to now",
    ]  # fmt: skip


def test_alternatives_are_all_kept() -> None:
    _, goal = filled(parse_rel(plan("join left on c0 = c0", f".{V}", f".{W}")))
    assert [way.rule for way in goal.alternatives] == ["join-parts", "join-keys"]


def test_groups_ask_for_parts_of_what_is_below_and_refer_to_them() -> None:
    join = ("join inner on c0 = c0", f".{V}", f".{W}")
    memo, goal = filled(parse_rel(plan("aggregate by c0 compute max(c1)", *(f".{line}" for line in join))))
    parts = [g for g in memo.goals.values() if isinstance(g.form, Part)]
    assert {g.form.point for g in parts if isinstance(g.form, Part)} == {"before", "now"}
    assert all([way.rule for way in g.alternatives] == ["push", "select"] for g in parts)
    (way,) = goal.alternatives
    assert {scan.digest for scan in way.references()} >= {g.reference.digest for g in parts}


def test_rows_that_only_come_have_no_sign() -> None:
    rel = parse_rel(plan("join semi on c0 = c0", f".{V}", f".{W}"))
    memo, goal = filled(rel, v="append")
    assert goal.reference.width == rel.width
    assert not memo.is_signed(rel)
    memo, goal = filled(rel, v="append", w="append")
    assert goal.reference.width == rel.width + 1


def test_a_relation_that_does_not_move_has_one_snapshot_and_no_delta() -> None:
    grouped = plan("join inner on c0 = c0", f".{V}", ".aggregate by c0 compute count()", f"..{W}")
    memo, _ = filled(parse_rel(grouped), v="mixed")
    labels = {goal.form for goal in memo.goals.values() if goal.rel.inputs and goal.rel.inputs[0] == parse_rel(plan(W))}
    assert CHANGE not in labels
    assert all(form.point == "now" for form in labels if isinstance(form, Part))


def test_beyond_its_bounds_a_part_is_selected_from_all_rows() -> None:
    rel = parse_rel(plan("aggregate by c0 compute max(c1)", ".join inner on c0 = c0", f"..{V}", f"..{W}"))
    memo, goal = filled(rel, ExplorationOptions(most_parts=0))
    assert not any(isinstance(g.form, Part) for g in memo.goals.values())
    assert "join semi" in print_rel(goal.alternatives[0].plan)


def test_a_memo_that_grows_too_large_says_so() -> None:
    rel = parse_rel(plan("aggregate by c0 compute max(c1)", ".join inner on c0 = c0", f"..{V}", f"..{W}"))
    with pytest.raises(TooLargeError):
        filled(rel, ExplorationOptions(most_goals=2))


def test_what_is_expanded_reads_stored_relations_only() -> None:
    rel = parse_rel(plan("aggregate by c0 compute max(c1)", ".join left on c0 = c0", f"..{V}", f"..{W}"))
    memo, goal = filled(rel)
    for choice in (0, -1):
        found = expanded(goal.reference, memo, lambda g, choice=choice: g.alternatives[choice])  # type: ignore[misc]
        assert {node.relation for node in nodes(found) if isinstance(node, Scan)} == {"v", "w"}
