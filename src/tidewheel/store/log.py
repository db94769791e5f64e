"""The Delta log, as far as we write it and read it ourselves.

Our own commits are written here and not by delta-rs, for two reasons: publishing is a link from a file that `vacuum`
can take away first (so that an abandoned ingest can never commit files that are gone), and it costs no table open.
docs/design/0002-own-commits.md has the argument. Reading snapshots, with checkpoints, is delta-rs's work.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidewheel.errors import StoreError
from tidewheel.schema_json import schema_to_json
from tidewheel.store import disk
from tidewheel.types import Schema

ENGINE = "tidewheel"
TABLE_PROPERTIES = {"delta.enableExpiredLogCleanup": "false"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """One Parquet file of a table: its path, relative to the table or absolute, and what is known of it."""

    path: str
    size: int
    rows: int
    stats: str = ""
    partition: tuple[tuple[str, str | None], ...] = ()
    modified: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {"path": self.path, "size": self.size, "rows": self.rows, "stats": self.stats}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> DataFile:
        return cls(path=body["path"], size=body["size"], rows=body["rows"], stats=body["stats"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What one commit did, as far as a reader of changes cares."""

    version: int
    adds: tuple[dict[str, Any], ...] = ()
    removes: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] | None = None
    protocol: dict[str, Any] | None = None
    has_cdc: bool = False
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def ours(self) -> dict[str, Any]:
        """What Tidewheel wrote into the commit, if it is ours."""
        own = self.info.get("tidewheel")
        return own if isinstance(own, dict) else {}

    @property
    def is_widening(self) -> bool:
        """Whether it is one of ours that only adds columns, which older files do not have."""
        return bool(self.ours.get("columns"))


def log_dir(table: str) -> str:
    return os.path.join(table, "_delta_log")


def commit_path(table: str, version: int) -> str:
    return os.path.join(log_dir(table), f"{version:020d}.json")


def latest_version(table: str) -> int | None:
    """The newest version by listing the log; None if there is no table."""
    return newest_in(log_dir(table))


def newest_in(folder: str) -> int | None:
    """The newest version of a log, wherever its folder is."""
    newest = None
    for name in disk.list_names(folder):
        stem, _, ending = name.partition(".")
        if len(stem) == 20 and stem.isdigit() and (ending == "json" or ending.startswith("checkpoint")):
            newest = int(stem)
    return newest


def advance(table: str, known: int) -> int:
    """The newest version, looking only past one that is known to exist."""
    version = known
    while os.path.exists(commit_path(table, version + 1)):
        version += 1
    return version


def read_commit(table: str, version: int) -> Commit | None:
    """One commit; None if the log no longer has it."""
    try:
        text = disk.read_text(commit_path(table, version))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise corrupt_log(table, f"Commit {version}: {error}.") from error
    if not text.strip():
        raise corrupt_log(table, f"Commit {version} is empty.")
    adds: list[dict[str, Any]] = []
    removes: list[dict[str, Any]] = []
    found: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        for kind, body in _action(table, version, number, line).items():
            if kind == "add":
                adds.append(body)
            elif kind == "remove":
                removes.append(body)
            else:
                found[kind] = body
    return Commit(
        version=version,
        adds=tuple(adds),
        removes=tuple(removes),
        metadata=found.get("metaData"),
        protocol=found.get("protocol"),
        has_cdc="cdc" in found,
        info=found.get("commitInfo") or {},
    )


def _size(entry: os.DirEntry[str]) -> int | None:
    """Bytes of a file in a listing; None if somebody has removed it since, as `vacuum` does with old commits."""
    try:
        return entry.stat().st_size
    except FileNotFoundError:
        return None


def refuse_empty_commits(table: str, newest: int) -> None:
    """A commit that was cut to nothing is damage: delta-rs takes it for one that did nothing, and rows are gone."""
    with os.scandir(log_dir(table)) as entries:
        for entry in entries:
            stem, _, ending = entry.name.partition(".")
            if ending == "json" and stem.isdigit() and int(stem) <= newest and _size(entry) == 0:
                raise corrupt_log(table, f"Commit {int(stem)} is empty.")


def owner(table: str) -> str | None:
    """Whether our own newest commit made this table a view's or a source's; None if no commit is ours."""
    newest = latest_version(table)
    for version in range(-1 if newest is None else newest, -1, -1):
        commit = read_commit(table, version)
        if commit is None:
            break
        if commit.info.get("engineInfo") == ENGINE:
            return "view" if "epoch" in commit.ours else "source"
    return None


def _action(table: str, version: int, number: int, line: str) -> dict[str, Any]:
    try:
        body = json.loads(line)
    except ValueError as error:
        raise corrupt_log(table, f"Commit {version}, line {number}: {error}.") from error
    found = {kind: action for kind, action in body.items() if action is not None} if isinstance(body, dict) else {}
    if not found or not all(isinstance(action, dict) for action in found.values()):
        raise corrupt_log(table, f"Commit {version}, line {number} is not an action.")
    for kind in ("add", "remove"):
        if kind in found and not isinstance(found[kind].get("path"), str):
            raise corrupt_log(table, f"Commit {version}, line {number}: the action has no path.")
    return found


def corrupt_log(table: str, detail: str) -> StoreError:
    return StoreError(
        "the table's Delta log cannot be read",
        code="corrupt-log",
        detail=f"Table: {table}. {detail}",
        hint="Restore the table's _delta_log folder from a backup, or recreate the table.",
    )


# --- writing ---


def add_action(file: DataFile, *, data_change: bool = True) -> dict[str, Any]:
    body: dict[str, Any] = {
        "path": file.path,
        "partitionValues": {},
        "size": file.size,
        "modificationTime": file.modified or _now(),
        "dataChange": data_change,
    }
    if file.stats:
        body["stats"] = file.stats
    return {"add": body}


def remove_action(path: str, *, data_change: bool = True, vector: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A file's end. `path` must be spelled as the file's `add` spells it, and a deletion vector be named with it."""
    body = {
        "path": path,
        "deletionTimestamp": _now(),
        "dataChange": data_change,
        "extendedFileMetadata": False,
        "partitionValues": {},
    }
    return {"remove": body if vector is None else {**body, "deletionVector": dict(vector)}}


def transaction_action(app: str, version: int) -> dict[str, Any]:
    return {"txn": {"appId": app, "version": version, "lastUpdated": _now()}}


def create_actions(schema: Schema) -> list[dict[str, Any]]:
    """What the first commit of a table says: the protocol and the schema."""
    return [_protocol_action(schema), metadata_action(schema, str(uuid.uuid4()))]


def _protocol_action(schema: Schema) -> dict[str, Any]:
    if '"timestamp_ntz"' in schema_to_json(schema):
        features = ["timestampNtz"]
        return {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": features,
                "writerFeatures": features,
            }
        }
    return {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


def schema_change_actions(schema: Schema, table_id: str) -> list[dict[str, Any]]:
    return [_protocol_action(schema), metadata_action(schema, table_id)]


def metadata_action(schema: Schema, table_id: str) -> dict[str, Any]:
    return {
        "metaData": {
            "id": table_id,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema_to_json(schema.nullable()),
            "partitionColumns": [],
            "configuration": TABLE_PROPERTIES,
            "createdTime": _now(),
        }
    }


def commit_text(operation: str, own: Mapping[str, Any], actions: Iterable[Mapping[str, Any]]) -> str:
    """The file of one commit: one action a line, with our own facts in commitInfo."""
    info = {
        "commitInfo": {
            "timestamp": _now(),
            "operation": operation,
            "operationParameters": {},
            "engineInfo": ENGINE,
            "tidewheel": dict(own),
        }
    }
    return "\n".join(json.dumps(action, separators=(",", ":")) for action in [info, *actions]) + "\n"


def _now() -> int:
    return int(time.time() * 1000)
