"""The memo: snapshots of both times, what is kept, and what it says would be better kept."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import U, V, plan
from tidewheel.delta.change import Kind, comes
from tidewheel.ir.rel import Join, Rel, Scan
from tidewheel.ir.scalar import Col
from tidewheel.ir.text import parse_rel
from tidewheel.optimize.memo import Memo, StoredPlan

W = "scan w (p INT, q INT)"
OLD_V = "scan v at before (a INT, b INT)"
GROUPS = ("aggregate by c0 compute count()", f".{V}")


def rel(*lines: str) -> Rel:
    return parse_rel(plan(*lines))


def test_only_what_changed_has_an_old_snapshot() -> None:
    memo = Memo({"v": "mixed"})
    join = rel("join inner on c0 = c0", f".{V}", f".{U}")
    assert memo.snapshot(join, "new") == join
    assert memo.snapshot(join, "old") == rel("join inner on c0 = c0", f".{OLD_V}", f".{U}")


def test_an_old_snapshot_keeps_its_keys() -> None:
    memo = Memo({"u": "append"})
    assert memo.snapshot(rel(U), "old") == rel("scan u at before (k INT NOT NULL, a INT) key (c0)")


def test_what_is_kept_is_read() -> None:
    memo = Memo({"v": "mixed"})
    groups, before, now = rel(*GROUPS), rel("scan before (a INT, n BIGINT)"), rel("scan now (a INT, n BIGINT)")
    assert memo.delta(groups) is not None
    assert memo.snapshot(groups, "old") != before
    assert memo.snapshot(groups, "new") != now
    change = comes(rel("scan more (a INT, n BIGINT)"))
    memo.read(groups, StoredPlan(before, now, change))
    assert (memo.snapshot(groups, "old"), memo.snapshot(groups, "new")) == (before, now)
    assert memo.delta(groups) == change
    assert memo.groups[groups.digest].rule == "kept"
    above = rel("filter (c1 > 1)", *(f".{line}" for line in GROUPS))
    assert memo.snapshot(above, "new").inputs == (now,)


def test_a_kept_plan_that_did_not_change_is_no_change() -> None:
    memo = Memo({"v": "mixed"})
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
    memo = Memo({"v": "mixed"})
    memo.wants(plan_)
    assert list(memo.wanted.values()) == expected


def test_asking_for_all_rows_says_so() -> None:
    memo = Memo({"v": "mixed"})
    assert memo.whole(rel(*GROUPS), "old") == rel(GROUPS[0], f".{OLD_V}")
    assert list(memo.wanted.values()) == [rel(*GROUPS)]


def test_what_is_kept_is_not_asked_for_again() -> None:
    memo = Memo({"v": "mixed"})
    same = rel("scan before (a INT, n BIGINT)")
    memo.read(rel(*GROUPS), StoredPlan(same, same, None))
    memo.wants(rel("filter (c1 > 1)", *(f".{s}" for s in GROUPS)))
    assert not memo.wanted


def test_a_part_is_restricted_and_nothing_is_wanted() -> None:
    memo = Memo({"v": "mixed"})
    part = memo.part(rel(*GROUPS), "old", [Col(0)], rel("scan keys (a INT)"))
    assert part == rel(GROUPS[0], ".join semi on c0 <=> c0", f"..{OLD_V}", "..scan keys (a INT)")
    assert not memo.wanted


def test_a_part_that_cannot_be_restricted_is_wanted() -> None:
    memo = Memo({"v": "mixed"})
    for when in ("old", "new"):
        memo.part(rel(*GROUPS), when, [Col(1)], rel("scan keys (n BIGINT)"))
    assert list(memo.wanted.values()) == [rel(*GROUPS)]


def test_without_keys_all_rows_are_asked_for_if_there_are_any_values() -> None:
    memo = Memo({"v": "mixed"})
    values = rel("scan keys (n BIGINT)")
    assert memo.part(rel(V), "old", [], values) == Join(kind="semi", left=rel(OLD_V), right=values)
    assert not memo.wanted
    memo.part(rel("filter (c1 > 1)", *(f".{s}" for s in GROUPS)), "new", [], values)
    assert list(memo.wanted.values()) == [rel(*GROUPS)]
    memo.part(rel("join inner on c0 = c0", f".{V}", f".{W}"), "new", [], values)
    assert list(memo.wanted.values()) == [rel(*GROUPS)], "a join is not worth it for that"


def test_a_plan_is_looked_at_once() -> None:
    memo = Memo({"v": "mixed"})
    filtered = rel("filter (c0 > 1)", f".{V}")
    assert memo.delta(filtered) is memo.delta(rel("filter (c0 > 1)", f".{V}"))
    assert set(memo.groups) == {filtered.digest, rel(V).digest}


@pytest.mark.parametrize(("kind", "reduced"), [("append", False), ("mixed", False), ("layered", True)])
def test_only_changes_upon_changes_are_reduced(kind: Kind, reduced: bool) -> None:
    change = Memo({"v": kind}).delta(rel(V))
    assert change is not None
    assert change.signed is (kind != "append")
    assert (not isinstance(change.rel, Scan)) is reduced


def test_changes_whose_rows_cannot_be_told_apart_are_taken_as_they_are() -> None:
    change = Memo({"v": "layered"}).delta(rel("scan v (a MAP<INT, INT>)"))
    assert change is not None
    assert isinstance(change.rel, Scan)


def test_a_trace_tells_what_was_looked_at() -> None:
    prices = iter([2.0, 1.0])
    memo = Memo({"v": "mixed"}, price=lambda _: next(prices))
    join = ("join left on c0 = c0", f".{V}", f".{U}")
    assert memo.delta(rel("filter (c0 > 1)", *(f".{line}" for line in join))) is not None
    trace = memo.trace()
    above, first, *_ = trace.groups
    assert (above.rule, above.ways) == ("filter", {}), "where there is one way, it is not priced"
    ways = {"join-parts": 2.0, "join-keys": 1.0}
    assert (first.operator, first.rule, first.ways) == (rel(*join).line, "join-keys", ways)
    assert {g.rule for g in trace.groups} == {"filter", "join-keys", "scan", "none"}
    assert trace.snapshots == len(memo.snapshots) > 0
    assert {name: (use.asked, use.gave, use.chosen) for name, use in trace.rules.items()} == {
        "filter": (1, 1, 1),
        "join-terms": (1, 0, 0),
        "join-parts": (1, 1, 0),
        "full-join-as-union": (1, 0, 0),
        "join-keys": (1, 1, 1),
    }
    assert trace.to_dict()["rules"]["join-keys"] == {"asked": 1, "gave": 1, "chosen": 1}
