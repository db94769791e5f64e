"""What was worked out once and is found again: bounded, and safe to use from several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """At most so many results; the next one begins anew, so that a long-lived process does not grow."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._known: dict[K, V] = {}
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """What is known under a key, or what is made now. Two threads may both make it; one result is kept."""
        known = self._known.get(key)
        return self._add(key, make()) if known is None else known

    def _add(self, key: K, made: V) -> V:
        with self._lock:
            if len(self._known) >= self.most:
                self._known = {}
            return self._known.setdefault(key, made)
