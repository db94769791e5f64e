"""The memo: for every form of every relation that a refresh may need, the ways to compute it from other forms.

A *group* is a relation of the algebra, found by its digest. A *goal* is a form of a group: its snapshot at a point, its
delta between two, a part of a snapshot; or a plan over such forms that is read more than once. An *alternative* is one
way to a goal, as a plan over *references*: scans that stand for other goals. Nothing is inlined: a plan is expanded
only when it is chosen, so that the memo grows with the operators of the views and the inputs of their joins, however
often a part of them is read.

    CREATE VIEW v AS SELECT k, max(x) FROM (SELECT ... FROM a JOIN b ...) GROUP BY k

    delta of the groups      by groups:    g(part of the join now) - g(part of the join before)
    delta of the join        by terms:     d(a) join b + a before join d(b)
    part of the join, now    by push:      part of a join b
                             by select:    snapshot of the join, semi join the domain
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tidewheel.delta.change import DeltaPlan
from tidewheel.ir.forms import Form
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan whose result is stored: its rows before and after, and its change by a plan of its own."""

    old: Rel
    new: Rel
    change: DeltaPlan | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One way to a goal: the rule that made it, and a plan over references to other goals and over what is stored.

    `requires` are plans that must be kept for it to be right: they may come out differently when computed again.
    `spares` are plans that it computes for all rows, and would only read if they were kept.
    """

    rule: str
    plan: Rel
    requires: tuple[Rel, ...] = ()
    spares: tuple[Rel, ...] = ()

    def references(self) -> Iterator[Scan]:
        """The scans of the plan, each once: of goals, and of what is stored."""
        return (node for node in nodes(self.plan) if isinstance(node, Scan))


@dataclass(slots=True)
class Goal:
    """A form of a relation, by which scan it is referred to, and the ways to it."""

    reference: Scan
    rel: Rel
    form: Form
    alternatives: list[Alternative] = field(default_factory=list)


@dataclass(slots=True)
class RuleUse:
    """How often a rule was asked, gave an alternative, and was chosen."""

    asked: int = 0
    gave: int = 0
    chosen: int = 0


Choose: TypeAlias = Callable[[Goal], Alternative]
"""The alternative by which a goal is computed."""


def preferred(goal: Goal) -> Alternative:
    """The first: rules stand in order of preference, for whoever has no sizes to choose by."""
    return goal.alternatives[0]
