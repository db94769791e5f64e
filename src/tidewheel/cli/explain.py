"""What `explain` says of a view: what it reads, what became of it, what will, and its plan."""

from __future__ import annotations

from typing import Any

from tidewheel.api import Project
from tidewheel.cli.output import human_bytes
from tidewheel.cli.upkeep import plan_text, trace_body, upkeep_body, upkeep_lines
from tidewheel.ir.rel import Opaque
from tidewheel.project.lookup import find_view
from tidewheel.refresh.binding import append_only_inputs, bound_for_explain
from tidewheel.store import history, log
from tidewheel.store.epochs import latest_epoch, read_epoch, view_record
from tidewheel.store.warehouse import Warehouse

NO_PLAN_YET = "no plan yet: the columns of a view above are known after its first build"


def explain_body(project: Project, name: str) -> dict[str, Any]:
    definition = project.definition()
    warehouse = project.warehouse_to_read(definition)
    epoch = latest_epoch(warehouse)
    name = find_view(name, definition.graph.views, definition.config.sources, epoch.views)
    view = definition.graph.views[name]
    plan = project.plan(select=[name])
    step = plan.step(name)
    bound = bound_for_explain(definition, warehouse, plan, epoch, name)
    query = None if bound is None else bound.query
    entry = epoch.views.get(name)
    record = None if entry is None else view_record(warehouse, epoch, name)
    kept = None if record is None else record.kept
    reason = query.rel.reason if query is not None and isinstance(query.rel, Opaque) else None
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
        "notes": [NO_PLAN_YET] if query is None else list(query.notes),
        "bound": query is not None and reason is None,
        "not_bound": "no-columns-yet" if query is None else reason,
        "plan": None if query is None or reason else plan_text(view, query, kept),
        "append_only": [] if query is None else list(append_only_inputs(query.rel)),
        "upkeep": None if query is None else upkeep_body(view, query, kept),
        "trace": None if query is None else trace_body(view, query, kept, step.trace),
        "next": step.to_dict(),
        "table": warehouse.table(name),
        "last": None,
    }
    if entry is not None and record is not None:
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
            "run": _run(warehouse, entry.built, name),
        }
    return body


def _run(warehouse: Warehouse, epoch: int, view: str) -> dict[str, Any] | None:
    """What the run read and wrote that built the view; None if its record is gone."""
    run = next((r for r in history.read(warehouse) if r["epoch"] <= epoch), None)
    found = run["views"].get(view) if run is not None and run["epoch"] == epoch else None
    return None if found is None else {k: found.get(k) for k in ("read", "rows_written", "bytes_written", "seconds")}


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
        if last["run"] is not None and last["run"]["read"] is not None:
            lines += _read_lines(last["run"])
        if last["stale"]:
            lines.append(f"  stale    as of epoch {last['as_of']}: {last['stale']['text']}")
    step = body["next"]
    why = step["full"] or step["reason"]
    lines.append(f"  next     {step['method']} ({step['reason']['text']})")
    if step["full"]:
        lines.append(f"  in full  for {why['text']}")
    if step["method"] == "full" and why["hint"]:
        lines.append(f"  hint     {why['hint']}")
    lines += [f"  note     {note}" for note in body["notes"]]
    if body["append_only"]:
        lines.append(f"  appends  new rows of {', '.join(body['append_only'])} only add rows here")
    lines += upkeep_lines(body["upkeep"])
    lines += ["", *("  " + line for line in body["sql"].strip().splitlines())]
    if body["plan"]:
        lines += ["", *("  " + line for line in body["plan"].splitlines() if not line.startswith("note "))]
    return "\n".join(lines)


def _read_lines(run: dict[str, Any]) -> list[str]:
    read = [f"{r['relation']} {r['what']} {r['rows']:,} rows, {human_bytes(r['bytes'])}" for r in run["read"]]
    wrote = f"{run['rows_written']:,} rows, {human_bytes(run['bytes_written'])}"
    return [f"  read     {'; '.join(read) or 'nothing'}", f"  wrote    {wrote} in {run['seconds']:.1f} s"]


def _options_text(options: dict[str, Any]) -> str:
    lists = [f"{name}: {', '.join(options[name])}" for name in ("tags", "cluster_by") if options[name]]
    return ", ".join([f"refresh: {options['refresh']}", *lists])
