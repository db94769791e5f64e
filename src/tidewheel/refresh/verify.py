"""Does every view equal its query? delta-rs reads the tables, the engine runs the queries on the user's own text.

Nothing here goes through our own reader of records and file lists: sources and views are read by delta-rs's query
engine from their Delta logs, and the comparison is made by DuckDB, row by row, counting duplicates.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from tidewheel.engine.base import Engine, Session
from tidewheel.errors import VERIFY_EXIT_CODE, ExecutionError, StoreError, TidewheelError, UserError
from tidewheel.markup import html_table
from tidewheel.project.config import parse_bytes
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View
from tidewheel.refresh.binding import bound_view
from tidewheel.refresh.compare import RowDifference, compare
from tidewheel.refresh.deep import Deep
from tidewheel.refresh.orders import BY_CHANCE, Orders
from tidewheel.sql.bind import BoundView
from tidewheel.sql.text import pin_clock
from tidewheel.store import log
from tidewheel.store.arrow import conform, parquet_writer, to_arrow
from tidewheel.store.epochs import Epoch, read_epoch, view_record
from tidewheel.store.integrity import find_damage
from tidewheel.store.log import DataFile
from tidewheel.store.sources import NO_TABLE, table_path
from tidewheel.store.tables import Snapshot, live_paths, read_delta
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewVerdict:
    view: str
    as_of: int
    rows: int = 0
    missing: int = 0
    unexpected: int = 0
    examples: tuple[RowDifference, ...] = ()
    problem: str | None = None
    skipped: str | None = None
    damaged: bool = False
    """A data file cannot be read, or is not what was written: `problem` names it."""
    tolerance: float | None = None
    broken: bool = False
    """Was it skipped because it cannot be recomputed: its definition is wrong."""
    notes: tuple[str, ...] = ()
    """What the comparison leaves open, as Spark does."""

    @property
    def note(self) -> str:
        return self.problem or self.skipped or "; ".join(self.notes)

    @property
    def equal(self) -> bool:
        return not (self.missing or self.unexpected or self.problem)

    @property
    def verdict(self) -> str:
        return "skipped" if self.skipped else "equal" if self.equal else "DIFFERENT"

    def to_dict(self) -> dict[str, Any]:
        return {
            "view": self.view,
            "equal": self.equal,
            "as_of": self.as_of,
            "rows": self.rows,
            "missing": self.missing,
            "unexpected": self.unexpected,
            "examples": [e.to_dict() for e in self.examples],
            "problem": self.problem,
            "skipped": self.skipped,
            "damaged": self.damaged,
            "broken": self.broken,
            "tolerance": self.tolerance,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    epoch: int
    engine: str = "spark"
    """What the queries were run on; Spark defines what a view is, another engine gives a quick look."""
    views: dict[str, ViewVerdict] = field(default_factory=dict)

    @property
    def differences(self) -> dict[str, ViewVerdict]:
        """The views that do not equal their query; empty is good."""
        return {name: v for name, v in self.views.items() if not v.equal}

    @property
    def exit_code(self) -> int:
        """A damaged file is the store's fault; else a difference is what was found, or a view that cannot be run."""
        if any(v.damaged for v in self.views.values()):
            return StoreError.exit_code
        if self.differences:
            return VERIFY_EXIT_CODE
        return ExecutionError.exit_code if any(v.broken for v in self.views.values()) else 0

    @property
    def _title(self) -> str:
        wrong = self.differences
        found = f"{len(wrong)} of {len(self.views)} views differ: {', '.join(wrong)}" if wrong else "no difference"
        return f"epoch {self.epoch}, {len(self.views)} views on {self.engine}: {found}"

    def __repr__(self) -> str:
        return f"<Verification of {self._title}>"

    def _repr_html_(self) -> str:
        rows = [
            (name, v.verdict, v.rows, v.missing, v.unexpected, v.problem or v.skipped) for name, v in self.views.items()
        ]
        columns = ["view", "verdict", "rows", "missing", "unexpected", "note"]
        return html_table(f"verification of {self._title}", columns, rows)

    def to_dict(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch,
            "engine": self.engine,
            "equal": not self.differences,
            "views": {name: v.to_dict() for name, v in self.views.items()},
        }


def verify(
    definition: Definition,
    warehouse: Warehouse,
    engine: Engine,
    epoch: Epoch,
    versions: Mapping[str, int | None],
    listener: Callable[[str, str, ViewVerdict | None], None],
    *,
    deep: bool = False,
) -> Verification:
    """Recompute views over their recorded source versions and compare them with these versions of their tables.

    `deep` also compares what is stored for their maintenance.
    """
    by_cut: dict[int, list[str]] = {}
    for name in definition.graph.order:
        if name in versions and name in epoch.views:
            by_cut.setdefault(epoch.views[name].as_of, []).append(name)
    folder = os.path.join(warehouse.spill, f"verify-{uuid.uuid4().hex[:8]}")
    verdicts: dict[str, ViewVerdict] = {}
    try:
        for number, names in by_cut.items():
            cut = epoch if number == epoch.number else read_epoch(warehouse, number)
            session = engine.session(definition.config.settings)
            try:
                judge = Judge(definition, warehouse, session, epoch, cut, os.path.join(folder, str(number)))
                for name in names:
                    listener("start", name, None)
                    found = _unless_broken(judge, name, versions[name])
                    verdicts[name] = judge.deep(found) if deep and found.equal and not found.skipped else found
                    listener("done", name, verdicts[name])
            finally:
                session.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for name, view in definition.graph.broken.items():
        if name in versions and name in epoch.views:
            verdicts[name] = _broken(epoch, name, view.error)
    views = {n: verdicts[n] for n in definition.graph.names if n in verdicts}
    return Verification(epoch=epoch.number, engine=engine.name, views=views)


def _unless_broken(judge: Judge, name: str, version: int | None) -> ViewVerdict:
    try:
        return judge.verdict(name, version)
    except UserError as error:
        return _broken(judge.epoch, name, error)


def _broken(epoch: Epoch, name: str, error: TidewheelError) -> ViewVerdict:
    skipped = f"it cannot be recomputed: {error.message}"
    return ViewVerdict(view=name, as_of=epoch.views[name].as_of, skipped=skipped, broken=True)


class Judge:
    """Recomputes views at one cut, each from its recomputed inputs."""

    def __init__(
        self,
        definition: Definition,
        warehouse: Warehouse,
        session: Session,
        epoch: Epoch,
        cut: Epoch,
        folder: str,
    ) -> None:
        self.definition, self.warehouse, self.session = definition, warehouse, session
        self.epoch, self.cut, self.folder = epoch, cut, folder
        self.known: dict[str, tuple[Schema, list[str]]] = {}
        self.orders = Orders(definition.graph)

    def verdict(self, name: str, version: int | None) -> ViewVerdict:
        view = self.definition.graph.views[name]
        entry = self.epoch.views[name]
        if not view.deterministic:
            return ViewVerdict(view=name, as_of=entry.as_of, skipped="its query gives another answer each time")
        if entry.fingerprint != view.fingerprint:
            return ViewVerdict(view=name, as_of=entry.as_of, skipped="its definition changed since it was built")
        try:
            self._provide(name)
        except UserError as error:
            if error.code != "not-local":
                raise
            return ViewVerdict(view=name, as_of=entry.as_of, skipped=f"{error.message}: verify it on Spark")
        schema, files = self.known[name]
        try:
            _check_files(self.warehouse.table(name), version)
            actual = read_delta(self.warehouse.table(name), version)
        except StoreError as error:
            return _unreadable(ViewVerdict(view=name, as_of=entry.as_of), error)
        return self._compare(view, schema, files, actual)

    def deep(self, verdict: ViewVerdict) -> ViewVerdict:
        """The verdict with what is wrong with hidden columns, states and change files."""
        view = self.definition.graph.views[verdict.view]
        record = view_record(self.warehouse, self.epoch, view.name)
        look = Deep(
            config=self.definition.config,
            warehouse=self.warehouse,
            session=self.session,
            folder=os.path.join(self.folder, "deep"),
            memory=parse_bytes(self.definition.config.memory),
            orders=self.orders,
        )
        schemas = {name: self.known[name][0] for name in self.definition.graph.inputs[view.name]}
        try:
            return replace(verdict, problem="; ".join(look.problems(view, record, schemas)) or None)
        except StoreError as error:
            return _unreadable(verdict, error)

    def _compare(self, view: View, schema: Schema, files: list[str], actual: pa.RecordBatchReader) -> ViewVerdict:
        as_of = self.epoch.views[view.name].as_of
        names = tuple(actual.schema.names)
        if names != schema.names:
            problem = f"the table has columns {', '.join(names)}; the query gives {', '.join(schema.names)}"
            return ViewVerdict(view=view.name, as_of=as_of, problem=problem)
        unreadable: list[BaseException] = []
        try:
            rows = _conforming(actual, to_arrow(schema), unreadable)
            memory = parse_bytes(self.definition.config.memory)
            allowed = self.orders.allowance(view.name, schema)
            found = compare(files, schema, rows, memory=memory, scratch=self.folder, allowance=allowed)
        except Exception:
            if not unreadable:
                raise
            problem = f"the table cannot be read: {str(unreadable[0])[:300]}"
            return ViewVerdict(view=view.name, as_of=as_of, problem=problem)
        if (found.missing or found.unexpected) and self.orders.decides_rows(view.name):
            return ViewVerdict(view=view.name, as_of=as_of, rows=found.rows, skipped=BY_CHANCE)
        return ViewVerdict(
            view=view.name,
            as_of=as_of,
            notes=allowed.notes(),
            rows=found.rows,
            missing=found.missing,
            unexpected=found.unexpected,
            examples=found.examples,
            tolerance=found.tolerance,
        )

    def _provide(self, name: str) -> None:
        """Make a relation readable by its name: a source as delta-rs reads it, a view as its query gives it."""
        if name in self.known:
            return
        folder = os.path.join(self.folder, name)
        if name in self.definition.graph.views:
            for above in self.definition.graph.inputs[name]:
                self._provide(above)
            view = self.definition.graph.views[name]
            bound = self._bound(view)
            self.orders.add(view, bound.query)
            schema = self.session.write(view, self._sql(view, bound.sql), folder)
            files = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".parquet"))
        else:
            schema, files = self._copy_source(name, folder)
        self.known[name] = (schema, files)
        self.session.register(name, _plain_snapshot(schema, files))

    def _bound(self, view: View) -> BoundView:
        schemas = {name: self.known[name][0] for name in self.definition.graph.inputs[view.name]}
        return bound_view(self.definition.config, self.warehouse, view, schemas)

    def _sql(self, view: View, sql: str) -> str:
        if view.clock == "none":
            return sql
        built = self.cut.views[view.name].built
        epoch = self.cut if built == self.cut.number else read_epoch(self.warehouse, built)
        return pin_clock(sql, epoch.moment, self.definition.config.timezone)

    def _copy_source(self, name: str, folder: str) -> tuple[Schema, list[str]]:
        entry = self.cut.sources[name]
        if entry.version == NO_TABLE:
            return entry.schema, []
        source = self.definition.config.sources[name]
        table = table_path(name, source, self.warehouse, self.definition.root)
        _check_files(table, entry.version)
        os.makedirs(folder)
        path = os.path.join(folder, "all.parquet")
        wanted = to_arrow(entry.schema)
        try:
            with parquet_writer(path, wanted) as writer:
                for batch in read_delta(table, entry.version):
                    writer.write_batch(conform(batch, wanted))
        except (pa.ArrowException, OSError) as error:
            raise StoreError(
                f'source "{name}" cannot be read at version {entry.version}, which the views were built from',
                code="files-missing",
                detail=str(error).splitlines()[0][:300],
                relation=name,
                hint="If somebody else vacuumed its history: `tidewheel refresh --full-refresh`, then verify again.",
            ) from error
        return entry.schema, [path]


def _check_files(table: str, version: int | None) -> None:
    """Refuse a table with a damaged file: delta-rs takes no notice of checksums."""
    newest = log.latest_version(table) if version is None else version
    paths = live_paths(table, newest) if newest is not None else ()
    damage = find_damage(os.path.join(table, path) for path in paths)
    if damage is not None:
        raise damage


def _unreadable(verdict: ViewVerdict, error: StoreError) -> ViewVerdict:
    """A verdict that something cannot be read, and what to do."""
    problem = f"{error.message}: {error.detail} {error.hint or ''}".strip()
    return replace(verdict, problem=problem, damaged=error.code == "corrupt-file")


def _conforming(
    actual: pa.RecordBatchReader, wanted: pa.Schema, unreadable: list[BaseException]
) -> pa.RecordBatchReader:
    """The same rows; an error in reading them is kept, for whoever consumes the stream gives it another shape."""

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            for batch in actual:
                yield conform(batch, wanted)
        except (pa.ArrowException, OSError) as error:
            unreadable.append(error)
            raise

    return pa.RecordBatchReader.from_batches(wanted, batches())


def _plain_snapshot(schema: Schema, files: list[str]) -> Snapshot:
    listed = tuple(DataFile(path=f, size=os.path.getsize(f), rows=0) for f in files)
    return Snapshot(table="/", version=0, schema=schema, files=listed)
