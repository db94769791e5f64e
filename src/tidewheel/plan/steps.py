"""The step of each view: how it is brought up to date, or why it is not."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from tidewheel.errors import PlanError, StoreError, TidewheelError, UserError
from tidewheel.methods import is_failing, is_full
from tidewheel.plan.context import PlanContext
from tidewheel.plan.plan import OWN_WISH, Reason, Step, strict_needs_full
from tidewheel.project.graph import View, below_broken
from tidewheel.store.integrity import UNREADABLE

if TYPE_CHECKING:
    from tidewheel.plan.candidates import Chooser
    from tidewheel.plan.defined.bound import Binding

from tidewheel.plan.staleness import input_failing, not_read

CHANGES = frozenset({"input-changed", "input-rebuilt"})


class StepMaker:
    """Makes the steps of a plan, view by view in graph order. The steps before one are in the context."""

    def __init__(self, context: PlanContext) -> None:
        self.context = context

    @functools.cached_property
    def chooser(self) -> Chooser:
        """Made when the first view is found to need it: that takes the binder."""
        from tidewheel.plan.candidates import Chooser  # noqa: PLC0415

        return Chooser(self.context)

    @functools.cached_property
    def binding(self) -> Binding:
        """Made when the first view is found to be built in full."""
        from tidewheel.plan.defined.bound import Binding  # noqa: PLC0415

        context = self.context
        sources = {name: entry.schema for name, entry in context.last.sources.items()}
        sources |= {name: pinned.schema for name, pinned in context.pins.items()}
        return Binding(context.definition, context.warehouse, sources, context.last)

    def step(self, view: View, reason: Reason | None) -> Step:
        """What happens to a view that is to be built for a reason, or that is up to date."""
        context = self.context
        inputs = context.definition.graph.inputs[view.name]
        if reason is None:
            return Step(view=view.name, method="none", reason=Reason("up-to-date", "up to date"), inputs=inputs)
        if view.name not in context.request.selected:
            text = f"not selected; {reason.text}"
            return Step(view=view.name, method="stale", reason=Reason("not-selected", text), inputs=inputs)
        for name in inputs:
            if name in context.unread:
                error = context.unread[name]
                why = not_read(name, error)
                return Step(view=view.name, method="failed", reason=why, inputs=inputs, error=error)
        above = next(
            (context.steps[i] for i in inputs if i in context.steps and is_failing(context.steps[i].method)), None
        )
        if above is not None and above.method == "broken" and above.error is not None:
            return broken(view.name, below_broken(view.name, above.view, above.error))
        if above is not None:
            return Step(view=view.name, method="blocked", reason=input_failing(above), inputs=inputs)
        try:
            return self._to_build(view, reason)
        except (UserError, PlanError) as error:
            return broken(view.name, error)
        except StoreError as error:
            if error.code not in UNREADABLE:
                raise
            return Step(view=view.name, method="failed", reason=reason, inputs=inputs, error=error)

    def _to_build(self, view: View, reason: Reason) -> Step:
        """How a view is brought up to date; an error if it is not sound, so far as can be told without an engine."""
        inputs = self.context.definition.graph.inputs[view.name]
        step = Step(view=view.name, method="full", reason=reason, inputs=inputs)
        if reason.code in CHANGES:
            found = self.chooser.planned(view)
            step = replace(step, method=found.method, full=found.full, trace=found.trace)
            step = replace(step, predicted=found.changes, rejected=found.others)
        if is_full(step.method):
            self._bind_anew(view)
        if view.options.refresh == "strict" and is_full(step.method) and reason.code not in OWN_WISH:
            return replace(step, method="failed", error=strict_needs_full(view, reason, step.full))
        return step

    def rebuild_below(self, name: str) -> None:
        """Build what is up to date and reads a view that is built after all."""
        context = self.context
        graph = context.definition.graph
        for below in graph.order:
            if below in graph.descendants(name) and context.steps[below].method == "none":
                reason = Reason("input-rebuilt", f'view "{name}" is rebuilt')
                context.steps[below] = self.step(graph.views[below], reason)

    def _bind_anew(self, view: View) -> None:
        """See that a view that is to be built in full is sound: what is wrong must not wait for an engine."""
        from tidewheel.plan.defined.check import require_local, require_sound  # noqa: PLC0415

        self.binding.anew.add(view.name)
        bound = self.binding.bind(view.name)
        if bound is not None:
            require_sound(view, bound)
            if self.context.request.placement.is_local:
                require_local(self.context.definition, view, bound)


def broken(view: str, error: TidewheelError) -> Step:
    return Step(view=view, method="broken", reason=Reason("broken", error.message), error=error)
