"""What was worked out once and is found again: bounded, safe to use from several threads, owned by a project."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from tidewheel.optimize.exploration import Exploration
from tidewheel.optimize.maintenance import MaintenanceLayout, Statement
from tidewheel.optimize.trace import Trace
from tidewheel.program import Program
from tidewheel.sql.bind import BoundView

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_VIEWS: Final = 10_000
MOST_PROGRAMS: Final = 1000
MOST_GOALS: Final = 100_000
"""Of all memos that are remembered together; one of a view of a hundred CTEs has three thousand."""


class Remembered(Generic[K, V]):
    """Results of at most so much weight; the next one begins anew, so that a long-lived process does not grow."""

    def __init__(self, most: int, weight: Callable[[V], int] = lambda _: 1) -> None:
        self.most, self.weight = most, weight
        self._known: dict[K, V] = {}
        self._held = 0
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """What is known under a key, or what is made now. Two threads may both make it; one result is kept."""
        known = self._known.get(key)
        return self._add(key, make()) if known is None else known

    def values(self) -> list[V]:
        """All that is remembered."""
        with self._lock:
            return [*self._known.values()]

    def _add(self, key: K, made: V) -> V:
        with self._lock:
            if key in self._known:
                return self._known[key]
            if self._held >= self.most:
                self._known, self._held = {}, 0
            self._known[key] = made
            self._held += self.weight(made)
            return made


Memo: TypeAlias = tuple[Sequence[Statement], Exploration]
"""The statements of a view over references, and what these refer to: whatever the sizes."""


@dataclass(frozen=True, slots=True)
class PlanMemory:
    """What was worked out for earlier plans of a project and holds for later ones.

    `bound`: the plans of views, by their text and the columns of what they read. `upkeeps`: what is stored for a view,
    by its query and layout. `memos`: by that and the kinds of changes; if only sizes changed, they are priced anew and
    searched again. `programs`: by sizes as well, as powers of two.
    """

    bound: Remembered[Hashable, BoundView] = field(default_factory=lambda: Remembered(MOST_VIEWS))
    upkeeps: Remembered[Hashable, MaintenanceLayout] = field(default_factory=lambda: Remembered(MOST_VIEWS))
    memos: Remembered[Hashable, Memo] = field(
        default_factory=lambda: Remembered(MOST_GOALS, weight=lambda memo: 1 + len(memo[1].goals))
    )
    programs: Remembered[Hashable, tuple[Program, Trace]] = field(default_factory=lambda: Remembered(MOST_PROGRAMS))
