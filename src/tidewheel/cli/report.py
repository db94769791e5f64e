"""The bodies of `status`, `explain` and `show`: plain data, for the terminal and for --json alike."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from tidewheel.errors import TidewheelError
from tidewheel.refresh.plan import BUILDING
from tidewheel.store import history
from tidewheel.store.apply import applied_versions
from tidewheel.store.epochs import Epoch, latest_epoch, view_record
from tidewheel.store.sources import pin
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewheel.api import Project
    from tidewheel.project.definition import Definition


LAST_RUNS: Final = 1000
OWN_WISH: Final = frozenset({"first-build", "asked", "definition-changed"})
NO_PAST: Final = {"refreshes": 0, "from_changes": 0, "saved": 0.0}


def status_body(project: Project) -> dict[str, Any]:
    definition = project.definition()
    warehouse = project.warehouse_to_read(definition)
    epoch = latest_epoch(warehouse)
    sources = {name: _source(definition, warehouse, epoch, name) for name in definition.config.sources}
    views = {name: _view(definition, warehouse, epoch, name) for name in definition.graph.order}
    past = _past(warehouse)
    for name, entry in epoch.views.items():
        if name not in views:
            views[name] = _view(definition, warehouse, epoch, name) | {
                "state": "orphan",
                "note": "definition is gone",
            }
            del entry
    views = {name: view | past.get(name, NO_PAST) for name, view in views.items()}
    return {
        "project": definition.config.name,
        "epoch": epoch.number,
        "time": epoch.time if epoch.number else None,
        "applied": applied_versions(warehouse, epoch.number) is not None,
        "sources": sources,
        "views": views,
    }


def _past(warehouse: Warehouse) -> dict[str, dict[str, Any]]:
    """By view: refreshes because something changed, those of them from changes, and the seconds that these saved."""
    found: dict[str, dict[str, Any]] = {}
    for run in itertools.islice(history.read(warehouse), LAST_RUNS):
        for name, view in run["views"].items():
            code = view["reason"]["code"]
            if code in OWN_WISH or (view["method"] not in BUILDING and code != "no-change"):
                continue
            past = found.setdefault(name, dict(NO_PAST))
            past["refreshes"] += 1
            if view["method"] != "full":
                past["from_changes"] += 1
                past["saved"] += (view.get("instead") or view["seconds"]) - view["seconds"]
    return found


def _source(definition: Definition, warehouse: Warehouse, epoch: Epoch, name: str) -> dict[str, Any]:
    source = definition.config.sources[name]
    entry = epoch.sources.get(name)
    version: int | None
    try:
        pinned = pin(name, source, warehouse, definition.root, entry)
        version, change = pinned.version, str(pinned.change)
    except TidewheelError as error:
        version, change = entry.version if entry else None, error.message
    return {
        "kind": source.kind,
        "version": None if version == -1 else version,
        "epoch_version": entry.version if entry else None,
        "change": change,
    }


def _view(definition: Definition, warehouse: Warehouse, epoch: Epoch, name: str) -> dict[str, Any]:
    entry = epoch.views.get(name)
    view = definition.graph.views.get(name)
    if entry is None:
        return {
            "state": "not built", "as_of": None, "built": None, "rows": None, "bytes": None, "note": "run refresh"
        }  # fmt: skip
    record = view_record(warehouse, epoch, name)
    note = entry.stale["text"] if entry.stale else ""
    if view is not None and view.fingerprint != entry.fingerprint:
        note = "definition changed"
    return {
        "state": "stale" if entry.stale else "fresh",
        "as_of": entry.as_of,
        "built": entry.built,
        "rows": record.rows,
        "bytes": record.bytes,
        "note": note,
    }


def head(project: Project, name: str, limit: int, epoch: int | None) -> pa.Table:
    """The first rows of a relation, reading no more files than it takes."""
    import pyarrow as pa  # noqa: PLC0415

    from tidewheel.store.arrow import read_batches, to_arrow  # noqa: PLC0415

    snapshot = project.snapshot(epoch)
    contents = snapshot.contents(name, allow_stale=True)
    if contents.partition_columns:
        return snapshot.to_arrow(name, allow_stale=True).slice(0, limit)
    batches, rows = [], 0
    for batch in read_batches(contents.paths(), contents.schema):
        batches.append(batch)
        rows += batch.num_rows
        if rows >= limit:
            break
    return pa.Table.from_batches(batches, schema=to_arrow(contents.schema)).slice(0, limit)
