"""What a plan is made from: what is defined, what was published, where the sources stand, what is asked for."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidewheel.errors import TidewheelError
from tidewheel.plan.plan import Reason, Step
from tidewheel.project.config import PlacementMode
from tidewheel.project.definition import Definition
from tidewheel.store.epochs import Epoch
from tidewheel.store.sources import Pin
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from tidewheel.optimize.options import PlannerOptions
    from tidewheel.plan.candidates import Chooser
    from tidewheel.plan.defined.bound import Binding
    from tidewheel.plan.memory import PlanMemory
    from tidewheel.plan.whatif import Supposed
    from tidewheel.project.graph import View

ON_DRIVER = 256 * 2**20
"""Bytes that the driver reads itself: a statement over so little needs no cluster, and no job."""
HERE = 64
"""So many times more if the cluster is no other machine: the driver is the quicker one then."""


FEW_STATES = 2
"""The changes of so many states, and of the view, are computed by one execution of a cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where statements are run: in this process alone, on a cluster that is this machine, or on one elsewhere."""

    is_local: bool = False
    is_here: bool = True
    mode: PlacementMode = "auto"

    def limit(self) -> int:
        """Bytes that the driver reads itself."""
        return ON_DRIVER * HERE if self.is_here else ON_DRIVER

    def names_changes(self, states: int) -> bool:
        """Are the changes of so many states of a view written before they are read.

        The driver computes nothing twice then. Each is an execution of its own, which costs a cluster more than to
        compute a few of them again.
        """
        return self.mode != "spark" or states > FEW_STATES

    @property
    def is_for_spark(self) -> bool:
        """Does Spark run every statement, however small."""
        return self.needs_spark(0.0, full=False) is not None

    def needs_spark(self, size: float, *, full: bool) -> Reason | None:
        """Why a statement that reads so many bytes is for Spark; None if it is for the driver."""
        if self.is_local:
            return None
        if self.mode == "spark":
            return Reason("placement", "everything is to run on Spark")
        if full and self.mode == "auto":
            return Reason("full-build", "what is built in full is built on Spark")
        if size > self.limit():
            return Reason("too-large", f"it reads {size / 1e9:.1f} GB, the driver at most {self.limit() / 1e9:.1f} GB")
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshRequest:
    """What the caller asks of a refresh: which views, which of them anew from scratch, and where."""

    selected: frozenset[str]
    rebuild: frozenset[str] = frozenset()
    placement: Placement = Placement()
    fail_on_full: bool = False
    """Is it refused if a view would be recomputed that nobody asked to be."""
    supposed: Mapping[str, Supposed] = field(default_factory=dict)
    """Changes that have not happened, for what they would lead to."""
    planner: PlannerOptions | None = None
    memory: Callable[[], PlanMemory] | None = None
    """Gives what was worked out for earlier plans of the project; asked only if something changed."""
    """Numbers that steer planning, if not the usual ones."""


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

    @functools.cached_property
    def chooser(self) -> Chooser:
        """Made when the first view is found to need it: that takes the binder."""
        from tidewheel.plan.candidates import Chooser  # noqa: PLC0415

        return Chooser(self)

    @functools.cached_property
    def binding(self) -> Binding:
        """Made when the first view is found to be built in full."""
        from tidewheel.plan.defined.bound import Binding  # noqa: PLC0415

        sources = {name: entry.schema for name, entry in self.last.sources.items()}
        sources |= {name: pinned.schema for name, pinned in self.pins.items()}
        return Binding(self.definition, self.warehouse, sources, self.last)

    def bind_anew(self, view: View) -> None:
        """See that a view that is to be built in full is sound: what is wrong must not wait for an engine."""
        from tidewheel.plan.defined.check import require_local, require_sound  # noqa: PLC0415

        self.binding.anew.add(view.name)
        bound = self.binding.bind(view.name)
        if bound is not None:
            require_sound(view, bound)
            if self.request.placement.is_local:
                require_local(self.definition, view, bound)
