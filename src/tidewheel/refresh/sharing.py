"""The second pass over a plan: what several views read is priced as read once, and their changes are priced again.

The first pass prices each view as if it were alone. Here the parts of relations that their statements ask for are
counted over all views; one that is cheaper to read once is shared, and its cost is divided among its readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from tidewheel.ir.rel import Scan
from tidewheel.ir.tree import nodes
from tidewheel.refresh.choose import Candidate
from tidewheel.refresh.look import Look
from tidewheel.refresh.parts import Part, Parts, Sharing
from tidewheel.refresh.plan import Step
from tidewheel.refresh.pricing import Pricing, Use

LEAST = 0.05
"""Seconds that reading once must save: it is one more thing to do, and views wait for it."""
TWICE: Final = 2
"""Readers from which on a part is shared; a view may be two of them."""


def share(look: Look) -> None:
    """Find what to share, and price the views that read it again."""
    chooser = look.chooser
    found = {n: c for n, c in chooser.candidates.items() if look.steps[n].arms and look.steps[n].method != "full"}
    sharings = list(_worth_sharing(chooser.pricing, _by_part(found)))
    if not sharings:
        return
    chooser.inputs.parts = Parts(sharings)
    for name in dict.fromkeys(view for s in sharings for view in s.views):
        candidate = found[name]
        reading = candidate.reading.anew()
        arm = chooser.pricing.from_changes(name, reading, candidate.statements)
        look.steps[name] = replace(look.steps[name], arms=(arm, *look.steps[name].arms[1:]))


def still_shared(sharings: Iterable[Sharing], steps: Mapping[str, Step]) -> tuple[Sharing, ...]:
    """Without views that are recomputed, as is decided now; not those that this leaves one view for."""
    left = []
    for sharing in sharings:
        views = tuple(v for v in sharing.views if steps[v].method != "full")
        if len(views) > 1 or views == sharing.views:
            left.append(replace(sharing, views=views))
    return tuple(left)


def _worth_sharing(pricing: Pricing, uses: Mapping[Part, list[Use]]) -> Iterator[Sharing]:
    """A part with fewer bounds serves those with more as well, if that saves more than what each saves alone."""
    left = dict(uses)
    for part in sorted(uses, key=lambda p: (len(p.bounds), p.name)):
        if part not in left:
            continue
        alone = _saving(pricing, part, left[part])
        held = [other for other in left if other != part and part.holds(other)]
        if held:
            separate = _saved(alone) + sum(_saved(_saving(pricing, other, left[other])) for other in held)
            together = _saving(pricing, part, [use for p in (part, *held) for use in left[p]])
            if together is not None and _saved(together) > separate:
                alone = together
        if alone is not None:
            yield alone
            for served in alone.serves:
                del left[served]


def _saving(pricing: Pricing, part: Part, uses: list[Use]) -> Sharing | None:
    """Reading a part once, if that saves something."""
    found = pricing.sharing(part, uses) if len(uses) >= TWICE else None
    return found if found is not None and found.alone - found.seconds > LEAST else None


def _saved(sharing: Sharing | None) -> float:
    return 0.0 if sharing is None else sharing.alone - sharing.seconds


def _by_part(candidates: Mapping[str, Candidate]) -> dict[Part, list[Use]]:
    uses: dict[Part, list[Use]] = {}
    for use in _uses(candidates):
        uses.setdefault(use.asked.part, []).append(use)
    return uses


def _uses(candidates: Mapping[str, Candidate]) -> Iterator[Use]:
    for view, candidate in candidates.items():
        reading = candidate.reading
        for statement in candidate.statements:
            for node in nodes(reading.readable(statement.rel)):
                if isinstance(node, Scan):
                    for asked in reading.asked.get(node.relation, {}).values():
                        yield Use(view, reading, node, asked)
