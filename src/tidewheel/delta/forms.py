"""What a rule may ask for: the change of a plan, and its snapshots before and after, in whole or in part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from tidewheel.delta.change import DeltaPlan
from tidewheel.ir.rel import Filter, Project, Rel, Scan, Unnest, Values
from tidewheel.ir.scalar import Scalar

When: TypeAlias = Literal["old", "new"]


class Forms(Protocol):
    """The forms of plans between two versions of their inputs; plans given and taken are over stored relations."""

    def delta(self, rel: Rel) -> DeltaPlan | None:
        """The change of a plan; None if nothing that it reads changed."""

    def whole(self, rel: Rel, when: When) -> Rel:
        """All rows of a plan, before or after."""

    def part(self, rel: Rel, when: When, keys: Sequence[Scalar], values: Rel) -> Rel:
        """The rows of a plan whose keys are among some values, before or after."""

    def shared(self, rel: Rel) -> Rel:
        """A plan over forms that is read more than once, as it is best referred to."""

    def wants(self, rel: Rel) -> None:
        """Says that a plan is computed for all rows, so that it, or what it is made from, is better kept."""

    def is_kept(self, rel: Rel) -> bool:
        """Are the rows of a plan stored, and its change known."""

    def keep(self, rel: Rel) -> None:
        """Says that a plan must be kept, for it may come out differently when it is computed again."""


@dataclass(frozen=True, slots=True)
class DeltaRule:
    """One way to the change of an operator; None if it is no way for this one."""

    name: str
    apply: Callable[[Forms, Any], DeltaPlan | None]
    doc: str


def is_simple(rel: Rel) -> bool:
    """Is a plan computed row by row from one stored relation, so that a join alone restricts it well enough."""
    while isinstance(rel, (Filter, Project, Unnest)):
        rel = rel.input
    return isinstance(rel, (Scan, Values))
