"""Where the sources stand, as a plan sees them: pinned, with what has landed, or as it is supposed to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tidewheel.errors import StoreError, TidewheelError, UserError
from tidewheel.plan.request import RefreshRequest
from tidewheel.project.config import FilesSource
from tidewheel.project.definition import Definition
from tidewheel.store import log
from tidewheel.store.changes import ChangeKind, SourceChange
from tidewheel.store.epochs import Epoch
from tidewheel.store.sources import Pin, pin, snapshot_of
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from tidewheel.ingest.landing import Landing
    from tidewheel.plan.supposed import Supposed


def landing_of(definition: Definition, warehouse: Warehouse, unread: dict[str, TidewheelError]) -> dict[str, Landing]:
    found = {}
    for name, source in definition.config.sources.items():
        if isinstance(source, FilesSource):
            from tidewheel.ingest.landing import look  # noqa: PLC0415  Arrow: a quarter of a second

            with kept_apart(name, unread):
                landing = look(warehouse, name, source, definition.root)
                if landing:
                    found[name] = landing
    return found


@contextmanager
def kept_apart(source: str, unread: dict[str, TidewheelError]) -> Iterator[None]:
    """An error of one source concerns those that read it, unless it is the disk's."""
    try:
        yield
    except (UserError, StoreError) as error:
        if error.code in {"disk-full", "not-writable"}:
            raise
        unread[source] = error


def pin_sources(
    definition: Definition,
    warehouse: Warehouse,
    last: Epoch,
    request: RefreshRequest,
    unread: dict[str, TidewheelError],
    *,
    expected: Mapping[str, Landing] | None = None,
) -> dict[str, Pin]:
    """Where every source stands; one that only unselected views read stays where the last epoch has it."""
    pins: dict[str, Pin] = {}
    for name, source in definition.config.sources.items():
        needed = any(name in definition.graph.inputs[v] for v in request.selected if v in definition.graph.views)
        if name in unread or (not needed and name in last.sources and definition.graph.readers(name)):
            continue
        if expected and name in expected and name not in last.sources and _no_table(warehouse, name):
            continue  # its first files are about to be taken: it has no schema yet
        with kept_apart(name, unread):
            pins[name] = pin(name, source, warehouse, definition.root, last.sources.get(name))
    return pins


def after_landing(pinned: Pin, landing: Landing) -> Pin:
    """The source as it will be once its landed files are taken, and rows of files that are gone are gone."""
    kind = pinned.change.kind
    if kind in {ChangeKind.NONE, ChangeKind.APPEND}:
        kind = ChangeKind.MIXED if landing.stale else ChangeKind.APPEND
    change = replace(pinned.change, kind=kind, content=pinned.version + 1, landing=str(landing))
    return replace(pinned, change=change, pending=landing.expected(pinned.table, pinned.schema, pinned.version))


def as_supposed(pinned: Pin, change: Supposed, warehouse: Warehouse) -> Pin:
    """The source as if it had changed so."""
    rows = change.rows(snapshot_of(pinned, warehouse).rows)
    kind = ChangeKind.APPEND if change.direction == "+" else ChangeKind.MIXED
    added, removed = rows if change.direction != "-" else 0, rows if change.direction != "+" else 0
    return replace(pinned, change=SourceChange(kind=kind, added=added, removed=removed, content=pinned.version + 1))


def _no_table(warehouse: Warehouse, name: str) -> bool:
    return log.latest_version(warehouse.table(name)) is None
