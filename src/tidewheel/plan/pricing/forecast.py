"""Where the views of a plan will run, and what builds in full will cost: also first builds. Starts no engine.

What a view that was never built will be like is not known: its columns are those of its bound query, and how many rows
it will have is estimated, for itself and for those that read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tidewheel.engine.local.ability import why_not_here
from tidewheel.errors import StoreError, UserError
from tidewheel.ir.rel import Opaque, Query, Rel, Scan
from tidewheel.ir.typing import types_of
from tidewheel.methods import is_full
from tidewheel.optimize.auxiliary import Decomposition
from tidewheel.optimize.cost import Place, Work, work_of
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.facts import Facts, unknown
from tidewheel.optimize.learning import Columns
from tidewheel.optimize.maintenance import upkeep_of
from tidewheel.optimize.priced import PricedWay
from tidewheel.plan.candidates import Chooser
from tidewheel.plan.context import PlanContext
from tidewheel.plan.defined.bound import bound_view
from tidewheel.plan.defined.maintenance import never_maintained
from tidewheel.plan.memory import PlanMemory
from tidewheel.plan.plan import Reason, Step
from tidewheel.plan.pricing.facts import facts_of
from tidewheel.plan.pricing.pricing import Pricing
from tidewheel.project.graph import View
from tidewheel.store.log import DataFile
from tidewheel.types import Field, Schema

ROW: Final = 50.0
"""Bytes that a row takes in a file, where nothing is known of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A relation as a build will find it; its files, if they are there."""

    schema: Schema
    rows: float
    bytes: float
    files: tuple[DataFile, ...] | None = None


def forecast(context: PlanContext, chooser: Chooser) -> None:
    """Give every step of the plan that builds its place, and those that build in full a price."""
    known: dict[str, Expected] = {}
    for name, view in context.definition.graph.views.items():
        step = context.steps[name]
        inputs = {above: _expected(context, chooser, known, above) for above in step.inputs}
        if step.builds and is_full(step.method):
            found = {above: expected for above, expected in inputs.items() if expected is not None}
            context.steps[name] = _built(context, chooser.pricing, view, step, found, known)


def _expected(context: PlanContext, chooser: Chooser, known: Mapping[str, Expected], name: str) -> Expected | None:
    """A source, a view that is there, or one that the plan builds before."""
    step = context.steps.get(name)
    if name in known or (step is not None and step.builds and name not in context.last.views):
        return known.get(name)
    try:
        now = chooser.inputs.now(name)
    except (StoreError, KeyError):  # it is gone, or its first files are still to be taken
        return None
    return Expected(schema=now.schema, rows=now.rows, bytes=now.bytes, files=now.files)


def _built(
    context: PlanContext,
    pricing: Pricing,
    view: View,
    step: Step,
    inputs: Mapping[str, Expected],
    known: dict[str, Expected],
) -> Step:
    """The step with its place and price; what the view will be like is added to what is known."""
    size = sum(expected.bytes for expected in inputs.values())
    reason = context.request.placement.needs_spark(size, full=True)
    query = _bound(context, pricing.memory, view, inputs)
    if query is None or isinstance(query.rel, Opaque):
        unclear = Reason("not-bound", "its query is not understood before Spark has seen it")
        return step.placed(reason or (None if context.request.placement.is_local else unclear))
    if reason is None and not context.request.placement.is_local:
        why = why_not_here(query, context.definition.config.settings)
        reason = Reason("beyond-driver", why) if why is not None else None
    price = _Price(pricing, inputs, reason is None)
    rows = price.estimator.rows(query.rel)
    columns = tuple(Field(n, t) for n, t in zip(query.names, types_of(query.rel), strict=True))
    known[view.name] = Expected(schema=Schema(columns), rows=rows, bytes=ROW * rows)
    if step.predicted is not None:
        return step.placed(reason)
    return replace(step.placed(reason), predicted=price.way(view, query, size))


def _bound(context: PlanContext, memory: PlanMemory, view: View, inputs: Mapping[str, Expected]) -> Query | None:
    """The view's plan; None if it cannot be told yet, or is wrong, which is for others to say."""
    if inputs.keys() != set(context.definition.graph.inputs[view.name]):
        return None
    schemas = {name: expected.schema for name, expected in inputs.items()}
    try:
        return bound_view(context.definition.config, context.warehouse, view, schemas, memory).query
    except UserError:
        return None


class _Price:
    """Counts the work of a build in full over what is expected to be there."""

    def __init__(self, pricing: Pricing, inputs: Mapping[str, Expected], in_driver: bool) -> None:
        self.pricing, self.in_driver = pricing, in_driver
        self.expected = {name.lower(): (name, expected) for name, expected in inputs.items()}
        self.estimator = Estimator(self._facts)

    def _facts(self, scan: Scan) -> Facts:
        name, expected = self.expected[scan.relation.lower()]
        if expected.files is None:
            return unknown(expected.rows, len(scan.columns))
        return facts_of(expected.files, scan.columns, self.pricing.learned.columns.get(name, Columns()).distinct)

    def _bytes(self, scan: Scan) -> float:
        _, expected = self.expected[scan.relation.lower()]
        return expected.bytes * min(len(scan.columns) / max(len(expected.schema.fields), 1), 1.0)

    def way(self, view: View, query: Query, size: float) -> PricedWay:
        place: Place = "driver" if self.in_driver else "cluster"
        rows = self.estimator.rows(query.rel)
        return self.pricing.way(view.name, "full", "full", place, self._work(view, query), rows, size)

    def _work(self, view: View, query: Query) -> Work:
        """Each stored relation by an execution of its own, from the states before it."""
        if never_maintained(view, query) is not None:
            return self._work_of(query.rel)
        work = Work()
        upkeep = upkeep_of(query.rel, query.names, _without)
        for stored in upkeep.stored:
            rel = upkeep.plan(stored.name)
            work += self._work_of(rel)
            rows = self.estimator.rows(rel)
            schema = Schema(tuple(Field(c.name, c.type) for c in stored.columns))
            self.expected[stored.name.lower()] = (stored.name, Expected(schema=schema, rows=rows, bytes=ROW * rows))
        return work

    def _work_of(self, rel: Rel) -> Work:
        written = Work(written=ROW * self.estimator.rows(rel))
        return work_of([rel], self.estimator, self._bytes, shared=self.in_driver) + written


def _without(_: Decomposition) -> bool:
    """Few views have auxiliary states, which are small: they do not count in a forecast."""
    return False
