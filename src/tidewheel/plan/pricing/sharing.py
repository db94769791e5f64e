"""What several views may read once: the parts of relations that their changes ask for, counted over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidewheel.ir.rel import Scan
from tidewheel.ir.tree import nodes
from tidewheel.plan.binding.parts import RelationPart, Sharing
from tidewheel.plan.binding.reading import readable_steps
from tidewheel.plan.candidates import Candidate
from tidewheel.plan.pricing.pricing import Pricing
from tidewheel.plan.pricing.work import Use


def worth_sharing(pricing: Pricing, candidates: Mapping[str, Candidate]) -> list[Sharing]:
    """Parts that would save something if all views went from changes.

    Who asks for less is served by a part that holds it, if that saves more than a part of its own.
    """
    uses = _by_part(candidates, pricing.options.share_rows)
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


@dataclass(frozen=True, slots=True)
class _Group:
    """Scans that may be served together; `sharing` says how, if that saves something."""

    part: RelationPart
    uses: Sequence[Use]
    sharing: Sharing | None

    @classmethod
    def of(cls, pricing: Pricing, part: RelationPart, uses: Sequence[Use]) -> _Group:
        least = pricing.options.share_gain
        may = len(uses) >= pricing.options.share_scans and pricing.alone(uses) > least
        found = pricing.sharing(part, uses) if may else None
        return cls(part, uses, found if found is not None and found.gain > least else None)

    @property
    def saved(self) -> float:
        return 0.0 if self.sharing is None else self.sharing.gain


def _by_part(candidates: Mapping[str, Candidate], few: int) -> dict[RelationPart, list[Use]]:
    uses: dict[RelationPart, list[Use]] = {}
    for use in _uses(candidates, few):
        uses.setdefault(use.asked.part, []).append(use)
    return uses


def _uses(candidates: Mapping[str, Candidate], few: int) -> Iterator[Use]:
    for view, candidate in candidates.items():
        if not any(shown.rows >= few for shown in candidate.reading.seen.values()):
            continue
        reading = candidate.reading.anew()  # without what was only weighed
        for plan in readable_steps(reading, candidate.program):
            for node in nodes(plan):
                if isinstance(node, Scan) and reading.seen[node.relation].rows >= few:
                    yield from (Use(view, reading, node, asked) for asked in reading.asked(node.relation))
