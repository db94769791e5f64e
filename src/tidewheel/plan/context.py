"""What a plan is made from: what is defined, what was published, where the sources stand, what is asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from tidewheel.errors import TidewheelError
from tidewheel.plan.plan import Step
from tidewheel.plan.request import RefreshRequest
from tidewheel.project.definition import Definition
from tidewheel.store.epochs import Epoch
from tidewheel.store.sources import Pin
from tidewheel.store.warehouse import Warehouse


@dataclass(frozen=True, kw_only=True)
class PlanContext:
    """Everything a planner looks at; `steps` grows view by view, in graph order."""

    definition: Definition
    warehouse: Warehouse
    last: Epoch
    versions: Mapping[str, int]
    pins: Mapping[str, Pin]
    now: dt.datetime
    request: RefreshRequest
    unread: Mapping[str, TidewheelError] = field(default_factory=dict)
    """Sources that cannot be read, and why."""
    steps: dict[str, Step] = field(default_factory=dict)

    def is_landing(self, name: str) -> bool:
        """Is part of a source's change in files that are not taken yet."""
        return name in self.pins and self.pins[name].pending is not None
