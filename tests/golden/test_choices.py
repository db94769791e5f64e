"""The plan that the search chooses costs no more than what the first planner chose, both priced by the same model.

That planner kept one change for each operator, and pushed every domain down as far as it would go, also where the memo
has bounds: then its choice is priced in a memo without, and if it is cheaper there it is one that cannot be translated.
`choices/first.txt` holds, for each view, how its inputs changed, and sizes by a salt: the states, and the rule for each
operator that had a choice of several. It was recorded by running that planner over the sizes of `made_up`, as
`choices/README.md` says. `choices/untranslated.txt` lists what cannot be translated.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.golden.choice_views import View, views
from tests.golden.made_up import MadeUp
from tidewheel.delta.change import Kind
from tidewheel.ir.forms import CHANGE
from tidewheel.ir.tree import relations
from tidewheel.optimize.alternatives import Goal
from tidewheel.optimize.cost import DEFAULTS
from tidewheel.optimize.exploration import Exploration, ExplorationOptions, TooLargeError
from tidewheel.optimize.maintenance import MaintenanceLayout, Statement, explored, upkeep_of
from tidewheel.optimize.search import Choice, SearchOptions, search
from tidewheel.optimize.valuation import Appraisal, Venue, appraise

HERE = Path(__file__).parent / "choices"
DRIVER = Venue(place="driver", prices=DEFAULTS["driver"])
STEP = 31  # each test takes every so many plans
BEYOND = ExplorationOptions(most_parts=1_000_000, deepest_part=1_000_000)
MOST_GOALS = 10_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was chosen for one view: rules by the first digits of the operators' fingerprints."""

    view: str
    kind: Kind
    salt: int
    states: tuple[str, ...]
    rules: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.view} {self.kind} {self.salt}"


@functools.cache
def recorded() -> tuple[Recorded, ...]:
    return tuple(map(_record, (HERE / "first.txt").read_text(encoding="utf-8").splitlines()))


def _record(line: str) -> Recorded:
    view, kind, salt, states, *rules = line.split()
    pairs = dict(rule.split("=") for rule in rules)
    how: Kind = "append" if kind == "append" else "mixed"
    return Recorded(view, how, int(salt), () if states == "-" else tuple(states.split(",")), pairs)


@functools.cache
def known_views() -> dict[str, View]:
    return {view.name: view for view in views()}


@functools.cache
def upkeep(view: str) -> MaintenanceLayout:
    query = known_views()[view].query
    return upkeep_of(query.rel, query.names)


@dataclass(frozen=True, slots=True)
class Compared:
    """Seconds of the plan that the search finds and of the old choice; if that is no plan of this memo, `why`."""

    name: str
    new: float = 0.0
    old: float = 0.0
    why: str = ""

    @property
    def is_worse(self) -> bool:
        return self.new > self.old * (1 + 1e-9)


def compared(record: Recorded) -> Compared:
    kept = upkeep(record.view)
    if {state.name[-12:] for state in kept.states} != set(record.states):
        return Compared(record.name, why="other states are kept")
    changed = dict.fromkeys((name.lower() for name in relations(kept.view.rel)), record.kind)
    statements, memo = explored(kept, changed)
    new = appraise([s.rel for s in statements], memo, MadeUp(salt=record.salt), DRIVER)
    beyond = unbounded(kept, changed, len(memo.goals))
    if isinstance(beyond, str):
        return Compared(record.name, why=beyond)
    old = new if beyond is None else appraise([s.rel for s in beyond[0]], beyond[1], MadeUp(salt=record.salt), DRIVER)
    restricted = translated(old, record)
    if isinstance(restricted, str):
        return Compared(record.name, why=restricted)
    seconds = Compared(record.name, searched(new).total, searched(restricted).total)
    if beyond is not None and seconds.is_worse:
        return Compared(record.name, why="cheaper, with more parts of one relation than the memo holds")
    return seconds


def unbounded(
    kept: MaintenanceLayout, changed: dict[str, Kind], goals: int
) -> tuple[list[Statement], Exploration] | str | None:
    """The memo in which all domains are pushed down, however many and however far; None if it has no more goals."""
    for most in (goals, MOST_GOALS):
        try:
            found = explored(kept, changed, options=replace(BEYOND, most_goals=most))
        except TooLargeError:
            continue
        return None if most == goals else found
    return "too many parts"


def searched(appraisal: Appraisal) -> Choice:
    return search(appraisal.problem, appraisal.states, SearchOptions(statement=appraisal.venue.start()))


def translated(appraisal: Appraisal, record: Recorded) -> Appraisal | str:
    """Each goal with one alternative only; or why there is no such plan."""
    goals = list(appraisal.problem.goals)
    for number, goal in enumerate(appraisal.order):
        if len(goal.alternatives) > 1:
            rule = _rule(goal, record)
            found = [option for option in goals[number].alternatives if option.rule == rule]
            if len(found) != 1:
                return f"{goal.rel.line.split()[0]} by {rule or 'a rule that was the only one'}"
            goals[number] = replace(goals[number], alternatives=tuple(found))
    return replace(appraisal, problem=replace(appraisal.problem, goals=tuple(goals)))


def _rule(goal: Goal, record: Recorded) -> str:
    """The rule by which the old planner computed a goal: domains were always pushed down."""
    return record.rules.get(goal.rel.fingerprint()[:10], "") if goal.form == CHANGE else "push"


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, STEP))])
def test_the_old_choice_is_never_better(first: int) -> None:
    found = [compared(record) for record in recorded()[first::STEP]]
    gains = [each.old / each.new - 1 for each in found if not each.why]
    cheaper = sum(gain > 1e-6 for gain in gains)
    print(f"{cheaper} of {len(found)} plans are cheaper than before, by at most {max(gains):.1%}")
    assert not [each for each in found if each.is_worse]
    assert cheaper
    assert {f"{each.name}: {each.why}" for each in found if each.why} <= untranslated()


def test_what_cannot_be_translated_is_little() -> None:
    assert len(untranslated()) <= 0.01 * len(recorded())


def untranslated() -> set[str]:
    return set((HERE / "untranslated.txt").read_text(encoding="utf-8").splitlines())
