"""Whether a view can be brought up to date from what changed, and by which method. Starts no engine."""

from __future__ import annotations

from dataclasses import dataclass

from tidewheel.errors import StoreError
from tidewheel.garbage import tidied
from tidewheel.methods import Method, is_full
from tidewheel.optimize.maintenance import MaintenanceLayout
from tidewheel.optimize.priced import PricedWay
from tidewheel.optimize.trace import Trace
from tidewheel.plan.binding.inputs import Cuts, Inputs, delta_of_source
from tidewheel.plan.binding.reading import Reading
from tidewheel.plan.context import PlanContext
from tidewheel.plan.defined.maintenance import NotMaintained, as_stored, upkeep_of_view
from tidewheel.plan.plan import Plan, Reason, Step
from tidewheel.plan.pricing.facts import file_like
from tidewheel.plan.pricing.pricing import pricing_of
from tidewheel.plan.search import searched
from tidewheel.program import Program
from tidewheel.project.graph import View
from tidewheel.store.deltas import DeltaFiles, NoDelta, view_delta, with_sign
from tidewheel.store.epochs import ViewEntry, ViewRecord, view_record
from tidewheel.store.sources import snapshot_of
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema


def rows_are_gone(error: StoreError) -> Reason:
    return Reason("history-lost", f"rows as they were before the change are gone: {error.message}")


@dataclass(frozen=True, slots=True)
class Planned:
    """How a view will be brought up to date; if nothing but `full` will do, why; and the ways that were priced."""

    method: Method
    full: Reason | None = None
    changes: PricedWay | None = None
    others: tuple[PricedWay, ...] = ()
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A view that may be brought up to date from changes, with what would run."""

    reading: Reading
    program: Program


class Chooser:
    """Finds the ways to bring views up to date, one after the other in graph order, and what each will cost."""

    def __init__(self, context: PlanContext) -> None:
        self.context = context
        definition, last = context.definition, context.last
        plan = Plan(
            project=definition.config.name,
            base=last.number,
            epoch=last.number + 1,
            time=context.now,
            sources=context.pins,
            steps=(),
            landing={},
        )
        self.inputs = Inputs(Cuts(definition=definition, warehouse=context.warehouse, plan=plan, last=last))
        self.pricing = pricing_of(context.warehouse, context.request, definition.config)
        self.candidates: dict[str, Candidate] = {}

    @tidied()
    def planned(self, view: View) -> Planned:
        """For a view whose inputs changed."""
        context = self.context
        entry = context.last.views[view.name]
        deltas: dict[str, DeltaFiles] = {}
        expected: dict[str, float] = {}
        schemas: dict[str, Schema] = {}
        for name in context.definition.graph.inputs[view.name]:
            known = self._input(entry, name)
            if isinstance(known, Reason):
                return Planned("full", known)
            delta, schemas[name] = known
            if delta is not None:
                deltas[name] = delta
            if name in context.request.supposed or context.is_landing(name):
                expected[name] = 1.0
            elif name in context.steps and context.steps[name].builds:
                expected[name] = self._growth(context.steps[name])
        record = view_record(context.warehouse, context.last, view.name)
        config, memory = context.definition.config, self.pricing.memory
        upkeep = upkeep_of_view(config, context.warehouse, view, schemas, record.kept, memory)
        if isinstance(upkeep, MaintenanceLayout):
            upkeep = as_stored(upkeep, record.kept)
        if isinstance(upkeep, NotMaintained):
            return Planned("full", upkeep.reason)
        reading = Reading(self.inputs, view.name, record, upkeep, entry, deltas, expected=expected)
        try:
            found = searched(self.pricing, reading, quick=True)
            if isinstance(found, NotMaintained):
                return Planned("full", found.reason)
            program, trace = found.program, found.trace
            if found.priced is None:
                changes = self.pricing.from_changes(view.name, reading, program)
            else:
                reading, changes = found.priced
            others = self._others(view, reading, changes)
            self.candidates[view.name] = Candidate(reading, program)
        except StoreError as error:
            if error.code != "files-missing":
                raise
            return Planned("full", rows_are_gone(error))
        return Planned(changes.method if program.statements else "rows", changes=changes, others=others, trace=trace)

    def _others(self, view: View, reading: Reading, changes: PricedWay) -> tuple[PricedWay, ...]:
        """The ways beside that from changes; the difference is of use to views that read it."""
        full = self.pricing.full(view.name, reading)
        if not self.context.definition.graph.readers(view.name):
            return (full,)
        return full, self.pricing.difference(view.name, reading, changes, full)

    def _growth(self, step: Step) -> float:
        """How many times as many rows a view will have as it has."""
        rows = view_record(self.context.warehouse, self.context.last, step.view).rows
        full = step.priced("full")
        return 1.0 if full is None or not rows else max(full.rows, 1.0) / rows

    def _input(self, entry: ViewEntry, name: str) -> tuple[DeltaFiles | None, Schema] | Reason:
        """How an input will have changed since the view has seen it, and its columns."""
        context = self.context
        known = entry.inputs.get(name)
        if known is None:
            return Reason("input-changed", f'input "{name}" is new')
        if name in context.request.supposed:
            now = snapshot_of(self.inputs.cuts.pin(name), context.warehouse)
            self.inputs.snapshots[name] = context.request.supposed[name].after(now)
            return context.request.supposed[name].delta(now), now.schema
        if name not in context.steps:
            pinned = self.inputs.cuts.pin(name)
            source = delta_of_source(context.warehouse, pinned, known)
            if isinstance(source, NoDelta):
                return Reason(source.code, source.text)
            return source, pinned.schema
        step = context.steps[name]
        if is_full(step.method):
            return Reason("input-rebuilt", f'view "{name}" is rebuilt')
        record = view_record(context.warehouse, context.last, name)
        earlier = view_delta(context.warehouse, name, record, context.last.views[name].built, known)
        if isinstance(earlier, NoDelta):
            return Reason(earlier.code, earlier.text)
        if step.builds:
            return expected_delta(earlier, record, step), record.schema
        return (earlier if earlier.parts else None), record.schema


def expected_delta(earlier: DeltaFiles, record: ViewRecord, step: Step) -> DeltaFiles:
    """With the change that a view will have in this run: a part of so many rows, whose file is not there yet."""
    signed = earlier.signed or step.method != "append"
    rows = max(1, round(step.predicted.rows)) if step.predicted else max(1, record.rows // 100)
    schema = with_sign(record.schema) if signed else record.schema
    part = TableSnapshot(table="", version=-1, schema=schema, files=(file_like(record.files, rows),))
    return DeltaFiles(signed=signed, parts=(*earlier.parts, part))
