"""What a query may read: relations with their columns and keys, and results as the binder hands them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Rel, Scan
from tidewheel.types import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRelation:
    """A stored relation. `keys` name columns that are unique and not NULL together."""

    name: str
    columns: tuple[Column, ...]
    keys: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, name: str, schema: Schema) -> CatalogRelation:
        return cls(name=name, columns=tuple(Column(f.name, f.type, f.nullable) for f in schema))

    def scan(self) -> Scan:
        positions = {c.name.lower(): i for i, c in enumerate(self.columns)}
        keys = tuple(tuple(positions[name.lower()] for name in key) for key in self.keys)
        return Scan(relation=self.name, columns=self.columns, keys=keys)


Catalog: TypeAlias = Mapping[str, CatalogRelation]
"""By lower-case name."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound query inside another: a plan and the names of its columns, which may repeat."""

    rel: Rel
    names: tuple[str, ...]
