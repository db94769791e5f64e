"""The normal form of a plan: rules until none fires."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from tidewheel.errors import InternalError
from tidewheel.ir.memo import by_digest
from tidewheel.ir.norm.rules import NODE_RULES, PLAN_RULES, NormRule
from tidewheel.ir.rel import Aggregate, Distinct, Join, Query, Rel, SetOp, TopK, Union, Unnest, Values, Window
from tidewheel.ir.tree import nodes, with_inputs

P = TypeVar("P", Query, Rel)

_COSTLY: Final = (Join, Aggregate, Distinct, Union, SetOp, Window, TopK, Unnest)
_ALL_BUT_EMPTY: Final = frozenset(r.name for r in (*NODE_RULES, *PLAN_RULES)) - {"propagate_empty", "remove_empty_part"}
_MOST_STEPS: Final = 100_000
_MOST_ROUNDS: Final = 50
_MOST_PUSHED: Final = 1.0
"""A part of a plan that several read through a projection may be made anew for one of them, as long as fewer operators
came of pushing filters into parts than the plan has, times this. A query of twenty subqueries, each of which reads
the one before twice, with another filter each time, would become a million operators."""


def normalize(plan: P, *, disabled: frozenset[str] = frozenset()) -> P:
    """An equivalent plan to which no rule applies; equal parts of it are one object.

    It gives the same rows as the original wherever that gives rows, and raises no error that the original does not.
    """
    if isinstance(plan, Query):
        return replace(plan, rel=_normal(plan.rel, disabled))
    return _normal(plan, disabled)


def without_empty(rel: Rel) -> Rel:
    """The plan without the parts that have no rows because something below has none."""
    return _normal(rel, _ALL_BUT_EMPTY) if _reads_nothing(rel) else rel


@by_digest
def _reads_nothing(rel: Rel) -> bool:
    """Is there a part of the plan that has no rows."""
    return any(map(_reads_nothing, rel.inputs)) or (isinstance(rel, Values) and not rel.rows)


def _normal(rel: Rel, disabled: frozenset[str]) -> Rel:
    node_rules = _rules_by_node(disabled)
    plan_rules = [rule for rule in PLAN_RULES if rule.name not in disabled]
    settled: set[bytes] = set()
    pushed = _Budget(_MOST_PUSHED * sum(1 for _ in nodes(rel)))
    for _ in range(_MOST_ROUNDS):
        before = rel.digest
        # Rules of the plan first: what they leave out need not be looked at.
        for rule in plan_rules:
            rel = next(rule.apply(rel), rel)
        rel = _Round(rel, node_rules, settled, pushed).result
        if rel.digest == before:
            return rel
    raise InternalError("normalization does not end", code="endless-rules", detail=f"After {_MOST_ROUNDS} rounds.")


@functools.lru_cache(maxsize=100)
def _rules_by_node(disabled: frozenset[str]) -> dict[type, list[NormRule]]:
    """The rules that may apply to each kind of node."""
    rules = [rule for rule in NODE_RULES if rule.name not in disabled]
    return {kind: [rule for rule in rules if kind in rule.on] for kind in {k for rule in rules for k in rule.on}}


@dataclass(slots=True)
class _Budget:
    """How many operators may come of pushing into parts of the plan, and came."""

    most: float
    done: int = 0

    @property
    def is_enough(self) -> bool:
        return self.done > self.most


class _Round:
    """The rules of nodes, from the bottom up, on every different node once.

    `normal` has the normal form of each node seen so far, by digest, and of the normal forms themselves; so what a rule
    puts above parts that are done costs nothing for those. The work is a list, not recursion: plans may be deep.
    `settled` are nodes that no rule changes, of whoever uses them; they are so in the next round too.
    `shared` are costly parts with several users: no rule makes another part of one for one of them. If the users read
    it through a projection that they share, a few may have a part of their own.
    """

    def __init__(self, root: Rel, rules: dict[type, list[NormRule]], settled: set[bytes], pushed: _Budget) -> None:
        self.settled, self.rules = settled, rules
        self.shared, self.through = _shared(root)
        self.pushed = pushed
        self.normal: dict[bytes, Rel] = {}
        self.steps = 0
        self._run(root)
        self.result = self.normal[root.digest]

    def _run(self, root: Rel) -> None:
        # Each item: a node, and what it came from if a rule or its inputs made it; ready once its inputs are done.
        todo: list[tuple[Rel, tuple[bytes, ...], bool]] = [(root, (), False)]
        while todo:
            node, origins, ready = todo.pop()
            if node.digest in self.normal:
                self._note(self.normal[node.digest], (node.digest, *origins))
            elif not ready:
                todo.append((node, origins, True))
                todo.extend((i, (), False) for i in node.inputs if i.digest not in self.normal)
            else:
                current = with_inputs(node, [self.normal[i.digest] for i in node.inputs])
                origins = (*origins, node.digest)
                new = self._step(current)
                if new is None:
                    self._note(self.normal.get(current.digest, current), (*origins, current.digest))
                else:
                    self._count_step()
                    todo.append((new, (*origins, current.digest), False))

    def _note(self, normal: Rel, origins: tuple[bytes, ...]) -> None:
        for digest in origins:
            self.normal[digest] = normal
        if isinstance(normal, _COSTLY):
            for known in (self.shared, self.through):
                if not known.isdisjoint(origins):
                    known.add(normal.digest)

    def _step(self, node: Rel) -> Rel | None:
        """What the first rule that fires makes of a node whose inputs are normal."""
        if node.digest in self.normal:
            return self.normal[node.digest] if self.normal[node.digest].digest != node.digest else None
        if node.digest in self.settled:
            return None
        held_back = any(self._is_held(i) for i in node.inputs)
        for rule in self.rules.get(type(node), ()):
            if rule.specializes and held_back:
                continue
            for new in rule.apply(node):
                if new.digest != node.digest:
                    self.pushed.done += _copies(node) if rule.specializes else 0
                    return new
        if not held_back:
            self.settled.add(node.digest)
        return None

    def _is_held(self, part: Rel) -> bool:
        return part.digest in self.shared or (part.digest in self.through and self.pushed.is_enough)

    def _count_step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise InternalError("normalization does not end", code="endless-rules", detail=f"After {self.steps} steps.")


def _copies(node: Rel) -> int:
    """How many operators come of one that is pushed into its input: one, or one for each part of a union."""
    return max((len(i.parts) for i in node.inputs if isinstance(i, Union)), default=1)


def _shared(root: Rel) -> tuple[set[bytes], set[bytes]]:
    """Costly nodes that more than one place uses; and those that several use through a projection or a filter."""
    order = list(nodes(root))
    direct: Counter[bytes] = Counter()
    through: Counter[bytes] = Counter({root.digest: 1})
    for node in reversed(order):
        several = 1 if isinstance(node, _COSTLY) else min(through[node.digest], 2)
        for part in node.inputs:
            direct[part.digest] += 1
            through[part.digest] += several
    costly = [node.digest for node in order if isinstance(node, _COSTLY)]
    return {d for d in costly if direct[d] > 1}, {d for d in costly if direct[d] == 1 and through[d] > 1}
