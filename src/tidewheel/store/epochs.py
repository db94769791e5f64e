"""Epochs: published sets of versions. Claim, decide, and read; applying is in `apply.py`.

The only commit point of a refresh is the link `epochs/<n>.json`. It is made from a file inside the attempt's own
folder, so it fails in just two ways: somebody else decided epoch n first, or `vacuum` has taken the folder away.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import os
import socket
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidewheel.errors import ConflictError
from tidewheel.schema_json import schema_from_json, schema_to_json
from tidewheel.store import disk
from tidewheel.store.log import DataFile
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEntry:
    """A source in an epoch. `content` is the newest version that changed rows: a compaction leaves it as it is.

    `signature` is a digest of the version's commit; earlier releases kept the size and the time of its file.
    """

    version: int
    content: int
    signature: str | list[int] | None
    schema: Schema
    change: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "content": self.content,
            "signature": self.signature,
            "schema": schema_to_json(self.schema),
            "change": self.change,
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> SourceEntry:
        return cls(**{**body, "schema": schema_from_json(body["schema"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewEntry:
    """A view in an epoch: the epoch that built its content, the cut it reflects, and why it is stale, if it is."""

    built: int
    as_of: int
    fingerprint: str
    inputs: dict[str, int]
    clock: str = ""
    stale: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "built": self.built,
            "as_of": self.as_of,
            "fingerprint": self.fingerprint,
            "inputs": self.inputs,
        }
        if self.clock:
            body["clock"] = self.clock
        if self.stale is not None:
            body["stale"] = self.stale
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Stored rows: their files, relative to the view's table, and all their columns, hidden ones too."""

    files: tuple[DataFile, ...]
    schema: Schema

    @property
    def rows(self) -> int:
        return sum(f.rows for f in self.files)

    def to_dict(self) -> dict[str, Any]:
        return {"files": [f.to_dict() for f in self.files], "schema": schema_to_json(self.schema)}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Rows:
        files = tuple(DataFile.from_dict(f) for f in body["files"])
        return cls(files=files, schema=schema_from_json(body["schema"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is stored for a view's own maintenance. `layout` names the arrangement: another one means a rebuild.

    `columns` are those of the view's files, hidden ones too; `states` are other rows that are kept, by name. `aids` are
    the joins of the view's plan that are computed in another way because of them.
    """

    layout: str
    columns: Schema
    states: dict[str, Rows] = field(default_factory=dict)
    aids: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        states = {name: rows.to_dict() for name, rows in self.states.items()}
        aids = {"aids": list(self.aids)} if self.aids else {}
        return {"layout": self.layout, "columns": schema_to_json(self.columns), "states": states, **aids}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Kept:
        states = {name: Rows.from_dict(rows) for name, rows in body["states"].items()}
        columns = schema_from_json(body["columns"])
        return cls(layout=body["layout"], columns=columns, states=states, aids=tuple(body.get("aids", ())))


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRecord:
    """What was staged for one view: the complete list of its files, so that a reader needs nothing else.

    `change` are the rows that came and went since the epoch `base_built`; None if the view was built anew.
    """

    files: tuple[DataFile, ...]
    schema: Schema
    base_version: int
    base_built: int
    sql: str
    method: str
    reason: dict[str, Any]
    kept: Kept | None = None
    change: Rows | None = None

    @property
    def rows(self) -> int:
        return sum(f.rows for f in self.files)

    @property
    def bytes(self) -> int:
        return sum(f.size for f in self.files)

    def to_dict(self) -> dict[str, Any]:
        return {
            "files": [f.to_dict() for f in self.files],
            "schema": schema_to_json(self.schema),
            "base_version": self.base_version,
            "base_built": self.base_built,
            "sql": self.sql,
            "method": self.method,
            "reason": self.reason,
            **({} if self.kept is None else {"kept": self.kept.to_dict()}),
            **({} if self.change is None else {"change": self.change.to_dict()}),
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> ViewRecord:
        files = tuple(DataFile.from_dict(f) for f in body["files"])
        kept = Kept.from_dict(body["kept"]) if "kept" in body else None
        change = Rows.from_dict(body["change"]) if "change" in body else None
        known = {**body, "files": files, "schema": schema_from_json(body["schema"]), "kept": kept, "change": change}
        return cls(**known)

    def all_files(self) -> Iterator[DataFile]:
        """Everything that must stay on disk for this record."""
        yield from self.files
        yield from self.change.files if self.change else ()
        for rows in self.kept.states.values() if self.kept else ():
            yield from rows.files


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    number: int
    time: str
    attempt: str
    sources: dict[str, SourceEntry]
    views: dict[str, ViewEntry]
    records: dict[str, ViewRecord]

    def __repr__(self) -> str:
        return f"<Epoch {self.number} of {self.time}: {len(self.sources)} sources, {len(self.views)} views>"

    @property
    def moment(self) -> dt.datetime:
        return dt.datetime.fromisoformat(self.time)

    def to_text(self) -> str:
        body = {
            "epoch": self.number,
            "time": self.time,
            "attempt": self.attempt,
            "sources": {name: s.to_dict() for name, s in self.sources.items()},
            "views": {name: v.to_dict() for name, v in self.views.items()},
            "records": {name: r.to_dict() for name, r in self.records.items()},
        }
        return json.dumps(body, separators=(",", ":"))

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Epoch:
        return cls(
            number=body["epoch"],
            time=body["time"],
            attempt=body["attempt"],
            sources={name: SourceEntry.from_dict(s) for name, s in body["sources"].items()},
            views={name: ViewEntry(**v) for name, v in body["views"].items()},
            records={name: ViewRecord.from_dict(r) for name, r in body["records"].items()},
        )


EMPTY = Epoch(number=0, time="1970-01-01T00:00:00+00:00", attempt="", sources={}, views={}, records={})


def epoch_numbers(warehouse: Warehouse) -> list[int]:
    names = disk.list_names(warehouse.own("epochs"))
    return [int(n.removesuffix(".json")) for n in names if n.endswith(".json") and n[:-5].isdigit()]


def read_epoch(warehouse: Warehouse, number: int) -> Epoch:
    body = disk.read_json(warehouse.epoch(number), f"the record of epoch {number}")
    try:
        return Epoch.from_dict(body)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise disk.damaged(f"the record of epoch {number}", warehouse.epoch(number), repr(error)) from error


def latest_epoch(warehouse: Warehouse) -> Epoch:
    """The newest decided epoch, applied or not; EMPTY before the first."""
    while numbers := epoch_numbers(warehouse):
        try:
            return read_epoch(warehouse, numbers[-1])
        except FileNotFoundError:  # a newer one was published and this one vacuumed since we looked
            continue
    return EMPTY


def view_record(warehouse: Warehouse, epoch: Epoch, view: str) -> ViewRecord:
    """The record behind a view's content in an epoch: in the epoch that built it."""
    built = epoch.views[view].built
    return epoch.records[view] if built == epoch.number else record_of(warehouse, view, built)


def record_of(warehouse: Warehouse, view: str, built: int) -> ViewRecord:
    """What an epoch built for a view; FileNotFoundError if the epoch's record is gone."""
    found = os.stat(warehouse.epoch(built))
    return _records(warehouse, built, (found.st_ino, found.st_mtime_ns, found.st_size))[view]


@functools.lru_cache(maxsize=32)
def _records(warehouse: Warehouse, number: int, _file: tuple[int, int, int]) -> dict[str, ViewRecord]:
    """The records of an epoch, read once for all views that it built."""
    return read_epoch(warehouse, number).records


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at building an epoch. Its folder exists as long as it may still publish.

    The folder is made before the attempt looks at anything: so `vacuum`, which first lists the folders and then reads
    the newest epoch, knows that an attempt it did not see builds on that epoch or a newer one.
    """

    warehouse: Warehouse
    id: str

    @property
    def folder(self) -> str:
        return self.warehouse.own("intents", self.id)

    def claim(self, number: int, body: Mapping[str, Any]) -> None:
        """Say what is being built. It saves others work and keeps inputs alive; safety never depends on it."""
        about = {"pid": os.getpid(), "host": socket.gethostname(), "epoch": number, **body}
        try:
            disk.prepare(os.path.join(self.folder, "claim.json"), json.dumps(about), step="claim.write")
        except FileNotFoundError:
            raise lost(number, ABANDONED) from None

    def decide(self, epoch: Epoch) -> None:
        """Publish the epoch, or raise ConflictError: the one decision of a refresh."""
        prepared = os.path.join(self.folder, "epoch.json")
        try:
            disk.prepare(prepared, epoch.to_text(), step="epoch.prepare")
            won = disk.publish(prepared, self.warehouse.epoch(epoch.number), step="epoch.decide")
        except FileNotFoundError:
            raise lost(epoch.number, ABANDONED) from None
        if not won:
            raise lost(epoch.number, f"Another run published epoch {epoch.number} first.")

    def is_fenced(self) -> bool:
        """Whether `vacuum` took this attempt for abandoned: it may have deleted what was staged, too."""
        return not os.path.isdir(self.folder)

    def close(self) -> None:
        """Nothing needs the folder any more."""
        disk.remove(self.folder, step="discard.attempt")

    def discard(self, views: list[str]) -> None:
        """Remove what a lost or failed attempt staged: first the right to publish, then the files."""
        if disk.withdraw(self.folder, step="discard.attempt", scratch=self.warehouse.scratch):
            for view in views:
                disk.remove(self.warehouse.data(view, self.id), step="discard.attempt")


def begin(warehouse: Warehouse) -> Attempt:
    """Announce an attempt, before looking at anything."""
    attempt = Attempt(warehouse, uuid.uuid4().hex[:12])
    try:
        disk.make_dirs(attempt.folder, "claim.write")
    except BaseException:
        attempt.close()
        raise
    return attempt


ABANDONED = "This attempt was taken for abandoned by `vacuum` meanwhile."


def lost(number: int, detail: str) -> ConflictError:
    return ConflictError(
        f"another run won epoch {number}",
        code="another-run-won",
        detail=detail,
        hint="Nothing of this run was published. Run again to build on the newer epoch.",
    )
