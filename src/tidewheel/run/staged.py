"""What staging hands over: records to publish, and what happened to every view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidewheel.run.outcome import ViewRun
from tidewheel.store.epochs import ViewRecord
from tidewheel.store.tables import TableSnapshot

if TYPE_CHECKING:
    from tidewheel.plan.binding.parts import MadePart

Listener = Callable[[str, str, ViewRun | None], None]


@dataclass(slots=True)
class Staged:
    """What staging produced: records to publish, and what happened to every view."""

    records: dict[str, ViewRecord] = field(default_factory=dict)
    views: dict[str, ViewRun] = field(default_factory=dict)
    read: dict[str, TableSnapshot] = field(default_factory=dict)
    """The relations that were read, as they are now."""
    made: list[MadePart] = field(default_factory=list)
    """What was read once for several views."""
