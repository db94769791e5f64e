"""The rows that came and went between two versions of a relation, as lists of files. Reads logs and records only.

Appended files are the change themselves. Our own commits that replace rows name a file with the exact change. For
other tools' commits the change is what is in the files they added, without what is in those they removed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import unquote

from tidewheel.names import WEIGHT
from tidewheel.store import log
from tidewheel.store.changes import changes_data
from tidewheel.store.epochs import ViewRecord, record_of
from tidewheel.store.log import Commit, DataFile
from tidewheel.store.tables import TableSnapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import LONG, Field, Schema

_SIGN = Field(WEIGHT, LONG, nullable=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaFiles:
    """A change: the parts are to be read together. If `signed`, each row has a weight of 1 or -1."""

    signed: bool
    parts: tuple[TableSnapshot, ...]

    @property
    def kind(self) -> Literal["append", "mixed", "layered"]:
        """Rows only came; rows came and went; or several changes, one upon the other."""
        if not self.signed:
            return "append"
        return "layered" if len(self.parts) > 1 else "mixed"

    @property
    def rows(self) -> int:
        return sum(p.rows for p in self.parts)

    @property
    def net(self) -> int:
        """Rows that came without those that went, as far as files say which are which."""
        return sum(f.rows * self._weight(f) for p in self.parts for f in p.files)

    def _weight(self, file: DataFile) -> int:
        return int(dict(file.partition).get(WEIGHT) or 0) if self.signed else 1

    @property
    def bytes(self) -> int:
        return sum(p.bytes for p in self.parts)

    def then(self, later: DeltaFiles) -> DeltaFiles:
        """This change and a later one as one."""
        signed = self.signed or later.signed
        parts = (*self.parts, *later.parts)
        return DeltaFiles(signed=signed, parts=tuple(_signed(p) for p in parts) if signed else parts)


@dataclass(frozen=True, slots=True)
class NoDelta:
    """Why the change between two versions is not known."""

    code: str
    text: str


@dataclass(slots=True)
class _Files:
    come: list[DataFile] = field(default_factory=list)
    go: list[DataFile] = field(default_factory=list)
    exact: list[DataFile] = field(default_factory=list)


def source_delta(warehouse: Warehouse, table: str, schema: Schema, known: int, now: int) -> DeltaFiles | NoDelta:
    """How a source's table changed from one version to a later one."""
    found = _Files()
    partitions: tuple[str, ...] = ()
    for version in range(known + 1, now + 1):
        commit = log.read_commit(table, version)
        if commit is None:
            return NoDelta("history-lost", f"version {version} is no longer in its log")
        if commit.metadata is not None:
            if version > 0 and not commit.is_widening:
                return NoDelta("rewritten", f"version {version} changed its schema or properties")
            partitions = tuple(commit.metadata.get("partitionColumns") or ())
        if changes_data(commit):
            problem = _add(warehouse, commit, found)
            if problem is not None:
                return problem
    if not partitions and any(f.partition for f in (*found.come, *found.go)):
        partitions = tuple(name for name, _ in (*found.come, *found.go)[0].partition)
    missing = [f for f in (*found.come, *found.go) if not os.path.exists(os.path.join(table, f.path))]
    if missing:
        return NoDelta("history-lost", f"file {missing[0].path} is gone")
    return _delta(table, schema, now, partitions, found)


def _add(warehouse: Warehouse, commit: Commit, found: _Files) -> NoDelta | None:
    if commit.ours.get("change"):
        path = warehouse.own("changes", commit.ours["change"])
        if not os.path.exists(path):
            return NoDelta("history-lost", f"the change file of version {commit.version} is gone")
        rows = int(commit.ours.get("rows", 0)) + int(commit.ours.get("removed", 0))
        found.exact.append(DataFile(path=path, size=os.path.getsize(path), rows=rows))
        return None
    if "landed" in commit.ours and commit.removes and not commit.ours.get("exact"):
        return NoDelta("file-replaced", f"version {commit.version} replaced a file that was changed in place")
    moved = [a for a in (*commit.adds, *commit.removes) if a.get("dataChange", True)]
    if any(a.get("deletionVector") for a in moved):
        return NoDelta("deletion-vectors", f"version {commit.version} deleted rows by deletion vectors")
    found.come += [_data_file(a) for a in commit.adds if a.get("dataChange", True)]
    found.go += [_data_file(a) for a in commit.removes if a.get("dataChange", True)]
    return None


def _data_file(action: dict[str, Any]) -> DataFile:
    values = action.get("partitionValues") or {}
    return DataFile(
        path=unquote(action["path"]),
        size=int(action.get("size") or 0),
        rows=_rows(action.get("stats")),
        partition=tuple((name, value or None) for name, value in values.items()),
    )


def _rows(stats: str | None) -> int:
    try:
        return int(json.loads(stats or "{}").get("numRecords", 0))
    except (ValueError, AttributeError, TypeError):
        return 0


def delta_of_files(
    table: str, schema: Schema, now: int, come: Sequence[DataFile], go: Sequence[DataFile]
) -> DeltaFiles:
    """The change of a table without partitions that gets some files and loses others."""
    return _delta(table, schema, now, (), _Files(come=list(come), go=list(go)))


def _delta(table: str, schema: Schema, now: int, partitions: tuple[str, ...], found: _Files) -> DeltaFiles:
    signed = bool(found.go or found.exact)
    parts = []
    for files, weight in ((found.come, "1"), (found.go, "-1")):
        if files:
            parts.append(_part(table, schema, now, partitions, files, weight if signed else None))
    if found.exact:
        exact = TableSnapshot(table=table, version=now, schema=with_sign(schema), files=tuple(found.exact))
        parts.append(exact)
    return DeltaFiles(signed=signed, parts=tuple(parts))


def _part(
    table: str, schema: Schema, now: int, partitions: tuple[str, ...], files: Sequence[DataFile], weight: str | None
) -> TableSnapshot:
    """Files whose rows have one weight: it is a column with one value, as that of a partition is."""
    if weight is None:
        return TableSnapshot(table=table, version=now, schema=schema, files=tuple(files), partition_columns=partitions)
    marked = tuple(
        DataFile(path=f.path, size=f.size, rows=f.rows, partition=(*f.partition, (WEIGHT, weight))) for f in files
    )
    columns = (*partitions, WEIGHT)
    return TableSnapshot(table=table, version=now, schema=with_sign(schema), files=marked, partition_columns=columns)


def with_sign(schema: Schema) -> Schema:
    """The columns of a signed change."""
    return Schema((*schema, _SIGN))


def view_delta(warehouse: Warehouse, view: str, record: ViewRecord, built: int, known: int) -> DeltaFiles | NoDelta:
    """How a view changed from the content of one epoch to that of a later one, given the record of the later one."""
    parts: list[TableSnapshot] = []
    signed = False
    while built != known:
        if record.change is None:
            return NoDelta("input-rebuilt", f'view "{view}" was rebuilt in epoch {built}')
        shown = record.change.schema.names
        signs = [WEIGHT] if WEIGHT in shown else []
        signed = signed or bool(signs)
        columns = Schema(tuple(f for f in record.change.schema if f.name in {*record.schema.names, *signs}))
        parts.append(TableSnapshot(table=warehouse.table(view), version=-1, schema=columns, files=record.change.files))
        built = record.base_built
        if built < known:
            return NoDelta("history-lost", f'view "{view}" has no record of epoch {known}')
        if built != known:
            try:
                record = record_of(warehouse, view, built)
            except FileNotFoundError:
                return NoDelta("history-lost", f"the record of epoch {built} is gone")
    return DeltaFiles(signed=signed, parts=tuple(_signed(p) for p in parts) if signed else tuple(parts))


def _signed(part: TableSnapshot) -> TableSnapshot:
    """Rows that only came, among others that came and went."""
    if WEIGHT in part.schema.names:
        return part
    files = tuple(DataFile(path=f.path, size=f.size, rows=f.rows, partition=((WEIGHT, "1"),)) for f in part.files)
    return TableSnapshot(
        table=part.table, version=part.version, schema=with_sign(part.schema), files=files, partition_columns=(WEIGHT,)
    )
