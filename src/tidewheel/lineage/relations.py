"""A project's graph as data: relations, their columns, where these come from, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from tidewheel.ir.lineage import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphColumn:
    """A column, the stored columns that its values are computed from, and those that decide over which rows.

    What decides about all rows of the relation stands there, and not with each column.
    """

    name: str
    type: str
    values: tuple[Origin, ...] = ()
    by: tuple[Origin, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "type": self.type,
            "from": [list(origin) for origin in self.values],
            "by": [list(origin) for origin in self.by],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """What one run did with a view."""

    epoch: int
    started: str
    method: str
    why: str
    seconds: float | None
    rows: int | None
    changed: int | None
    place: str | None = None
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRelation:
    """A source or a view. `by` are the stored columns that decide which rows there are: they filter, join, group, sort.

    `state` is that of `status`, or `broken`, or `source`. `unknown` says why columns or their lineage are not known.
    """

    name: str
    kind: str
    state: str
    note: str = ""
    comment: str = ""
    tags: tuple[str, ...] = ()
    file: str | None = None
    sql: str | None = None
    reads: tuple[str, ...] = ()
    columns: tuple[GraphColumn, ...] = ()
    by: tuple[Origin, ...] = ()
    unknown: str | None = None
    rows: int | None = None
    bytes: int | None = None
    built: int | None = None
    runs: tuple[PastRun, ...] = ()
    """Newest first."""

    @property
    def is_view(self) -> bool:
        return self.kind == "view"

    @property
    def only_by(self) -> tuple[Origin, ...]:
        """Columns that decide about rows, and that no value comes from."""
        deciding = {*self.by, *(origin for column in self.columns for origin in column.by)}
        return tuple(sorted(deciding - {origin for column in self.columns for origin in column.values}))

    def to_dict(self) -> dict[str, Any]:
        plain = {n: getattr(self, n) for n in ("name", "kind", "state", "note", "comment", "file", "sql", "unknown")}
        return plain | {
            "tags": list(self.tags),
            "reads": list(self.reads),
            "columns": [column.to_dict() for column in self.columns],
            "by": [list(origin) for origin in self.by],
            "only_by": [list(origin) for origin in self.only_by],
            "rows": self.rows,
            "bytes": self.bytes,
            "built": self.built,
            "runs": [run.to_dict() for run in self.runs],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationGraph:
    """Relations by name, each after all that it reads."""

    project: str
    epoch: int
    time: str | None
    relations: Mapping[str, GraphRelation]

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(r.name for r in self.relations.values() if not r.is_view)

    @property
    def views(self) -> tuple[str, ...]:
        return tuple(r.name for r in self.relations.values() if r.is_view)

    def edges(self) -> Iterator[tuple[str, str]]:
        """Pairs of a relation and one that reads it, both in the graph."""
        for relation in self.relations.values():
            yield from ((above, relation.name) for above in relation.reads if above in self.relations)

    def only(self, views: Iterable[str]) -> Self:
        """The graph of some views and the sources that they read."""
        chosen = set(views)
        chosen |= {s for v in chosen for s in self.relations[v].reads if s in self.sources}
        kept = {name: relation for name, relation in self.relations.items() if name in chosen}
        return replace(self, relations=kept)

    def to_dict(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "epoch": self.epoch,
            "time": self.time,
            "relations": {name: relation.to_dict() for name, relation in self.relations.items()},
            "edges": [list(edge) for edge in self.edges()],
        }
