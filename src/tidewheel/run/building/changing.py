"""One view from the changes of its inputs: compute its change, then rewrite the files that it touches."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from tidewheel.delta.change import DeltaPlan
from tidewheel.engine.base import Output, Session
from tidewheel.errors import ExecutionError, StoreError, UserError
from tidewheel.ir.parts import Column
from tidewheel.ir.props import is_empty
from tidewheel.ir.rel import Query, Scan
from tidewheel.ir.tree import relations
from tidewheel.methods import Method
from tidewheel.names import WEIGHT
from tidewheel.optimize.maintenance import Statement
from tidewheel.plan.binding.parts import NotShared, RelationPart
from tidewheel.plan.binding.reading import Reading
from tidewheel.plan.plan import Reason
from tidewheel.program import Intermediate, Program, ProgramOptions
from tidewheel.project.graph import View
from tidewheel.run.building.batches import batches_of
from tidewheel.run.building.built import Built, Home, Taken
from tidewheel.run.building.intermediates import Intermediates, Recipe
from tidewheel.run.building.spread import spread_of_rewrite
from tidewheel.run.building.staged_change import InDoubt, RowsMissing, StagedChange, with_small
from tidewheel.run.outcome import Read
from tidewheel.store import disk
from tidewheel.store.deltas import with_sign
from tidewheel.store.epochs import Rows, ViewRecord
from tidewheel.store.footers import describe_folder
from tidewheel.store.integrity import opened
from tidewheel.store.log import DataFile
from tidewheel.store.prune import MOST_VALUES, files_of_rows
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema

NOT_OURS = frozenset({"disk-full", "not-writable", "files-missing"})
"""What goes wrong for all, not only for who wants to share."""
ONCE = "it is not for the driver, and a cluster is asked once"


class Changing:
    """One view on its way to a new record: its changes are computed, then what they touch is rewritten."""

    def __init__(self, builder: Home, view: View, reading: Reading, taken: Taken) -> None:
        self.builder, self.view, self.reading, self.taken = builder, view, reading, taken
        self.base, self.upkeep, self.kept = reading.base, reading.upkeep, reading.kept
        self.states: dict[str, int] = {}
        self.made = Intermediates(view, builder.made_folder(view))

    def run(self, program: Program, reason: Reason) -> Built:
        """What is made on the way is dropped at the end, whatever happens."""
        try:
            return self._run_program(program, reason)
        finally:
            self.made.drop()

    def _run_program(self, program: Program, reason: Reason) -> Built:
        statements = program.statements
        staged = self._stage_changes(program)
        for statement in statements:
            if statement.stored.name != self.upkeep.view.name:
                self.states[statement.stored.name] = sum(s.rows for s in staged if s.statement is statement)
        method = next((s.method for s in statements if s.stored.name == self.upkeep.view.name), statements[-1].method)
        if not any(s.rows for s in staged):
            none = Reason("no-change", "what it reads changed, its rows did not")
            return self._built(None, "none", none)
        rows = self._apply([s for s in staged if s.rows])
        own = next((s for s in staged if s.statement.stored.name == self.upkeep.view.name), None)
        columns = self.kept.columns
        change = Rows(files=own.files, schema=own.schema) if own else Rows(files=(), schema=columns)
        states = {**self.kept.states, **{n: r for n, r in rows.items() if n != self.upkeep.view.name}}
        files = rows[self.upkeep.view.name].files if self.upkeep.view.name in rows else self.base.files
        record = self.builder.record(self.view, files, self.base.schema, method, reason)
        kept = replace(self.kept, states=states)
        return self._built(replace(record, kept=kept, change=change), method, reason)

    def _built(self, record: ViewRecord | None, method: Method, reason: Reason) -> Built:
        read = tuple(Read.of(s) for s in self.reading.shown.values() if s.what not in {"staged", "made"})
        changed = 0 if record is None or record.change is None else record.change.rows
        return Built(record=record, method=method, reason=reason, read=read, changed=changed, states=self.states)

    # --- the changes ---

    def _stage_changes(self, program: Program) -> list[StagedChange]:
        """The changes, each after those that it reads; all by one execution if none reads another."""
        apart = program.reads_its_changes
        quick = any(statement.doubt is not None for statement in program.statements)
        found: list[StagedChange] = []
        for step in program.steps:
            if isinstance(step, Intermediate):
                self._make_intermediate(step, quick=quick)
            elif apart:
                found += self._stage_one(step)
        return found if apart else self._stage_together(program.statements)

    def _stage_one(self, statement: Statement) -> list[StagedChange]:
        staged = self._stage_together([statement])
        if statement.stored.name != self.upkeep.view.name:
            schema, files = self._schema(statement), tuple(f for part in staged for f in part.files)
            table = self.builder.inputs.table(self.view.name)
            change = TableSnapshot(table=table, version=-1, schema=schema, files=files)
            self.reading.stage(statement.stored, change)
        return staged

    def _make_intermediate(self, step: Intermediate, *, quick: bool) -> None:
        """Where it would be computed if it stood in the statement; nothing that reads one without rows will."""
        plan = self.reading.readable(step.rel)
        if is_empty(plan):
            self.reading.put(step, 0.0)
            return
        name = self.reading.put(step, None)
        self._take_parts()
        read = relations(plan)
        few = self._is_little(read) or (step.rows is not None and step.rows <= ProgramOptions().few_rows)
        self.made.recipes[name] = Recipe(Query(rel=plan, names=step.names), few)

        def make(session: Session) -> None:
            self._provide(session, read)
            self.made.provide(session, name)

        self._placed(self._size(read), make, only_in_driver=quick and not self.builder.sessions.is_local)
        self.reading.put(step, self.made.rows[name], self.made.sizes[name])

    def _provide(self, session: Session, names: Iterable[str]) -> None:
        """Let a session read files, and what was made, perhaps in another session, with what that reads."""
        for name in names:
            if name in self.made.recipes:
                self._provide(session, relations(self.made.recipes[name].query.rel))
                self.made.provide(session, name)
            else:
                self.builder.inputs.register(session, name, self.reading.shown[name].parts)

    def _is_little(self, names: Iterable[str]) -> bool:
        """Have relations few rows, so that what is made from them has hardly more."""
        return sum(self.reading.shown[name].rows for name in names) <= ProgramOptions().few_rows

    def _size(self, names: Iterable[str]) -> int:
        return sum(self.made.sizes[n] if n in self.made.recipes else self.reading.shown[n].bytes for n in names)

    def _stage_together(self, statements: Sequence[Statement]) -> list[StagedChange]:
        """Changes by one execution, or by several if their plans are large."""
        outputs: dict[Statement, Output] = {}
        for statement in statements:
            schema = self._schema(statement)
            query = Query(rel=self.reading.readable(statement.rel), names=tuple(schema.names))
            if not is_empty(query.rel):
                folder = self._path(f"c{self._number(statement)}")
                outputs[statement] = Output(query=query, folder=folder, schema=schema)
        if outputs:
            self._take_parts()
            quick = any(s.doubt is not None for s in outputs)
            for some in batches_of(list(outputs.values()), ProgramOptions()):
                self._stage(some, quick=quick)
        return [self._staged(statement, output) for statement, output in outputs.items()]

    def _schema(self, statement: Statement) -> Schema:
        schema = self.reading.rows(statement.stored).schema
        return with_sign(schema) if statement.change.signed else schema

    def _number(self, statement: Statement) -> int:
        return next(n for n, stored in enumerate(self.upkeep.stored) if stored.name == statement.stored.name)

    def _take_parts(self) -> None:
        """What several views read: made now, if no other view has done so."""
        waited = self.builder.sessions.waited
        self.taken.waited += waited()
        began = time.monotonic()
        try:
            for name, shown in list(self.reading.shown.items()):
                if shown.shared:
                    self.reading.take(name, [self._part(part) for part in shown.shared])
        finally:
            self.taken.waited += time.monotonic() - began
            waited()  # which is part of that

    def _part(self, part: RelationPart) -> TableSnapshot:
        files = self.reading.origins[part].files
        paths = frozenset(path for snapshot in files.parts for path in snapshot.paths())
        make = functools.partial(self._make, part)
        rows = self.builder.inputs.parts.rows(part, paths, make, self.builder.sessions.waited)
        self.taken.parts[part] = None
        return rows

    def _make(self, part: RelationPart) -> TableSnapshot:
        origin, folder = self.reading.origins[part], self.builder.part_folder(part)
        schema = origin.files.parts[0].schema.only(self.builder.inputs.parts.sharings[part].columns)

        def registered(session: Session) -> Sequence[Output]:
            for shown in (origin.files, *origin.changes):
                self.builder.inputs.register(session, shown.name, shown.parts)
            query = part.query(schema, origin.files.name, origin.nulls)
            return [Output(query=query, folder=folder, schema=schema)]

        table, name = os.path.split(folder)
        try:
            self._run(sum(shown.bytes for shown in (origin.files, *origin.changes)), registered)
            files = tuple(f for f in describe_folder(folder, name, schema) if f.rows)
        except (UserError, ExecutionError, StoreError) as error:
            if self.builder.sessions.is_to_blame(error) or error.code in NOT_OURS:
                raise
            raise NotShared(part.name) from error
        self.taken.made.append(Read.of(origin.files))
        return TableSnapshot(table=table, version=-1, schema=schema, files=files)

    def _stage(self, outputs: Sequence[Output], *, quick: bool) -> None:
        read = dict.fromkeys(name for output in outputs for name in relations(output.query.rel))

        def registered(session: Session) -> Sequence[Output]:
            self._provide(session, read)
            queries = self.made.over(session, [output.query for output in outputs], few=self._is_little(read))
            return [replace(output, query=query) for output, query in zip(outputs, queries, strict=True)]

        os.makedirs(self._path(""), exist_ok=True)
        self._run(self._size(read), registered, only_in_driver=quick and not self.builder.sessions.is_local)

    def _run(self, size: int, made: Callable[[Session], Sequence[Output]], *, only_in_driver: bool = False) -> None:
        """In the driver if the bytes are few; on the cluster if not, or if the driver cannot do it.

        What is to be written is made for a session, in which it may name files.
        """
        folders: list[str] = []

        def statement(session: Session) -> None:
            outputs = made(session)
            folders.extend(output.folder for output in outputs)
            with disk.io_step("stage.data", self._path("")):
                session.run(self.view, outputs)

        def undo() -> None:
            for folder in folders:
                disk.remove(folder, step="discard.attempt")

        self._placed(size, statement, undo, only_in_driver=only_in_driver)

    def _placed(
        self,
        size: int,
        statement: Callable[[Session], None],
        undo: Callable[[], None] = lambda: None,
        *,
        only_in_driver: bool = False,
    ) -> None:
        """A statement that reads so many bytes, where that is done."""
        sessions = self.builder.sessions
        refused = sessions.placement.needs_spark(size, full=False)

        def undone() -> None:
            if only_in_driver:
                raise InDoubt(ONCE)
            undo()

        if only_in_driver and refused is not None:
            raise InDoubt(ONCE)
        sessions.run(self.view.name, statement, refused=refused, undo=undone)

    def _staged(self, statement: Statement, output: Output) -> StagedChange:
        before = self.reading.rows(statement.stored)
        schema = output.schema or before.schema
        files = self.builder.described(self.view, os.path.basename(output.folder), schema)
        goes, going = self._going(statement, files) if statement.change.signed else (0, None)
        touched = before.files if goes else ()
        if going is not None:
            touched = tuple(files_of_rows(before.files, going))
        return StagedChange(statement, files, schema, goes, touched)

    def _going(self, statement: Statement, files: Sequence[DataFile]) -> tuple[int, pa.Table | None]:
        """How many rows go, and those rows by the columns that tell where they are; None if none go, or too many."""
        table, stored = self.builder.inputs.table(self.view.name), statement.stored
        where = stored.layout.key if stored.layout.key is not None else range(len(stored.columns))
        names = [stored.columns[i].name for i in where] if sum(f.rows for f in files) <= MOST_VALUES else []
        goes, parts = 0, []
        for file in files:
            with opened(os.path.join(table, file.path)) as staged:
                found = staged.read(columns=[*names, WEIGHT])
            if statement.doubt is not None and pc.any(pc.equal(found[WEIGHT], 0)).as_py():
                raise InDoubt("a row that was left out may be needed")
            gone = found.filter(pc.less(found[WEIGHT], 0))
            goes += gone.num_rows
            parts.append(gone.select(names))
        return goes, pa.concat_tables(parts) if goes and names else None

    # --- rewriting ---

    def _apply(self, staged: Sequence[StagedChange]) -> dict[str, Rows]:
        """The stored relations after their changes. Where rows only come, the change's files are what is added."""
        done: dict[str, Rows] = {}
        work: list[tuple[StagedChange, list[DataFile]]] = []
        for part in staged:
            before = self.reading.rows(part.statement.stored)
            touched = with_small(before.files, list(part.touched), part)
            if not part.goes and not touched:
                done[part.statement.stored.name] = replace(before, files=(*before.files, *part.files))
            else:
                work.append((part, touched))
        most = ProgramOptions().most_outputs
        for first in range(0, len(work), most):
            self._rewrite_together(work[first : first + most], first)
        for number, (part, touched) in enumerate(work):
            before = self.reading.rows(part.statement.stored)
            written = self.builder.described(self.view, f"r{number}", before.schema)
            left = sum(f.rows for f in touched) - part.goes + part.comes
            if sum(f.rows for f in written) != left:
                raise RowsMissing(part.statement.stored.name)
            gone = {f.path for f in touched}
            kept = tuple(f for f in before.files if f.path not in gone)
            done[part.statement.stored.name] = replace(before, files=(*kept, *written))
        return done

    def _rewrite_together(self, work: Sequence[tuple[StagedChange, list[DataFile]]], first: int) -> None:
        """The stored relations with these changes, by one execution; folders are numbered from the first on."""
        size = sum(f.size for part, touched in work for f in (*touched, *part.files))
        self._run(size, lambda session: [self._rewrite(session, *w, f"r{n}") for n, w in enumerate(work, first)])

    def _rewrite(self, session: Session, part: StagedChange, touched: Sequence[DataFile], folder: str) -> Output:
        """What is left of the touched files, with the rows that come."""
        stored = part.statement.stored
        before = self.reading.rows(stored)
        suffix = f"{stored.name}_{self.view.name}"
        rows, change = f"_tw_touched_{suffix}", f"_tw_staged_{suffix}"
        table = self.builder.inputs.table(self.view.name)
        session.register(rows, TableSnapshot(table=table, version=-1, schema=before.schema, files=tuple(touched)))
        session.register(change, TableSnapshot(table=table, version=-1, schema=part.schema, files=part.files))
        columns = tuple(Column(f.name, f.type, f.nullable) for f in part.schema)
        made = DeltaPlan(rel=Scan(relation=change, columns=columns), signed=part.statement.change.signed)
        query = Query(rel=replace(stored, name=rows).after(made), names=stored.names)
        wished = self.view.options.cluster_by if stored.name == self.upkeep.view.name else ()
        many = sum(f.rows for f in touched) + part.rows
        spread = spread_of_rewrite(stored, wished, before.files, touched, many)
        return Output(query=query, folder=self._path(folder), schema=before.schema, spread=spread)

    def _path(self, part: str) -> str:
        folder = self.builder.folder(self.view)
        return os.path.join(folder, part) if part else folder
