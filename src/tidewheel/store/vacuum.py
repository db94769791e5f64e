"""Delete what nothing needs: epochs past the retention, files of no kept version, abandoned attempts, old commits.

Kept are the last epoch, every epoch that was the last one inside the window, every epoch a reader holds, the epochs
and versions that a stale view will catch up from, and everything that a live attempt may still publish. Whether an
attempt is abandoned is a guess by age, and a wrong guess does no harm: its folder is renamed away first, and from
then on it cannot publish.

The order is what makes it safe, and no clock: look at folders, versions and the newest applied epoch; then list the
attempts; then read epochs and logs. An attempt that is not listed has ended, and what it published is read after
that; or it began later, and builds on the versions and the epoch that were looked at before. Epoch records and commits
are what makes a stalled writer lose its race, so they are deleted only while no attempt is under way.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tidewheel import logs
from tidewheel.errors import StoreError
from tidewheel.store import disk, log, readers
from tidewheel.store.apply import applied_versions
from tidewheel.store.epochs import Epoch, epoch_numbers, read_epoch
from tidewheel.store.expiry import expire, expired_numbers, forget
from tidewheel.store.tables import live_paths
from tidewheel.store.warehouse import Warehouse

ABANDONED_SECONDS = 24 * 3600.0
KEEP_COMMITS = 10
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.parquet")
"""A finished one. While it is written, or if its writer died, the name has something behind it."""


@dataclass(slots=True)
class VacuumResult:
    epochs: int = 0
    """How many cannot be read any more."""
    files: int = 0
    bytes: int = 0
    attempts: int = 0
    commits: int = 0
    dry_run: bool = False
    kept_epochs: list[int] = field(default_factory=list)
    """Those that can be read."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A relation as it was before the attempts were listed."""

    folders: list[str]
    changes: list[str]
    newest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEpochs:
    """Epochs kept whole (`cuts`), those whose records the cuts show, and those whose changes a stale view needs."""

    cuts: dict[int, Epoch]
    builders: dict[int, Epoch]
    missed: dict[int, Epoch]

    def numbers(self) -> set[int]:
        return {*self.cuts, *self.builders, *self.missed}

    def source_versions(self, relation: str) -> set[int]:
        return {e.sources[relation].version for e in self.cuts.values() if relation in e.sources}

    def files(self, relation: str) -> set[str]:
        shown = {e.views[relation].built for e in self.cuts.values() if relation in e.views}
        records = [self.builders[n].records.get(relation) for n in shown if n in self.builders]
        kept = {f.path for record in records if record is not None for f in record.all_files()}
        changes = [e.records[relation].change for e in self.missed.values() if relation in e.records]
        return kept | {f.path for change in changes if change is not None for f in change.files}

    def change_files(self, relation: str) -> set[str]:
        entries = [e.sources[relation] for e in self.cuts.values() if relation in e.sources]
        return {name for entry in entries for name in entry.change.get("files", [])}


def vacuum(warehouse: Warehouse, relations: list[str], options: VacuumOptions) -> VacuumResult:
    """Clean the tables of the named relations (all of ours: sources we write, and views)."""
    result = VacuumResult(dry_run=options.dry_run)
    seen = {r: _look(warehouse, r) for r in relations}
    base = _newest_applied(warehouse)
    _fence(warehouse, options, result)
    attempts = attempts_under_way(warehouse)
    kept = _expire(warehouse, base, options, result)
    applied = applied_versions(warehouse, base) or {}
    for relation in relations:
        versions = {seen[relation].newest, applied.get(relation, seen[relation].newest)}
        versions |= kept.source_versions(relation) | set(_pinned_by_attempts(attempts, relation))
        oldest = max(0, min(versions))
        live = {os.path.basename(f) for f in attempts}
        needed = kept.files(relation) | _paths_since(warehouse.table(relation), oldest)
        _delete_data(warehouse.table(relation), seen[relation].folders, needed | live, options, result)
        named = kept.change_files(relation) | _changes_since(warehouse.table(relation), oldest)
        _delete_changes(warehouse, seen[relation].changes, named | live, options, result)
        if not attempts:
            _delete_commits(warehouse.table(relation), oldest, options, result)
    if not attempts and not options.dry_run:
        _delete_epochs(warehouse, kept.numbers(), base)
    if not options.dry_run:
        _delete_scratch(warehouse, options)
    logs.event("vacuum.done", **result.to_dict())
    return result


def _look(warehouse: Warehouse, relation: str) -> Seen:
    root = os.path.join(warehouse.table(relation), "_data")
    newest = log.latest_version(warehouse.table(relation))
    return Seen(
        folders=[os.path.join(root, name) for name in disk.list_names(root)],
        changes=[f"{relation}/{name}" for name in disk.list_names(warehouse.own("changes", relation))],
        newest=-1 if newest is None else newest,
    )


def _newest_applied(warehouse: Warehouse) -> int:
    """The epoch that any attempt to come will build on, or on a newer one."""
    numbers = epoch_numbers(warehouse)
    return next((n for n in reversed(numbers) if os.path.exists(warehouse.applied(n))), 0)


def _expire(warehouse: Warehouse, base: int, options: VacuumOptions, result: VacuumResult) -> KeptEpochs:
    """Mark the epochs that are over, then look at the readers once more; counted is what can be read before and after.

    A reader registers and then looks for the mark: it sees the mark, or we see the registration and take it back.
    """
    gone = expired_numbers(warehouse)
    kept = _kept(warehouse, base, options, gone)
    over = {n for n in epoch_numbers(warehouse) if n < base and n not in kept.cuts and n not in gone}
    if over and not options.dry_run:
        for number in sorted(over):
            expire(warehouse, number)
        kept = _kept(warehouse, base, options, gone)
        for number in kept.cuts.keys() & over:
            forget(warehouse, number)
    result.epochs = len(over - kept.cuts.keys())
    result.kept_epochs = sorted(kept.cuts.keys() - gone)
    return kept


def _kept(warehouse: Warehouse, base: int, options: VacuumOptions, gone: Collection[int]) -> KeptEpochs:
    """The newest applied epoch and what is newer, those that were the last one in the window, held ones, stale cuts.

    Those that are `gone` are not whole any more, though the retention may be longer now: they are no cuts.
    """
    numbers = epoch_numbers(warehouse)
    oldest = dt.datetime.now(dt.UTC) - dt.timedelta(seconds=options.retention)
    epochs: dict[int, Epoch | None] = {}
    todo = sorted(readers.held_epochs(warehouse))
    for number in (n for n in reversed(numbers) if n not in gone):
        todo.append(number)
        epoch = _read(warehouse, number, epochs)
        if number <= base and epoch is not None and epoch.moment < oldest:
            break  # the last one when the window began: those before it were over by then
    cuts: dict[int, Epoch] = {}
    builders: dict[int, Epoch] = {}
    while todo:
        number = todo.pop()
        epoch = _read(warehouse, number, epochs)
        if number in cuts or epoch is None:
            continue
        cuts[number] = epoch
        todo += [entry.as_of for entry in epoch.views.values()]
        found = {e.built: _read(warehouse, e.built, epochs) for e in epoch.views.values()}
        builders |= {built: builder for built, builder in found.items() if builder is not None}
    newest = cuts[max(cuts)].views.values() if cuts else ()
    behind = [e.as_of for e in newest if e.stale is not None and e.stale["code"] != "orphan"]
    since = [n for n in numbers if behind and n > min(behind)]
    missed = {n: epoch for n in since if (epoch := _read(warehouse, n, epochs)) is not None}
    return KeptEpochs(cuts=cuts, builders=builders, missed=missed)


def _read(warehouse: Warehouse, number: int, known: dict[int, Epoch | None]) -> Epoch | None:
    """An epoch's record, read once; None if it is gone, for others may clean up at the same time."""
    if number not in known:
        try:
            known[number] = read_epoch(warehouse, number)
        except FileNotFoundError:
            known[number] = None
    return known[number]


def _paths_since(table: str, oldest: int) -> set[str]:
    """Files of any version from `oldest` on: those of the newest, and those removed since."""
    newest = log.latest_version(table)
    if newest is None:
        return set()
    needed = set(live_paths(table, newest))  # not file_uris(): it spells a folder "my data" as "my%20data"
    for version in range(oldest + 1, newest + 1):
        commit = log.read_commit(table, version)
        if commit is not None:
            needed |= {unquote(r["path"]) for r in commit.removes}
    return needed


def _changes_since(table: str, oldest: int) -> set[str]:
    """Change files that commits from `oldest` on name."""
    newest = log.latest_version(table)
    commits = [log.read_commit(table, v) for v in range(oldest, newest + 1)] if newest is not None else []
    return {c.ours["change"] for c in commits if c is not None and c.ours.get("change")}


def _pinned_by_attempts(attempts: list[str], relation: str) -> Iterator[int]:
    """Source versions that refreshes under way read: deleting them would fail those runs, though never publish."""
    for folder in attempts:
        if os.path.basename(os.path.dirname(folder)) != "intents":
            continue
        try:
            claim = disk.read_json(os.path.join(folder, "claim.json"), "a claim")
        except (FileNotFoundError, StoreError):
            yield 0  # it is about to say so, or died while it did: it may read anything
            continue
        version = claim.get("sources", {}).get(relation)
        if isinstance(version, int):
            yield version


def _delete_data(
    table: str, folders: list[str], needed: set[str], options: VacuumOptions, result: VacuumResult
) -> None:
    """Delete unneeded files of folders that no attempt owns (`needed` has paths, and the names of live attempts)."""
    for folder in folders:
        if os.path.basename(folder) in needed:
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
    warehouse: Warehouse, names: list[str], needed: set[str], options: VacuumOptions, result: VacuumResult
) -> None:
    """Change files that neither a kept epoch, a kept commit nor a live attempt names."""
    for name in names:
        attempt = os.path.basename(name).removesuffix(".parquet")
        if name not in needed and attempt not in needed:
            _delete(warehouse.own("changes", name), "vacuum.data", options, result)


def _delete_commits(table: str, oldest: int, options: VacuumOptions, result: VacuumResult) -> None:
    """Commits below the oldest version anybody needs, once a checkpoint stands at or below that version."""
    folder = log.log_dir(table)
    names = disk.list_names(folder)
    limit = min(oldest, (log.latest_version(table) or 0) - KEEP_COMMITS)
    checkpoints = [int(match[1]) for match in map(_CHECKPOINT.fullmatch, names) if match]
    usable = [c for c in checkpoints if c <= limit]
    if not usable:
        return
    for name in names:
        if name[:20].isdigit() and int(name[:20]) < max(usable):
            result.commits += 1
            if not options.dry_run:
                disk.remove(os.path.join(folder, name), step="vacuum.log")


def attempts_under_way(warehouse: Warehouse) -> list[str]:
    """The folders of all attempts under way: refreshes, and ingests by source."""
    intents, ingests = warehouse.own("intents"), warehouse.own("ingests")
    found = [os.path.join(intents, name) for name in disk.list_names(intents)]
    for source in disk.list_names(ingests):
        found += [os.path.join(ingests, source, name) for name in disk.list_names(os.path.join(ingests, source))]
    return found


def _fence(warehouse: Warehouse, options: VacuumOptions, result: VacuumResult) -> None:
    """Take abandoned attempts' folders away. After the rename none of them can publish any more."""
    for folder in attempts_under_way(warehouse):
        grave = os.path.join(warehouse.scratch, f"fenced-{os.path.basename(folder)}")
        try:
            if time.time() - os.stat(folder).st_mtime < options.abandoned:
                continue
            if not options.dry_run:
                disk.rename(folder, grave, step="vacuum.fence")
        except FileNotFoundError:
            continue  # it has ended meanwhile
        result.attempts += 1
        shutil.rmtree(grave, ignore_errors=True)


def _delete_epochs(warehouse: Warehouse, kept: set[int], base: int) -> None:
    """Records below the newest applied epoch that nothing shows; then their notes, also those that a crash left."""
    for number in epoch_numbers(warehouse):
        if number < base and number not in kept:
            disk.remove(warehouse.epoch(number), step="vacuum.epoch")
    for number in expired_numbers(warehouse).difference(epoch_numbers(warehouse)):
        forget(warehouse, number)
    for name in disk.list_names(warehouse.own("applied")):
        stem = name.removesuffix(".json")
        if stem.isdigit() and int(stem) < base and int(stem) not in kept:
            disk.remove(warehouse.own("applied", name), step="vacuum.epoch")


def _delete_scratch(warehouse: Warehouse, options: VacuumOptions) -> None:
    """What processes that died left among the temporary files; nothing there is in use for a day."""
    for name in disk.list_names(warehouse.scratch):
        path = os.path.join(warehouse.scratch, name)
        try:
            age = time.time() - os.lstat(path).st_mtime
        except FileNotFoundError:
            continue
        if age >= max(options.abandoned, ABANDONED_SECONDS):
            disk.remove(path, step="vacuum.data")
