"""The forms in which a relation that varies over time can be at hand.

A *point* is a name for a cut, a version of each source: a run maps points to cuts, so that plans, digests and
generated code do not change with versions. A relation has a form at a point, its snapshot, and between two points, its
delta:

    Snapshot(p) + Delta(p, q) = Snapshot(q)
    Delta(p, q) + Delta(q, r) = Delta(p, r)
    Snapshot(q) - Snapshot(p) = Delta(p, q)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Point: TypeAlias = str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All rows at a point."""

    point: Point

    def __str__(self) -> str:
        return f"at {self.point}"


@dataclass(frozen=True, slots=True)
class Delta:
    """The change between two points."""

    start: Point
    end: Point

    def __str__(self) -> str:
        return f"from {self.start} to {self.end}"


@dataclass(frozen=True, slots=True)
class Part:
    """The rows at a point whose keys, given as text, are among the values of a domain, given by its fingerprint."""

    point: Point
    keys: str
    domain: str

    def __str__(self) -> str:
        return f"at {self.point} with {self.keys} in {self.domain}"


Form: TypeAlias = Snapshot | Delta | Part

NOW: Final = Snapshot("now")
BEFORE: Final = Snapshot("before")
CHANGE: Final = Delta(BEFORE.point, NOW.point)


def label(relation: str, form: Form) -> str:
    """A relation in a form, in words: what is printed, and what the rows of it go by in tests. It is never parsed."""
    return relation if form == NOW else f"{relation} {form}"
