"""What a reading asks for: relations at versions, and parts of them that several views may share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from tidewheel.delta.pruning import Origins
from tidewheel.plan.binding.parts import Parts, RelationPart, Sharing
from tidewheel.plan.binding.shown import Shown
from tidewheel.store.log import DataFile
from tidewheel.store.prune import ColumnValues
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema

Limit: TypeAlias = tuple[str, Origins]
"""A column, and what its values are among."""


class Versions(Protocol):
    """Relations as they are, as they were, and parts of them that several views need."""

    @property
    def parts(self) -> Parts:
        """The parts that are read once."""

    def table(self, relation: str) -> str:
        """The folder of a relation."""

    def now(self, name: str) -> TableSnapshot:
        """A relation as it is."""

    def before(self, name: str, known: int) -> TableSnapshot:
        """A relation at the content that a view has seen."""

    def values(self, parts: Sequence[TableSnapshot], column: str) -> ColumnValues | None:
        """The values of a column of a change; None if they are too many, or of no kind that files have bounds for."""


def kind_of(piece: Shown, limits: Sequence[Limit]) -> str:
    """What a part is, whatever the versions: sales_2023 is another relation than sales_2024."""
    told = [f"{column} in {', '.join(f'd({r}).{name}' for r, name in sorted(origins))}" for column, origins in limits]
    which = "" if piece.what_of == "all" else f" ({piece.what_of})"
    return f"{piece.relation}{which} by {' and '.join(told)}"


def coming_rows(sharing: Sharing, schema: Schema) -> TableSnapshot:
    """The rows of a part before they are there."""
    file = DataFile(path="", size=round(sharing.size), rows=round(sharing.rows))
    return TableSnapshot(table="", version=-1, schema=schema, files=(file,))


@dataclass(frozen=True, slots=True)
class PartRequest:
    """A part that a scan asks for, and the files that may hold its rows."""

    part: RelationPart
    files: Shown


@dataclass(frozen=True, slots=True)
class PartOrigin:
    """What a part is made from: files that may hold its rows, and the changes that say which. Some may hold NULLs."""

    files: Shown
    changes: tuple[Shown, ...]
    nulls: frozenset[str]
