"""The colour of each state, where the format has no themes of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Colours:
    fill: str
    stroke: str
    text: str


OF_STATE: Final = {
    "source": Colours("#e8eef7", "#5b7db1", "#1b2a41"),
    "fresh": Colours("#e6f4ea", "#3c8d5a", "#12351f"),
    "behind": Colours("#fdf3dc", "#c08a1e", "#4a3506"),
    "stale": Colours("#fce8d5", "#b8651b", "#4d2706"),
    "broken": Colours("#fbe4e2", "#c2453a", "#541712"),
    "unknown": Colours("#efe9f7", "#7d62a8", "#2e1f45"),
    "not built": Colours("#f1f2f4", "#8b929c", "#2c3138"),
}
