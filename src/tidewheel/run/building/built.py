"""What becomes of a view in a run, and what its changes need of that run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tidewheel.methods import Method
from tidewheel.optimize.priced import PricedWay
from tidewheel.plan.binding.inputs import Inputs
from tidewheel.plan.binding.parts import RelationPart
from tidewheel.plan.plan import Reason
from tidewheel.project.graph import View
from tidewheel.run.building.sessions import Sessions
from tidewheel.run.outcome import Read
from tidewheel.store.epochs import ViewRecord
from tidewheel.store.log import DataFile
from tidewheel.types import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What became of a view: a new record, or none if its rows and states are what they were."""

    record: ViewRecord | None
    method: Method
    reason: Reason
    read: tuple[Read, ...] = ()
    changed: int | None = None
    """Rows that came and went, if that is known."""
    states: Mapping[str, int] = field(default_factory=dict)
    """Rows that came and went in each state."""
    way: PricedWay | None = None
    """What was done, as it is priced: what it took is learned from."""
    parts: tuple[RelationPart, ...] = ()
    """What it read that others read too."""
    waited: float = 0.0
    """Seconds until these were there."""


@dataclass(slots=True)
class Taken:
    """What a view has had to do with what others read too, by all the ways that were tried."""

    parts: dict[RelationPart, None] = field(default_factory=dict)
    made: list[Read] = field(default_factory=list)
    waited: float = 0.0

    def added_to(self, built: Built) -> Built:
        return replace(built, parts=tuple(self.parts), read=(*built.read, *self.made), waited=self.waited)


class Home(Protocol):
    """What a view's changes need of the run that they are part of."""

    @property
    def inputs(self) -> Inputs: ...

    @property
    def sessions(self) -> Sessions: ...

    def record(
        self, view: View, files: Sequence[DataFile], schema: Schema, method: Method, reason: Reason
    ) -> ViewRecord:
        """What is published for a view."""

    def described(self, view: View, part: str, schema: Schema) -> tuple[DataFile, ...]:
        """The files that were written into a part of the attempt's folder of the view."""

    def folder(self, view: View) -> str:
        """The attempt's folder of a view."""

    def made_folder(self, view: View) -> str:
        """Where what is made on the way may be written."""

    def part_folder(self, part: RelationPart) -> str:
        """Where the rows of a part are written."""
