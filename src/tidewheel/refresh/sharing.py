"""The second pass over a plan: what several views read is priced as read once, and their changes are priced again.

The first pass prices each view as if it were alone. Here the parts of relations that their statements ask for are
counted over all views; one that is cheaper to read once is shared, and its cost is divided among its readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from tidewheel.ir.rel import Scan
from tidewheel.ir.tree import nodes
from tidewheel.refresh.choose import Candidate
from tidewheel.refresh.look import Look
from tidewheel.refresh.parts import Part, Parts, Sharing
from tidewheel.refresh.plan import Step
from tidewheel.refresh.pricing import Use

LEAST = 0.05
"""Seconds that reading once must save: it is one more thing to do, and views wait for it."""
TWICE: Final = 2
"""Readers from which on a part is shared; a view may be two of them."""


def share(look: Look) -> None:
    """Find what to share, and price the views that read it again."""
    chooser = look.chooser
    found = {n: c for n, c in chooser.candidates.items() if look.steps[n].arms and look.steps[n].method != "full"}
    sharings = [chooser.pricing.sharing(part, uses) for part, uses in _by_part(found).items() if len(uses) >= TWICE]
    sharings = [s for s in sharings if s.alone - s.seconds > LEAST]
    if not sharings:
        return
    chooser.inputs.parts = Parts(sharings)
    for name in dict.fromkeys(view for s in sharings for view in s.views):
        candidate = found[name]
        reading = candidate.reading.anew()
        arm = chooser.pricing.from_changes(name, reading, candidate.statements)
        look.steps[name] = replace(look.steps[name], arms=(arm, *look.steps[name].arms[1:]))


def still_shared(sharings: Mapping[Part, Sharing], steps: Mapping[str, Step]) -> tuple[Sharing, ...]:
    """Without views that are recomputed, as is decided now; not those that this leaves one view for."""
    left = []
    for sharing in sharings.values():
        views = tuple(v for v in sharing.views if steps[v].method != "full")
        if len(views) > 1 or views == sharing.views:
            left.append(replace(sharing, views=views))
    return tuple(left)


def _by_part(candidates: Mapping[str, Candidate]) -> dict[Part, list[Use]]:
    uses: dict[Part, list[Use]] = {}
    for part, use in _uses(candidates):
        uses.setdefault(part, []).append(use)
    return uses


def _uses(candidates: Mapping[str, Candidate]) -> Iterator[tuple[Part, Use]]:
    for view, candidate in candidates.items():
        reading = candidate.reading
        for statement in candidate.statements:
            for node in nodes(reading.readable(statement.rel)):
                if isinstance(node, Scan):
                    for part in sorted(reading.asked.get(node.relation, ()), key=lambda p: p.name):
                        yield part, Use(view, reading, node)
