"""What statements read under a name: files of a relation, or a result that was made on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tidewheel.delta.pruning import ColumnBounds, Origins, Pruned
from tidewheel.ir.rel import Rel, Scan
from tidewheel.plan.binding.parts import RelationPart
from tidewheel.program.program import is_reference
from tidewheel.store.tables import TableSnapshot


@dataclass(frozen=True, slots=True)
class Shown:
    """Files that statements read under a name, and what they are of which relation."""

    name: str
    relation: str
    what: str
    parts: Sequence[TableSnapshot]
    share: float = 1.0
    """Of the files, how many will be read, where it is not known yet which; above one, of rows that are yet to come."""
    shared: tuple[RelationPart, ...] = ()
    """What the first parts are, if these are shared: their files are not there before they are made."""
    what_of: str = "all"
    """Of a relation that changed: the files that it has had `since`, those that are `gone` or have `come`, or all."""

    @property
    def rows(self) -> int:
        return sum(p.rows for p in self.parts)

    @property
    def bytes(self) -> int:
        return sum(p.bytes for p in self.parts)


@dataclass(frozen=True, slots=True)
class MadeIntermediate:
    """An intermediate: its plan over relations in their forms, and how it is read."""

    rel: Rel
    shown: Shown


class PrunedOverMade(Pruned):
    """Prunes plans over intermediates: where the values of these come from is seen in their plans."""

    def __init__(self, show: Callable[[Scan, ColumnBounds], Rel], made: Mapping[bytes, MadeIntermediate]) -> None:
        super().__init__(show)
        self.made = made

    def _origins_of(self, rel: Rel) -> tuple[Origins | None, ...]:
        if isinstance(rel, Scan) and is_reference(rel):
            return tuple(self._origins(self.made[rel.digest].rel))
        return super()._origins_of(rel)
