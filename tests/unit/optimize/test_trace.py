"""What `explain --trace` shows: goals, alternatives with their seconds, and how rules fared."""

from __future__ import annotations

from tests.golden.made_up import MadeUp
from tests.unit.ir.test_dependencies import V, plan
from tidewheel.delta.change import Kind
from tidewheel.ir.text import parse_rel
from tidewheel.optimize.cost import DEFAULTS
from tidewheel.optimize.maintenance import changes, upkeep_of
from tidewheel.optimize.trace import Trace, trace_of
from tidewheel.optimize.valuation import Venue, decide

REL = parse_rel(
    plan("aggregate by c0 compute percentile(c1, 0.5)", ".join left on c0 = c0", f"..{V}", "..scan w (p INT, q INT)")
)
MIXED: dict[str, Kind] = {"v": "mixed", "w": "mixed"}
DRIVER = Venue(place="driver", prices=DEFAULTS["driver"])


def traced() -> Trace:
    stock = MadeUp()
    _, looked = changes(
        upkeep_of(REL, ("a", "m")), MIXED, decide=lambda some, memo: decide([s.rel for s in some], memo, stock, DRIVER)
    )
    return trace_of(looked)


def test_every_goal_that_is_computed_has_a_rule_and_those_with_a_choice_have_seconds() -> None:
    trace = traced()
    assert trace.goals >= len(trace.groups) > 1
    chosen = [group for group in trace.groups if group.ways]
    assert chosen
    assert all(len(group.ways) > 1 and group.rule in group.ways for group in chosen)


def test_rules_count_what_they_were_asked_for_what_they_gave_and_what_was_taken() -> None:
    rules = traced().rules
    assert all(use.asked >= use.gave >= use.chosen for use in rules.values())
    assert sum(use.chosen for use in rules.values()) > 0


def test_a_trace_is_told_the_same_way_each_time() -> None:
    told = traced().to_dict()
    assert told == traced().to_dict()
    assert [stored["method"] for stored in told["stored"]] == ["groups"]
    assert list(told["rules"]) == sorted(told["rules"])
    assert told["stopped"] is None
    assert all(seconds == round(seconds, 5) for group in told["groups"] for seconds in group["ways"].values())


def test_without_prices_the_first_alternatives_are_told_without_seconds() -> None:
    _, looked = changes(upkeep_of(REL, ("a", "m")), MIXED)
    assert not any(group.ways for group in trace_of(looked).groups)
