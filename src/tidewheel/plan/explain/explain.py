"""A view explained, as data: what it reads, what became of it, what will, and its plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidewheel.errors import TidewheelError
from tidewheel.ir.rel import Opaque
from tidewheel.plan.defined.bound import append_only_inputs, bound_for_explain
from tidewheel.plan.explain.maintained import plan_text, trace_body, upkeep_body
from tidewheel.plan.plan import Plan
from tidewheel.project.definition import Definition
from tidewheel.store import history, log
from tidewheel.store.epochs import Epoch, read_epoch, view_record
from tidewheel.store.warehouse import Warehouse

NO_PLAN_YET = "no plan yet: the columns of a view above are known after its first build"


def explain_view(
    definition: Definition,
    warehouse: Warehouse,
    epoch: Epoch,
    plan: Plan,
    name: str,
    failure: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """All that is known of a view, with its part of a plan; `failure` is how it failed last, if nothing came after."""
    view = definition.graph.views[name]
    step = plan.step(name)
    bound = bound_for_explain(definition, warehouse, plan, epoch, name)
    query = None if bound is None else bound.query
    kept = view_record(warehouse, epoch, name).kept if name in epoch.views else None
    reason = query.rel.reason if query is not None and isinstance(query.rel, Opaque) else None
    return {
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
        "last": _last(warehouse, epoch, name),
        "failure": failure,
        "error": None,
    }


def explain_broken(
    definition: Definition,
    warehouse: Warehouse,
    epoch: Epoch,
    name: str,
    failure: Mapping[str, Any] | None,
    error: TidewheelError,
) -> dict[str, Any]:
    """What is left to say of a view that cannot be run, or whose source cannot be read."""
    graph = definition.graph
    view = graph.views.get(name) or graph.broken[name]
    return {
        "view": name,
        "file": view.file,
        "reads": list(graph.inputs.get(name, ())),
        "read_by": list(graph.readers(name)),
        "table": warehouse.table(name),
        "last": _last(warehouse, epoch, name),
        "failure": failure,
        "error": error.to_dict(),
    }


def _last(warehouse: Warehouse, epoch: Epoch, name: str) -> dict[str, Any] | None:
    """How a view was last built."""
    entry = epoch.views.get(name)
    if entry is None:
        return None
    record = view_record(warehouse, epoch, name)
    built = epoch if entry.built == epoch.number else read_epoch(warehouse, entry.built)
    return {
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


def _run(warehouse: Warehouse, epoch: int, view: str) -> dict[str, Any] | None:
    """What the run read and wrote that built the view; None if its record is gone."""
    run = next((r for r in history.read(warehouse) if r["published"] and r["epoch"] <= epoch), None)
    found = run["views"].get(view) if run is not None and run["epoch"] == epoch else None
    return None if found is None else {k: found.get(k) for k in ("read", "rows_written", "bytes_written", "seconds")}
