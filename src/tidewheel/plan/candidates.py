"""Whether a view can be brought up to date from what changed, and by which method. Starts no engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidewheel.errors import StoreError, UserError
from tidewheel.garbage import tidied
from tidewheel.ir.rel import Opaque, Query
from tidewheel.methods import Method, is_full
from tidewheel.optimize.auxiliary import Worth
from tidewheel.optimize.exploration import TooLargeError
from tidewheel.optimize.maintenance import MaintenanceLayout, explored, looked_at, upkeep_again, upkeep_of
from tidewheel.optimize.priced import PricedWay
from tidewheel.optimize.trace import Trace, trace_of
from tidewheel.optimize.valuation import Decision
from tidewheel.plan.binding.inputs import Cuts, Inputs, delta_of_source
from tidewheel.plan.binding.reading import Reading
from tidewheel.plan.context import PlanContext
from tidewheel.plan.defined.bound import bound_view
from tidewheel.plan.memory import Memo, PlanMemory
from tidewheel.plan.plan import Plan, Reason, Step
from tidewheel.plan.pricing.facts import file_like
from tidewheel.plan.pricing.pricing import Pricing, pricing_of
from tidewheel.program import Program, program_of
from tidewheel.project.config import Config
from tidewheel.project.graph import View
from tidewheel.store.deltas import DeltaFiles, NoDelta, view_delta, with_sign
from tidewheel.store.epochs import Kept, ViewEntry, ViewRecord, view_record
from tidewheel.store.sources import snapshot_of
from tidewheel.store.tables import TableSnapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema


@dataclass(frozen=True, slots=True)
class NotMaintained:
    """Why a view is always built in full."""

    reason: Reason


class StateMissingError(Exception):
    """A change needs rows as they were computed before, and these are not stored."""


def upkeep_of_view(
    config: Config,
    warehouse: Warehouse,
    view: View,
    schemas: Mapping[str, Schema],
    kept: Kept | None,
    memory: PlanMemory | None = None,
) -> MaintenanceLayout | NotMaintained:
    """What is stored for a view that is there, given the columns of its inputs."""
    return upkeep_of_query(view, bound_view(config, warehouse, view, schemas, memory).query, kept, memory)


def upkeep_of_query(
    view: View, query: Query, kept: Kept | None, memory: PlanMemory | None = None
) -> MaintenanceLayout | NotMaintained:
    """What is stored for a view of a bound query. What is kept already need not be worked out again."""
    if (reason := never_maintained(view, query)) is not None:
        return NotMaintained(reason)

    def worked_out() -> MaintenanceLayout:
        known = kept and upkeep_again(query.rel, query.names, kept.layout, kept.states, kept.aids)
        aids = kept.aids if kept else ()
        return known or upkeep_of(query.rel, query.names, lambda aid: aid.name in aids)

    if memory is None:
        return worked_out()
    return memory.upkeeps.get((query.rel.digest, query.names, kept.layout if kept else ""), worked_out)


def upkeep_to_build(view: View, query: Query, worth: Worth) -> MaintenanceLayout | NotMaintained:
    """What to store for a view that is built in full, so that it can be maintained."""
    reason = never_maintained(view, query)
    return upkeep_of(query.rel, query.names, worth) if reason is None else NotMaintained(reason)


def never_maintained(view: View, query: Query) -> Reason | None:
    """Why a view is built in full each time, whatever is stored; None if it is not."""
    if view.options.refresh == "full":
        return Reason("configured", "its options say `refresh: full`")
    if view.clock != "none":
        return Reason("clock-in-query", "its query asks for the time")
    if isinstance(query.rel, Opaque):
        return Reason("not-bound", f"its query is not understood ({query.rel.reason})")
    if len({name.lower() for name in query.names}) < len(query.names):
        return Reason("not-bound", "two of its columns have one name")
    return None


def as_stored(upkeep: MaintenanceLayout, kept: Kept | None) -> MaintenanceLayout | NotMaintained:
    """The upkeep with the types that are stored; not if something else is stored."""
    if kept is None:
        return NotMaintained(Reason("no-layout", "it was built without what maintenance needs"))
    if kept.layout != upkeep.signature:
        return NotMaintained(Reason("layout-changed", "it was stored in another layout"))
    schemas = {name: rows.schema for name, rows in kept.states.items()} | {upkeep.view.name: kept.columns}
    typed = upkeep.typed(schemas)
    if not all(s.can_be_changed for s in typed.stored):
        return NotMaintained(Reason("no-key", "rows that go cannot be told from others: it has no key, and a map"))
    return typed


def program_for(pricing: Pricing, reading: Reading, *, quick: bool = False) -> Program | NotMaintained:
    """The changes of the view and its states, by the cheapest rules."""
    found = searched(pricing, reading, quick=quick)
    return found if isinstance(found, NotMaintained) else found.program


@dataclass(frozen=True, slots=True)
class FoundProgram:
    """What was found, what was looked at on the way, and the price over what would be read, if that was needed."""

    program: Program
    trace: Trace
    priced: tuple[Reading, PricedWay] | None = None


def searched(pricing: Pricing, reading: Reading, *, quick: bool = False) -> FoundProgram | NotMaintained:
    """The same, and what was looked at on the way.

    What was planned is at hand when it is run, and at the next refresh if changes and tables are about as large. If
    they are not, what there is to choose from is still known, and is only priced anew.
    """
    upkeep = reading.upkeep
    kinds = tuple(sorted((name.lower(), delta.kind) for name, delta in reading.deltas.items()))
    changed = {name: delta.rows.bit_length() for name, delta in reading.deltas.items()}
    sizes = tuple((name, changed.get(name), reading.size(name).bit_length()) for name in sorted(reading.entry.inputs))
    named = pricing.placement.names_changes(len(upkeep.states))
    copies, options, memory = pricing.placement.is_for_spark, pricing.options, pricing.memory
    key = (upkeep.signature, tuple(s.columns for s in upkeep.stored), kinds, quick, named, options.exploration)
    priced: tuple[Reading, PricedWay] | None = None

    def forms() -> Memo:
        return explored(upkeep, dict(kinds), quick=quick, named=named, options=options.exploration)

    def planned() -> tuple[Program, Trace]:
        nonlocal priced
        looked = looked_at(*memory.memos.get(key, forms), pricing.decide(reading))
        if not looked.is_sound():
            raise StateMissingError
        chosen = looked.choose.made if isinstance(looked.choose, Decision) else {}
        program = program_of(looked, chosen, copies=copies)
        if program.intermediates and not copies:
            program, priced = _cheaper(pricing, reading, program_of(looked, {}, copies=False), program)
        return program, trace_of(looked)

    try:
        program, trace = memory.programs.get((key, sizes, pricing.placement, options), planned)
        return FoundProgram(program, trace, priced)
    except TooLargeError:
        return NotMaintained(Reason("too-many-forms", "its change has too many forms to be planned"))
    except StateMissingError:
        return NotMaintained(Reason("no-state", "it was built without a state that its change must be read from"))
    except (RecursionError, UserError) as error:
        return NotMaintained(Reason("too-deep", f"its change cannot be planned ({type(error).__name__})"))


def _cheaper(pricing: Pricing, reading: Reading, *programs: Program) -> tuple[Program, tuple[Reading, PricedWay]]:
    """Of some programs the first that is the cheapest over the files that each would read.

    The search prices a goal by itself. Where it stands in a statement, what that asks for bounds the files of the goal,
    too: to make a result for two readers may cost more than to compute a small part of it for each.
    """
    first = reading.anew()
    readings = [first.again() for _ in programs]  # what was seen for one of them need not be looked at for the next
    ways = [pricing.from_changes(read.view, read, each) for read, each in zip(readings, programs, strict=True)]
    best = min(range(len(programs)), key=lambda n: ways[n].seconds)
    return programs[best], (readings[best], ways[best])


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
