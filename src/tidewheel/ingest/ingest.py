"""`ingest`: rows into a managed source, all or nothing, exactly once when given an id."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, Literal, get_args

from tidewheel import logs
from tidewheel.errors import ConflictError, StoreError, UserError
from tidewheel.ingest.commit import (
    Base,
    CommitWork,
    IngestAttempt,
    begin,
    commit,
    explained,
    newest_version,
    write_batches,
)
from tidewheel.ingest.compaction import keep_up
from tidewheel.ingest.inputs import ReadOptions, check_options, conforming
from tidewheel.ingest.merge import Merge
from tidewheel.ingest.opening import Spool, open_inputs
from tidewheel.ingest.replacement import Replacement
from tidewheel.ingest.widening import widen
from tidewheel.project.config import ManagedSource
from tidewheel.schema_json import schema_from_json
from tidewheel.store import disk, log
from tidewheel.store.sources import check_source_schema
from tidewheel.store.tables import open_table
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema

Mode = Literal["append", "upsert", "delete", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """What an ingest did: rows written and rows that are gone; `applied` is False if the id was seen before."""

    source: str
    mode: str
    version: int
    rows: int
    removed: int
    applied: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    mode: Mode = "append"
    id: str | None = None
    read: ReadOptions = field(default_factory=ReadOptions)
    memory: int = 1_600_000_000


def ingest(warehouse: Warehouse, name: str, source: ManagedSource, data: Any, options: IngestOptions) -> IngestResult:
    """Write data into a managed source."""
    schema = source.declared
    if schema is None or options.mode not in get_args(Mode):
        raise UserError(
            f'unknown mode "{options.mode}"', code="unknown-option", hint=f"Use {', '.join(get_args(Mode))}."
        )
    if options.id is not None and not options.id.strip():
        raise UserError(
            "the id of the rows is empty",
            code="bad-option",
            hint="Give the id that these rows have and no others, for example a day or the name of the file.",
        )
    check_options(options.read)
    if options.mode == "upsert" and not source.key:
        raise UserError(
            f'source "{name}" has no key to upsert by',
            code="no-key",
            relation=name,
            hint="Declare `key: [...]` for it in tidewheel.yml, or use append.",
        )
    if options.mode == "replace" and isinstance(data, (list, tuple)) and not data:
        raise UserError(
            "the list to replace by is empty",
            code="bad-input",
            detail="A list of files may be so because nothing matched.",
            hint="To delete all rows, give a table without rows, for example a DataFrame with the source's columns.",
        )
    _check_table(warehouse.table(name), name, source)
    given = _given_schema(schema, source.key, options.mode)
    read = replace(options.read, partial=options.mode == "delete" and bool(source.key))
    with Spool(warehouse) as spool:
        opened = open_inputs(data, given, read, spool)
        attempt = begin(warehouse, name)
        try:
            with explained(attempt):
                rows = chain.from_iterable(conforming(each, given, read, required=source.key) for each in opened)
                files = write_batches(attempt, rows, given, "given")
                result, named = _commit(attempt, schema, given, source, files, options)
            logs.event("ingest.committed", **result.to_dict())
            with suppress(StoreError, ConflictError):  # the rows are in: what fails from here on costs space or speed
                _drop_unused(attempt, named if result.applied else None)
                attempt.done()
                keep_up(warehouse, name, result.version)
        except BaseException:
            attempt.discard()
            raise
    return result


def _check_table(table: str, name: str, source: ManagedSource) -> None:
    """A file of another schema than its table's would make the table unreadable: the declaration must still hold."""
    version = newest_version(table)
    if version >= 0:
        if log.owner(table) == "view":
            raise UserError(
                f'source "{name}" has the name of a removed view, whose table is still there',
                code="name-clash",
                relation=name,
                hint=f"Run `tidewheel drop {name}` first, or rename the source.",
            )
        found = schema_from_json(open_table(table, version).schema().to_json())
        check_source_schema(name, source, found, None)


def _drop_unused(attempt: IngestAttempt, named: frozenset[str] | None) -> None:
    """Rows that were only compared with, or, if no file is named, that an earlier ingest of the same id has brought."""
    if named is None:
        disk.remove(attempt.data, step="discard.attempt")
        return
    for file in disk.list_names(attempt.data):
        if file.startswith("given-") and attempt.relative(file) not in named:
            disk.remove(os.path.join(attempt.data, file), step="discard.attempt")


def _given_schema(schema: Schema, key: tuple[str, ...], mode: str) -> Schema:
    """What the caller must give: whole rows, or just keys to delete by."""
    if mode == "delete" and key:
        return Schema(tuple(f for f in schema if f.name.lower() in {k.lower() for k in key}))
    return schema


def _commit(
    attempt: IngestAttempt,
    schema: Schema,
    given: Schema,
    source: ManagedSource,
    files: tuple[log.DataFile, ...],
    options: IngestOptions,
) -> tuple[IngestResult, frozenset[str]]:
    """Publish the commit; returns what it did, and the files that it names."""
    done: list[CommitWork] = []
    if options.mode == "append":
        about = {"mode": "append", "rows": sum(f.rows for f in files)}

        def work(base: Base) -> CommitWork:
            del base  # an append builds on any version
            done.append(CommitWork(actions=tuple(log.add_action(f) for f in files), about=about))
            return done[-1]

    else:
        match = tuple(f.name for f in schema if f.name.lower() in {k.lower() for k in source.key})
        merge = (Replacement if options.mode == "replace" else Merge)(
            attempt=attempt,
            schema=schema,
            given=given,
            files=files,
            match=match,
            mode=options.mode,
            memory=options.memory,
        )
        merge.refuse_duplicates()

        def work(base: Base) -> CommitWork:
            done.append(merge.on(base))
            return done[-1]

    widen(attempt.warehouse, attempt.source, source)  # as late as can be: rows that are refused change nothing
    version, applied = commit(attempt, schema, options.id, work)
    did: Mapping[str, Any] = done[-1].about if applied else {}
    result = IngestResult(
        source=attempt.source,
        mode=options.mode,
        version=version,
        rows=int(did.get("rows", 0)),
        removed=int(did.get("removed", 0)),
        applied=applied,
    )
    return result, frozenset(a["add"]["path"] for a in done[-1].actions if "add" in a) if applied else frozenset()
