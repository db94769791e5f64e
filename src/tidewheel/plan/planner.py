"""From what is defined and what has changed to a plan. Reads logs and records; starts no engine."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tidewheel.errors import TidewheelError, UserError
from tidewheel.garbage import uncollected
from tidewheel.plan.context import PlanContext
from tidewheel.plan.plan import Plan, Reason, Step
from tidewheel.plan.request import RefreshRequest
from tidewheel.project.definition import Definition
from tidewheel.store import log
from tidewheel.store.changes import ChangeKind
from tidewheel.store.epochs import Epoch, ViewEntry
from tidewheel.store.sources import Pin
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from tidewheel.plan.binding.parts import Sharing


from tidewheel.plan.sources import after_landing, as_supposed, landing_of, pin_sources
from tidewheel.plan.staleness import why_build
from tidewheel.plan.steps import StepMaker, broken


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
    landing = landing_of(definition, warehouse, unread) if predict else {}
    pins = pin_sources(definition, warehouse, last, request, unread, expected=landing)
    pins |= {name: after_landing(pins[name], landed) for name, landed in landing.items() if name in pins}
    pins |= {n: as_supposed(pins[n], change, warehouse) for n, change in request.supposed.items() if n in pins}
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
    maker, steps = StepMaker(context), context.steps
    steps |= {name: broken(name, view.error) for name, view in definition.graph.broken.items()}
    for name, view in definition.graph.views.items():
        reason = why_build(context, view)
        steps[name] = maker.step(view, reason)
        if reason is None and last.views[name].stale is not None:
            again = Reason("up-to-date-again", "up to date again, without a rebuild")
            steps[name] = replace(steps[name], reason=again)
    if _epoch_is_due(steps, pins):
        for name, view in definition.graph.views.items():
            if view.clock == "time" and steps[name].method == "none":
                steps[name] = maker.step(view, Reason("clock", "the clock moved on"))
                maker.rebuild_below(name)
    shared: tuple[Sharing, ...] = ()
    if any(step.rejected for step in steps.values()):
        from tidewheel.plan.choice import choose  # noqa: PLC0415  only if something changed

        shared = choose(context, maker.chooser)
    _raise_if_all_fail(list(steps.values()))
    _place(context)
    if predict and any(step.builds for step in steps.values()):
        from tidewheel.plan.pricing.forecast import forecast  # noqa: PLC0415  the binder, if something is built

        forecast(context, maker.chooser)
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


def _place(context: PlanContext) -> None:
    """Where each view will run, as far as sizes that are known already tell."""
    for name, step in context.steps.items():
        if step.builds:
            read = step.predicted.read if step.predicted else 0.0
            context.steps[name] = step.placed(context.request.placement.needs_spark(read, full=step.is_recomputed))


def _epoch_is_due(steps: Mapping[str, Step], pins: Mapping[str, Pin]) -> bool:
    built = any(s.builds for s in steps.values())
    return built or any(p.change.kind is not ChangeKind.NONE for p in pins.values())
