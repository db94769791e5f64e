"""What a search for a view's change looked at: the goals, the alternatives that were priced, and how rules fared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tidewheel.ir.forms import CHANGE, Form
from tidewheel.optimize.alternatives import Goal, RuleUse
from tidewheel.optimize.maintenance import Explored
from tidewheel.optimize.valuation import Decision


@dataclass(frozen=True, slots=True)
class SearchedGoal:
    """One operator in one form: the rule by which it is computed, and the seconds of all that were priced."""

    operator: str
    rule: str
    ways: Mapping[str, float] = field(default_factory=dict)
    form: Form = CHANGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A whole search. `goals` are all that were looked at, `groups` those that are computed.

    `stored` are the view and its states, each with its top operator and the method by which its rows are kept.
    `stopped` says why the search ended early, if it did.
    """

    stored: tuple[SearchedGoal, ...] = ()
    groups: tuple[SearchedGoal, ...] = ()
    goals: int = 0
    rules: Mapping[str, RuleUse] = field(default_factory=dict)
    stopped: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "stored": [{"operator": s.operator, "method": s.rule} for s in self.stored],
            "groups": [
                {
                    "operator": g.operator,
                    "form": str(g.form),
                    "rule": g.rule,
                    "ways": {k: round(v, 5) for k, v in g.ways.items()},
                }
                for g in self.groups
            ],
            "goals": self.goals,
            "rules": {
                name: {"asked": use.asked, "gave": use.gave, "chosen": use.chosen}
                for name, use in sorted(self.rules.items())
            },
            "stopped": self.stopped,
        }


def trace_of(explored: Explored) -> Trace:
    """What was looked at for some statements, and what was chosen."""
    decision = explored.choose if isinstance(explored.choose, Decision) else Decision()
    groups = [_searched(goal, explored, decision) for goal in explored.reached()]
    rules = {name: replace(use, chosen=0) for name, use in explored.memo.uses.items()}
    for group in groups:
        if group.rule in rules:
            rules[group.rule].chosen += 1
    return Trace(
        stored=tuple(SearchedGoal(s.stored.rel.line, s.method) for s in explored.statements),
        groups=tuple(groups),
        goals=len(explored.memo.goals),
        rules=rules,
        stopped=decision.stopped,
    )


def _searched(goal: Goal, explored: Explored, decision: Decision) -> SearchedGoal:
    ways = decision.seconds.get(goal.reference.digest, {})
    return SearchedGoal(goal.rel.line, explored.choose(goal).rule, ways, goal.form)
