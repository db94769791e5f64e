"""Sources as they stand now: which version, what changed since the last epoch, read from the logs alone."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from tidewheel.errors import StoreError, UserError
from tidewheel.names import check_column_name
from tidewheel.project.config import DeltaSource, FilesSource, ManagedSource, resolve_path
from tidewheel.schema_json import schema_from_json
from tidewheel.store import disk, log
from tidewheel.store.changes import ChangeKind, SourceChange, classify
from tidewheel.store.deltas import DeltaFiles, NoDelta
from tidewheel.store.epochs import SourceEntry
from tidewheel.store.tables import TableSnapshot, open_table, read_snapshot, require_files
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Field, Schema, to_sql

AnySource = ManagedSource | DeltaSource | FilesSource
NO_TABLE = -1
"""The version of a source that nothing has been written to yet: it is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A source at one version, and how it got there from the last epoch."""

    name: str
    table: str
    version: int
    signature: str | list[int] | None
    schema: Schema
    change: SourceChange
    pending: DeltaFiles | NoDelta | None = None
    """What files that have landed and are not taken yet will change, in a plan."""
    moved: bool = False
    """Somebody else's table has a newer version with the same rows: worth an epoch, for they may vacuum the old one."""

    @property
    def written_version(self) -> int | None:
        """The version of its table; None if there is no table yet."""
        return None if self.version == NO_TABLE else self.version

    def entry(self) -> SourceEntry:
        return SourceEntry(
            version=self.version,
            content=self.change.content,
            signature=self.signature,
            schema=self.schema,
            change=self.change.to_dict(),
        )

    def to_dict(self) -> dict[str, Any]:
        return {"version": self.written_version, "change": self.change.to_dict()}


def table_path(name: str, source: AnySource, warehouse: Warehouse, root: str) -> str:
    return resolve_path(source.path, root) if isinstance(source, DeltaSource) else warehouse.table(name)


def pin(name: str, source: AnySource, warehouse: Warehouse, root: str, last: SourceEntry | None) -> Pin:
    """Where a source stands. An unchanged source costs two looks at its log folder and no table open."""
    table = table_path(name, source, warehouse, root)
    version = _version_now(table, last)
    if version == NO_TABLE:
        return _pin_empty(name, source, table, last)
    signature = disk.digest(log.commit_path(table, version))
    if last is not None and last.version == version and _is_as_it_was(table, last):
        change = SourceChange(kind=ChangeKind.NONE, content=last.content)
        check_source_schema(name, source, last.schema, last)
        unchanged = Pin(name=name, table=table, version=version, signature=signature, schema=last.schema, change=change)
        return _as_declared(unchanged, source)
    log.read_commit(table, version)  # delta-rs takes a commit that was cut to nothing for an empty one
    change = _change(table, version, last)
    schema = _schema_at(name, table, version, last, change)
    check_source_schema(name, source, schema, last)
    moved = isinstance(source, DeltaSource) and last is not None and last.version != version
    found = Pin(
        name=name,
        table=table,
        version=version,
        signature=signature,
        schema=schema,
        change=change,
        moved=moved,
    )
    return _as_declared(found, source)


def _as_declared(pinned: Pin, source: AnySource) -> Pin:
    """The source with columns that its declaration adds and that no command has taken over yet."""
    declared = source.declared
    if declared is None or not added_columns(source, pinned.schema):
        return pinned
    kind = ChangeKind.APPEND if pinned.change.kind is ChangeKind.NONE else pinned.change.kind
    change = replace(pinned.change, kind=kind, content=pinned.version + 1, widened=True)
    return replace(pinned, schema=declared, change=change)


def pin_of_entry(name: str, source: AnySource, warehouse: Warehouse, root: str, entry: SourceEntry) -> Pin:
    """A source where an epoch has it."""
    return Pin(
        name=name,
        table=table_path(name, source, warehouse, root),
        version=entry.version,
        signature=entry.signature,
        schema=entry.schema,
        change=SourceChange(kind=ChangeKind.NONE, content=entry.content),
    )


def _version_now(table: str, last: SourceEntry | None) -> int:
    if last is not None and last.version >= 0 and os.path.exists(log.commit_path(table, last.version)):
        return log.advance(table, last.version)
    newest = log.latest_version(table)
    return NO_TABLE if newest is None else newest


def _is_as_it_was(table: str, last: SourceEntry) -> bool:
    """Whether the version that the last epoch read is still there, and not another one by the same number."""
    path = log.commit_path(table, last.version)
    return last.signature == (disk.signature(path) if isinstance(last.signature, list) else disk.digest(path))


def _change(table: str, version: int, last: SourceEntry | None) -> SourceChange:
    if last is None:
        return SourceChange(kind=ChangeKind.FIRST, content=version)
    if last.version == NO_TABLE:
        return classify(table, NO_TABLE, version, content=NO_TABLE)
    if version < last.version or not _is_as_it_was(table, last):
        return SourceChange(kind=ChangeKind.REWRITTEN, content=version)
    return classify(table, last.version, version, content=last.content)


def _pin_empty(name: str, source: AnySource, table: str, last: SourceEntry | None) -> Pin:
    if isinstance(source, DeltaSource):
        raise StoreError(
            f'source "{name}" has no Delta table at its path',
            code="table-not-found",
            detail=f"Path: {table}.",
            relation=name,
            hint="Check the path in tidewheel.yml.",
        )
    schema = source.declared
    if schema is None:
        raise UserError(
            f'source "{name}" has no files yet and no declared schema',
            code="no-files",
            relation=name,
            hint="Put a first file into its folder, or declare `schema:` in tidewheel.yml.",
        )
    if last is not None and last.version != NO_TABLE:
        raise StoreError(
            f'the table of source "{name}" is gone',
            code="table-not-found",
            detail=f"Path: {table}.",
            relation=name,
            hint="Restore the folder from a backup.",
        )
    kind = ChangeKind.FIRST if last is None else ChangeKind.NONE
    change = SourceChange(kind=kind, content=NO_TABLE)
    return Pin(name=name, table=table, version=NO_TABLE, signature=None, schema=schema, change=change)


def _schema_at(name: str, table: str, version: int, last: SourceEntry | None, change: SourceChange) -> Schema:
    """The schema can only have changed with a metaData action; otherwise the last one still holds."""
    known = {ChangeKind.NONE, ChangeKind.APPEND, ChangeKind.MIXED}
    if last is not None and change.kind in known and not change.widened:
        return last.schema
    schema = schema_from_json(open_table(table, version).schema().to_json())
    for column in schema.names:
        check_column_name(column, set(), relation=name)
    return schema


def check_source_schema(name: str, source: AnySource, schema: Schema, last: SourceEntry | None) -> None:
    """Refuse a table that is not as declared, or not as it was; a managed source may get columns."""
    declared = source.declared
    if declared is not None and declared.nullable() != schema.nullable() and not added_columns(source, schema):
        raise _schema_changed(name, source, schema, declared, "The table has", "declared in tidewheel.yml")
    accepts = isinstance(source, DeltaSource) and source.on_schema_change == "rebuild"
    accepts = accepts or (isinstance(source, ManagedSource) and last is not None and _begins_with(schema, last.schema))
    if last is not None and last.schema.nullable() != schema.nullable() and not accepts:
        raise _schema_changed(name, source, last.schema, schema, "In the last epoch", "now")


def added_columns(source: AnySource, found: Schema) -> tuple[Field, ...]:
    """What a declaration adds to a managed source's table: columns at its end that may be NULL, and nothing else."""
    declared = source.declared
    if not isinstance(source, ManagedSource) or declared is None or not _begins_with(declared, found):
        return ()
    added = declared.fields[len(found) :]
    return added if all(field.nullable for field in added) else ()


def _begins_with(schema: Schema, start: Schema) -> bool:
    return Schema(schema.fields[: len(start)]).nullable() == start.nullable()


def describe_difference(old: Schema, new: Schema) -> str:
    """Which columns came, went, or changed their type."""
    parts = []
    for field in old:
        found = new.find(field.name)
        if found is None:
            parts.append(f'column "{field.name}" is gone')
        elif found.type != field.type:
            parts.append(f'column "{field.name}" was {to_sql(field.type)}, is {to_sql(found.type)}')
    parts += [
        f'column "{f.name}" is new{"" if f.nullable else " and NOT NULL"}' for f in new if old.find(f.name) is None
    ]
    return ", ".join(parts) or "the order of the columns changed"


def _schema_changed(name: str, source: AnySource, old: Schema, new: Schema, was: str, now: str) -> UserError:
    meant = {
        "managed": "Only columns that may be NULL can be added, at the end. For anything else declare a new source",
        "delta": "If it is meant, set `on_schema_change: rebuild`",
        "files": "If it is meant, declare a new source",
    }[source.kind]
    return UserError(
        f'the schema of source "{name}" changed: {describe_difference(old, new)}',
        code="schema-changed",
        detail=f"{was}: {old.to_sql()}; {now}: {new.to_sql()}.",
        relation=name,
        hint=f"{meant}. To leave it out for now: --exclude source:{name}+.",
    )


def snapshot_of(pinned: Pin, warehouse: Warehouse) -> TableSnapshot:
    """The files of a pinned source."""
    if pinned.version == NO_TABLE:
        return TableSnapshot(table=pinned.table, version=NO_TABLE, schema=pinned.schema)
    found = read_snapshot(pinned.table, pinned.version, cache=warehouse.own("cache", "deleted"))
    if found.schema.names != pinned.schema.names:
        found = replace(found, schema=pinned.schema)  # an older version, or columns that are about to be added
    return require_files(found, pinned.name)
