"""Forget an orphan: publish an epoch without it, then delete its table."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tidewheel.errors import UserError, did_you_mean
from tidewheel.project.definition import Definition
from tidewheel.store import disk
from tidewheel.store.apply import apply_epoch, finish
from tidewheel.store.epochs import begin
from tidewheel.store.warehouse import Warehouse


def drop_orphan(definition: Definition, warehouse: Warehouse, name: str) -> None:
    """The epoch comes first: should we die in between, the table is a folder that nothing names."""
    if name in definition.graph.views:
        raise UserError(
            f'view "{name}" is defined in {definition.graph.views[name].file}',
            code="view-in-use",
            hint="Delete its definition first; then its table is an orphan that can be dropped.",
        )
    attempt = begin(warehouse)
    try:
        last, _, _ = finish(warehouse)
        _require_orphan(name, [n for n in last.views if n not in definition.graph.views])
        views = {n: replace(v, as_of=_moved(v.as_of, last.number)) for n, v in last.views.items() if n != name}
        moment = dt.datetime.now(dt.UTC).isoformat()
        epoch = replace(last, number=last.number + 1, time=moment, attempt=attempt.id, views=views, records={})
        attempt.decide(epoch)
    except BaseException:
        attempt.discard([])
        raise
    apply_epoch(warehouse, epoch)
    disk.remove(warehouse.table(name), step="drop.table")
    disk.remove(warehouse.own("changes", name), step="drop.table")
    attempt.close()


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
