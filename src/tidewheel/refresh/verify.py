"""Does every view equal its query? delta-rs reads the tables, the engine runs the queries on the user's own text.

Nothing here goes through our own reader of records and file lists: sources and views are read by delta-rs's query
engine from their Delta logs, and the comparison is made by DuckDB, row by row, counting duplicates.
"""

from __future__ import annotations

import os
import shutil
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Self

import pyarrow as pa

from tidewheel.engine.base import Engine, Session
from tidewheel.errors import StoreError, TidewheelError, UserError
from tidewheel.project.config import parse_bytes
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View
from tidewheel.refresh.binding import Binding, bound_view
from tidewheel.refresh.check import wrong_as_defined
from tidewheel.refresh.compare import BY_ROUNDING, compare
from tidewheel.refresh.deep import Deep
from tidewheel.refresh.orders import BY_CHANCE, Orders
from tidewheel.refresh.verdict import Verification, ViewVerdict
from tidewheel.sql.bind import BoundView
from tidewheel.sql.text import pin_clock
from tidewheel.store import log
from tidewheel.store.arrow import conform, parquet_writer, to_arrow
from tidewheel.store.epochs import Epoch, read_epoch, view_record
from tidewheel.store.integrity import UNREADABLE, find_damage
from tidewheel.store.log import DataFile
from tidewheel.store.sources import NO_TABLE, table_path
from tidewheel.store.tables import Snapshot, live_paths, read_delta
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema


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
    schemas = {name: entry.schema for name, entry in epoch.sources.items()}
    wrong = {name: view.error for name, view in definition.graph.broken.items()}
    wrong |= wrong_as_defined(Binding(definition, warehouse, schemas, epoch))
    by_cut: dict[int, list[str]] = {}
    for name in definition.graph.order:
        if name in versions and name in epoch.views and name not in wrong:
            by_cut.setdefault(epoch.views[name].as_of, []).append(name)
    folder = os.path.join(warehouse.spill, f"verify-{uuid.uuid4().hex[:8]}")
    verdicts: dict[str, ViewVerdict] = {}
    try:
        for number, names in by_cut.items():
            cut = epoch if number == epoch.number else read_epoch(warehouse, number)
            judge = Judge(definition, warehouse, engine, epoch, cut, os.path.join(folder, str(number)))
            verdicts |= _judged(judge, names, versions, listener, deep=deep)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for name, error in wrong.items():
        if name in versions and name in epoch.views:
            verdicts[name] = _broken(epoch, name, error)
    views = {n: verdicts[n] for n in definition.graph.names if n in verdicts}
    return Verification(epoch=epoch.number, engine=engine.name, views=views)


def _judged(
    judge: Judge,
    names: Sequence[str],
    versions: Mapping[str, int | None],
    listener: Callable[[str, str, ViewVerdict | None], None],
    *,
    deep: bool,
) -> dict[str, ViewVerdict]:
    """Views of one cut: while the engine recomputes some, those before are compared."""
    verdicts: dict[str, ViewVerdict] = {}
    comparing: deque[tuple[str, Future[ViewVerdict]]] = deque()

    def finish(left: int) -> None:
        while len(comparing) > left:
            name, future = comparing.popleft()
            found = future.result()
            verdicts[name] = judge.deep(found) if deep and found.equal and not found.skipped else found
            listener("done", name, verdicts[name])

    with judge, ThreadPoolExecutor(max_workers=1) as pool:
        judge.begin([name for name in names if judge.skipped(name) is None])
        for name in names:
            listener("start", name, None)
            verdict = judge.skipped(name) or judge.recomputed(name)
            comparing.append((name, pool.submit(judge.compare, name, versions[name], verdict)))
            finish(1)
        finish(0)
    return verdicts


def _broken(epoch: Epoch, name: str, error: TidewheelError) -> ViewVerdict:
    skipped = f"it cannot be recomputed: {error.message}"
    return ViewVerdict(view=name, as_of=epoch.views[name].as_of, skipped=skipped, broken=True)


class Judge:
    """Recomputes views at one cut, each from its recomputed inputs, as many at once as the engine serves."""

    def __init__(
        self,
        definition: Definition,
        warehouse: Warehouse,
        engine: Engine,
        epoch: Epoch,
        cut: Epoch,
        folder: str,
    ) -> None:
        self.definition, self.warehouse, self.engine = definition, warehouse, engine
        self.epoch, self.cut, self.folder = epoch, cut, folder
        self.known: dict[str, tuple[Schema, list[str]]] = {}
        self.orders = Orders(definition.graph)
        self._session: Session | None = None
        self._opening = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=engine.parallelism)
        self._provided: dict[str, Future[None]] = {}

    @property
    def session(self) -> Session:
        with self._opening:
            if self._session is None:
                self._session = self.engine.session(self.definition.config.settings)
            return self._session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.engine.cancel()
        self._pool.shutdown(cancel_futures=True)
        if self._session is not None:
            self._session.close()

    def begin(self, views: Sequence[str]) -> None:
        """Let the engine start, and begin with all that the views need: first come, first served, inputs first.

        Each task waits for its inputs only, which were handed over before it: so the first in the queue can always go
        on, however few there are to work on it.
        """
        graph = self.definition.graph
        needed = {*views}.union(*(graph.ancestors(view) for view in views))
        sources = needed & set(self.cut.sources)
        if sources:
            self.engine.start(sum(_size(self._table(name), self.cut.sources[name].version) for name in sources))
        for view in filter(needed.__contains__, graph.order):
            for above in graph.inputs[view]:
                if above in sources and above not in self._provided:
                    self._provided[above] = self._pool.submit(self._provide_source, above)
            inputs = [self._provided[above] for above in graph.inputs[view]]
            self._provided[view] = self._pool.submit(self._provide_view, view, inputs)

    def skipped(self, name: str) -> ViewVerdict | None:
        """The verdict of a view that there is no sense in recomputing."""
        view, entry = self.definition.graph.views[name], self.epoch.views[name]
        if not view.deterministic:
            return ViewVerdict(view=name, as_of=entry.as_of, skipped="its query gives another answer each time")
        if entry.fingerprint != view.fingerprint:
            return ViewVerdict(view=name, as_of=entry.as_of, skipped="its definition changed since it was built")
        above = next(filter(self._is_another, self.definition.graph.ancestors(name)), None)
        if above is not None:
            return ViewVerdict(view=name, as_of=entry.as_of, skipped=f'view "{above}", which it reads, is now another')
        return None

    def _is_another(self, name: str) -> bool:
        """Would a view that is recomputed not be the one that its readers were built from."""
        view, entry = self.definition.graph.views.get(name), self.epoch.views.get(name)
        if view is None:
            return False
        return not view.deterministic or entry is None or entry.fingerprint != view.fingerprint

    def recomputed(self, name: str) -> ViewVerdict | None:
        """Wait until the engine has computed a view, from its inputs up; a verdict if that cannot be."""
        as_of = self.epoch.views[name].as_of
        try:
            self._provided[name].result()
        except StoreError as error:
            if error.code not in UNREADABLE:
                raise
            return _unreadable(ViewVerdict(view=name, as_of=as_of), error)
        except UserError as error:
            if error.code != "not-local":
                return _broken(self.epoch, name, error)
            return ViewVerdict(view=name, as_of=as_of, skipped=f"{error.message}: verify it on Spark")
        return None

    def compare(self, name: str, version: int | None, verdict: ViewVerdict | None) -> ViewVerdict:
        """What was recomputed with a version of the view's table, unless there is a verdict already."""
        if verdict is not None:
            return verdict
        view = self.definition.graph.views[name]
        schema, files = self.known[name]
        try:
            _check_files(self.warehouse.table(name), version)
            actual = read_delta(self.warehouse.table(name), version)
        except StoreError as error:
            return _unreadable(ViewVerdict(view=name, as_of=self.epoch.views[name].as_of), error)
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
        differs = bool(found.missing or found.unexpected)
        chance = [BY_CHANCE] if differs and self.orders.decides_rows(view.name) else []
        chance += [BY_ROUNDING] if found.only_floats else []
        return ViewVerdict(
            view=view.name,
            as_of=as_of,
            notes=(*found.allowed.notes(), *chance),
            rows=found.rows,
            missing=found.missing,
            unexpected=found.unexpected,
            examples=found.examples,
            tolerance=found.tolerance,
        )

    def _provide_source(self, name: str) -> None:
        self.known[name] = self._copy_source(name, os.path.join(self.folder, name))
        self._register(name)

    def _provide_view(self, name: str, inputs: Sequence[Future[None]]) -> None:
        """Make a view readable by its name, as its query gives it; what is wrong with an input is wrong with it."""
        for above in inputs:
            above.result()
        folder = os.path.join(self.folder, name)
        view = self.definition.graph.views[name]
        bound = self._bound(view)
        self.orders.add(view, bound.query)
        schema = self.session.write(view, self._sql(view, bound.sql), folder)
        files = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".parquet"))
        self.known[name] = (schema, files)
        self._register(name)

    def _register(self, name: str) -> None:
        self.session.register(name, _plain_snapshot(*self.known[name]))

    def _bound(self, view: View) -> BoundView:
        schemas = {name: self.known[name][0] for name in self.definition.graph.inputs[view.name]}
        return bound_view(self.definition.config, self.warehouse, view, schemas)

    def _sql(self, view: View, sql: str) -> str:
        if view.clock == "none":
            return sql
        built = self.cut.views[view.name].built
        epoch = self.cut if built == self.cut.number else read_epoch(self.warehouse, built)
        return pin_clock(sql, epoch.moment, self.definition.config.timezone)

    def _table(self, source: str) -> str:
        return table_path(source, self.definition.config.sources[source], self.warehouse, self.definition.root)

    def _copy_source(self, name: str, folder: str) -> tuple[Schema, list[str]]:
        entry = self.cut.sources[name]
        if entry.version == NO_TABLE:
            return entry.schema, []
        table = self._table(name)
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


def _size(table: str, version: int) -> int:
    """Bytes of a source, so far as they can be told."""
    if version == NO_TABLE:
        return 0
    with suppress(TidewheelError, OSError):  # it is refused when it is read
        return sum(os.path.getsize(os.path.join(table, path)) for path in live_paths(table, version))
    return 0


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
    return replace(verdict, problem=problem, damaged=error.code in UNREADABLE)


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
