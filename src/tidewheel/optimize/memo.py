"""The memo: for each plan its snapshots and its change, each computed once, by the preferred of several ways.

A group is one relation of the algebra, found by its fingerprint. It has three forms here: the snapshot before, the
snapshot after, and the change between. Snapshots are the plan itself over other stored relations; changes come from
rules (`delta/rules`), which ask the memo for the forms of the plans below.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tidewheel.delta.change import Change, Kind, scanned
from tidewheel.delta.forms import Rule, When
from tidewheel.delta.restrict import Restrictions
from tidewheel.delta.rules import LAST, RULES
from tidewheel.ir.forms import BEFORE
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Project,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Window,
)  # fmt: skip
from tidewheel.ir.scalar import Scalar
from tidewheel.ir.tree import nodes, with_inputs
from tidewheel.optimize.trace import RuleUse, Searched, Trace


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan whose result is stored: its rows before, and its change by a plan of its own."""

    old: Rel
    new: Rel
    change: Change | None


Price: TypeAlias = Callable[[Change], float]
"""What it costs to compute a change."""


@dataclass(slots=True)
class Group:
    """One relation, and the way that was chosen to its change. `tried` are all ways that were priced, by rule."""

    rel: Rel
    change: Change | None = None
    rule: str = "none"
    tried: dict[str, float] = field(default_factory=dict)


class Memo:
    """Forms of plans between two versions of the stored relations.

    `changed` says how each relation that changed did, by its name in lower case.
    `disabled` names rules that are not used, `price` decides where several apply (without one, the order of the rules
    does): the answers must stay the same.
    """

    def __init__(self, changed: Mapping[str, Kind], disabled: Collection[str] = (), price: Price | None = None) -> None:
        self.changed, self.price = changed, price
        self.kept: dict[bytes, StoredPlan] = {}
        self.disabled = frozenset(disabled)
        self.groups: dict[bytes, Group] = {}
        self.snapshots: dict[tuple[bytes, When], Rel] = {}
        self.origins: dict[bytes, Rel] = {}
        self.restrictions = Restrictions()
        self.wanted: dict[bytes, Rel] = {}
        self.uses: dict[str, RuleUse] = {}
        self.done: list[Group] = []

    def trace(self) -> Trace:
        """What was looked at so far."""
        groups = [Searched(g.rel.line, g.rule, g.tried) for g in (*self.done, *self.groups.values())]
        return Trace(groups=tuple(groups), snapshots=len(self.snapshots), rules=self.uses)

    def read(self, rel: Rel, kept: StoredPlan) -> None:
        """From now on a plan is not computed but read; call this before anything that holds it is asked for."""
        self.kept[rel.digest] = kept
        if (group := self.groups.pop(rel.digest, None)) is not None:
            self.done.append(group)
        for when in ("old", "new"):
            self.snapshots.pop((rel.digest, when), None)

    # --- what rules ask for ---

    def delta(self, rel: Rel) -> Change | None:
        group = self.groups.get(rel.digest)
        if group is None:
            group = self.groups[rel.digest] = Group(rel)
            self._fill(group)
        return group.change

    def whole(self, rel: Rel, when: When) -> Rel:
        self.wants(rel)
        return self.snapshot(rel, when)

    def part(self, rel: Rel, when: When, keys: Sequence[Scalar], values: Rel) -> Rel:
        if not keys:  # all rows, if there are any values
            for node in self._worth_keeping(rel, rel):
                if isinstance(node, (Aggregate, Distinct, SetOp)):
                    self.wanted[node.digest] = node
            return Join(kind="semi", left=self.snapshot(rel, when), right=values)
        restricted = self.restrictions.of(self.snapshot(rel, when), keys, values)
        for node in restricted.whole:
            if node.digest in self.origins:  # not so within the change of what is kept
                self.wants(self.origins[node.digest])
        return restricted.rel

    def shared(self, rel: Rel) -> Rel:
        return rel

    def wants(self, rel: Rel) -> None:
        for node in self._worth_keeping(rel, rel):
            self.wanted[node.digest] = node

    def is_kept(self, rel: Rel) -> bool:
        return rel.digest in self.kept

    def keep(self, rel: Rel) -> None:
        if not self.is_kept(rel):
            self.wanted[rel.digest] = rel

    def _worth_keeping(self, rel: Rel, top: Rel) -> Iterator[Rel]:
        """What spares most if its rows are at hand: groups as they are, joins with what selects from them."""
        if rel.digest in self.kept:
            return
        match rel:
            case Filter() | Project() | Unnest():
                yield from self._worth_keeping(rel.input, top)
            case TopK() | Window():
                yield from self._worth_keeping(rel.input, rel.input)
            case Union():
                for part in rel.parts:
                    yield from self._worth_keeping(part, part)
            case Aggregate() | Distinct() | SetOp():
                yield rel
            case Join():
                yield top

    # --- forms ---

    def _fill(self, group: Group) -> None:
        rel = group.rel
        if rel.digest in self.kept:
            group.change, group.rule = self.kept[rel.digest].change, "kept"
            return
        if not self._reads_changed(rel):
            return
        if isinstance(rel, Scan):
            group.change, group.rule = scanned(rel, self.changed[rel.relation.lower()]), "scan"
            return
        ways = self._ways(rel)
        if self.price is not None and len(ways) > 1:
            group.tried = {rule: self.price(change) for rule, change in ways}
            ways.sort(key=lambda way: group.tried[way[0]])
        if ways:
            group.rule, group.change = ways[0]
            self.uses[group.rule].chosen += 1

    def _ways(self, rel: Rel) -> list[tuple[str, Change]]:
        """What the rules give, in their order: the first, or all if there is a price to choose by.

        The difference of two snapshots is computed from all rows: it is asked for only where nothing else is left.
        """
        found: list[tuple[str, Change]] = []
        for rule in RULES.get(type(rel), ()):
            if rule.name in self.disabled or (found and self.price is None):
                continue
            change = self._applied(rule, rel)
            if change is not None:
                found.append((rule.name, change))
        if not found and (change := self._applied(LAST, rel)) is not None:
            found.append((LAST.name, change))
        return found

    def _applied(self, rule: Rule, rel: Rel) -> Change | None:
        use = self.uses.setdefault(rule.name, RuleUse())
        use.asked += 1
        change = rule.apply(self, rel)
        use.gave += change is not None
        return change

    def _reads_changed(self, rel: Rel) -> bool:
        return any(isinstance(node, Scan) and node.relation.lower() in self.changed for node in nodes(rel))

    def snapshot(self, rel: Rel, when: When) -> Rel:
        """The plan over the stored relations of one point in time."""
        found: dict[bytes, Rel] = {}
        for node in nodes(rel):
            known = self.snapshots.get((node.digest, when))
            if known is None:
                known = self._snapshot(node, [found[i.digest] for i in node.inputs], when)
                self.snapshots[(node.digest, when)] = known
                self.origins.setdefault(known.digest, node)
            found[node.digest] = known
        return found[rel.digest]

    def _snapshot(self, node: Rel, inputs: Sequence[Rel], when: When) -> Rel:
        kept = self.kept.get(node.digest)
        if kept is not None:
            return kept.old if when == "old" else kept.new
        if isinstance(node, Scan):
            before = when == "old" and node.relation.lower() in self.changed
            return replace(node, form=BEFORE) if before else node
        return with_inputs(node, inputs)
