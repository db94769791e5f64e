"""What a search for a view's change looked at: the operators, the ways that were priced, and how rules fared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class RuleUse:
    """How often a rule was asked, gave a change, and was the cheapest."""

    asked: int = 0
    gave: int = 0
    chosen: int = 0


@dataclass(frozen=True, slots=True)
class Searched:
    """One operator: the rule by which its change is computed, and the seconds of all ways that were priced."""

    operator: str
    rule: str
    ways: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A whole search. `snapshots` are the forms of plans before and after that were asked for.

    `stored` are the view and its states, each with its top operator and the method by which its rows are kept.
    """

    stored: tuple[Searched, ...] = ()
    groups: tuple[Searched, ...] = ()
    snapshots: int = 0
    rules: Mapping[str, RuleUse] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "stored": [{"operator": s.operator, "method": s.rule} for s in self.stored],
            "groups": [
                {"operator": g.operator, "rule": g.rule, "ways": {k: round(v, 5) for k, v in g.ways.items()}}
                for g in self.groups
            ],
            "snapshots": self.snapshots,
            "rules": {
                name: {"asked": use.asked, "gave": use.gave, "chosen": use.chosen}
                for name, use in sorted(self.rules.items())
            },
        }
