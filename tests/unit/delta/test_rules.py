"""Each rule where it fires and where it must not; whichever it is, the change leads from the old rows to the new."""

from __future__ import annotations

import pytest

from tests.unit.delta.changed import BOTH, GROWN, FirstRules, W, X, check
from tests.unit.ir.test_dependencies import T, U, V, plan
from tidewheel.delta.rules import NAMES, RULES
from tidewheel.ir.parts import Column
from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.rel import Join, Scan
from tidewheel.ir.text import parse_rel
from tidewheel.ir.tree import nodes, relations
from tidewheel.optimize.alternatives import StoredPlan
from tidewheel.types import UNKNOWN

Y = "scan y (a BIGINT, b INT)"

# name: plan, the rule of its topmost operator
FIRES = {
    "filter": (plan("filter (c0 > 0)", f".{V}"), "filter"),
    "project": (plan("project c1, (c0 + c1)", f".{V}"), "project"),
    "unnest": (plan("unnest explode(array(c0, c1)) width 1", f".{V}"), "unnest"),
    "posexplode outer": (plan("unnest outer posexplode(array(c0, c1)) width 2", f".{V}"), "unnest"),
    "union": (plan("union", f".{V}", f".{W}", f".{V}"), "union"),
    "a union of several types": (plan("union", f".{V}", f".{X}"), "union"),
    "inner join": (plan("join inner on c0 = c0", f".{V}", f".{W}"), "join-terms"),
    "inner join, null-safe": (plan("join inner on c0 <=> c0", f".{V}", f".{W}"), "join-terms"),
    "inner join, key and residual": (plan("join inner on c0 = c0 where (c1 < c3)", f".{V}", f".{W}"), "join-terms"),
    "inner join without keys": (plan("join inner where (c1 < c3)", f".{V}", f".{W}"), "join-terms"),
    "all pairs": (plan("join inner", f".{V}", f".{W}"), "join-terms"),
    "self join": (plan("join inner on c0 = c1", f".{V}", f".{V}"), "join-terms"),
    "three tables": (
        plan("join inner on c3 = c0", ".join inner on c0 = c0", f"..{V}", f"..{W}", f".{U}"),
        "join-terms",
    ),
    "three tables to the right": (
        plan("join inner on c0 = c1", f".{V}", ".join inner on c0 = c1", f"..{W}", f"..{U}"),
        "join-terms",
    ),
    "three times the same": (
        plan("join inner on c0 = c0", ".join inner on c0 = c1", f"..{V}", f"..{V}", f".{V}"),
        "join-terms",
    ),
    "a chain that connects in another order": (
        plan("join inner on c1 = c0, c3 = c1", ".join inner", f"..{V}", f"..{W}", f".{U}"),
        "join-terms",
    ),
    "joins under filters and projections": (
        plan(
            "join inner on c1 = c0",
            ".project (c0 + c3), c1",
            "..filter (c1 <> c2)",
            "...join inner on c0 = c0",
            f"....{V}",
            f"....{W}",
            f".{U}",
        ),
        "join-terms",
    ),
    "an inner join over groups": (
        plan("join inner on c0 = c0", f".{V}", ".aggregate by c0 compute count()", f"..{W}"),
        "join-terms",
    ),
    "an equality of one side only": (plan("join inner on c0 = c0 where (c0 = c1)", f".{V}", f".{W}"), "join-terms"),
    "an equality the other way round": (plan("join inner where (c2 = c0)", f".{V}", f".{W}"), "join-terms"),
    "an equality of a mixture": (plan("join inner where ((c0 + c2) = c1)", f".{V}", f".{W}"), "join-terms"),
    "an equality of a mixture, turned": (plan("join inner where (c3 = (c0 + c2))", f".{V}", f".{W}"), "join-terms"),
    "a condition that is no call": (
        plan("join inner where CASE WHEN (c0 < c2) THEN TRUE ELSE FALSE END", f".{V}", f".{W}"),
        "join-terms",
    ),
    "left join": (plan("join left on c0 = c0", f".{V}", f".{W}"), "join-parts"),
    "left join, null-safe": (plan("join left on c0 <=> c0", f".{V}", f".{W}"), "join-parts"),
    "left join with residual": (plan("join left on c0 = c0 where (c1 < c3)", f".{V}", f".{W}"), "join-parts"),
    "left join without keys": (plan("join left where (c1 < c3)", f".{V}", f".{W}"), "join-parts"),
    "left join over groups": (
        plan("join left on c0 = c0", f".{V}", ".aggregate by c0 compute count()", f"..{W}"),
        "join-parts",
    ),
    "left join by two keys": (plan("join left on c0 = c0, c1 = c1", f".{V}", f".{W}"), "join-parts"),
    "left join by two keys, one null-safe": (plan("join left on c0 = c0, c1 <=> c1", f".{V}", f".{W}"), "join-parts"),
    "semi join": (plan("join semi on c0 = c0", f".{V}", f".{W}"), "join-parts"),
    "semi join without keys": (plan("join semi where (c1 < c3)", f".{V}", f".{W}"), "join-parts"),
    "semi join with anything": (plan("join semi", f".{V}", f".{W}"), "join-parts"),
    "anti join": (plan("join anti on c0 = c0", f".{V}", f".{W}"), "join-parts"),
    "anti join with residual": (plan("join anti on c0 = c0 where (c1 < c3)", f".{V}", f".{W}"), "join-parts"),
    "NOT IN": (plan("join anti on c0 in c0", f".{V}", f".{W}"), "join-parts"),
    "NOT IN of a group": (plan("join anti on c0 in c0, c1 = c1", f".{V}", f".{W}"), "join-parts"),
    "NOT IN of several groups": (
        plan("join anti on c0 in c1", f".{V}", ".aggregate by c0 compute max(c1)", f"..{W}"),
        "join-parts",
    ),
    "NOT IN of groups, by group": (
        plan("join anti on c0 in c1, c1 = c0", f".{V}", ".aggregate by c0 compute max(c1)", f"..{W}"),
        "join-parts",
    ),
    "NOT IN with a residual": (plan("join anti on c0 in c0 where (c1 < c3)", f".{V}", f".{W}"), "join-parts"),
    "full join": (plan("join full on c0 = c0", f".{V}", f".{W}"), "full-join-as-union"),
    "full join, null-safe": (plan("join full on c0 <=> c0", f".{V}", f".{W}"), "full-join-as-union"),
    "full join with residual": (plan("join full on c0 = c0 where (c1 < c3)", f".{V}", f".{W}"), "full-join-as-union"),
    "full join without keys": (plan("join full where (c1 < c2)", f".{V}", f".{W}"), "full-join-as-union"),
    "full join of sides of different width": (plan("join full on c1 = c0 where (c2 < c4)", f".{T}", f".{W}"), None),
    "grouping sets": (plan("aggregate by c0, c1 sets (0, 1) (1) () compute sum(c1)", f".{V}"), "grouping-sets"),
    "a grouping set twice": (plan("aggregate by c0 sets (0) (0) compute sum(c1)", f".{V}"), "grouping-sets"),
    "groups": (plan("aggregate by c0 compute sum(c1), max(c1)", f".{V}"), "groups"),
    "groups by an expression": (plan("aggregate by (c0 + 1), c1 compute count()", f".{V}"), "groups"),
    "groups of no aggregate": (plan("aggregate by c0", f".{V}"), "groups"),
    "distinct": (plan("distinct", f".{V}"), "distinct-rows"),
    "EXCEPT": (plan("except", f".{V}", f".{W}"), "setop-rows"),
    "EXCEPT ALL": (plan("except all", f".{V}", f".{W}"), "setop-rows"),
    "INTERSECT": (plan("intersect", f".{V}", f".{W}"), "setop-rows"),
    "INTERSECT ALL of several types": (plan("intersect all", f".{V}", f".{X}"), "setop-rows"),
    "window": (plan("window partition c0 order c1 asc first compute rank()", f".{V}"), "window-partitions"),
    "a total": (plan("aggregate compute sum(c1), count()", f".{V}"), "difference"),
    "a window over all rows": (plan("window order c1 asc first compute rank()", f".{V}"), "difference"),
    "a limit": (plan("topk order c0 asc first, c1 asc first limit 2", f".{V}"), "difference"),
    "all rows of a total": (
        plan("join inner where (c1 < c2)", f".{V}", ".aggregate compute max(c0)", f"..{W}"),
        "join-terms",
    ),
}


@pytest.mark.parametrize("name", FIRES)
def test_a_change_of_everything(name: str) -> None:
    text, rule = FIRES[name]
    rel = parse_rel(text)
    memo = check(rel, BOTH)
    assert rule is None or memo.rule(rel) == rule


@pytest.mark.parametrize("name", FIRES)
def test_rows_that_only_come(name: str) -> None:
    check(parse_rel(FIRES[name][0]), GROWN)


@pytest.mark.parametrize("name", FIRES)
def test_one_input_changes(name: str) -> None:
    rel = parse_rel(FIRES[name][0])
    for only in relations(rel):
        check(rel, {only: "mixed"}, worlds=6)


@pytest.mark.parametrize("name", FIRES)
def test_without_the_rules_that_fired(name: str) -> None:
    """Whatever is left gives the same rows, down to the last resort."""
    rel = parse_rel(FIRES[name][0])
    disabled: tuple[str, ...] = ()
    while (rule := check(rel, BOTH, disabled, worlds=6).rule(rel)) != "difference":
        disabled = (*disabled, rule)


def test_nothing_changed() -> None:
    rel = parse_rel(plan("join inner on c0 = c0", f".{V}", f".{W}"))
    memo = FirstRules({"z": "mixed"})
    assert memo.change(rel) is None
    assert memo.rule(rel) == "none"


def test_relations_are_known_in_any_case() -> None:
    rel = parse_rel(plan("scan V (a INT, b INT)"))
    memo = FirstRules({"v": "append"})
    change = memo.change(rel)
    assert change is not None
    assert change.rel == parse_rel(plan("scan V from before to now (a INT, b INT)"))


@pytest.mark.parametrize(
    "name", ["filter", "project", "unnest", "union", "inner join", "self join", "three tables", "all pairs"]
)
def test_an_append_stays_an_append(name: str) -> None:
    change = FirstRules(GROWN).change(parse_rel(FIRES[name][0]))
    assert change is not None
    assert not change.signed


def test_the_left_of_an_outer_join_appends() -> None:
    change = FirstRules({"v": "append"}).change(parse_rel(FIRES["left join"][0]))
    assert change is not None
    assert not change.signed


# --- where rules must not fire ---

JOIN_KEYS = ("join-parts", "full-join-as-union")
NOT = {
    "keys of an inner join": (plan("join inner on c0 = c0", f".{V}", f".{W}"), ("join-terms",), "difference"),
    "keys of a left join": (plan("join left on c0 = c0", f".{V}", f".{W}"), JOIN_KEYS, "join-keys"),
    "keys of a full join": (plan("join full on c0 = c0", f".{V}", f".{W}"), JOIN_KEYS, "join-keys"),
    "keys of a null-safe full join": (plan("join full on c0 <=> c0", f".{V}", f".{W}"), JOIN_KEYS, "join-keys"),
    "keys of a semi join with a residual": (
        plan("join semi on c0 = c0 where (c1 < c3)", f".{V}", f".{W}"),
        JOIN_KEYS,
        "join-keys",
    ),
    "keys of NOT IN": (plan("join anti on c0 in c0", f".{V}", f".{W}"), JOIN_KEYS, "difference"),
    "no keys": (plan("join left where (c1 < c3)", f".{V}", f".{W}"), JOIN_KEYS, "difference"),
    "keys of different types": (plan("join full on c0 = c0", f".{V}", f".{X}"), JOIN_KEYS, "difference"),
    "keys in other places": (plan("join left on c0 = c1", f".{V}", f".{Y}"), JOIN_KEYS, "join-keys"),
    "parts of a full join": (plan("join full on c0 = c0", f".{V}", f".{W}"), ("full-join-as-union",), "join-keys"),
    "sets of plain groups": (plan("aggregate by c0 compute count()", f".{V}"), ("groups",), "difference"),
    "groups of grouping sets": (
        plan("aggregate by c0 sets (0) () compute count()", f".{V}"),
        ("grouping-sets",),
        "difference",
    ),
}


@pytest.mark.parametrize("name", NOT)
def test_what_is_left_without_some_rules(name: str) -> None:
    text, disabled, rule = NOT[name]
    rel = parse_rel(text)
    assert check(rel, BOTH, disabled).rule(rel) == rule


def test_a_full_join_of_unknown_types_is_no_union() -> None:
    unknown = Scan(relation="v", columns=(Column("a", UNKNOWN, nullable=True),))
    rel = Join(kind="full", left=unknown, right=parse_rel(plan(W)), residual=parse_scalar("(c0 = c1)"))
    memo = FirstRules(BOTH)
    memo.change(rel)
    assert memo.rule(rel) == "difference"


def test_the_last_resort_cannot_be_switched_off() -> None:
    rel = parse_rel(FIRES["inner join"][0])
    assert check(rel, BOTH, NAMES).rule(rel) == "difference"


def test_every_rule_has_a_name_of_its_own_and_says_what_it_does() -> None:
    rules = [rule for some in RULES.values() for rule in some]
    assert len({rule.name for rule in rules}) == len(rules) == len(NAMES) - 1
    assert all(rule.doc.startswith("d(") for rule in rules)


def test_names_of_rules_that_fire_are_all_rules() -> None:
    fired = {rule for _, rule in FIRES.values()} | {rule for _, _, rule in NOT.values()}
    assert set(NAMES) <= fired


@pytest.mark.parametrize("name", FIRES)
def test_inputs_that_are_kept_and_did_not_change(name: str) -> None:
    """Nothing comes of nothing, whatever rule looks at it."""
    rel = parse_rel(FIRES[name][0])
    for disabled in ((), *((rule,) for rule in NAMES), JOIN_KEYS):
        memo = FirstRules(BOTH, disabled=disabled)
        for scan in {n for n in nodes(rel) if isinstance(n, Scan)}:
            memo.read(scan, StoredPlan(scan, scan, None))
        assert memo.change(rel) is None
