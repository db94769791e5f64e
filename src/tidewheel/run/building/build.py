"""Build one view: in full, with all that its maintenance needs, or from what changed in its inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tidewheel import logs
from tidewheel.engine.base import Output, Session, Spread
from tidewheel.engine.local.ability import runs_here
from tidewheel.errors import ExecutionError, StoreError, UserError
from tidewheel.ir.rel import Query
from tidewheel.methods import Method, is_full
from tidewheel.optimize.auxiliary import Decomposition, Worth
from tidewheel.optimize.maintenance import MaintenanceLayout
from tidewheel.optimize.priced import PricedWay
from tidewheel.plan.binding.inputs import Inputs
from tidewheel.plan.binding.parts import NotShared, RelationPart
from tidewheel.plan.binding.reading import Reading
from tidewheel.plan.candidates import rows_are_gone  # fmt: skip
from tidewheel.plan.defined.bound import bound_view
from tidewheel.plan.defined.maintenance import NotMaintained, as_stored, upkeep_of_view, upkeep_to_build  # fmt: skip
from tidewheel.plan.plan import Reason, Step, strict_needs_full
from tidewheel.plan.pricing.pricing import Pricing
from tidewheel.plan.search import program_for  # fmt: skip
from tidewheel.program import ProgramOptions
from tidewheel.project.graph import View
from tidewheel.run.building.built import Built, Taken
from tidewheel.run.building.changing import NOT_OURS, Changing
from tidewheel.run.building.difference import PART, difference_of
from tidewheel.run.building.intermediates import in_pieces, is_large
from tidewheel.run.building.sessions import MAYBE_BEYOND, Sessions
from tidewheel.run.building.spread import spread_of_build
from tidewheel.run.building.staged_change import InDoubt, RowsMissing
from tidewheel.run.outcome import Read
from tidewheel.sql.bind import BoundView
from tidewheel.sql.text import pin_clock
from tidewheel.store import disk
from tidewheel.store.deltas import DeltaFiles, NoDelta
from tidewheel.store.epochs import Attempt, Kept, Rows, ViewEntry, ViewRecord, view_record
from tidewheel.store.footers import describe_folder
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Builder:
    """Builds views within one run."""

    inputs: Inputs
    sessions: Sessions
    pricing: Pricing
    attempt: Attempt
    versions: Mapping[str, int]

    def build(self, step: Step) -> Built:
        cuts = self.inputs.cuts
        view = cuts.definition.graph.views[step.view]
        if step.is_recomputed:
            whole = self.full(view, step.full or step.reason)
            return whole if is_full(step.method) else self._with_difference(view, whole, step)
        taken = Taken()
        try:
            built = self._from_changes(view, step.reason, taken)
        except (ExecutionError, UserError) as error:
            if self.sessions.is_to_blame(error):
                raise
            # Rows that are in neither version may pass through a change: what raises there proves nothing.
            logs.event("view.change-failed", view=view.name, code=error.code, message=error.message)
            built = NotMaintained(Reason("change-failed", f"its change failed: {error.message}"))
        except StoreError as error:
            if error.code != "files-missing":
                raise
            built = NotMaintained(rows_are_gone(error))
        except RowsMissing:
            built = NotMaintained(Reason("rows-missing", "a row that goes is not stored as it was computed now"))
        if isinstance(built, Built):
            return taken.added_to(replace(built, way=step.predicted))
        if view.options.refresh == "strict":
            raise strict_needs_full(view, step.reason, built.reason)
        disk.remove(self.folder(view), step="discard.attempt")
        return taken.added_to(self.full(view, built.reason))

    # --- in full ---

    def full(self, view: View, reason: Reason) -> Built:
        """Where that is to happen; on Spark also what the driver cannot do, or did not manage."""
        read = tuple(Read(name, "now", *self.inputs.size(name)) for name in self.reads(view))
        record = self.sessions.run(
            view.name,
            lambda session: self._full(session, view, reason),
            refused=self.sessions.placement.needs_spark(sum(r.bytes for r in read), full=True),
            beyond=MAYBE_BEYOND,
            undo=lambda: disk.remove(self.folder(view), step="discard.attempt"),
        )
        return Built(record=record, method="full", reason=reason, read=read, way=self._priced(view, record))

    def _priced(self, view: View, record: ViewRecord) -> PricedWay | None:
        """What a build in full should have cost."""
        upkeep = self._stored(view, record)
        if isinstance(upkeep, NotMaintained):
            return None
        entry = ViewEntry(built=0, as_of=0, fingerprint="", inputs=dict.fromkeys(self.reads(view), 0))
        return self.pricing.full(view.name, Reading(self.inputs, view.name, record, upkeep, entry, {}))

    def _full(self, session: Session, view: View, reason: Reason) -> ViewRecord:
        """As it is maintained; without auxiliary states if that fails, and as it is written if that fails, too."""
        for name in self.reads(view):
            self.inputs.provide(session, name)
        query = self._bound(view).query
        spread: Spread | None = None
        for worth in (self._worth(view, query), _never):
            upkeep = upkeep_to_build(view, query, worth)
            if isinstance(upkeep, NotMaintained):
                break
            spread = spread_of_build(upkeep.view, view.options.cluster_by, self.inputs.now)
            if not upkeep.states and len(upkeep.view.columns) == upkeep.view.layout.visible:
                record = self._full_as_written(session, view, reason, spread)
                return replace(record, kept=Kept(layout=upkeep.signature, columns=record.schema))
            try:
                return self._full_with_states(session, view, upkeep, reason)
            except (ExecutionError, UserError) as error:
                if self.sessions.has_another(session) and error.code in MAYBE_BEYOND:
                    raise
                logs.event("view.layout-failed", view=view.name, code=error.code, message=error.message)
                disk.remove(self.folder(view), step="discard.attempt")
            if not upkeep.aids:
                break
        return self._full_as_written(session, view, reason, spread)

    def _worth(self, view: View, query: Query) -> Worth:
        """Which auxiliary states to keep: none where the driver does not compute the view's changes.

        Their changes are nested in each other. DuckDB computes each of them once; Spark would plan every use of each.
        """
        settings, placement = self.inputs.cuts.definition.config.settings, self.sessions.placement
        if not (placement.is_local or placement.is_here):
            return _never
        small = self.pricing.worth(self.reads(view), self.inputs.now)
        return lambda aid: small(aid) and (placement.is_local or runs_here(query, settings))

    def _full_as_written(
        self, session: Session, view: View, reason: Reason, spread: Spread | None = None
    ) -> ViewRecord:
        """The view's own text, with its orders completed and the clock stopped; by its plan if that is too large."""
        folder = self.folder(view)
        cuts = self.inputs.cuts
        bound = self._bound(view)
        if session.copies and view.clock == "none" and is_large(bound.query.rel):
            try:
                return self._full_in_pieces(session, view, bound.query, reason, spread)
            except (ExecutionError, UserError) as error:
                logs.event("view.pieces-failed", view=view.name, code=error.code, message=error.message)
                disk.remove(folder, step="discard.attempt")
        sql = bound.sql
        if view.clock != "none":
            sql = pin_clock(sql, cuts.plan.time, cuts.definition.config.timezone)
        with disk.io_step("stage.data", folder):
            schema = session.write(view, sql, folder, spread)
        return self.record(view, self.described(view, "", schema), schema.nullable(), "full", reason)

    def _full_in_pieces(
        self, session: Session, view: View, query: Query, reason: Reason, spread: Spread | None
    ) -> ViewRecord:
        schema = self._written(session, view, query, self.folder(view), spread)
        return self.record(view, self.described(view, "", schema), schema.nullable(), "full", reason)

    def _written(self, session: Session, view: View, query: Query, folder: str, spread: Spread | None) -> Schema:
        """The rows of a plan, whatever its size."""
        with (
            in_pieces(session, view, query, self.made_folder(view), few=self._reads_little(view)) as over,
            disk.io_step("stage.data", folder),
        ):
            (schema,) = session.run(view, [Output(query=over, folder=folder, spread=spread)])
        return schema

    def _reads_little(self, view: View) -> bool:
        return sum(self.inputs.size(name)[0] for name in self.reads(view)) <= ProgramOptions().few_rows

    def _full_with_states(self, session: Session, view: View, upkeep: MaintenanceLayout, reason: Reason) -> ViewRecord:
        """By the view's plan, with the hidden columns and states that maintenance needs, each from those before it."""
        arrangement = upkeep.signature[:8]

        def called(state: str) -> str:
            return f"{state}_{view.name}_{arrangement}"  # another arrangement may have been tried before

        states: dict[str, Rows] = {}
        for number, stored in enumerate(upkeep.stored):
            own = stored.name == upkeep.view.name
            part = f"s{number}"
            folder = os.path.join(self.folder(view), part)
            query = Query(rel=upkeep.plan(stored.name, called), names=stored.names)
            spread = spread_of_build(stored, view.options.cluster_by if own else (), self.inputs.now)
            schema = self._written(session, view, query, folder, spread)
            rows = Rows(files=self.described(view, part, schema), schema=schema.nullable())
            if not own:
                states[stored.name] = rows
                upkeep = upkeep.typed({stored.name: rows.schema})
                table = self.inputs.table(view.name)
                snapshot = TableSnapshot(table=table, version=-1, schema=rows.schema, files=rows.files)
                self.inputs.register(session, called(stored.name), [snapshot])
        visible = Schema(rows.schema.fields[: upkeep.view.layout.visible])
        kept = Kept(layout=upkeep.signature, columns=rows.schema, states=states, aids=upkeep.aids)
        return replace(self.record(view, rows.files, visible, "full", reason), kept=kept)

    def _with_difference(self, view: View, built: Built, step: Step) -> Built:
        """What was built in full, with its change; without, if that fails: those that read it are recomputed then."""
        cuts = self.inputs.cuts
        if built.record is None:
            return built
        try:
            before = view_record(cuts.warehouse, cuts.last, view.name)
            change = difference_of(self, view, before, built.record)
        except (ExecutionError, UserError, StoreError) as error:
            if self.sessions.is_to_blame(error) or error.code in NOT_OURS - {"files-missing"}:
                raise
            logs.event("view.difference-failed", view=view.name, code=error.code, message=error.message)
            disk.remove(os.path.join(self.folder(view), PART), step="discard.attempt")
            change = None
        if change is None:
            return built
        record = replace(built.record, change=change, method=step.method)
        compared = (Read(view.name, what, r.rows, r.bytes) for what, r in (("before", before), ("now", record)))
        read = (*built.read, *compared)
        return replace(built, record=record, method=step.method, changed=change.rows, way=step.predicted, read=read)

    # --- from changes ---

    def _from_changes(self, view: View, reason: Reason, taken: Taken) -> Built | NotMaintained:
        cuts = self.inputs.cuts
        entry = cuts.last.views[view.name]
        base = view_record(cuts.warehouse, cuts.last, view.name)
        upkeep = self._stored(view, base)
        if isinstance(upkeep, NotMaintained):
            return upkeep
        deltas: dict[str, DeltaFiles] = {}
        for name in self.reads(view):
            delta = self.inputs.delta(name, entry)
            if isinstance(delta, NoDelta):
                return NotMaintained(Reason(delta.code, delta.text))
            if delta is not None:
                deltas[name] = delta

        def by(*, quick: bool) -> Built | NotMaintained:
            reading = Reading(self.inputs, view.name, base, upkeep, entry, deltas)
            program = program_for(self.pricing, reading, quick=quick)
            if isinstance(program, NotMaintained):
                return program
            if not program.steps:
                return Built(record=None, method="none", reason=Reason("no-change", "nothing that it reads changed"))
            # What was looked at to price it was expected; now it is there.
            return Changing(self, view, reading.anew(), taken).run(program, reason)

        quick = True
        while True:
            try:
                return by(quick=quick)
            except InDoubt as doubt:
                logs.event("view.quick-way-left", view=view.name, why=str(doubt))
                quick = False
            except NotShared as error:  # what failed once is not tried again
                logs.event("view.part-not-shared", view=view.name, part=str(error))
            disk.remove(self.folder(view), step="discard.attempt")

    # --- shared ---

    def _stored(self, view: View, record: ViewRecord) -> MaintenanceLayout | NotMaintained:
        """What is stored for a view, if it can be maintained."""
        cuts = self.inputs.cuts
        config, memory = cuts.definition.config, self.pricing.memory
        found = upkeep_of_view(config, cuts.warehouse, view, self._schemas(view), record.kept, memory)
        return found if isinstance(found, NotMaintained) else as_stored(found, record.kept)

    def _bound(self, view: View) -> BoundView:
        cuts = self.inputs.cuts
        return bound_view(cuts.definition.config, cuts.warehouse, view, self._schemas(view))

    def reads(self, view: View) -> tuple[str, ...]:
        return self.inputs.cuts.definition.graph.inputs[view.name]

    def _schemas(self, view: View) -> dict[str, Schema]:
        return {name: self.inputs.now(name).schema for name in self.reads(view)}

    def folder(self, view: View) -> str:
        return self.inputs.cuts.warehouse.data(view.name, self.attempt.id)

    def made_folder(self, view: View) -> str:
        """For what is made on the way, and of no use afterwards."""
        return os.path.join(self.inputs.cuts.warehouse.scratch, f"made-{self.attempt.id}-{view.name}")

    def part_folder(self, part: RelationPart) -> str:
        return os.path.join(self.parts_folder, part.name)

    @property
    def parts_folder(self) -> str:
        """What is there is of use in this run only."""
        return os.path.join(self.inputs.cuts.warehouse.scratch, f"parts-{self.attempt.id}")

    def described(self, view: View, part: str, schema: Schema) -> tuple[DataFile, ...]:
        folder = os.path.join(self.folder(view), part) if part else self.folder(view)
        prefix = os.path.join("_data", self.attempt.id, part) if part else f"_data/{self.attempt.id}"
        disk.touch(self.attempt.folder)
        return tuple(f for f in describe_folder(folder, prefix, schema) if f.rows)

    def record(
        self, view: View, files: Sequence[DataFile], schema: Schema, method: Method, reason: Reason
    ) -> ViewRecord:
        before = self.inputs.cuts.last.views.get(view.name)
        return ViewRecord(
            files=tuple(files),
            schema=schema,
            base_version=self.versions.get(view.name, -1),
            base_built=before.built if before else 0,
            sql=view.sql,
            method=method,
            reason={"code": reason.code, "text": reason.text},
        )


def _never(_: Decomposition) -> bool:
    return False
