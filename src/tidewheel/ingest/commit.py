"""One ingest as a transaction: announce, write files, publish one commit that either is there or is not."""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tidewheel.errors import ConflictError, StoreError, UserError
from tidewheel.schema_json import schema_from_json
from tidewheel.store import disk, log
from tidewheel.store.arrow import parquet_writer, to_arrow
from tidewheel.store.footers import describe_file
from tidewheel.store.log import DataFile
from tidewheel.store.sources import describe_difference
from tidewheel.store.tables import TableSnapshot, open_table, read_snapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema

ROWS_PER_FILE = 250_000
"""Few enough that a change of neighbouring rows touches little, many enough that a table has not too many files."""
TRIES = 20


def transaction_name(ingest_id: str) -> str:
    return f"tidewheel-ingest/{ingest_id}"


@dataclass(frozen=True, slots=True)
class IngestAttempt:
    """A try at one commit. Its folder exists as long as it may still publish; `vacuum` takes it away to fence it off.

    As for a refresh, the folder is made before the newest version is read.
    """

    warehouse: Warehouse
    source: str
    id: str

    @property
    def folder(self) -> str:
        return os.path.join(self.warehouse.ingests(self.source), self.id)

    @property
    def table(self) -> str:
        return self.warehouse.table(self.source)

    @property
    def data(self) -> str:
        return self.warehouse.data(self.source, self.id)

    def relative(self, name: str) -> str:
        return f"_data/{self.id}/{name}"

    def publish(self, version: int, text: str) -> bool:
        """Make the commit visible as this version; False if somebody else has taken the number."""
        prepared = os.path.join(self.folder, f"{version}.json")
        try:
            disk.prepare(prepared, text, step="ingest.prepare")
            return disk.publish(prepared, log.commit_path(self.table, version), step="ingest.commit")
        except FileNotFoundError:
            raise self.abandoned() from None

    def is_fenced(self) -> bool:
        """Whether `vacuum` took this attempt for abandoned: it may have deleted what was written, too."""
        return not os.path.isdir(self.folder)

    def abandoned(self) -> ConflictError:
        return ConflictError(
            f'the ingest into "{self.source}" was abandoned by `vacuum` meanwhile',
            code="ingest-abandoned",
            hint="Nothing was ingested. Run it again.",
        )

    def done(self) -> None:
        disk.remove(self.folder, step="ingest.done")

    def discard(self) -> None:
        """First the right to publish, then the files; unless the commit is out (an error may come after that)."""
        if disk.withdraw(self.folder, step="ingest.done", scratch=self.warehouse.scratch):
            disk.remove(self.data, step="discard.attempt")
            disk.remove(self.warehouse.own("changes", self.source, f"{self.id}.parquet"), step="discard.attempt")


def begin(warehouse: Warehouse, source: str) -> IngestAttempt:
    attempt = IngestAttempt(warehouse, source, uuid.uuid4().hex[:12])
    try:
        disk.make_dirs(attempt.folder, "ingest.attempt")
        about = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
        with explained(attempt):
            disk.prepare(os.path.join(attempt.folder, "attempt.json"), about, step="ingest.attempt")
        disk.make_dirs(log.log_dir(attempt.table), "ingest.attempt")
    except BaseException:
        attempt.discard()
        raise
    return attempt


@contextmanager
def explained(attempt: IngestAttempt) -> Iterator[None]:
    """What fails before the commit because `vacuum` took our files away says so."""
    try:
        yield
    except (UserError, ConflictError):
        raise
    except Exception as error:
        if attempt.is_fenced():
            raise attempt.abandoned() from error
        raise


@contextmanager
def discarding(attempt: IngestAttempt) -> Iterator[None]:
    """Whatever fails inside leaves nothing behind."""
    try:
        with explained(attempt):
            yield
    except BaseException:
        attempt.discard()
        raise


def write_batches(
    attempt: IngestAttempt, batches: Iterable[pa.RecordBatch], schema: Schema, stem: str
) -> tuple[DataFile, ...]:
    """Write a stream to data files of bounded size, holding one batch at a time."""
    return tuple(_write(attempt, _slices(batches), schema, stem))


def _slices(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A caller's batch may have any number of rows."""
    for batch in batches:
        for start in range(0, max(batch.num_rows, 1), ROWS_PER_FILE):
            yield batch.slice(start, ROWS_PER_FILE)


def _write(attempt: IngestAttempt, batches: Iterator[pa.RecordBatch], schema: Schema, stem: str) -> Iterator[DataFile]:
    batch = next(batches, None)
    number = 0
    while batch is not None:
        name = f"{stem}-{number:05d}.parquet"
        path = os.path.join(attempt.data, name)
        with disk.io_step("ingest.data", path):
            os.makedirs(attempt.data, exist_ok=True)
            rows = 0
            with parquet_writer(path, to_arrow(schema)) as writer:
                while batch is not None and rows < ROWS_PER_FILE:
                    writer.write_batch(batch)
                    rows += batch.num_rows
                    batch = next(batches, None)
        if rows:
            yield describe_file(path, attempt.relative(name), schema)
        number += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitWork:
    """What one commit should do: its actions and what it says about itself."""

    actions: tuple[dict[str, Any], ...]
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The table that a commit builds on; `snapshot` is read only by those who need it."""

    version: int
    snapshot: Callable[[], TableSnapshot]


def commit(
    attempt: IngestAttempt, schema: Schema, ingest_id: str | None, work: Callable[[Base], CommitWork]
) -> tuple[int, bool]:
    """Publish `work` on the newest version, again after each lost race. Returns the version, and whether it was new."""
    version = newest_version(attempt.table)
    if ingest_id is not None and version >= 0:
        done = open_table(attempt.table, version).transaction_version(transaction_name(ingest_id))
        if done is not None:
            return done, False
    for _ in range(TRIES):
        _refuse_other_schema(attempt, schema, version)
        wanted = _work_on(attempt, _base(attempt, schema, version), work)
        if wanted is not None and attempt.publish(version + 1, _commit_text(schema, ingest_id, version, wanted)):
            return version + 1, True
        for newer in range(version + 1, newest_version(attempt.table) + 1):
            other = log.read_commit(attempt.table, newer)
            if other is not None and ingest_id is not None and other.ours.get("id") == ingest_id:
                return newer, False
            version = newer
    raise busy(attempt.source)


def _refuse_other_schema(attempt: IngestAttempt, schema: Schema, version: int) -> None:
    """Whoever knows other columns than the table has would write over, or hide, the values of those."""
    if version < 0:
        return
    found = schema_from_json(open_table(attempt.table, version).schema().to_json())
    if found.nullable() != schema.nullable():
        raise UserError(
            f'the schema of source "{attempt.source}" changed meanwhile: {describe_difference(schema, found)}',
            code="schema-changed",
            detail=f"The table has: {found.to_sql()}; this ingest has: {schema.to_sql()}.",
            relation=attempt.source,
            hint="Nothing was ingested. Run it again, with the columns that tidewheel.yml now declares.",
        )


def busy(source: str) -> StoreError:
    return StoreError(
        f'too many others write to source "{source}"',
        code="busy-source",
        detail=f"Lost {TRIES} races for the next version.",
        hint="Nothing was ingested. Run it again.",
    )


def _work_on(attempt: IngestAttempt, base: Base, work: Callable[[Base], CommitWork]) -> CommitWork | None:
    """The work; None if the base is not the newest version any more and `vacuum` has taken its files away."""
    try:
        return work(base)
    except StoreError as error:
        if error.code != "files-missing" or newest_version(attempt.table) == base.version:
            raise
        return None


def _commit_text(schema: Schema, ingest_id: str | None, version: int, wanted: CommitWork) -> str:
    head = [] if version >= 0 else log.create_actions(schema)
    if ingest_id is not None:
        head = [*head, log.transaction_action(transaction_name(ingest_id), version + 1)]
    return log.commit_text("INGEST", {**wanted.about, "id": ingest_id}, [*head, *wanted.actions])


def newest_version(table: str) -> int:
    newest = log.latest_version(table)
    return -1 if newest is None else newest


def _base(attempt: IngestAttempt, schema: Schema, version: int) -> Base:
    def snapshot() -> TableSnapshot:
        if version < 0:
            return TableSnapshot(table=attempt.table, version=version, schema=schema)
        return read_snapshot(attempt.table, version, cache=attempt.warehouse.own("cache", "deleted"))

    return Base(version=version, snapshot=snapshot)
