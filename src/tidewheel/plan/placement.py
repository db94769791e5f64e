"""Where statements run: in the driver or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from tidewheel.plan.plan import Reason
from tidewheel.project.config import PlacementMode

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
