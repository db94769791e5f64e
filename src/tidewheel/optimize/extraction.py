"""From a filled memo and a choice of alternatives to plans that can be run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes, replaced
from tidewheel.optimize.alternatives import Choose, Goal
from tidewheel.optimize.exploration import Exploration


def expanded(plan: Rel, memo: Exploration, choose: Choose, there: Collection[bytes] = ()) -> Rel:
    """A plan over references as one over what is stored: each goal by the chosen alternative, once.

    Goals that are `there`, by the digests of their references, stay referred to.
    """
    made: dict[bytes, Rel] = {}
    chosen: dict[bytes, Rel] = {}
    todo = [*_references(plan, memo, there)]
    while todo:
        scan = todo[-1]
        if scan.digest not in chosen:
            chosen[scan.digest] = choose(memo.goals[scan.digest]).plan
        waiting = [below for below in _references(chosen[scan.digest], memo, there) if below.digest not in made]
        if waiting and scan.digest not in made:
            todo += waiting
        else:
            made.setdefault(scan.digest, replaced(chosen[scan.digest], made))
            todo.pop()
    return replaced(plan, made)


def reached(plans: Iterable[Rel], memo: Exploration, choose: Choose) -> Iterator[Goal]:
    """The goals that some plans are computed from, by the chosen alternatives, each once."""
    seen: set[bytes] = set()
    todo = [scan for plan in plans for scan in _references(plan, memo)]
    while todo:
        scan = todo.pop()
        if scan.digest not in seen:
            seen.add(scan.digest)
            goal = memo.goals[scan.digest]
            yield goal
            todo += _references(choose(goal).plan, memo)


def _references(plan: Rel, memo: Exploration, there: Collection[bytes] = ()) -> list[Scan]:
    scans = (node for node in nodes(plan) if isinstance(node, Scan) and node.digest in memo.goals)
    return [scan for scan in scans if scan.digest not in there]
