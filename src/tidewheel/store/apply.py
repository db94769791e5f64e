"""Bring the Delta tables to what a decided epoch says. Redo only: anybody may repeat any step at any time."""

from __future__ import annotations

import json
import os
from typing import Any

from tidewheel.store import disk, log
from tidewheel.store.epochs import Epoch, ViewRecord, latest_epoch, read_epoch
from tidewheel.store.tables import open_table, read_snapshot
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
    return dict(body["versions"])


def finish(warehouse: Warehouse) -> tuple[Epoch, dict[str, int], list[str]]:
    """Finish the last decided epoch if somebody died before that; returns it, its versions, and foreign writes."""
    epoch = latest_epoch(warehouse)
    versions = applied_versions(warehouse, epoch.number)
    if versions is not None:
        return epoch, versions, []
    return epoch, *apply_epoch(warehouse, epoch)


def apply_epoch(warehouse: Warehouse, epoch: Epoch) -> tuple[dict[str, int], list[str]]:
    """Commit every table of the epoch; returns the versions, and the tables somebody else had written to."""
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
    os.makedirs(log.log_dir(table), exist_ok=True)
    version = record.base_version + 1
    clean = True
    actions = _plain_actions(warehouse, view, record)
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
        actions = _exact_actions(warehouse, table, version - 1, record)


def _version_of_epoch(table: str, number: int, first: int) -> int | None:
    """The commit by which somebody has applied this epoch, or a later one, already."""
    newest = log.latest_version(table) or first
    for version in range(first, newest + 1):
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
        return [*log.create_actions(record.schema), *(log.add_action(f) for f in record.files)]
    base = read_epoch(warehouse, record.base_built).records[view]
    kept = {f.path for f in base.files} & {f.path for f in record.files}
    changed = (
        [] if base.schema == record.schema else log.schema_change_actions(record.schema, _table_id(warehouse, view))
    )
    return [
        *changed,
        *(log.remove_action(f.path) for f in base.files if f.path not in kept),
        *(log.add_action(f) for f in record.files if f.path not in kept),
    ]


def _table_id(warehouse: Warehouse, view: str) -> str:
    return str(open_table(warehouse.table(view)).metadata().id)


def _exact_actions(warehouse: Warehouse, table: str, version: int, record: ViewRecord) -> list[dict[str, Any]]:
    """Somebody else wrote to our table: whatever it holds, make it hold exactly what was decided."""
    snapshot = read_snapshot(table, version, cache=warehouse.own("cache", "deleted"))
    found = {f.path for f in snapshot.files}
    wanted = {f.path for f in record.files}
    return [
        *log.schema_change_actions(record.schema, str(open_table(table).metadata().id)),
        *(log.remove_action(path) for path in sorted(found - wanted)),
        *(log.add_action(f) for f in record.files if f.path not in found),
    ]
