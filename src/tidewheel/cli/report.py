"""The bodies of `status`, `explain` and `show`: plain data, for the terminal and for --json alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewheel.api import unknown_relation
from tidewheel.errors import TidewheelError
from tidewheel.store import log
from tidewheel.store.apply import applied_versions
from tidewheel.store.epochs import Epoch, latest_epoch, read_epoch, view_record
from tidewheel.store.sources import pin
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewheel.api import Project
    from tidewheel.project.definition import Definition


def status_body(project: Project) -> dict[str, Any]:
    definition = project.definition()
    warehouse = Warehouse(definition.warehouse)
    epoch = latest_epoch(warehouse)
    sources = {name: _source(definition, warehouse, epoch, name) for name in definition.config.sources}
    views = {name: _view(definition, warehouse, epoch, name) for name in definition.graph.order}
    for name, entry in epoch.views.items():
        if name not in views:
            views[name] = _view(definition, warehouse, epoch, name) | {
                "state": "orphan",
                "note": "definition is gone",
            }
            del entry
    return {
        "project": definition.config.name,
        "epoch": epoch.number,
        "time": epoch.time if epoch.number else None,
        "applied": applied_versions(warehouse, epoch.number) is not None,
        "sources": sources,
        "views": views,
    }


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


def explain_body(project: Project, name: str) -> dict[str, Any]:
    definition = project.definition()
    view = definition.graph.views.get(name)
    if view is None:
        raise unknown_relation(name, list(definition.graph.views))
    warehouse = Warehouse(definition.warehouse)
    epoch = latest_epoch(warehouse)
    step = project.plan(select=[name]).step(name)
    body: dict[str, Any] = {
        "view": name,
        "file": view.file,
        "level": definition.graph.level(name),
        "reads": list(definition.graph.inputs[name]),
        "read_by": list(definition.graph.readers(name)),
        "options": view.options.model_dump(mode="json"),
        "clock": view.clock,
        "fingerprint": view.fingerprint,
        "sql": view.sql,
        "next": step.to_dict(),
        "table": warehouse.table(name),
        "last": None,
    }
    entry = epoch.views.get(name)
    if entry is not None:
        record = view_record(warehouse, epoch, name)
        built = epoch if entry.built == epoch.number else read_epoch(warehouse, entry.built)
        body["last"] = {
            "epoch": entry.built,
            "time": built.time,
            "as_of": entry.as_of,
            "stale": entry.stale,
            "method": record.method,
            "reason": record.reason,
            "rows": record.rows,
            "bytes": record.bytes,
            "files": len(record.files),
            "schema": record.schema.to_sql(),
            "delta_version": log.latest_version(warehouse.table(name)),
        }
    return body


def explain_text(body: dict[str, Any]) -> str:
    lines = [
        f"view {body['view']} (level {body['level']}, {body['file']})",
        f"  reads    {', '.join(body['reads']) or 'nothing'}",
        f"  read by  {', '.join(body['read_by']) or 'no view'}",
        f"  table    {body['table']}",
        f"  options  {_options_text(body['options'])}",
    ]
    if body["clock"] != "none":
        lines.append(f"  clock    its answer changes by {'day' if body['clock'] == 'day' else 'epoch'}")
    last = body["last"]
    if last:
        lines += [
            f"  columns  {last['schema']}",
            (
                f"  last     epoch {last['epoch']}: {last['method']} ({last['reason']['text']}), "
                f"{last['rows']:,} rows in {last['files']} files"
            ),
        ]
        if last["stale"]:
            lines.append(f"  stale    as of epoch {last['as_of']}: {last['stale']['text']}")
    lines.append(f"  next     {body['next']['method']} ({body['next']['reason']['text']})")
    return "\n".join([*lines, "", *("  " + line for line in body["sql"].splitlines())])


def _options_text(options: dict[str, Any]) -> str:
    lists = [f"{name}: {', '.join(options[name])}" for name in ("tags", "cluster_by") if options[name]]
    return ", ".join([f"refresh: {options['refresh']}", *lists])


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
