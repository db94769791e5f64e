"""`ingest`: rows into a managed source, all or nothing, exactly once when given an id."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, Literal, get_args

from tidewheel import logs
from tidewheel.errors import ConflictError, StoreError, UserError
from tidewheel.ingest.commit import (
    Base,
    IngestAttempt,
    Work,
    begin,
    commit,
    explained,
    newest_version,
    write_batches,
)
from tidewheel.ingest.inputs import ReadOptions, conforming
from tidewheel.ingest.merge import Merge
from tidewheel.ingest.opening import open_inputs
from tidewheel.ingest.upkeep import keep_up
from tidewheel.project.config import ManagedSource
from tidewheel.store import disk, log
from tidewheel.store.sources import check_source_schema
from tidewheel.store.tables import open_table
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema, schema_from_json

Mode = Literal["append", "upsert", "delete"]


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
        raise UserError(f'unknown mode "{options.mode}"', code="unknown-option", hint="Use append, upsert or delete.")
    if options.mode == "upsert" and not source.key:
        raise UserError(
            f'source "{name}" has no key to upsert by',
            code="no-key",
            relation=name,
            hint="Declare `key: [...]` for it in tidewheel.yml, or use append.",
        )
    _check_table(warehouse.table(name), name, source)
    given = _given_schema(schema, source.key, options.mode)
    read = replace(options.read, partial=options.mode == "delete" and bool(source.key))
    opened = open_inputs(data, given, read)
    attempt = begin(warehouse, name)
    try:
        with explained(attempt):
            rows = chain.from_iterable(conforming(each, given, read, required=source.key) for each in opened)
            files = write_batches(attempt, rows, given, "given")
            result = _commit(attempt, schema, given, source, files, options)
        logs.event("ingest.committed", **result.to_dict())
        with suppress(StoreError, ConflictError):  # the rows are in: what fails from here on costs space or speed
            if not result.applied or options.mode == "delete" or not (result.rows or result.removed):
                _drop_given(attempt, keep=result.applied)
            attempt.done()
            keep_up(warehouse, name, schema, result.version)
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


def _drop_given(attempt: IngestAttempt, *, keep: bool) -> None:
    """Rows that were only compared with, or that an earlier ingest of the same id has brought."""
    if not keep:
        disk.remove(attempt.data, step="discard.attempt")
        return
    for file in disk.list_names(attempt.data):
        if file.startswith("given-"):
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
) -> IngestResult:
    outcome: dict[str, Any] = {}
    if options.mode == "append":
        count = sum(f.rows for f in files)

        def work(base: Base) -> Work:
            del base  # an append builds on any version
            outcome.update(mode="append", rows=count)
            return Work(actions=tuple(log.add_action(f) for f in files), about=dict(outcome))

    else:
        match = tuple(f.name for f in schema if f.name.lower() in {k.lower() for k in source.key})
        merge = Merge(
            attempt=attempt,
            schema=schema,
            given=given,
            files=files,
            match=match,
            mode=options.mode,
            memory=options.memory,
        )
        merge.refuse_duplicates()

        def work(base: Base) -> Work:
            done = merge.on(base)
            outcome.clear()
            outcome.update(done.about)
            return done

    version, applied = commit(attempt, schema, options.id, work)
    return IngestResult(
        source=attempt.source,
        mode=options.mode,
        version=version,
        rows=int(outcome.get("rows", 0)) if applied else 0,
        removed=int(outcome.get("removed", 0)) if applied else 0,
        applied=applied,
    )
