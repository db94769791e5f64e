"""From what is defined and what has changed to a plan. Reads logs and records; starts no engine."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from tidewheel.errors import PlanError, StoreError, TidewheelError, UserError
from tidewheel.garbage import uncollected
from tidewheel.methods import Method, is_failing, is_full
from tidewheel.plan.context import PlanContext, RefreshRequest
from tidewheel.plan.plan import OWN_WISH, Plan, Reason, Step, strict_needs_full
from tidewheel.project.config import FilesSource
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View, below_broken
from tidewheel.sql.text import day_of
from tidewheel.store import log
from tidewheel.store.changes import ChangeKind, SourceChange
from tidewheel.store.epochs import Epoch, ViewEntry
from tidewheel.store.integrity import UNREADABLE
from tidewheel.store.sources import Pin, pin, snapshot_of
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from tidewheel.ingest.landing import Landing
    from tidewheel.plan.binding.parts import Sharing
    from tidewheel.plan.whatif import Supposed

CHANGES = frozenset({"input-changed", "input-rebuilt"})


@uncollected()
def make_plan(
    definition: Definition,
    warehouse: Warehouse,
    last: Epoch,
    versions: Mapping[str, int],
    request: RefreshRequest,
    *,
    predict: bool,
    failed: Mapping[str, TidewheelError] | None = None,
) -> Plan:
    """The plan from the last epoch to the sources as they stand now; `predict` counts landed files not taken yet.

    A source that cannot be read, or whose landed files could not be taken, concerns those that read it.
    """
    now = dt.datetime.now(dt.UTC)
    _refuse_taken_names(definition, warehouse, last)
    unread = dict(failed or {})
    landing = _landing(definition, warehouse, unread) if predict else {}
    pins = pin_sources(definition, warehouse, last, request, unread, expected=landing)
    pins |= {name: after_landing(pins[name], landed) for name, landed in landing.items() if name in pins}
    pins |= {n: _as_supposed(pins[n], change, warehouse) for n, change in request.supposed.items() if n in pins}
    context = PlanContext(
        definition=definition,
        warehouse=warehouse,
        last=last,
        versions=versions,
        pins=pins,
        now=now,
        request=request,
        unread=unread,
    )
    steps = context.steps
    steps |= {name: _broken(name, view.error) for name, view in definition.graph.broken.items()}
    for name, view in definition.graph.views.items():
        reason = _why_build(context, view)
        steps[name] = _step(context, view, reason)
        if reason is None and last.views[name].stale is not None:
            again = Reason("up-to-date-again", "up to date again, without a rebuild")
            steps[name] = replace(steps[name], reason=again)
    if _epoch_is_due(steps, pins):
        for name, view in definition.graph.views.items():
            if view.clock == "time" and steps[name].method == "none":
                steps[name] = _step(context, view, Reason("clock", "the clock moved on"))
                _spread(context, name)
    shared: tuple[Sharing, ...] = ()
    if any(step.rejected for step in steps.values()):
        from tidewheel.plan.choice import choose  # noqa: PLC0415  only if something changed

        shared = choose(context)
    _raise_if_all_fail(list(steps.values()))
    _place(context)
    if predict and any(step.builds for step in steps.values()):
        from tidewheel.plan.pricing.forecast import forecast  # noqa: PLC0415  the binder, if something is built

        forecast(context)
    orphans = [n for n in last.views if n not in steps]
    removed = [Step(view=n, method="orphan", reason=_orphan_reason(last.views[n])) for n in sorted(orphans)]
    return Plan(
        project=definition.config.name,
        base=last.number,
        epoch=last.number + 1,
        time=now,
        sources=pins,
        steps=(*(steps[n] for n in definition.graph.names), *removed),
        landing=landing,
        unread=unread,
        selected=request.selected,
        shared=shared,
    )


def _raise_if_all_fail(steps: Sequence[Step]) -> None:
    """If nothing can be built there is nothing to plan: the error itself is the outcome."""
    errors = [s.error for s in steps if s.error is not None and s.method == "failed"]
    if errors and not any(s.builds for s in steps):
        raise errors[0]


def why_behind(context: PlanContext) -> dict[str, Reason]:
    """By view, why a refresh would build it. By which method is not asked: that takes the binder."""
    found: dict[str, Reason] = {}
    for name, view in context.definition.graph.views.items():
        reason = _why_build(context, view)
        if reason is not None:
            found[name] = reason
        method: Method = "none" if reason is None else "difference"
        context.steps[name] = Step(view=name, method=method, reason=reason or Reason("up-to-date", "up to date"))
    return found


def _refuse_taken_names(definition: Definition, warehouse: Warehouse, last: Epoch) -> None:
    """A name that changes sides, from view to source or back, would find the other's table in its place."""
    for name in definition.config.sources:
        if name in last.views:
            raise UserError(
                f'source "{name}" has the name of a removed view, whose table is still there',
                code="name-clash",
                relation=name,
                hint=f"Run `tidewheel drop {name}` first, or rename the source.",
            )
    for name, view in definition.graph.views.items():
        if name not in last.views and log.owner(warehouse.table(name)) == "source":
            raise UserError(
                f'view "{name}" has the name of a removed source, whose table is still there',
                code="name-clash",
                detail=f"View: {view.file}. Table: {warehouse.table(name)}.",
                span=view.span(0, 1),
                relation=name,
                hint="Rename the view, or move the table's folder out of the warehouse.",
            )


def _orphan_reason(entry: ViewEntry) -> Reason:
    known = (entry.stale or {}).get("code") == "orphan"
    return Reason("orphan" if known else "removed", "its definition is gone; `tidewheel drop` deletes the table")


def _landing(definition: Definition, warehouse: Warehouse, unread: dict[str, TidewheelError]) -> dict[str, Landing]:
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


def _as_supposed(pinned: Pin, change: Supposed, warehouse: Warehouse) -> Pin:
    """The source as if it had changed so."""
    rows = change.rows(snapshot_of(pinned, warehouse).rows)
    kind = ChangeKind.APPEND if change.direction == "+" else ChangeKind.MIXED
    added, removed = rows if change.direction != "-" else 0, rows if change.direction != "+" else 0
    return replace(pinned, change=SourceChange(kind=kind, added=added, removed=removed, content=pinned.version + 1))


def _no_table(warehouse: Warehouse, name: str) -> bool:
    return log.latest_version(warehouse.table(name)) is None


def _why_build(context: PlanContext, view: View) -> Reason | None:
    """One question after the other, in the order a user would ask them."""
    entry = context.last.views.get(view.name)
    if entry is None:
        return Reason("first-build", "first build")
    if view.name in context.request.rebuild:
        return Reason("asked", "a full refresh was asked for")
    if entry.fingerprint != view.fingerprint:
        return Reason("definition-changed", "its definition changed")
    if foreign := _foreign_write(context.warehouse, view.name, context.versions.get(view.name)):
        return Reason("foreign-write", foreign)
    for name in context.definition.graph.inputs[view.name]:
        if name in context.unread:
            return _not_read(name, context.unread[name])
        changed = _input_changed(name, entry, context.last, context.pins, context.steps)
        if changed and _is_wider(context, entry, name):
            changed = _if_wider(context, view, name, changed)
        if changed:
            return changed
    if view.clock == "day" and entry.clock != day_of(context.now, context.definition.config.timezone):
        return Reason("clock", "the day changed")
    return None


def _input_changed(
    name: str, entry: ViewEntry, last: Epoch, pins: Mapping[str, Pin], steps: Mapping[str, Step]
) -> Reason | None:
    if name not in entry.inputs:
        return Reason("input-changed", f'input "{name}" is new')
    if name in steps:
        return _view_changed(steps[name], entry, last)
    if name in pins:
        if name not in last.sources:
            return Reason("input-changed", f'source "{name}" was declared anew')
        if pins[name].change.content != entry.inputs[name] or pins[name].change.kind is ChangeKind.REWRITTEN:
            return Reason("input-changed", f'source "{name}": {_since(pins[name], entry, last)}')
    elif name not in last.sources or last.sources[name].content != entry.inputs[name]:
        return Reason("input-changed", f'source "{name}" changed')
    return None


def _view_changed(step: Step, entry: ViewEntry, last: Epoch) -> Reason | None:
    """Why a view is built that reads another: by what becomes of that one."""
    match step.method:
        case "broken" | "failed" | "blocked":
            return _input_failing(step)
        case "full":
            return Reason("input-rebuilt", f'view "{step.view}" is rebuilt')
        case "append" | "merge" | "rows" | "topk" | "groups" | "difference":
            return Reason("input-changed", f'view "{step.view}" changes')
        case "stale":
            return Reason("input-stale", f'view "{step.view}" is stale')
        case "none" | "orphan":
            built = last.views[step.view].built
            known = built == entry.inputs[step.view]
            return None if known else Reason("input-changed", f'view "{step.view}" was rebuilt in epoch {built}')
        case _:
            assert_never(step.method)


def _is_wider(context: PlanContext, entry: ViewEntry, name: str) -> bool:
    """Has an input got columns since the view has seen it."""
    pinned, seen = context.pins.get(name), context.last.sources.get(name)
    if pinned is None or seen is None:
        return False
    return pinned.change.widened and entry.inputs.get(name) == seen.content


def _if_wider(context: PlanContext, view: View, name: str, changed: Reason) -> Reason | None:
    """Why a view is built whose input got columns: it shows them, or there are rows as well; else it is not."""
    from tidewheel.plan.defined.wider import is_indifferent  # noqa: PLC0415  the binder

    if not is_indifferent(context, view):
        return Reason("columns-added", f'source "{name}" has new columns')
    return None if context.pins[name].change.is_only_wider else changed


def _since(pinned: Pin, entry: ViewEntry, last: Epoch) -> str:
    if pinned.change.kind is ChangeKind.NONE or entry.as_of != last.number:
        return f"changed since epoch {entry.as_of}"
    return str(pinned.change)


def _foreign_write(warehouse: Warehouse, view: str, version: int | None) -> str | None:
    """Whether somebody else wrote to a view's table, by a look past the version we left it at."""
    if version is None:
        return None
    table = warehouse.table(view)
    if not os.path.exists(log.commit_path(table, version)):
        newest = log.latest_version(table)
        if newest is None:
            return "its table is gone"
        if newest < version:
            return "its log ends before the version we wrote"
    newer = log.read_commit(table, version + 1)
    if newer is None:
        return None
    return f"another tool wrote to its table ({newer.info.get('operation', 'unknown operation')})"


def _step(context: PlanContext, view: View, reason: Reason | None) -> Step:
    inputs = context.definition.graph.inputs[view.name]
    if reason is None:
        return Step(view=view.name, method="none", reason=Reason("up-to-date", "up to date"), inputs=inputs)
    if view.name not in context.request.selected:
        text = f"not selected; {reason.text}"
        return Step(view=view.name, method="stale", reason=Reason("not-selected", text), inputs=inputs)
    for name in inputs:
        if name in context.unread:
            error = context.unread[name]
            why = _not_read(name, error)
            return Step(view=view.name, method="failed", reason=why, inputs=inputs, error=error)
    above = next((context.steps[i] for i in inputs if i in context.steps and is_failing(context.steps[i].method)), None)
    if above is not None and above.method == "broken" and above.error is not None:
        return _broken(view.name, below_broken(view.name, above.view, above.error))
    if above is not None:
        return Step(view=view.name, method="blocked", reason=_input_failing(above), inputs=inputs)
    try:
        return _step_to_build(context, view, reason)
    except (UserError, PlanError) as error:
        return _broken(view.name, error)
    except StoreError as error:
        if error.code not in UNREADABLE:
            raise
        return Step(view=view.name, method="failed", reason=reason, inputs=inputs, error=error)


def _not_read(source: str, error: TidewheelError) -> Reason:
    return Reason("source-failed", f'source "{source}" cannot be read: {error.message}')


def _input_failing(above: Step) -> Reason:
    return Reason("input-failed", f'view "{above.view}" {"is broken" if above.method == "broken" else "failed"}')


def _broken(view: str, error: TidewheelError) -> Step:
    return Step(view=view, method="broken", reason=Reason("broken", error.message), error=error)


def _step_to_build(context: PlanContext, view: View, reason: Reason) -> Step:
    """How a view is brought up to date; an error if it is not sound, so far as that can be told without an engine."""
    inputs = context.definition.graph.inputs[view.name]
    step = Step(view=view.name, method="full", reason=reason, inputs=inputs)
    if reason.code in CHANGES:
        found = context.chooser.planned(view)
        step = replace(step, method=found.method, full=found.full, trace=found.trace)
        step = replace(step, predicted=found.changes, rejected=found.others)
    if is_full(step.method):
        context.bind_anew(view)
    if view.options.refresh == "strict" and is_full(step.method) and reason.code not in OWN_WISH:
        return replace(step, method="failed", error=strict_needs_full(view, reason, step.full))
    return step


def _place(context: PlanContext) -> None:
    """Where each view will run, as far as sizes that are known already tell."""
    for name, step in context.steps.items():
        if step.builds:
            read = step.predicted.read if step.predicted else 0.0
            context.steps[name] = step.placed(context.request.placement.needs_spark(read, full=step.is_recomputed))


def _epoch_is_due(steps: Mapping[str, Step], pins: Mapping[str, Pin]) -> bool:
    built = any(s.builds for s in steps.values())
    return built or any(p.change.kind is not ChangeKind.NONE for p in pins.values())


def _spread(context: PlanContext, name: str) -> None:
    graph = context.definition.graph
    for below in graph.order:
        if below in graph.descendants(name) and context.steps[below].method == "none":
            reason = Reason("input-rebuilt", f'view "{name}" is rebuilt')
            context.steps[below] = _step(context, graph.views[below], reason)
