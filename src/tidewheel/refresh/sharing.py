"""The second pass over a plan: what several views read is priced as read once, and their changes are priced again.

The first pass prices each view as if it were alone. Here the parts of relations that their statements ask for are
counted over all views; one that is cheaper to read once is shared, and its cost is divided among its readers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidewheel.ir.rel import Scan
from tidewheel.ir.tree import nodes
from tidewheel.refresh.choose import Candidate
from tidewheel.refresh.look import Look
from tidewheel.refresh.parts import Part, Parts, Sharing
from tidewheel.refresh.pricing import Pricing, Use
from tidewheel.refresh.reading import readable_steps

LEAST = 0.05
"""Seconds that reading once must save: it is one more thing to do, and views wait for it."""
FEW = 10_000
"""Rows below which nobody minds who else reads them."""
TWICE: Final = 2
"""Readers from which on a part is shared; a view may be two of them."""


def share(look: Look) -> None:
    """Find what to share, and price the views that read it again."""
    chooser = look.chooser
    found = {n: c for n, c in chooser.candidates.items() if look.steps[n].arms and look.steps[n].method != "full"}
    sharings = _worth_sharing(chooser.pricing, _by_part(found))
    if sharings:
        _agree(look, sharings, {view for s in sharings for view in s.views})


def settle(look: Look) -> tuple[Sharing, ...]:
    """What is shared, now that it is decided which views are recomputed: nothing that this leaves one view for."""
    left, changed = [], set()
    for sharing in look.chooser.inputs.parts.sharings.values():
        views = tuple(v for v in sharing.views if look.steps[v].method != "full")
        if views != sharing.views:
            changed |= set(views)
        if len(views) > 1 or views == sharing.views:
            left.append(replace(sharing, views=views))
    if changed:
        _agree(look, left, changed)
    return tuple(left)


def _agree(look: Look, sharings: Sequence[Sharing], views: Collection[str]) -> None:
    """Let what is shared be this, and price some views that go by changes again."""
    chooser = look.chooser
    chooser.inputs.parts = Parts(sharings)
    for name in sorted(views):
        candidate, step = chooser.candidates[name], look.steps[name]
        arm = chooser.pricing.from_changes(name, candidate.reading.anew(), candidate.program)
        look.steps[name] = replace(step, arms=(arm, *step.arms[1:]))


@dataclass(frozen=True, slots=True)
class _Group:
    """Scans that may be served together; `sharing` says how, if that saves something."""

    part: Part
    uses: Sequence[Use]
    sharing: Sharing | None

    @classmethod
    def of(cls, pricing: Pricing, part: Part, uses: Sequence[Use]) -> _Group:
        may = len(uses) >= TWICE and pricing.alone(uses) > LEAST
        found = pricing.sharing(part, uses) if may else None
        return cls(part, uses, found if found is not None and found.alone - found.seconds > LEAST else None)

    @property
    def saved(self) -> float:
        return 0.0 if self.sharing is None else self.sharing.alone - self.sharing.seconds


def _worth_sharing(pricing: Pricing, uses: Mapping[Part, list[Use]]) -> list[Sharing]:
    """Who asks for less is served by a part that holds it, if that saves more than a part of its own."""
    groups: list[_Group] = []
    for part in sorted(uses, key=lambda p: (len(p.bounds), p.name)):
        chosen, at = _Group.of(pricing, part, uses[part]), len(groups)
        gain = chosen.saved
        for i, group in enumerate(groups):
            if group.part.holds(part):
                together = _Group.of(pricing, group.part, [*group.uses, *uses[part]])
                if together.saved - group.saved > gain:
                    chosen, at, gain = together, i, together.saved - group.saved
        groups[at : at + 1] = [chosen]
    return [g.sharing for g in groups if g.sharing is not None]


def _by_part(candidates: Mapping[str, Candidate]) -> dict[Part, list[Use]]:
    uses: dict[Part, list[Use]] = {}
    for use in _uses(candidates):
        uses.setdefault(use.asked.part, []).append(use)
    return uses


def _uses(candidates: Mapping[str, Candidate]) -> Iterator[Use]:
    for view, candidate in candidates.items():
        if not any(shown.rows >= FEW for shown in candidate.reading.seen.values()):
            continue
        reading = candidate.reading.anew()  # without what was only weighed
        for plan in readable_steps(reading, candidate.program):
            for node in nodes(plan):
                if isinstance(node, Scan) and reading.seen[node.relation].rows >= FEW:
                    yield from (Use(view, reading, node, asked) for asked in reading.asked(node.relation))
