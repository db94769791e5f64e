"""Sizes of stored relations that nobody stored: from their names, the same wherever and whenever they are asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final
from zlib import crc32

from tidewheel.delta.pruning import ColumnBounds
from tidewheel.ir.forms import CHANGE
from tidewheel.ir.rel import Rel, Scan
from tidewheel.optimize.facts import ColumnFacts, Facts

SOME: Final = "~"
"""Between the name of a relation and how many of its files are read, where a change says which."""
TOGETHER: Final = 100
"""Rows of a change that touch the same file of what they are joined with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUp:
    """A stock of relations of 100 to 1,000,000 rows by name and `salt`, or of so many `rows` as are given.

    One row in a thousand changes, or as many as `changes` says. A relation lies in twenty files, or as many as `files`
    says; a change that it is joined with touches one for each hundred rows. `distinct` has different values of
    `table.column`.
    """

    salt: int = 0
    rows: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    distinct: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    changes: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    files: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def show(self, scan: Scan, bounds: ColumnBounds) -> Rel:
        asked = [sum(self._changed(relation) for relation, _ in origins) for _, origins in bounds.of]
        files = math.ceil(min(asked) / TOGETHER) if asked else math.inf
        if scan.form == CHANGE or files >= self._files(scan):
            return scan
        return replace(scan, relation=f"{scan.relation}{SOME}{files}")

    def facts(self, scan: Scan) -> Facts:
        whole, rows = self._whole(_name(scan)), self._rows(scan)
        columns = tuple(self._column(scan, column.name, whole, rows) for column in scan.columns)
        return Facts(rows=rows, columns=columns)

    def size(self, scan: Scan) -> float:
        return 8.0 * scan.width * self._rows(scan)

    def _rows(self, scan: Scan) -> float:
        name, _, files = scan.relation.lower().partition(SOME)
        if scan.form == CHANGE:
            return self._changed(name)
        return self._whole(name) * (float(files) / self._files(scan) if files else 1.0)

    def _files(self, scan: Scan) -> float:
        return self.files.get(_name(scan), 20.0)

    def _changed(self, relation: str) -> float:
        name = relation.lower()
        return self.changes.get(name, max(1.0, self._whole(name) / 1000))

    def _whole(self, name: str) -> float:
        return self.rows[name] if name in self.rows else 10.0 ** (2 + self._number(name) % 5)

    def _column(self, scan: Scan, column: str, whole: float, rows: float) -> ColumnFacts:
        name = f"{_name(scan)}.{column}".lower()
        known = self.distinct.get(name, whole ** ((1 + self._number(name) % 4) / 4))
        return ColumnFacts(distinct=max(1.0, min(known, rows)))

    def _number(self, name: str) -> int:
        return crc32(f"{self.salt} {name}".encode())


def _name(scan: Scan) -> str:
    return scan.relation.lower().partition(SOME)[0]
