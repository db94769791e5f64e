"""Fills the memo: from the stored relations that are to be brought up to date to all that may be asked on the way.

The rules of `delta/` make alternatives. They ask for forms and get references, so that each operator is looked at once,
whatever reads it. Which rules fire hangs on definitions and on kinds of changes only, never on sizes: the same memo
serves every search with other sizes, prices or states.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidewheel.delta.change import DeltaPlan, Kind, scanned
from tidewheel.delta.forms import DeltaRule, When, is_simple
from tidewheel.delta.restrict import Domain, Restricted, Restrictions, semi_join
from tidewheel.delta.rules import LAST, RULES
from tidewheel.ir.dependencies import keys as keys_of
from tidewheel.ir.forms import BEFORE, CHANGE, NOW, Form, Part, Snapshot
from tidewheel.ir.parts import Column
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
from tidewheel.ir.tree import nodes, replaced, with_inputs
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.names import WEIGHT
from tidewheel.optimize.alternatives import Alternative, Goal, RuleUse, StoredPlan
from tidewheel.types import LONG

POINTS: Final[Mapping[When, Snapshot]] = {"old": BEFORE, "new": NOW}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorationOptions:
    """How far the memo may grow."""

    most_parts: int = 8
    """Of one snapshot by one set of keys: whoever asks for more selects from all rows."""
    most_keys: int = 6
    """Sets of keys by which there are parts of one snapshot."""
    deepest_part: int = 16
    """Operators over which a domain is pushed down."""
    most_goals: int = 20_000
    """After these, nothing is looked at any more: a view that needs more is recomputed."""

    @property
    def most_forms(self) -> int:
        """Of one relation: a snapshot before and one now, parts of both, and a delta."""
        return 2 * (1 + self.most_parts * self.most_keys) + 1


class TooLargeError(Exception):
    """The memo has grown beyond its bound."""


@dataclass(slots=True)
class Requirements:
    """Plans, by digest, that an alternative requires to be kept, and those that it computes for all rows."""

    requires: dict[bytes, Rel] = field(default_factory=dict)
    spares: dict[bytes, Rel] = field(default_factory=dict)


class Exploration:
    """The memo of one refresh while it is filled; it is what rules ask for forms.

    `changed` says how each relation that changed did, by its name in lower case. `kept` are plans whose rows are
    stored, by digest. Goals that were referred to wait until `explore` looks at them.
    """

    def __init__(
        self,
        changed: Mapping[str, Kind],
        kept: dict[bytes, StoredPlan],
        *,
        disabled: Collection[str] = (),
        options: ExplorationOptions | None = None,
    ) -> None:
        self.changed, self.kept, self.disabled = changed, kept, frozenset(disabled)
        self.options = options or ExplorationOptions()
        self.goals: dict[bytes, Goal] = {}
        self._references: dict[tuple[bytes, Form, bool], Scan] = {}
        self._waiting: deque[Goal] = deque()
        self._parts: dict[tuple[bytes, Form], dict[str, set[str]]] = {}
        self._signed: dict[bytes, bool] = {}
        self._moves: dict[bytes, bool] = {}
        self.uses: dict[str, RuleUse] = {}
        self.asked = Requirements()

    def read(self, rel: Rel, kept: StoredPlan) -> None:
        """From now on a plan is not computed but read; call this before anything that holds it is asked for."""
        self.kept[rel.digest] = kept
        self._signed.pop(rel.digest, None)
        self._moves.pop(rel.digest, None)

    def explore(self) -> None:
        """Look at goals until none is left that was referred to."""
        while self._waiting:
            self._fill(self._waiting.popleft())

    # --- what rules ask for ---

    def delta(self, rel: Rel) -> DeltaPlan | None:
        if not self.moves(rel):
            return None
        if rel.digest in self.kept:
            return self.kept[rel.digest].change
        if isinstance(rel, Scan):
            return scanned(rel, self.changed[rel.relation.lower()])
        signed = self.is_signed(rel)
        return DeltaPlan(rel=self._refer(rel, CHANGE, signed=signed), signed=signed)

    def whole(self, rel: Rel, when: When) -> Rel:
        """A reference; what is read row by row from one stored relation is as good as a reference itself."""
        self.wants(rel)
        return self._whole(rel, when)

    def _whole(self, rel: Rel, when: When) -> Rel:
        form = POINTS[when] if self.moves(rel) else NOW
        if rel.digest in self.kept:
            kept = self.kept[rel.digest]
            return kept.old if form == BEFORE else kept.new
        if is_simple(rel):
            return self._at(rel, form)
        return self._refer(rel, form)

    def part(self, rel: Rel, when: When, keys: Sequence[Scalar], values: Rel) -> Rel:
        if not keys:  # all rows, if there are any values
            groups = {node.digest: node for node in self._worth_keeping(rel, rel) if _is_grouped(node)}
            self.asked.spares |= groups
            return Join(kind="semi", left=self._whole(rel, when), right=values)
        return self.restricted(rel, when, Domain(tuple(keys), values), depth=0)

    def restricted(self, rel: Rel, when: When, domain: Domain, depth: int) -> Rel:
        """A part of a relation whose domain was pushed down over so many operators."""
        domain = replace(domain, values=self.shared(domain.values))
        if rel.digest in self.kept or is_simple(rel):
            return Restrictions().of(self._whole(rel, when), domain.keys, domain.values).rel
        return self._part(rel, when, domain, depth)

    def shared(self, rel: Rel) -> Rel:
        """A goal of its own, with one way to it."""
        if isinstance(rel, Scan):
            return rel
        reference = self._refer(rel, NOW)
        goal = self.goals[reference.digest]
        if not goal.alternatives:
            goal.alternatives.append(Alternative(rule="shared", plan=rel))
        return reference

    def wants(self, rel: Rel) -> None:
        self.asked.spares |= {node.digest: node for node in self._worth_keeping(rel, rel)}

    def is_kept(self, rel: Rel) -> bool:
        return rel.digest in self.kept

    def keep(self, rel: Rel) -> None:
        if not self.is_kept(rel):
            self.asked.requires[rel.digest] = rel

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

    # --- goals ---

    def _refer(self, rel: Rel, form: Form, *, signed: bool = False) -> Scan:
        """The scan that stands for a form of a relation, which is a goal from now on."""
        key = (rel.digest, form, signed)
        known = self._references.get(key)
        if known is None:
            known = self._references[key] = self._reference(rel, form, signed=signed)
        return known

    def _reference(self, rel: Rel, form: Form, *, signed: bool) -> Scan:
        weight = (Column(WEIGHT, LONG, nullable=False),) if signed else ()
        facts = enumerate(zip(types_of(rel), nullable_of(rel), strict=True))
        columns = tuple(Column(f"c{i}", kind, null) for i, (kind, null) in facts)
        unique = () if form == CHANGE else tuple(tuple(sorted(key)) for key in keys_of(rel) if key)
        scan = Scan(relation=f"#{rel.fingerprint()[:20]}", columns=(*columns, *weight), form=form, keys=unique[:1])
        if scan.digest not in self.goals:
            if len(self.goals) >= self.options.most_goals:
                raise TooLargeError
            goal = self.goals[scan.digest] = Goal(scan, rel, form)
            self._waiting.append(goal)
        return scan

    def _part(self, rel: Rel, when: When, domain: Domain, depth: int) -> Rel:
        """A reference to a part, or a selection from all rows where there are too many parts, or it lies too deep."""
        form = POINTS[when] if self.moves(rel) else NOW
        selected = semi_join(self._whole(rel, when), domain)
        text, name = ", ".join(key.text for key in domain.keys), domain.values.fingerprint()[:20]
        by_keys = self._parts.setdefault((rel.digest, form), {})
        asked = by_keys.get(text, set())
        if name not in asked and (depth >= self.options.deepest_part or self._are_many(by_keys, text)):
            return selected
        by_keys.setdefault(text, asked).add(name)
        reference = self._refer(rel, Part(form.point, text, name))
        goal = self.goals[reference.digest]
        if not goal.alternatives:
            goal.alternatives += self._parts_of(rel, when, domain, depth, selected)
        return reference

    def _are_many(self, by_keys: Mapping[str, Collection[str]], text: str) -> bool:
        """Are there as many parts of a snapshot as there may be, by these keys or by any."""
        if len(by_keys.get(text, ())) >= self.options.most_parts:
            return True
        return text not in by_keys and len(by_keys) >= self.options.most_keys

    def _parts_of(self, rel: Rel, when: When, domain: Domain, depth: int, selected: Rel) -> list[Alternative]:
        """A part of an operator from parts of its inputs, or out of all rows."""
        pushed = _Pushed(self, when, depth).pushed(rel, domain)
        spared = {node.digest: node for whole in pushed.whole for node in self._worth_keeping(whole, whole)}
        push = Alternative(rule="push", plan=pushed.rel, spares=tuple(spared.values()))
        return [push] if pushed.rel == selected else [push, Alternative(rule="select", plan=selected)]

    def _fill(self, goal: Goal) -> None:
        if goal.alternatives:
            return
        if goal.form == CHANGE:
            goal.alternatives += self._deltas(goal.rel)
        elif isinstance(goal.form, Snapshot):
            when: When = "old" if goal.form == BEFORE else "new"
            plan = with_inputs(goal.rel, [self._whole(part, when) for part in goal.rel.inputs])
            goal.alternatives.append(Alternative(rule="snapshot", plan=plan))

    def _deltas(self, rel: Rel) -> list[Alternative]:
        """By every rule that applies; the difference of two snapshots only where no other does."""
        rules = [rule for rule in RULES.get(type(rel), ()) if rule.name not in self.disabled]
        found = [way for rule in rules if (way := self._applied(rule, rel)) is not None]
        if not found and (last := self._applied(LAST, rel)) is not None:
            found.append(last)
        return found

    def _applied(self, rule: DeltaRule, rel: Rel) -> Alternative | None:
        use = self.uses.setdefault(rule.name, RuleUse())
        use.asked += 1
        self.asked = asked = Requirements()
        change = rule.apply(self, rel)
        if change is None or (change.signed and not self.is_signed(rel)):
            return None
        use.gave += 1
        plan = change.with_sign() if self.is_signed(rel) else change.rel
        requires, spares = tuple(asked.requires.values()), tuple(asked.spares.values())
        return Alternative(rule=rule.name, plan=plan, requires=requires, spares=spares)

    # --- what is known of a group before it is looked at ---

    def moves(self, rel: Rel) -> bool:
        """Does a relation read one that changed."""
        for node in nodes(rel) if rel.digest not in self._moves else ():
            if node.digest not in self._moves:
                self._moves[node.digest] = self._does_move(node)
        return self._moves[rel.digest]

    def _does_move(self, rel: Rel) -> bool:
        if rel.digest in self.kept:
            return self.kept[rel.digest].change is not None
        if isinstance(rel, Scan):
            return rel.relation.lower() in self.changed
        return any(self._moves[i.digest] for i in rel.inputs)

    def is_signed(self, rel: Rel) -> bool:
        """May rows of a relation go: if not, its delta has no sign, and every way to it gives none."""
        for node in nodes(rel) if rel.digest not in self._signed else ():
            if node.digest not in self._signed:
                self._signed[node.digest] = self._is_signed(node)
        return self._signed[rel.digest]

    def _is_signed(self, rel: Rel) -> bool:
        if rel.digest in self.kept:
            change = self.kept[rel.digest].change
            return change is not None and change.signed
        below = any(self._signed[i.digest] for i in rel.inputs)
        match rel:
            case Scan():
                return self.changed.get(rel.relation.lower(), "append") != "append"
            case Filter() | Project() | Unnest() | Union():
                return below or self._is_off(rel)
            case Join(kind="inner"):
                return below or "join-terms" in self.disabled
            case Join(kind="left" | "semi" | "anti"):
                return below or self.moves(rel.right) or "join-parts" in self.disabled
        return self.moves(rel)

    def _is_off(self, rel: Rel) -> bool:
        return any(rule.name in self.disabled for rule in RULES[type(rel)])

    # --- leaves ---

    def _at(self, rel: Rel, form: Form) -> Rel:
        """A plan over one stored relation, with that in a form."""
        scans = [node for node in nodes(rel) if isinstance(node, Scan)]
        return replaced(rel, {scan.digest: replace(scan, form=form) for scan in scans})


class _Pushed(Restrictions):
    """Pushes a domain down by one operator: what is below it is referred to."""

    def __init__(self, memo: Exploration, when: When, depth: int) -> None:
        super().__init__()
        self.memo, self.when, self.depth = memo, when, depth

    def whole(self, rel: Rel) -> Rel:
        return self.memo._whole(rel, self.when)  # noqa: SLF001  its own other half

    def push(self, rel: Rel, domain: Domain) -> Restricted:
        return Restricted(self.memo.restricted(rel, self.when, domain, self.depth + _is_far(rel)))


def _is_far(rel: Rel) -> bool:
    """Does an operator count as one more on the way down."""
    return not isinstance(rel, (Filter, Project))


def _is_grouped(rel: Rel) -> bool:
    return isinstance(rel, (Aggregate, Distinct, SetOp))
