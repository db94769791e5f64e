"""Why a view has to be built: one question after the other, in the order a user would ask them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, assert_never

from tidewheel.errors import TidewheelError
from tidewheel.methods import Method
from tidewheel.plan.context import PlanContext
from tidewheel.plan.plan import Reason, Step
from tidewheel.project.graph import View
from tidewheel.sql.text import day_of
from tidewheel.store import log
from tidewheel.store.changes import ChangeKind
from tidewheel.store.epochs import Epoch, ViewEntry
from tidewheel.store.sources import Pin
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    pass


def why_behind(context: PlanContext) -> dict[str, Reason]:
    """By view, why a refresh would build it. By which method is not asked: that takes the binder."""
    found: dict[str, Reason] = {}
    for name, view in context.definition.graph.views.items():
        reason = why_build(context, view)
        if reason is not None:
            found[name] = reason
        method: Method = "none" if reason is None else "difference"
        context.steps[name] = Step(view=name, method=method, reason=reason or Reason("up-to-date", "up to date"))
    return found


def why_build(context: PlanContext, view: View) -> Reason | None:
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
            return not_read(name, context.unread[name])
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
            return input_failing(step)
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


def not_read(source: str, error: TidewheelError) -> Reason:
    return Reason("source-failed", f'source "{source}" cannot be read: {error.message}')


def input_failing(above: Step) -> Reason:
    return Reason("input-failed", f'view "{above.view}" {"is broken" if above.method == "broken" else "failed"}')
