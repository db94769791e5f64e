"""Delete what nothing needs: epochs past the retention, files of no kept version, abandoned attempts, old commits.

Kept are the last epoch, every epoch inside the window, every epoch a reader holds, the epochs and versions that a
stale view will catch up from, and everything that a live attempt may still publish. Whether an attempt is abandoned
is a guess by age, and a wrong guess does no harm: its folder is renamed away first, and from then on it cannot publish.

Epoch records and commits are what makes a stalled writer lose its race, so they are deleted only while no attempt is
under way: attempts make their folder before they look at the newest version, so one that starts later builds on it.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tidewheel import logs
from tidewheel.store import disk, log, readers
from tidewheel.store.epochs import Epoch, epoch_numbers, read_epoch
from tidewheel.store.tables import open_table
from tidewheel.store.warehouse import Warehouse

ABANDONED_SECONDS = 24 * 3600.0
KEEP_COMMITS = 10


@dataclass(slots=True)
class VacuumResult:
    epochs: int = 0
    files: int = 0
    bytes: int = 0
    attempts: int = 0
    commits: int = 0
    dry_run: bool = False
    kept_epochs: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "epochs": self.epochs,
            "files": self.files,
            "bytes": self.bytes,
            "attempts": self.attempts,
            "commits": self.commits,
            "kept_epochs": self.kept_epochs,
            "dry_run": self.dry_run,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumOptions:
    retention: float
    abandoned: float = ABANDONED_SECONDS
    dry_run: bool = False


def vacuum(warehouse: Warehouse, relations: list[str], options: VacuumOptions) -> VacuumResult:
    """Clean the tables of the named relations (all of ours: sources we write, and views)."""
    result = VacuumResult(dry_run=options.dry_run)
    folders = {r: _data_folders(warehouse, r) for r in relations}  # before the attempts: see _delete_data
    _fence(warehouse, options, result)
    quiet = not _attempts(warehouse)
    kept = _kept_epochs(warehouse, options)
    result.kept_epochs = sorted(kept)
    for relation in relations:
        if log.latest_version(warehouse.table(relation)) is not None:
            versions = _clean_relation(warehouse, relation, folders[relation], kept, options, result)
            if quiet:
                _delete_commits(warehouse.table(relation), versions, options, result)
        else:
            _delete_data(warehouse, relation, folders[relation], set(), options, result)
    if quiet:
        _delete_epochs(warehouse, kept, options, result)
    logs.event("vacuum.done", **result.to_dict())
    return result


def _kept_epochs(warehouse: Warehouse, options: VacuumOptions) -> dict[int, Epoch]:
    """The epochs to keep, and those that built what they show or that a stale view stands at."""
    numbers = epoch_numbers(warehouse)
    oldest = dt.datetime.now(dt.UTC) - dt.timedelta(seconds=options.retention)
    held = readers.held_epochs(warehouse)
    kept: dict[int, Epoch] = {}
    todo = []
    for position, number in enumerate(reversed(numbers)):
        epoch = read_epoch(warehouse, number)
        if position == 0 or number in held or epoch.moment >= oldest:
            todo.append(epoch)
        elif not held - set(kept):
            break  # older ones are older still
    existing = set(numbers)
    while todo:
        epoch = todo.pop()
        if epoch.number in kept:
            continue
        kept[epoch.number] = epoch
        for entry in epoch.views.values():
            behind = {entry.built, entry.as_of} & existing - set(kept)
            todo += [read_epoch(warehouse, number) for number in behind]
    return kept


def _clean_relation(
    warehouse: Warehouse,
    relation: str,
    folders: list[str],
    kept: dict[int, Epoch],
    options: VacuumOptions,
    result: VacuumResult,
) -> list[int]:
    table = warehouse.table(relation)
    newest = log.latest_version(table) or 0
    versions = {newest} | {e.sources[relation].version for e in kept.values() if relation in e.sources}
    versions |= set(_pinned_by_attempts(warehouse, relation))
    needed = _paths_since(table, min((v for v in versions if v >= 0), default=newest), newest)
    for epoch in kept.values():
        if relation in epoch.records:
            needed |= {f.path for f in epoch.records[relation].files}
    _delete_data(warehouse, relation, folders, needed, options, result)
    _delete_changes(warehouse, relation, kept, min(versions), options, result)
    return sorted(v for v in versions if v >= 0)


def _paths_since(table: str, oldest: int, newest: int) -> set[str]:
    """Files of any version from `oldest` on: those of the newest, and those removed since."""
    root = os.path.realpath(table)
    needed = {os.path.relpath(os.path.realpath(p), root) for p in open_table(table).file_uris()}
    for version in range(oldest + 1, newest + 1):
        commit = log.read_commit(table, version)
        if commit is not None:
            needed |= {unquote(r["path"]) for r in commit.removes}
    return needed


def _pinned_by_attempts(warehouse: Warehouse, relation: str) -> Iterator[int]:
    """Source versions that refreshes under way read: deleting them would fail those runs, though never publish."""
    for folder in _attempts(warehouse):
        try:
            claim = disk.read_json(os.path.join(folder, "claim.json"), "a claim")
        except FileNotFoundError:
            continue
        version = claim.get("sources", {}).get(relation)
        if isinstance(version, int):
            yield version


def _data_folders(warehouse: Warehouse, relation: str) -> list[str]:
    root = os.path.join(warehouse.table(relation), "_data")
    return [os.path.join(root, name) for name in disk.list_names(root)]


def _delete_data(
    warehouse: Warehouse,
    relation: str,
    folders: list[str],
    needed: set[str],
    options: VacuumOptions,
    result: VacuumResult,
) -> None:
    """Delete unneeded files of folders that no attempt owns.

    The folders were listed before the attempts, and the log is read after both: a folder whose attempt is not
    listed any more belongs to an attempt that has ended, so what it published is in the log by now.
    """
    live = {os.path.basename(f) for f in _attempts(warehouse)}
    table = warehouse.table(relation)
    for folder in folders:
        if os.path.basename(folder) in live:
            continue
        for where, _, files in os.walk(folder, topdown=False):
            for name in files:
                path = os.path.join(where, name)
                if os.path.relpath(path, table) not in needed:
                    _delete(path, "vacuum.data", options, result)
            if not options.dry_run:
                disk.remove_empty_dir(where)


def _delete(path: str, step: str, options: VacuumOptions, result: VacuumResult) -> None:
    try:
        result.bytes += os.path.getsize(path)
    except FileNotFoundError:
        return
    result.files += 1
    if not options.dry_run:
        disk.remove(path, step=step)


def _delete_changes(
    warehouse: Warehouse,
    relation: str,
    kept: dict[int, Epoch],
    oldest: int,
    options: VacuumOptions,
    result: VacuumResult,
) -> None:
    """Change files that neither a kept epoch nor a kept commit names."""
    table = warehouse.table(relation)
    named = {f for e in kept.values() if relation in e.sources for f in e.sources[relation].change.get("files", [])}
    for version in range(max(0, oldest), (log.latest_version(table) or 0) + 1):
        commit = log.read_commit(table, version)
        if commit is not None and commit.ours.get("change"):
            named.add(commit.ours["change"])
    live = {os.path.basename(f) for f in _attempts(warehouse)}
    folder = warehouse.own("changes", relation)
    for name in disk.list_names(folder):
        if f"{relation}/{name}" not in named and name.removesuffix(".parquet") not in live:
            _delete(os.path.join(folder, name), "vacuum.data", options, result)


def _delete_commits(table: str, versions: list[int], options: VacuumOptions, result: VacuumResult) -> None:
    """Commits below the oldest version anybody needs, once a checkpoint stands at or below that version."""
    folder = log.log_dir(table)
    names = disk.list_names(folder)
    limit = min(versions[0], versions[-1] - KEEP_COMMITS)
    checkpoints = [int(n[:20]) for n in names if ".checkpoint" in n and n[:20].isdigit()]
    usable = [c for c in checkpoints if c <= limit]
    if not usable:
        return
    for name in names:
        if name[:20].isdigit() and int(name[:20]) < max(usable):
            result.commits += 1
            if not options.dry_run:
                disk.remove(os.path.join(folder, name), step="vacuum.log")


def _attempts(warehouse: Warehouse) -> list[str]:
    """The folders of all attempts under way: refreshes, and ingests by source."""
    intents, ingests = warehouse.own("intents"), warehouse.own("ingests")
    found = [os.path.join(intents, name) for name in disk.list_names(intents)]
    for source in disk.list_names(ingests):
        found += [os.path.join(ingests, source, name) for name in disk.list_names(os.path.join(ingests, source))]
    return found


def _fence(warehouse: Warehouse, options: VacuumOptions, result: VacuumResult) -> None:
    """Take abandoned attempts' folders away. After the rename none of them can publish any more."""
    for folder in _attempts(warehouse):
        try:
            age = time.time() - os.stat(folder).st_mtime
        except FileNotFoundError:
            continue
        if age < options.abandoned:
            continue
        result.attempts += 1
        if not options.dry_run:
            grave = os.path.join(warehouse.scratch, f"fenced-{os.path.basename(folder)}")
            disk.rename(folder, grave, step="vacuum.fence")
            shutil.rmtree(grave, ignore_errors=True)


def _delete_epochs(warehouse: Warehouse, kept: dict[int, Epoch], options: VacuumOptions, result: VacuumResult) -> None:
    newest = max(kept, default=0)
    for number in epoch_numbers(warehouse):
        if number in kept or number > newest:
            continue
        result.epochs += 1
        if not options.dry_run:
            disk.remove(warehouse.epoch(number), step="vacuum.epoch")
            disk.remove(warehouse.applied(number), step="vacuum.epoch")
