"""The ways to bring one view up to date, as they are priced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tidewheel.methods import Method
from tidewheel.optimize.cost import Place, Work

WayName: TypeAlias = Literal["changes", "difference", "full"]
"""From the changes of its inputs; in full, with the difference to what was stored as its change; in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedWay:
    """One way: its method, where it runs, its work, and what it is predicted to take and to give."""

    name: WayName
    method: Method
    place: Place
    work: Work
    seconds: float
    rows: float
    """Rows that come and go; of a build in full, all rows."""
    estimate: float
    """Rows, before what was learned."""
    read: float
    """Bytes of the files that are read."""
    shared: float = 0.0
    """Of the seconds, its share of what is read once for several views: no part of its work."""
    states: Mapping[str, float] = field(default_factory=dict)
    """Rows that come and go in each state, before what was learned."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "place": self.place,
            "seconds": round(self.seconds, 4),
            "rows": round(self.rows),
            "bytes_read": round(self.read),
            "work": self.work.to_dict(),
        }
