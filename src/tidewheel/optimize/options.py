"""Every number that steers planning, in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from tidewheel.optimize.exploration import ExplorationOptions
from tidewheel.optimize.search import SearchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerOptions:
    """The defaults are what was found to be good; tests and benchmarks pass others."""

    full_margin: float = 0.9
    """To recompute a view must be predicted to take at most this share of what its changes take."""
    least_gain: float = 0.3
    """Seconds that recomputing must save, for views that depend on each other together."""
    try_every: int = 30
    """The way that loses is tried once in so many refreshes of a view: a prediction that is never put to the test stays
    as wrong as it is."""
    try_up_to: float = 2.0
    """And only if it is predicted to take at most so many times as long: trials take a few percent of the time."""
    least_trial: float = 0.3
    """Nor for views that take less than so many seconds."""
    trial_share: float = 0.1
    """Trials are predicted to take at most this share of a run; one may take more."""
    share_gain: float = 0.05
    """Seconds that reading once must save: it is one more thing to do, and views wait for it."""
    share_scans: int = 2
    """Scans from which on a part is shared; a view may have two of them."""
    share_rows: int = 10_000
    """Rows below which nobody minds who else reads them."""
    aid_share: float = 0.1
    """Auxiliary states may have so many rows, against those of what they are made from."""
    aid_rows: int = 100_000
    """Rows that are looked up quickly in any case: no auxiliary state is kept because of fewer."""
    search: SearchOptions = field(default_factory=SearchOptions)
    exploration: ExplorationOptions = field(default_factory=ExplorationOptions)

    def without_full(self) -> PlannerOptions:
        """Nothing that can be kept from changes is recomputed, whatever that costs."""
        return replace(self, least_gain=math.inf, least_trial=math.inf)
