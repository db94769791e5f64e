"""Bring the Delta tables to what a decided epoch says. Redo only: anybody may repeat any step at any time."""

from __future__ import annotations

import json
import os
from typing import Any

from tidewheel.store import disk, log
from tidewheel.store.epochs import Epoch, ViewRecord, epoch_numbers, latest_epoch, read_epoch, record_of
from tidewheel.store.tables import live_paths, open_table
from tidewheel.store.warehouse import Warehouse

APP = "tidewheel"


def applied_versions(warehouse: Warehouse, number: int) -> dict[str, int] | None:
    """The Delta version of every view at an epoch; None if the epoch is not wholly applied yet."""
    if number == 0:
        return {}
    try:
        body = disk.read_json(warehouse.applied(number), f"the note that epoch {number} is applied")
    except FileNotFoundError:
        return None
    try:
        return {view: int(version) for view, version in body["versions"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"the note that epoch {number} is applied"
        raise disk.damaged(what, warehouse.applied(number), repr(error)) from error


def finish(warehouse: Warehouse) -> tuple[Epoch, dict[str, int], list[str]]:
    """Finish the last decided epoch if somebody died before that; returns it, its versions, and foreign writes."""
    epoch = latest_epoch(warehouse)
    versions = applied_versions(warehouse, epoch.number)
    if versions is not None:
        return epoch, versions, []
    return epoch, *apply_epoch(warehouse, epoch)


def apply_epoch(warehouse: Warehouse, epoch: Epoch) -> tuple[dict[str, int], list[str]]:
    """Commit every table of the epoch; returns the versions, and the tables somebody else had written to.

    A newer epoch is decided only when this one is applied: so if there is one, a runner that was stalled has nothing
    left to do here, and what it would read may have been vacuumed.
    """
    try:
        if not _is_past(warehouse, epoch.number):
            return _apply(warehouse, epoch)
    except FileNotFoundError:
        if not _is_past(warehouse, epoch.number):
            raise
    return applied_versions(warehouse, epoch.number) or {}, []


def _is_past(warehouse: Warehouse, number: int) -> bool:
    return epoch_numbers(warehouse)[-1:] > [number]


def _apply(warehouse: Warehouse, epoch: Epoch) -> tuple[dict[str, int], list[str]]:
    versions = dict(applied_versions(warehouse, epoch.number - 1) or _recover(warehouse, epoch.number - 1))
    foreign = []
    for view, record in epoch.records.items():
        version, clean = _apply_view(warehouse, epoch.number, view, record)
        versions[view] = version
        if not clean:
            foreign.append(view)
    versions = {view: version for view, version in versions.items() if view in epoch.views}
    body = json.dumps({"epoch": epoch.number, "versions": versions})
    disk.create(warehouse.applied(epoch.number), body, step="apply.done", scratch=warehouse.scratch)
    return versions, foreign


def _recover(warehouse: Warehouse, number: int) -> dict[str, int]:
    """An older epoch whose note is gone (vacuumed away, or never written): the logs know."""
    if number <= 0 or not os.path.exists(warehouse.epoch(number)):
        return {}
    versions = {}
    for view in read_epoch(warehouse, number).views:
        newest = log.latest_version(warehouse.table(view))
        if newest is not None:
            versions[view] = newest
    return versions


def _apply_view(warehouse: Warehouse, number: int, view: str, record: ViewRecord) -> tuple[int, bool]:
    """One compare-and-swap commit; returns its version and whether the table was as we had left it."""
    table = warehouse.table(view)
    disk.make_dirs(log.log_dir(table), "apply.commit")
    version = record.base_version + 1
    newest = log.latest_version(table)
    found = -1 if newest is None else newest
    clean = found == record.base_version
    if clean:
        actions = _plain_actions(warehouse, view, record)
    else:  # the table is gone or its log was cut short: no hole may open in it; or it went on: never write below that
        done = _version_of_epoch(table, number, version)
        if done is not None:
            return done, found > record.base_version
        version = 0 if newest is None else newest + 1
        actions = _exact_actions(table, newest, record)
    while True:
        own = {"epoch": number, "relation": view, "method": record.method}
        actions_with_txn = [log.transaction_action(APP, number), *actions]
        text = log.commit_text("REFRESH", own, actions_with_txn)
        path = log.commit_path(table, version)
        if disk.create(path, text, step="apply.commit", scratch=warehouse.scratch):
            return version, clean
        done = _version_of_epoch(table, number, record.base_version + 1)
        if done is not None:
            return done, clean
        clean = False
        version = (log.latest_version(table) or version) + 1
        actions = _exact_actions(table, version - 1, record)


def _version_of_epoch(table: str, number: int, first: int) -> int | None:
    """The commit by which somebody has applied this epoch, or a later one, already."""
    newest = log.latest_version(table)
    if newest is None:
        return None
    for version in range(first if newest >= first else 0, newest + 1):
        commit = log.read_commit(table, version)
        if commit is not None and int(commit.ours.get("epoch", -1)) >= number:
            return version
    if log.read_commit(table, first) is None:  # cleaned up: the transaction survives in the checkpoint
        applied = open_table(table).transaction_version(APP)
        return newest if applied is not None and applied >= number else None
    return None


def _plain_actions(warehouse: Warehouse, view: str, record: ViewRecord) -> list[dict[str, Any]]:
    """From the base record to this one, when the table is as we left it."""
    if record.base_version < 0:
        return _create_actions(record)
    base = record_of(warehouse, view, record.base_built)
    kept = {f.path for f in base.files} & {f.path for f in record.files}
    changed = (
        []
        if base.schema == record.schema
        else log.schema_change_actions(record.schema, _table_id(warehouse.table(view)))
    )
    return [
        *changed,
        *(log.remove_action(f.path) for f in base.files if f.path not in kept),
        *(log.add_action(f) for f in record.files if f.path not in kept),
    ]


def _create_actions(record: ViewRecord) -> list[dict[str, Any]]:
    return [*log.create_actions(record.schema), *(log.add_action(f) for f in record.files)]


def _table_id(table: str) -> str:
    return str(open_table(table).metadata().id)


def _exact_actions(table: str, version: int | None, record: ViewRecord) -> list[dict[str, Any]]:
    """Somebody else wrote to our table: whatever it holds, make it hold exactly what was decided."""
    if version is None:
        return _create_actions(record)
    found = live_paths(table, version)
    vectors = _deletion_vectors(table, version)
    wanted = {f.path for f in record.files}
    kept = {path for path, spelled in found.items() if path in wanted and spelled not in vectors}
    return [
        *log.schema_change_actions(record.schema, _table_id(table)),
        *(
            log.remove_action(spelled, vector=vectors.get(spelled))
            for path, spelled in sorted(found.items())
            if path not in kept
        ),
        *(log.add_action(f) for f in record.files if f.path not in kept),
    ]


def _deletion_vectors(table: str, newest: int) -> dict[str, dict[str, Any]]:
    """Vectors that others put on files of ours, by the path as the log spells it: a file goes together with its own."""
    found: dict[str, dict[str, Any]] = {}
    for version in range(newest, -1, -1):
        commit = log.read_commit(table, version)
        if commit is None or commit.ours:
            break  # we write none
        for add in commit.adds:
            if add.get("deletionVector"):
                found.setdefault(add["path"], add["deletionVector"])
    return found
