"""The normal form of a plan: rules until none fires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeVar

from tidewheel.errors import InternalError
from tidewheel.ir.norm.rules import NODE_RULES, PLAN_RULES, Rule
from tidewheel.ir.rel import Aggregate, Distinct, Join, Query, Rel, SetOp, TopK, Union, Unnest, Window
from tidewheel.ir.tree import nodes, with_inputs

P = TypeVar("P", Query, Rel)

_COSTLY: Final = (Join, Aggregate, Distinct, Union, SetOp, Window, TopK, Unnest)
_ALL_BUT_EMPTY: Final = frozenset(r.name for r in (*NODE_RULES, *PLAN_RULES)) - {"propagate_empty", "remove_empty_part"}
_MOST_STEPS: Final = 100_000
_MOST_ROUNDS: Final = 50


def normalize(plan: P, *, disabled: frozenset[str] = frozenset()) -> P:
    """An equivalent plan to which no rule applies; equal parts of it are one object.

    It gives the same rows as the original wherever that gives rows, and raises no error that the original does not.
    """
    if isinstance(plan, Query):
        return replace(plan, rel=_normal(plan.rel, disabled))
    return _normal(plan, disabled)


def without_empty(rel: Rel) -> Rel:
    """The plan without the parts that have no rows because something below has none."""
    return _normal(rel, _ALL_BUT_EMPTY)


def _normal(rel: Rel, disabled: frozenset[str]) -> Rel:
    node_rules = [rule for rule in NODE_RULES if rule.name not in disabled]
    plan_rules = [rule for rule in PLAN_RULES if rule.name not in disabled]
    settled: set[bytes] = set()
    for _ in range(_MOST_ROUNDS):
        before = rel.digest
        # Rules of the plan first: what they leave out need not be looked at.
        for rule in plan_rules:
            rel = next(rule.apply(rel), rel)
        rel = _Round(rel, node_rules, settled).result
        if rel.digest == before:
            return rel
    raise InternalError("normalization does not end", code="endless-rules", detail=f"After {_MOST_ROUNDS} rounds.")


class _Round:
    """The rules of nodes, from the bottom up, on every different node once.

    `normal` has the normal form of each node seen so far, by digest, and of the normal forms themselves; so what a rule
    puts above parts that are done costs nothing for those. The work is a list, not recursion: plans may be deep.
    `settled` are nodes that no rule changes, of whoever uses them; they are so in the next round too.
    """

    def __init__(self, root: Rel, rules: list[Rule], settled: set[bytes]) -> None:
        self.settled = settled
        self.rules: dict[type, list[Rule]] = {
            kind: [rule for rule in rules if kind in rule.on] for kind in {k for rule in rules for k in rule.on}
        }
        self.shared = _shared(root)
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
        if not self.shared.isdisjoint(origins) and isinstance(normal, _COSTLY):
            self.shared.add(normal.digest)

    def _step(self, node: Rel) -> Rel | None:
        """What the first rule that fires makes of a node whose inputs are normal."""
        if node.digest in self.normal:
            return self.normal[node.digest] if self.normal[node.digest].digest != node.digest else None
        if node.digest in self.settled:
            return None
        held_back = any(i.digest in self.shared for i in node.inputs)
        for rule in self.rules.get(type(node), ()):
            if rule.specializes and held_back:
                continue
            for new in rule.apply(node):
                if new.digest != node.digest:
                    return new
        if not held_back:
            self.settled.add(node.digest)
        return None

    def _count_step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise InternalError("normalization does not end", code="endless-rules", detail=f"After {self.steps} steps.")


def _shared(root: Rel) -> set[bytes]:
    """Costly nodes that more than one place uses."""
    uses = Counter(i.digest for node in nodes(root) for i in node.inputs)
    return {node.digest for node in _costly(root) if uses[node.digest] > 1}


def _costly(root: Rel) -> Iterator[Rel]:
    return (node for node in nodes(root) if isinstance(node, _COSTLY))
