"""What the caller asks of a refresh."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidewheel.plan.placement import Placement

if TYPE_CHECKING:
    from tidewheel.optimize.options import PlannerOptions
    from tidewheel.plan.memory import PlanMemory
    from tidewheel.plan.supposed import Supposed


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshRequest:
    """What the caller asks of a refresh: which views, which of them anew from scratch, and where."""

    selected: frozenset[str]
    rebuild: frozenset[str] = frozenset()
    placement: Placement = field(default_factory=Placement)
    fail_on_full: bool = False
    """Is it refused if a view would be recomputed that nobody asked to be."""
    supposed: Mapping[str, Supposed] = field(default_factory=dict)
    """Changes that have not happened, for what they would lead to."""
    planner: PlannerOptions | None = None
    """Numbers that steer planning, if not the usual ones."""
    memory: Callable[[], PlanMemory] | None = None
    """Gives what was worked out for earlier plans of the project; asked only if something changed."""
