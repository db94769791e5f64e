"""What a plan is made from: what is defined, what was published, where the sources stand, what is asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from tidewheel.project.definition import Definition
from tidewheel.refresh.plan import Step
from tidewheel.store.epochs import Epoch
from tidewheel.store.sources import Pin
from tidewheel.store.warehouse import Warehouse


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the caller asks of a refresh: which views, and which of them anew from scratch."""

    selected: frozenset[str]
    rebuild: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything a planner looks at; `steps` grows view by view, in graph order."""

    definition: Definition
    warehouse: Warehouse
    last: Epoch
    versions: Mapping[str, int]
    pins: Mapping[str, Pin]
    now: dt.datetime
    wishes: Wishes
    steps: dict[str, Step] = field(default_factory=dict)
