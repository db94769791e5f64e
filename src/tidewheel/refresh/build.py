"""Build one view: in full, with all that its maintenance needs, or from what changed in its inputs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tidewheel import logs
from tidewheel.delta.change import Change
from tidewheel.delta.pruning import Origins, Pruned
from tidewheel.engine.base import Output, Session
from tidewheel.errors import ExecutionError, UserError
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query, Rel, Scan
from tidewheel.ir.tree import nodes, with_inputs
from tidewheel.names import WEIGHT
from tidewheel.optimize.memo import CHANGE, OLD, Kind
from tidewheel.optimize.upkeep import Statement, Stored, Upkeep
from tidewheel.project.graph import View
from tidewheel.refresh.binding import bound_view
from tidewheel.refresh.choose import NotMaintained, as_stored, statements_of, upkeep_of_view
from tidewheel.refresh.inputs import Inputs
from tidewheel.refresh.plan import Reason, Step
from tidewheel.sql.text import pin_clock
from tidewheel.store import disk
from tidewheel.store.deltas import Delta, NoDelta
from tidewheel.store.epochs import Attempt, Kept, Rows, ViewEntry, ViewRecord, view_record
from tidewheel.store.footers import describe_folder
from tidewheel.store.log import DataFile
from tidewheel.store.prune import ColumnValues, files_of_rows, files_with, united, values_in
from tidewheel.store.tables import Snapshot
from tidewheel.types import LONG, Field, Schema

_SIGN = Field(WEIGHT, LONG, nullable=False)
SMALL = 4 * 2**20
"""Files below this size are put together when there are many of them."""
MANY = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What became of a view: a new record, or none if its rows and states are what they were."""

    record: ViewRecord | None
    method: str
    reason: Reason
    rows_read: int = 0
    bytes_read: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Builder:
    """Builds views within one run."""

    inputs: Inputs
    session: Session
    attempt: Attempt
    versions: Mapping[str, int]

    def build(self, step: Step) -> Built:
        cuts = self.inputs.cuts
        view = cuts.definition.graph.views[step.view]
        if step.method == "full":
            return self.full(view, step.reason)
        try:
            built = self._from_changes(view, step.reason)
        except (ExecutionError, UserError) as error:
            # Rows that are in neither version may pass through a change: what raises there proves nothing.
            logs.event("view.change-failed", view=view.name, code=error.code, message=error.message)
            built = NotMaintained(Reason("change-failed", f"its change failed: {error.message}"))
        if isinstance(built, NotMaintained):
            disk.remove(self.folder(view), step="discard.attempt")
            return self.full(view, built.reason)
        return built

    # --- in full ---

    def full(self, view: View, reason: Reason) -> Built:
        for name in self.reads(view):
            self.inputs.provide(name)
        upkeep = self._upkeep(view)
        if isinstance(upkeep, Upkeep):
            try:
                record = self._full_with_states(view, upkeep, reason)
            except (ExecutionError, UserError) as error:
                logs.event("view.layout-failed", view=view.name, code=error.code, message=error.message)
                disk.remove(self.folder(view), step="discard.attempt")
                record = self._full_as_written(view, reason)
        else:
            record = self._full_as_written(view, reason)
        sizes = [self.inputs.size(name) for name in self.reads(view)]
        return Built(
            record=record,
            method="full",
            reason=reason,
            rows_read=sum(rows for rows, _ in sizes),
            bytes_read=sum(size for _, size in sizes),
        )

    def _full_as_written(self, view: View, reason: Reason) -> ViewRecord:
        """The view's own text, with its orders completed and the clock stopped."""
        folder = self.folder(view)
        cuts = self.inputs.cuts
        sql = bound_view(cuts.definition.config, cuts.warehouse, view, self._schemas(view)).sql
        if view.clock != "none":
            sql = pin_clock(sql, cuts.plan.time, cuts.definition.config.timezone)
        with disk.io_step("stage.data", folder):
            schema = self.session.write(view, sql, folder)
        return self.record(view, self.described(view, "", schema), schema.nullable(), "full", reason)

    def _full_with_states(self, view: View, upkeep: Upkeep, reason: Reason) -> ViewRecord:
        """By the view's plan, whose hidden columns and states maintenance needs."""
        if not upkeep.states and len(upkeep.view.columns) == upkeep.view.layout.visible:
            plain = self._full_as_written(view, reason)
            return replace(plain, kept=Kept(layout=upkeep.signature, columns=plain.schema))
        states: dict[str, Rows] = {}
        schemas: dict[str, Schema] = {}
        for number, stored in enumerate([upkeep.view, *upkeep.states]):
            part = f"s{number}" if number else ""
            folder = os.path.join(self.folder(view), part) if part else self.folder(view)
            query = Query(rel=stored.layout.plan, names=stored.names)
            with disk.io_step("stage.data", folder):
                (schema,) = self.session.run(view, [Output(query=query, folder=folder)])
            schemas[stored.name] = schema.nullable()
            if number:
                states[stored.name] = Rows(files=self.described(view, part, schema), schema=schema.nullable())
        columns = schemas[upkeep.view.name]
        visible = Schema(columns.fields[: upkeep.view.layout.visible])
        kept = Kept(layout=upkeep.signature, columns=columns, states=states)
        return replace(self.record(view, self.described(view, "", columns), visible, "full", reason), kept=kept)

    # --- from changes ---

    def _from_changes(self, view: View, reason: Reason) -> Built | NotMaintained:
        cuts = self.inputs.cuts
        entry = cuts.last.views[view.name]
        base = view_record(cuts.warehouse, cuts.last, view.name)
        upkeep = self._upkeep(view)
        if isinstance(upkeep, Upkeep):
            upkeep = as_stored(upkeep, base.kept)
        if isinstance(upkeep, NotMaintained):
            return upkeep
        deltas: dict[str, Delta] = {}
        for name in self.reads(view):
            delta = self.inputs.delta(name, entry)
            if isinstance(delta, NoDelta):
                return NotMaintained(Reason(delta.code, delta.text))
            if delta is not None:
                deltas[name] = delta
        changed: dict[str, Kind] = {name: d.kind for name, d in deltas.items()}
        statements = statements_of(upkeep, changed)
        if isinstance(statements, NotMaintained):
            return statements
        if not statements:
            return Built(record=None, method="none", reason=Reason("no-change", "nothing that it reads changed"))
        changing = Changing(self, view, base, upkeep, entry, deltas)
        return changing.run(statements, reason)

    # --- shared ---

    def _upkeep(self, view: View) -> Upkeep | NotMaintained:
        cuts = self.inputs.cuts
        return upkeep_of_view(cuts.definition.config, cuts.warehouse, view, self._schemas(view))

    def reads(self, view: View) -> tuple[str, ...]:
        return self.inputs.cuts.definition.graph.inputs[view.name]

    def _schemas(self, view: View) -> dict[str, Schema]:
        return {name: self.inputs.now(name).schema for name in self.reads(view)}

    def folder(self, view: View) -> str:
        return self.inputs.cuts.warehouse.data(view.name, self.attempt.id)

    def described(self, view: View, part: str, schema: Schema) -> tuple[DataFile, ...]:
        folder = os.path.join(self.folder(view), part) if part else self.folder(view)
        prefix = os.path.join("_data", self.attempt.id, part) if part else f"_data/{self.attempt.id}"
        disk.touch(self.attempt.folder)
        return tuple(f for f in describe_folder(folder, prefix, schema) if f.rows)

    def record(self, view: View, files: Sequence[DataFile], schema: Schema, method: str, reason: Reason) -> ViewRecord:
        before = self.inputs.cuts.last.views.get(view.name)
        return ViewRecord(
            files=tuple(files),
            schema=schema,
            base_version=self.versions.get(view.name, -1),
            base_built=before.built if before else 0,
            sql=view.sql,
            method=method,
            reason=reason.to_dict(),
        )


@dataclass(frozen=True, slots=True)
class Staged:
    """The change of one stored relation as it was written."""

    statement: Statement
    files: tuple[DataFile, ...]
    schema: Schema
    going: pa.Table | None
    """The rows that go, by the columns that tell where they are; None if none go."""

    @property
    def rows(self) -> int:
        return sum(f.rows for f in self.files)


class Changing:
    """One view on its way to a new record: its changes are computed, then what they touch is rewritten."""

    def __init__(
        self,
        builder: Builder,
        view: View,
        base: ViewRecord,
        upkeep: Upkeep,
        entry: ViewEntry,
        deltas: Mapping[str, Delta],
    ) -> None:
        self.builder, self.view, self.base, self.upkeep = builder, view, base, upkeep
        self.entry, self.deltas = entry, deltas
        self.kept = base.kept or Kept(layout="", columns=base.schema)
        self.read: dict[str, tuple[int, int]] = {}
        self.values: dict[tuple[str, str], ColumnValues | None] = {}

    def run(self, statements: Sequence[Statement], reason: Reason) -> Built:
        staged = self._stage_changes(statements)
        method = next((s.method for s in statements if s.stored is self.upkeep.view), statements[-1].method)
        if not any(s.rows for s in staged):
            none = Reason("no-change", "what it reads changed, its rows did not")
            return self._built(None, "none", none)
        rows = self._apply([s for s in staged if s.rows])
        own = next((s for s in staged if s.statement.stored is self.upkeep.view), None)
        columns = self.kept.columns
        change = Rows(files=own.files, schema=own.schema) if own else Rows(files=(), schema=columns)
        states = {**self.kept.states, **{n: r for n, r in rows.items() if n != self.upkeep.view.name}}
        files = rows[self.upkeep.view.name].files if self.upkeep.view.name in rows else self.base.files
        record = self.builder.record(self.view, files, self.base.schema, method, reason)
        kept = replace(self.kept, states=states)
        return self._built(replace(record, kept=kept, change=change), method, reason)

    def _built(self, record: ViewRecord | None, method: str, reason: Reason) -> Built:
        rows = sum(r for r, _ in self.read.values())
        size = sum(b for _, b in self.read.values())
        return Built(record=record, method=method, reason=reason, rows_read=rows, bytes_read=size)

    # --- the changes ---

    def _stage_changes(self, statements: Sequence[Statement]) -> list[Staged]:
        """All changes by one execution."""
        outputs, schemas = [], []
        for number, statement in enumerate(statements):
            schema = self._rows(statement.stored).schema
            if statement.change.signed:
                schema = Schema((*schema, _SIGN))
            names = schema.names
            query = Query(rel=self._readable(statement.change.rel), names=tuple(names))
            outputs.append(Output(query=query, folder=self._path(f"c{number}"), schema=schema))
            schemas.append(schema)
        with disk.io_step("stage.data", self._path("")):
            os.makedirs(self._path(""), exist_ok=True)
            self.builder.session.run(self.view, outputs)
        return [
            self._staged(statement, f"c{number}", schema)
            for number, (statement, schema) in enumerate(zip(statements, schemas, strict=True))
        ]

    def _staged(self, statement: Statement, part: str, schema: Schema) -> Staged:
        files = self.builder.described(self.view, part, schema)
        going = None
        if statement.change.signed and files:
            table = self.builder.inputs.cuts.warehouse.table(self.view.name)
            stored = statement.stored
            where = stored.layout.key if stored.layout.key is not None else range(len(stored.columns))
            names = [stored.columns[i].name for i in where]
            found = pa.concat_tables(
                pq.ParquetFile(os.path.join(table, f.path)).read(columns=[*names, WEIGHT]) for f in files
            )
            gone = found.filter(pc.less(found[WEIGHT], 0))
            going = gone.select(names) if gone.num_rows else None
            if going is not None and not names:
                going = gone.select([WEIGHT])
        return Staged(statement, files, schema, going)

    # --- rewriting ---

    def _apply(self, staged: Sequence[Staged]) -> dict[str, Rows]:
        """The stored relations after their changes. Where rows only come, the change's files are what is added."""
        done: dict[str, Rows] = {}
        outputs: list[tuple[Staged, list[DataFile], str, Output]] = []
        for number, part in enumerate(staged):
            before = self._rows(part.statement.stored)
            touched = [] if part.going is None else files_of_rows(before.files, part.going)
            touched = self._with_small(before.files, touched, part)
            if part.going is None and not touched:
                done[part.statement.stored.name] = replace(before, files=(*before.files, *part.files))
            else:
                outputs.append((part, touched, f"r{number}", self._rewrite(part, touched, before, f"r{number}")))
        if outputs:
            with disk.io_step("stage.data", self._path("")):
                self.builder.session.run(self.view, [output for *_, output in outputs])
        for part, touched, folder, _ in outputs:
            before = self._rows(part.statement.stored)
            written = self.builder.described(self.view, folder, before.schema)
            gone = {f.path for f in touched}
            kept = tuple(f for f in before.files if f.path not in gone)
            done[part.statement.stored.name] = replace(before, files=(*kept, *written))
        return done

    def _with_small(self, files: Sequence[DataFile], touched: list[DataFile], part: Staged) -> list[DataFile]:
        """Together with the files that are small, if there are many."""
        small = [f for f in files if f.size < SMALL and f not in touched]
        return [*touched, *small] if len(small) + len(part.files) > MANY else touched

    def _rewrite(self, part: Staged, touched: Sequence[DataFile], before: Rows, folder: str) -> Output:
        """What is left of the touched files, with the rows that come."""
        stored = part.statement.stored
        suffix = f"{self.builder.attempt.id}_{self.view.name}"
        rows, change = f"_tw_touched_{stored.name}_{suffix}", f"_tw_staged_{stored.name}_{suffix}"
        table = self.builder.inputs.cuts.warehouse.table(self.view.name)
        self.builder.inputs.register(
            rows, Snapshot(table=table, version=-1, schema=before.schema, files=tuple(touched))
        )
        self.builder.inputs.register(change, Snapshot(table=table, version=-1, schema=part.schema, files=part.files))
        columns = tuple(Column(f.name, f.type, f.nullable) for f in part.schema)
        made = Change(rel=Scan(relation=change, columns=columns), signed=part.statement.change.signed)
        left = replace(stored, name=rows)
        query = Query(rel=left.after(made), names=stored.names)
        return Output(query=query, folder=self._path(folder), schema=before.schema)

    # --- what statements read ---

    def _rows(self, stored: Stored) -> Rows:
        if stored.name == self.upkeep.view.name:
            return Rows(files=self.base.files, schema=self.kept.columns)
        return self.kept.states[stored.name]

    def _path(self, part: str) -> str:
        folder = self.builder.folder(self.view)
        return os.path.join(folder, part) if part else folder

    def _readable(self, rel: Rel) -> Rel:
        """The plan over names that are registered, each with the files that it can need."""
        changes = [node.relation for node in nodes(rel) if isinstance(node, Scan) and node.relation.startswith(CHANGE)]
        pruned = Pruned(changes)
        plan = pruned.plan(rel)
        found: dict[bytes, Rel] = {}
        for node in nodes(plan):
            made = with_inputs(node, [found[i.digest] for i in node.inputs])
            if isinstance(node, Scan):
                made = replace(node, relation=self._name(node.relation, pruned), keys=())
            found[node.digest] = made
        return found[plan.digest]

    def _name(self, name: str, pruned: Pruned) -> str:
        """The registered name of a relation, or of those files of it that can matter."""
        if name not in pruned.scans:
            return self._registered(*self._relation(name))
        scan, bounds = pruned.scans[name]
        whole, parts = self._relation(scan.relation)
        wanted = {scan.columns[i].name: values for i, origins in bounds.of if (values := self._values(origins))}
        chosen = [replace(part, files=tuple(files_with(part.files, wanted))) for part in parts]
        if sum(len(c.files) for c in chosen) == sum(len(p.files) for p in parts):
            return self._registered(whole, parts)
        digest = hashlib.sha256(f"{self.view.name} {name}".encode()).hexdigest()[:12]
        return self._registered(f"{whole}_{digest}", chosen)

    def _values(self, origins: Origins) -> ColumnValues | None:
        """The values that the columns of some changes hold together."""
        found = []
        for relation, column in sorted(origins):
            key = (relation, column)
            if key not in self.values:
                self.values[key] = values_in(self._relation(relation)[1], column)
            found.append(self.values[key])
        return united(found)

    def _relation(self, relation: str) -> tuple[str, Sequence[Snapshot]]:
        """What a plan calls by this name: a name that is this view's own where what it shows is, and the files."""
        inputs, table = self.builder.inputs, self.builder.inputs.cuts.warehouse.table(self.view.name)
        for stored in self.upkeep.stored:
            if relation == stored.name:
                rows = self._rows(stored)
                snapshot = Snapshot(table=table, version=-1, schema=rows.schema, files=rows.files)
                return f"{relation}_{self.view.name}", [snapshot]
        for prefix in (CHANGE, OLD):
            if relation.startswith(prefix):
                name = self._spelled(relation.removeprefix(prefix))
                known = self.entry.inputs[name]
                parts = self.deltas[name].parts if prefix == CHANGE else [inputs.before(name, known)]
                return f"{relation}_{known}".replace("-", "m"), parts
        return relation, [inputs.now(self._spelled(relation))]

    def _registered(self, name: str, parts: Sequence[Snapshot]) -> str:
        self.builder.inputs.register(name, *parts)
        self.read[name] = sum(p.rows for p in parts), sum(p.bytes for p in parts)
        return name

    def _spelled(self, name: str) -> str:
        """A relation as the project spells it."""
        return next(r for r in self.builder.reads(self.view) if r.lower() == name.lower())
