"""Parts of relations that several views need: read once in a run, by the first that asks, and kept for the others.

A change plan needs of a stored relation only rows whose values are among those of some changes (`delta/pruning`). Which
rows these are does not hang on the view: all views that follow the same changes from the same versions ask for the same
ones, each for its own columns. So a part is named by what it is a part of, and by the changes that bound it.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tidewheel.ir.parts import Column, JoinKey
from tidewheel.ir.rel import Join, Query, Rel, Scan, Union
from tidewheel.ir.scalar import Col
from tidewheel.optimize.cost import Place, Work
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema

PartBounds: TypeAlias = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""Of columns, the columns of changes, by the names that these are read under, that their values are among."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationPart:
    """Those rows of some files that are within some bounds.

    `of` names the files: those of a relation that it has only now, or had only before, or has had all the time.
    """

    of: str
    bounds: PartBounds
    kind: str = field(default="", compare=False)
    """What it is at each refresh, whatever the versions: what is learned of it is kept by this."""

    @property
    def name(self) -> str:
        return f"{self.of}_part_{hashlib.sha256(repr(self.bounds).encode()).hexdigest()[:12]}"

    def holds(self, other: RelationPart) -> bool:
        """Are all rows of the other in it."""
        return self.of == other.of and set(self.bounds) <= set(other.bounds)

    def columns(self) -> frozenset[str]:
        """Those that decide what is in it."""
        return frozenset(column for column, _ in self.bounds)

    def query(self, schema: Schema, files: str, nulls: Collection[str]) -> Query:
        """The plan of the part: of the rows that are read as `files` those that the changes have.

        `nulls` are the columns of it whose bounds may hold a NULL.
        """
        columns = tuple(Column(f.name, f.type, f.nullable) for f in schema)
        rel: Rel = Scan(relation=files, columns=columns)
        for column, origins in self.bounds:
            at = schema.names.index(column)
            key = JoinKey(left=Col(at), right=Col(0), kind="<=>" if column in nulls else "=")
            rel = Join(kind="semi", left=rel, right=_values(origins, columns[at]), keys=(key,))
        return Query(rel=rel, names=tuple(schema.names))


def _values(origins: Sequence[tuple[str, str]], column: Column) -> Rel:
    """The values of columns of changes, of the type of another column."""
    scans = [Scan(relation=change, columns=(replace(column, name=name, nullable=True),)) for change, name in origins]
    return scans[0] if len(scans) == 1 else Union(parts=tuple(scans))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """A part that is read once for several views, and what is expected of that.

    It serves all who ask for one of some parts that it holds.
    """

    part: RelationPart
    serves: tuple[RelationPart, ...]
    relation: str
    what: str
    columns: tuple[str, ...]
    views: tuple[str, ...]
    place: Place
    work: Work
    """To make it."""
    making: float
    """Seconds for that."""
    rows: float
    estimate: float
    """Rows, before what was learned."""
    size: float
    reading: Mapping[str, float] = field(hash=False)
    """Seconds that each view takes to read it, once it is there."""
    alone: Mapping[str, float] = field(hash=False)
    """Seconds that each view would take if it read for itself."""

    @property
    def saves(self) -> dict[str, float]:
        """Seconds that each view saves once it is there."""
        return {view: self.alone[view] - self.reading[view] for view in self.views}

    @property
    def gain(self) -> float:
        """Seconds that are saved in all."""
        return sum(self.saves.values()) - self.making

    def only(self, views: Collection[str]) -> Sharing:
        """The sharing by some of its views only."""
        return replace(self, views=tuple(v for v in self.views if v in views))

    def __str__(self) -> str:
        by = ", ".join(sorted(self.part.columns()))
        return f"rows of {self.relation} by {by}: read once for {', '.join(self.views)}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "relation": self.relation,
            "what": self.what,
            "by": sorted(self.part.columns()),
            "columns": list(self.columns),
            "views": list(self.views),
            "rows": round(self.rows),
            "seconds": round(self.making + sum(self.reading[v] for v in self.views), 4),
            "alone": round(sum(self.alone[v] for v in self.views), 4),
        }


@dataclass(frozen=True, slots=True)
class MadePart:
    """A part that was made: how many rows it has, and the seconds that it took."""

    sharing: Sharing
    rows: int
    seconds: float


class NotShared(Exception):  # noqa: N818  no error of anybody's: each view reads for itself
    """A part could not be made."""


@dataclass(slots=True)
class _Made:
    lock: threading.Lock = field(default_factory=threading.Lock)
    paths: frozenset[str] = frozenset()
    rows: TableSnapshot | None = None
    seconds: float = 0.0
    failed: bool = False


class Parts:
    """The parts that a run shares. Safe to use from several threads."""

    def __init__(self, sharings: Sequence[Sharing] = ()) -> None:
        self.sharings = {s.part: s for s in sharings}
        self._serving = {part: s for s in sharings for part in s.serves}
        self._made = {s.part: _Made() for s in sharings}

    def serving(self, part: RelationPart, columns: Collection[str]) -> Sharing | None:
        """What is shared that has all rows of a part, and these columns."""
        found = self._serving.get(part)
        if found is None or self._made[found.part].failed or not set(columns) <= set(found.columns):
            return None
        return found

    def rows(
        self,
        part: RelationPart,
        paths: frozenset[str],
        make: Callable[[], TableSnapshot],
        waited: Callable[[], float] = float,
    ) -> TableSnapshot:
        """The rows of a part of some files, made by the first that asks.

        `waited` says how long one had to wait for others meanwhile.
        """
        made = self._made[part]
        with made.lock:
            if made.rows is not None and made.paths != paths:
                made.failed = True  # it is not what its name says
            if made.failed:
                raise NotShared(part.name)
            if made.rows is None:
                waited()
                began = time.monotonic()
                try:
                    made.rows, made.paths = make(), paths
                except BaseException:
                    made.failed = True
                    raise
                made.seconds = time.monotonic() - began - waited()
            return made.rows

    def made(self) -> Iterator[MadePart]:
        """What was made."""
        for part, made in self._made.items():
            if made.rows is not None:
                yield MadePart(self.sharings[part], made.rows.rows, made.seconds)

    def seconds(self, part: RelationPart) -> float:
        """What making it took, for each of the views that it was planned for."""
        return self._made[part].seconds / max(len(self.sharings[part].views), 1)
