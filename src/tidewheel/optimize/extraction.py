"""From a filled memo and a choice of alternatives to plans that can be run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from tidewheel.delta.change import Kind
from tidewheel.delta.maintain import change_of
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes, replaced
from tidewheel.optimize.alternatives import Alternative, Goal
from tidewheel.optimize.exploration import Exploration, ExplorationOptions
from tidewheel.optimize.memo import StoredPlan
from tidewheel.optimize.upkeep import Statement, Upkeep, kept_as

Choose: TypeAlias = Callable[[Goal], Alternative]
"""The alternative by which a goal is computed."""


def explored(
    upkeep: Upkeep,
    changed: Mapping[str, Kind],
    *,
    disabled: Collection[str] = (),
    quick: bool = False,
    options: ExplorationOptions | None = None,
) -> tuple[list[Statement], Exploration]:
    """The statements that bring a view and its states up to date, over references, and the memo that these refer to."""
    kept: dict[bytes, StoredPlan] = {}
    memo = Exploration(changed, kept, disabled=disabled, options=options)
    found: list[Statement] = []
    for stored in upkeep.stored:
        made = change_of(memo, stored.layout, stored.rows, quick=quick)
        if made is not None:
            found.append(Statement(stored=stored, change=made.change, method=made.method, doubt=made.doubt))
        memo.explore()  # before it is kept: its own change is not read but computed
        if stored is not upkeep.view:
            change = None if made is None else stored.changed(signed=made.change.signed)
            memo.read(stored.rel, kept_as(stored, change))
    return found, memo


def expanded(plan: Rel, memo: Exploration, choose: Choose) -> Rel:
    """A plan over references as one over what is stored: each goal by the chosen alternative, once."""
    made: dict[bytes, Rel] = {}
    chosen: dict[bytes, Rel] = {}
    todo = [*_references(plan, memo)]
    while todo:
        scan = todo[-1]
        if scan.digest not in chosen:
            chosen[scan.digest] = choose(memo.goals[scan.digest]).plan
        waiting = [below for below in _references(chosen[scan.digest], memo) if below.digest not in made]
        if waiting and scan.digest not in made:
            todo += waiting
        else:
            made.setdefault(scan.digest, replaced(chosen[scan.digest], made))
            todo.pop()
    return replaced(plan, made)


def _references(plan: Rel, memo: Exploration) -> list[Scan]:
    return [node for node in nodes(plan) if isinstance(node, Scan) and node.digest in memo.goals]
