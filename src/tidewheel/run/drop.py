"""Forget an orphan, a view or source whose definition is gone: publish an epoch without it, then delete its table."""

from __future__ import annotations

import datetime as dt
import os
from contextlib import suppress
from dataclasses import replace

from tidewheel.errors import StoreError, UserError, did_you_mean
from tidewheel.project.definition import Definition
from tidewheel.project.lookup import spelled
from tidewheel.store import disk, log
from tidewheel.store.apply import apply_epoch, finish
from tidewheel.store.epochs import Epoch, begin, latest_epoch
from tidewheel.store.vacuum import attempts_under_way
from tidewheel.store.warehouse import Warehouse


def drop_orphan(definition: Definition, warehouse: Warehouse, given: str) -> str:
    """The epoch comes first: should we die in between, the table is one that nothing names, and `drop` deletes it."""
    graph = definition.graph
    there = disk.list_names(warehouse.root)
    name = spelled(given, [*graph.names, *definition.config.sources, *latest_epoch(warehouse).views, *there]) or given
    defined = graph.views.get(name) or graph.broken.get(name)
    if defined is not None:
        raise UserError(
            f'view "{name}" is defined in {defined.file}',
            code="view-in-use",
            hint="Delete its definition first; then its table is an orphan that can be dropped.",
        )
    attempt = begin(warehouse)
    try:
        epoch, _, _ = finish(warehouse)
        _refuse_used(definition, warehouse, epoch, name)
        if name in epoch.views or name in epoch.sources:
            epoch = _without(epoch, name, attempt.id)
            attempt.decide(epoch)
    except BaseException:
        attempt.discard([])
        raise
    apply_epoch(warehouse, epoch)
    try:
        _delete_table(warehouse, name, os.path.join(warehouse.scratch, f"dropped-{attempt.id}"))
        disk.remove(warehouse.own("changes", name), step="drop.table")
        disk.remove_empty_dir(warehouse.ingests(name))
    finally:
        attempt.close()
    return name


def orphans(definition: Definition, warehouse: Warehouse, epoch: Epoch) -> list[str]:
    """Views of the epoch, and tables that we wrote for sources, whose definition is gone."""
    views = {name for name in epoch.views if name not in definition.graph.names}
    known = {*definition.graph.names, *definition.config.sources, *epoch.views}
    tables = [name for name in disk.list_names(warehouse.root) if name not in known]
    return sorted(views | {name for name in tables if _is_source(warehouse.table(name))})


def _is_source(table: str) -> bool:
    """Whether we wrote a table as that of a source; one whose log is damaged is nobody's."""
    try:
        return log.owner(table) == "source"
    except StoreError:
        return False


def _refuse_used(definition: Definition, warehouse: Warehouse, epoch: Epoch, name: str) -> None:
    """Refuse what is no orphan. A source may be declared by the name of a removed view, which is one then."""
    if name in definition.config.sources and name not in epoch.views:
        raise UserError(
            f'source "{name}" is declared in tidewheel.yml',
            code="view-in-use",
            hint="Remove its entry under `sources:` first; then its table is an orphan that can be dropped.",
        )
    if name in epoch.views or not _is_left_over(warehouse, name):
        _require_orphan(name, orphans(definition, warehouse, epoch))
    if disk.list_names(warehouse.ingests(name)):
        raise _busy(name)


def _busy(name: str) -> StoreError:
    """Whoever ingests into a source has it declared: it is no orphan for everybody."""
    return StoreError(
        f'somebody ingests into source "{name}"',
        code="busy-source",
        relation=name,
        hint="Nothing was deleted. Run it again when that has ended; if it died, `tidewheel vacuum --abandoned "
        "'1 minute'` gives it up.",
    )


def _delete_table(warehouse: Warehouse, name: str, grave: str) -> None:
    """First the log, at once, so that nobody sees half a table; then the files.

    We may have been stalled, and the view defined and built anew: then it is in the last epoch. The order is that of
    `vacuum`: what an attempt under way has staged stays, and one that has ended shows in the epoch that is read later.

    A source may have been declared anew, too. An ingest makes its folder before it reads the log. So one that read it
    before the rename is seen after the rename; or it has published by then, and the log has grown; or it finds no
    folder to publish to, and says that nothing was ingested.
    """
    table, data = warehouse.table(name), os.path.join(warehouse.table(name), "_data")
    found = [os.path.join(table, n) for n in disk.list_names(table) if n not in {"_data", "_delta_log"}]
    found += [os.path.join(data, n) for n in disk.list_names(data)]
    live = {os.path.basename(folder) for folder in attempts_under_way(warehouse)}
    newest = log.latest_version(table)
    if _is_shown(warehouse, name):
        return
    with suppress(FileNotFoundError):
        disk.rename(log.log_dir(table), grave, step="drop.table")
    is_shown = _is_shown(warehouse, name)
    if is_shown or disk.list_names(warehouse.ingests(name)) or log.newest_in(grave) != newest:
        with suppress(FileNotFoundError, StoreError):  # it may have a new log already
            disk.rename(grave, log.log_dir(table), step="drop.table")
        if not is_shown:
            raise _busy(name)
        return
    for path in [*(p for p in found if os.path.basename(p) not in live), grave]:
        disk.remove(path, step="drop.table")
    disk.remove_empty_dir(data)
    disk.remove_empty_dir(table)


def _is_shown(warehouse: Warehouse, name: str) -> bool:
    epoch = latest_epoch(warehouse)
    return name in epoch.views or name in epoch.sources


def _is_left_over(warehouse: Warehouse, name: str) -> bool:
    """Whether an earlier `drop` died before it was done: no view any more, but files or a last commit of ours."""
    if name not in disk.list_names(warehouse.root):
        return False
    newest = log.latest_version(warehouse.table(name))
    if newest is None:
        return os.path.isdir(os.path.join(warehouse.table(name), "_data"))
    commit = log.read_commit(warehouse.table(name), newest)
    return commit is not None and commit.ours.get("relation") == name


def _without(last: Epoch, name: str, attempt: str) -> Epoch:
    views = {n: replace(v, as_of=_moved(v.as_of, last.number)) for n, v in last.views.items() if n != name}
    moment = dt.datetime.now(dt.UTC).isoformat()
    sources = {n: s for n, s in last.sources.items() if n != name}
    return Epoch(number=last.number + 1, time=moment, attempt=attempt, sources=sources, views=views, records={})


def _require_orphan(name: str, orphans: list[str]) -> None:
    if name not in orphans:
        raise UserError(
            f'there is no orphan "{name}"',
            code="unknown-relation",
            hint=did_you_mean(name, orphans) or "There are no orphans.",
        )


def _moved(as_of: int, last: int) -> int:
    """A view that was fresh stays fresh: the cut did not move."""
    return last + 1 if as_of == last else as_of
