"""Versions, intervals, and the two forms of a relation that varies over time.

Relations change independently, so a point in time is a vector: one version for each stored relation. A query has a
form at a point (its snapshot) and between two points (its delta), and the forms of one relation form an algebra:

    Snapshot(v) + Delta(v, w) = Snapshot(w)
    Delta(u, v) + Delta(v, w) = Delta(u, w)
    Snapshot(w) - Snapshot(v) = Delta(v, w)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class Versions:
    """One version for each relation, sorted by relation: a point in time."""

    of: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.of]
        if names != sorted(set(names)):
            raise ValueError("versions are sorted by relation, and each relation has one")

    @classmethod
    def at(cls, versions: Mapping[str, int]) -> Versions:
        return cls(tuple(sorted(versions.items())))

    def __getitem__(self, relation: str) -> int:
        return dict(self.of)[relation]

    @property
    def relations(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.of)

    def only(self, relations: Iterable[str]) -> Versions:
        """The versions of those relations: all that matters to a query that reads no others."""
        wanted = set(relations)
        return Versions(tuple(v for v in self.of if v[0] in wanted))

    def __le__(self, later: Versions) -> bool:
        """Whether no relation is further here than there; two points may be in neither order."""
        return self.relations == later.relations and all(
            a <= b for (_, a), (_, b) in zip(self.of, later.of, strict=True)
        )

    def __str__(self) -> str:
        return ", ".join(f"{name}@{version}" for name, version in self.of) or "always"


@dataclass(frozen=True, slots=True)
class Interval:
    """From one point in time to a later one, of the same relations."""

    start: Versions
    end: Versions

    def __post_init__(self) -> None:
        if not self.start <= self.end:
            raise ValueError(f"{self.end} does not follow {self.start}")

    @property
    def changed(self) -> tuple[str, ...]:
        """The relations that have another version at the end."""
        return tuple(name for name, version in self.end.of if self.start[name] != version)

    @property
    def is_empty(self) -> bool:
        return self.start == self.end

    def only(self, relations: Iterable[str]) -> Interval:
        wanted = frozenset(relations)
        return Interval(self.start.only(wanted), self.end.only(wanted))

    def meets(self, later: Interval) -> bool:
        return self.end == later.start

    def __add__(self, later: Interval) -> Interval:
        if not self.meets(later):
            raise ValueError(f"{later} does not start where {self} ends")
        return Interval(self.start, later.end)

    def steps(self, order: Iterable[str]) -> tuple[Interval, ...]:
        """Adjacent intervals in each of which one relation changes, in the given order; they sum up to this one."""
        found, now = [], dict(self.start.of)
        for name in order:
            if name in self.changed:
                before = Versions.at(now)
                now[name] = self.end[name]
                found.append(Interval(before, Versions.at(now)))
        if found and found[-1].end != self.end:
            raise ValueError(f"the order leaves out a relation that changes in {self}")
        return tuple(found)

    def __str__(self) -> str:
        parts = (f"{n}@{v}" if v == self.end[n] else f"{n}@{v}..{self.end[n]}" for n, v in self.start.of)
        return ", ".join(parts) or "always"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All rows at a point in time."""

    at: Versions

    def __add__(self, delta: Delta) -> Snapshot:
        if self.at != delta.over.start:
            raise ValueError(f"{describe(delta)} does not start at {self.at}")
        return Snapshot(delta.over.end)

    def __sub__(self, earlier: Snapshot) -> Delta:
        return Delta(Interval(earlier.at, self.at))

    def only(self, relations: Iterable[str]) -> Snapshot:
        return Snapshot(self.at.only(relations))


@dataclass(frozen=True, slots=True)
class Delta:
    """The change between two points in time: weights of rows, of either sign."""

    over: Interval

    def __add__(self, later: Delta) -> Delta:
        return Delta(self.over + later.over)

    @property
    def start(self) -> Snapshot:
        return Snapshot(self.over.start)

    @property
    def end(self) -> Snapshot:
        return Snapshot(self.over.end)

    def only(self, relations: Iterable[str]) -> Delta:
        return Delta(self.over.only(relations))


Form: TypeAlias = Snapshot | Delta


def describe(form: Form) -> str:
    """A form in words, for plans and explanations."""
    match form:
        case Snapshot(at):
            return f"snapshot at {at}"
        case Delta(over):
            return f"no change at {over.end}" if over.is_empty else f"change over {over}"
    assert_never(form)
