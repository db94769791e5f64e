"""What rules ask the memo for: snapshots of both times, what is kept, and what would better be kept."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import U, V, plan
from tidewheel.delta.change import Kind, comes
from tidewheel.ir.rel import Join, Rel, Scan
from tidewheel.ir.scalar import Col
from tidewheel.ir.text import parse_rel
from tidewheel.optimize.alternatives import StoredPlan, preferred
from tidewheel.optimize.exploration import Exploration, ExplorationOptions
from tidewheel.optimize.extraction import expanded

W = "scan w (p INT, q INT)"
OLD_V = "scan v at before (a INT, b INT)"
GROUPS = ("aggregate by c0 compute count()", f".{V}")


def rel(*lines: str) -> Rel:
    return parse_rel(plan(*lines))


class Asking(Exploration):
    """A memo whose answers are plans over what is stored, by the first rules."""

    def __init__(self, **changed: Kind) -> None:
        super().__init__(changed, {})

    def stored(self, plan_: Rel) -> Rel:
        self.explore()
        return expanded(plan_, self, preferred)

    @property
    def spared(self) -> list[Rel]:
        return list(self.asked.spares.values())


def test_only_what_changed_has_an_old_snapshot() -> None:
    memo = Asking(v="mixed")
    join = rel("join inner on c0 = c0", f".{V}", f".{U}")
    assert memo.stored(memo.whole(join, "new")) == join
    assert memo.stored(memo.whole(join, "old")) == rel("join inner on c0 = c0", f".{OLD_V}", f".{U}")


def test_an_old_snapshot_keeps_its_keys() -> None:
    memo = Asking(u="append")
    assert memo.whole(rel(U), "old") == rel("scan u at before (k INT NOT NULL, a INT) key (c0)")


def test_what_is_kept_is_read() -> None:
    memo = Asking(v="mixed")
    groups, before, now = rel(*GROUPS), rel("scan before (a INT, n BIGINT)"), rel("scan now (a INT, n BIGINT)")
    assert memo.delta(groups) is not None
    assert memo.whole(groups, "old") != before
    assert memo.whole(groups, "new") != now
    change = comes(rel("scan more (a INT, n BIGINT)"))
    memo.read(groups, StoredPlan(before, now, change))
    assert (memo.whole(groups, "old"), memo.whole(groups, "new")) == (before, now)
    assert memo.delta(groups) == change
    above = rel("filter (c1 > 1)", *(f".{line}" for line in GROUPS))
    assert memo.stored(memo.whole(above, "new")).inputs == (now,)


def test_a_kept_plan_that_did_not_change_is_no_change() -> None:
    memo = Asking(v="mixed")
    groups, same = rel(*GROUPS), rel("scan before (a INT, n BIGINT)")
    memo.read(groups, StoredPlan(same, same, None))
    assert memo.delta(rel("filter (c1 > 1)", *(f".{line}" for line in GROUPS))) is None


WANTED: dict[str, tuple[Rel, list[Rel]]] = {
    "a table": (rel(V), []),
    "a selection": (rel("filter (c0 > 1)", f".{V}"), []),
    "groups": (rel(*GROUPS), [rel(*GROUPS)]),
    "groups under a selection": (rel("filter (c1 > 1)", *(f".{s}" for s in GROUPS)), [rel(*GROUPS)]),
    "elements of groups": (
        rel("unnest explode(array(c0)) width 1", *(f".{s}" for s in GROUPS)),
        [rel(*GROUPS)],
    ),
    "a join with what selects from it": (
        rel("project c0", ".join inner on c0 = c0", f"..{V}", f"..{W}"),
        [rel("project c0", ".join inner on c0 = c0", f"..{V}", f"..{W}")],
    ),
    "a limit of a join": (
        rel("topk order c0 asc first limit 1", ".filter (c1 > 1)", "..join inner on c0 = c0", f"...{V}", f"...{W}"),
        [rel("filter (c1 > 1)", ".join inner on c0 = c0", f"..{V}", f"..{W}")],
    ),
    "a window over groups": (rel("window compute rank()", *(f".{s}" for s in GROUPS)), [rel(*GROUPS)]),
    "each part of a union": (
        rel("union", *(f".{s}" for s in GROUPS), ".join semi on c0 = c0", f"..{V}", f"..{W}"),
        [rel(*GROUPS), rel("join semi on c0 = c0", f".{V}", f".{W}")],
    ),
    "distinct rows": (rel("distinct", f".{V}"), [rel("distinct", f".{V}")]),
    "a set operation": (rel("except all", f".{V}", f".{W}"), [rel("except all", f".{V}", f".{W}")]),
}


@pytest.mark.parametrize("name", WANTED)
def test_what_is_worth_keeping(name: str) -> None:
    plan_, expected = WANTED[name]
    memo = Asking(v="mixed")
    memo.wants(plan_)
    assert memo.spared == expected


def test_asking_for_all_rows_says_so() -> None:
    memo = Asking(v="mixed")
    assert memo.stored(memo.whole(rel(*GROUPS), "old")) == rel(GROUPS[0], f".{OLD_V}")
    assert memo.spared == [rel(*GROUPS)]


def test_what_is_kept_is_not_asked_for_again() -> None:
    memo = Asking(v="mixed")
    same = rel("scan before (a INT, n BIGINT)")
    memo.read(rel(*GROUPS), StoredPlan(same, same, None))
    memo.wants(rel("filter (c1 > 1)", *(f".{s}" for s in GROUPS)))
    memo.keep(rel(*GROUPS))
    assert not memo.spared
    assert not memo.asked.requires


def test_a_part_is_restricted_and_nothing_is_wanted() -> None:
    memo = Asking(v="mixed")
    part = memo.part(rel(*GROUPS), "old", [Col(0)], rel("scan keys (a INT)"))
    assert memo.stored(part) == rel(GROUPS[0], ".join semi on c0 <=> c0", f"..{OLD_V}", "..scan keys (a INT)")
    assert not memo.spared
    assert not preferred(memo.goals[part.digest]).spares


def test_a_part_that_cannot_be_restricted_is_wanted() -> None:
    memo = Asking(v="mixed")
    part = memo.part(rel(*GROUPS), "old", [Col(1)], rel("scan keys (n BIGINT)"))
    (way,) = memo.goals[part.digest].alternatives
    assert (way.rule, way.spares) == ("push", (rel(*GROUPS),)), "there is nothing to choose from"


def test_without_keys_all_rows_are_asked_for_if_there_are_any_values() -> None:
    memo = Asking(v="mixed")
    values = rel("scan keys (n BIGINT)")
    assert memo.part(rel(V), "old", [], values) == Join(kind="semi", left=rel(OLD_V), right=values)
    assert not memo.spared
    memo.part(rel("filter (c1 > 1)", *(f".{s}" for s in GROUPS)), "new", [], values)
    assert memo.spared == [rel(*GROUPS)]
    memo.part(rel("join inner on c0 = c0", f".{V}", f".{W}"), "new", [], values)
    assert memo.spared == [rel(*GROUPS)], "a join is not worth it for that"


def test_a_plan_is_looked_at_once() -> None:
    memo = Asking(v="mixed")
    filtered = rel("filter (c0 > 1)", f".{V}")
    assert memo.delta(filtered) == memo.delta(rel("filter (c0 > 1)", f".{V}"))
    assert [goal.rel for goal in memo.goals.values()] == [filtered]


@pytest.mark.parametrize(("kind", "reduced"), [("append", False), ("mixed", False), ("layered", True)])
def test_only_changes_upon_changes_are_reduced(kind: Kind, reduced: bool) -> None:
    change = Asking(v=kind).delta(rel(V))
    assert change is not None
    assert change.signed is (kind != "append")
    assert (not isinstance(change.rel, Scan)) is reduced


def test_changes_whose_rows_cannot_be_told_apart_are_taken_as_they_are() -> None:
    change = Asking(v="layered").delta(rel("scan v (a MAP<INT, INT>)"))
    assert change is not None
    assert isinstance(change.rel, Scan)


@pytest.mark.parametrize("kind", ["semi", "anti", "left"])
def test_a_join_whose_right_side_stands_still_has_a_delta_without_a_sign(kind: str) -> None:
    join = rel(f"join {kind} on c0 = c0", f".{V}", f".{U}")
    assert not Asking(v="append").is_signed(join)
    assert Asking(u="append").is_signed(join)
    assert Asking(v="mixed").is_signed(join)


def test_the_forms_of_a_relation_are_counted() -> None:
    """A snapshot before and one now, six parts of each, and the delta."""
    assert ExplorationOptions(most_parts=3, most_keys=2).most_forms == 15
