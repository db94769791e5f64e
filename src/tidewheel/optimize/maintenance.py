"""A view and the states it needs: what is stored, and the changes that bring all of it up to date.

A *state* is a plan within the view whose result is kept, because maintenance would otherwise compute it for all rows: a
total below a threshold, the groups before HAVING, the rows before LIMIT. States are found by planning the change of
the view with everything changing, and keeping what the rules asked for, until they ask for nothing more. A state is
stored and maintained as a view is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from tidewheel.delta.change import DeltaPlan, Kind, comparable
from tidewheel.delta.groups import may_vary, with_sets_apart
from tidewheel.delta.layout import Layout, layout_of
from tidewheel.delta.maintain import change_of
from tidewheel.delta.partials import mergeable
from tidewheel.ir.forms import CHANGE
from tidewheel.ir.parts import Column, JoinKey
from tidewheel.ir.rel import Aggregate, Filter, Join, Project, Rel, Scan, SetOp, Union
from tidewheel.ir.scalar import NULL, Cast, Col, Lit, identity
from tidewheel.ir.tree import nodes, relations, replaced
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.methods import ChangeMethod
from tidewheel.names import WEIGHT
from tidewheel.optimize.alternatives import Choose, Goal, StoredPlan, preferred
from tidewheel.optimize.auxiliary import Worth, prepared
from tidewheel.optimize.cuts import cuts
from tidewheel.optimize.exploration import Exploration, ExplorationOptions, Requirements
from tidewheel.optimize.extraction import expanded, reached
from tidewheel.types import LONG, Schema, to_sql

STATE: Final = "_tw_state_"
HIDDEN: Final = "_tw_h"
SELF: Final = "_tw_self"
"""The stored rows of the view itself, before the change."""
_ROUNDS: Final = 20
_FORMAT: Final = "1"
"""Part of every signature: change it when rows are stored differently under the same plans, or other states are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRelation:
    """A stored relation: its name among those of the view, the plan it holds, and how."""

    name: str
    rel: Rel
    layout: Layout
    columns: tuple[Column, ...]

    @property
    def rows(self) -> Scan:
        """All its columns, as stored before the change."""
        return Scan(relation=self.name, columns=self.columns)

    @property
    def visible(self) -> Rel:
        return _first(self.rows, self.layout.visible)

    def changed(self, *, signed: bool) -> DeltaPlan:
        """Its change, where that is read and not computed: it has a name once it is there."""
        weight = (Column(WEIGHT, LONG, nullable=False),) if signed else ()
        return DeltaPlan(rel=Scan(relation=self.name, columns=(*self.columns, *weight), form=CHANGE), signed=signed)

    @property
    def can_be_changed(self) -> bool:
        """Can single rows be taken out: by key, or because copies can be told apart."""
        return self.layout.key is not None or comparable([c.type for c in self.columns])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    @property
    def reads(self) -> tuple[str, ...]:
        return relations(self.rel)

    def after(self, change: DeltaPlan) -> Rel:
        """The stored rows with a change applied."""
        going = change.going()
        old: Rel = self.rows
        if going is not None and self.layout.key is None:
            old = SetOp(kind="except", all=True, left=old, right=going)
        elif going is not None:
            pairs = tuple(JoinKey(left=Col(i), right=Col(i), kind="<=>") for i in self.layout.key or ())
            old = Join(kind="anti", left=old, right=going, keys=pairs)
        return Union(parts=(old, change.coming()))


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceLayout:
    """What is stored for a view: its states, inputs first, and the view itself, which is the last.

    `aids` are the joins that are maintained by other operators, by name.
    """

    stored: tuple[StoredRelation, ...]
    aids: tuple[str, ...] = ()

    @property
    def view(self) -> StoredRelation:
        return self.stored[-1]

    @property
    def states(self) -> tuple[StoredRelation, ...]:
        return self.stored[:-1]

    @property
    def signature(self) -> str:
        """Names the arrangement: rows that were stored under another one cannot be used."""
        parts = [f"{s.name} {s.layout.plan.fingerprint()} {s.layout.key} {s.layout.scope}" for s in self.stored]
        return hashlib.sha256("\n".join([_FORMAT, *parts]).encode()).hexdigest()[:32]

    def typed(self, schemas: Mapping[str, Schema]) -> MaintenanceLayout:
        """With the types that columns turned out to have, where that is known."""
        found = [replace(s, columns=_columns(schemas[s.name])) if s.name in schemas else s for s in self.stored]
        return replace(self, stored=tuple(found))

    def plan(self, name: str, called: Callable[[str], str] = str) -> Rel:
        """All rows of a stored relation, from those of the states before it that are part of it.

        States are `called` otherwise where they are read, if several views are built at once.
        """
        before: dict[bytes, Rel] = {}
        for stored in self.stored:
            if stored.name == name:
                return replaced(stored.layout.plan, before)
            before[stored.rel.digest] = replace(stored, name=called(stored.name)).visible
        raise KeyError(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The change of one stored relation, and the method by which it is computed.

    If `doubt` has a row when the change is computed, the change is not to be used.
    """

    stored: StoredRelation
    change: DeltaPlan
    method: ChangeMethod
    doubt: Rel | None = None
    spares: Mapping[bytes, Rel] = field(default_factory=dict, compare=False)
    """What it computes for all rows, and would read if it were kept."""

    def expanded(self, memo: Exploration, choose: Choose, there: Collection[bytes] = ()) -> Statement:
        """Over what is stored instead of references, but to those goals that are there."""
        change = replace(self.change, rel=expanded(self.change.rel, memo, choose, there))
        return replace(self, change=change, doubt=self.doubt and expanded(self.doubt, memo, choose, there))

    @property
    def rel(self) -> Rel:
        """The change, and a row whose sign is 0 for each row of doubt."""
        if self.doubt is None:
            return self.change.rel
        nulls = tuple(Cast(NULL, to_sql(c.type)) for c in self.stored.columns)
        return Union(parts=(self.change.with_sign(), Project(input=self.doubt, exprs=(*nulls, Lit("bigint", "0")))))


Decide: TypeAlias = Callable[[Sequence[Statement], Exploration], Choose]
"""Chooses among the alternatives of a memo, given the statements that are to be run."""


@dataclass(frozen=True, slots=True)
class Explored:
    """What was looked at for some statements, which are over references, and what was chosen."""

    statements: Sequence[Statement]
    memo: Exploration
    choose: Choose

    def reached(self) -> Iterator[Goal]:
        """The goals that are computed."""
        return reached([statement.rel for statement in self.statements], self.memo, self.choose)

    def is_sound(self) -> bool:
        """Is all kept that was chosen to be read as it was: what may come out differently is not computed twice.

        Where no alternative has what it requires, the first is chosen all the same.
        """
        required = (rel for goal in self.reached() for rel in self.choose(goal).requires)
        return all(self.memo.is_kept(rel) for rel in required)


def upkeep_of(rel: Rel, names: Sequence[str], worth: Worth = lambda _: True) -> MaintenanceLayout:
    """What to store for a view of this plan, with those auxiliary states that are worth it."""
    by = prepared(with_sets_apart(rel), worth)
    rel = by.rel
    wanted = {state.digest: state for state in by.states}
    before = _groups_before_having(rel)
    if before is not None:
        wanted[before.digest] = before
    wanted |= {node.digest: node for node in cuts(rel, wanted)}
    changed: dict[str, Kind] = {name.lower(): "mixed" for name in relations(rel)}
    for _ in range(_ROUNDS):
        upkeep = _arranged(rel, names, wanted)
        asked = _asked(upkeep, changed)
        if asked.keys() <= wanted.keys():
            break
        wanted |= asked
    return replace(upkeep, aids=by.names)


def upkeep_again(
    rel: Rel, names: Sequence[str], signature: str, states: Collection[str], aids: Collection[str]
) -> MaintenanceLayout | None:
    """What is stored for the view already, found by the names in its record; None if that is another arrangement.

    Much less work than to plan it: a signature tells for certain.
    """
    by = prepared(with_sets_apart(rel), lambda aid: aid.name in aids)
    rel = by.rel
    wanted = {node.digest: node for node in nodes(rel) if _state_name(node) in states}
    upkeep = replace(_arranged(rel, names, wanted), aids=by.names)
    return upkeep if upkeep.signature == signature else None


def explored(
    upkeep: MaintenanceLayout,
    changed: Mapping[str, Kind],
    disabled: Collection[str] = (),
    *,
    quick: bool = False,
    named: bool = True,
    options: ExplorationOptions | None = None,
) -> tuple[list[Statement], Exploration]:
    """The statements that bring a view and its states up to date, over references, and the memo that these refer to.

    Without those of what cannot have changed. Quick ones read less, and are right unless one of their doubts has a row.
    If changes are `named`, a statement reads those that the ones before it gave, so that they must run one after the
    other; else it computes them itself, unless they may come out differently then.
    """
    named = named or any(may_vary(node) for state in upkeep.states for node in nodes(state.rel))
    memo = Exploration(changed, {}, disabled=disabled, options=options)
    found: list[Statement] = []
    for stored in upkeep.stored:
        memo.asked = asked = Requirements()
        made = change_of(memo, stored.layout, stored.rows, quick=quick)
        if made is not None:
            spares = {**asked.requires, **asked.spares}
            found.append(
                Statement(stored=stored, change=made.change, method=made.method, doubt=made.doubt, spares=spares)
            )
        memo.explore()  # before it is kept: its own change is not read but computed
        if stored is not upkeep.view:
            change = None if made is None else made.change
            if change is not None:
                signed = change.signed
                change = stored.changed(signed=signed) if named else replace(change, rel=memo.shared(change.rel))
            memo.read(stored.rel, kept_as(stored, change))
    return found, memo


def changes(
    upkeep: MaintenanceLayout,
    changed: Mapping[str, Kind],
    disabled: Collection[str] = (),
    *,
    quick: bool = False,
    named: bool = False,
    decide: Decide | None = None,
) -> tuple[list[Statement], Explored]:
    """The changes of the view and its states as plans that can be run; where several rules apply, `decide` chooses."""
    looked = looked_at(*explored(upkeep, changed, disabled, quick=quick, named=named), decide)
    return [statement.expanded(looked.memo, looked.choose) for statement in looked.statements], looked


def looked_at(found: Sequence[Statement], memo: Exploration, decide: Decide | None) -> Explored:
    """Statements over references, with the alternatives that `decide` chooses for each of them."""
    return Explored(found, memo, preferred if decide is None else decide(found, memo))


def _asked(upkeep: MaintenanceLayout, changed: Mapping[str, Kind]) -> dict[bytes, Rel]:
    """What would be computed for all rows, by the first of the rules that apply, and is better kept.

    The quick way of a LIMIT asks for the change of what is below it, the other way for all of that: both may be taken.
    """
    asked: dict[bytes, Rel] = {}
    for quick in (False, True) if any(stored.layout.is_buffer for stored in upkeep.stored) else (False,):
        statements, memo = explored(upkeep, changed, quick=quick)
        for statement in statements:
            asked |= statement.spares
        for goal in reached([s.rel for s in statements], memo, preferred):
            way = preferred(goal)
            asked |= {rel.digest: rel for rel in (*way.requires, *way.spares)}
    return {digest: rel for digest, rel in asked.items() if digest != upkeep.view.rel.digest}


def _groups_before_having(rel: Rel) -> Aggregate | None:
    """The groups that a view selects from: they can be merged only if all of them are kept."""
    filtered = False
    while isinstance(rel, (Project, Filter)):
        filtered = filtered or isinstance(rel, Filter)
        rel = rel.input
    return rel if filtered and isinstance(rel, Aggregate) and mergeable(rel) is not None else None


def _arranged(rel: Rel, names: Sequence[str], wanted: Mapping[bytes, Rel]) -> MaintenanceLayout:
    """Smaller plans first, for a state may be part of another."""
    order = sorted(wanted.values(), key=lambda node: (sum(1 for _ in nodes(node)), node.digest))
    states = [_stored(_state_name(node), node, (), f"_tw_{node.fingerprint()[:8]}_") for node in order if node != rel]
    return MaintenanceLayout(stored=(*states, _stored(SELF, rel, names, HIDDEN)))


def _state_name(rel: Rel) -> str:
    return f"{STATE}{rel.fingerprint()[:12]}"


def _stored(name: str, rel: Rel, names: Sequence[str], prefix: str) -> StoredRelation:
    """The columns that have no name of their own get one that no other stored relation of the view has."""
    layout = layout_of(rel)
    plan = layout.plan
    more = (f"{prefix}{i}" for i in range(plan.width - len(names)))
    facts = zip((*names, *more), types_of(plan), nullable_of(plan), strict=True)
    return StoredRelation(name=name, rel=rel, layout=layout, columns=tuple(Column(*fact) for fact in facts))


def _columns(schema: Schema) -> tuple[Column, ...]:
    return tuple(Column(f.name, f.type, f.nullable) for f in schema)


def kept_as(stored: StoredRelation, change: DeltaPlan | None) -> StoredPlan:
    """The forms of a state: its rows before, the change just planned, and both together."""
    if change is None:
        return StoredPlan(stored.visible, stored.visible, None)
    after = _first(stored.after(change), stored.layout.visible)
    exprs = identity(stored.layout.visible)
    return StoredPlan(stored.visible, after, change.through(change.rel, exprs))


def _first(rel: Rel, width: int) -> Rel:
    if rel.width == width:
        return rel
    if isinstance(rel, Scan):
        return replace(rel, columns=rel.columns[:width])
    return Project(input=rel, exprs=identity(width))
