"""The Python API: `tw.open`, `tw.create`, and what one does with a project."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

from tidewheel.engines import EngineName, Engines
from tidewheel.errors import PlanError, StoreError, TidewheelError, UserError
from tidewheel.project.config import ManagedSource, PlacementMode, parse_bytes, parse_duration
from tidewheel.project.definition import (
    Definition,
    definition_signature,
    find_root,
    is_settled,
    load_definition,
)
from tidewheel.project.lookup import a_number, a_text, find_source, find_view, texts
from tidewheel.project.select import select_views, with_ancestors
from tidewheel.store.epochs import Epoch, epoch_numbers, latest_epoch
from tidewheel.store.identity import Notes, require_known
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from tidewheel.engine.base import Engine
    from tidewheel.ingest.ingest import IngestResult, Mode
    from tidewheel.lineage.graph import LineageGraph
    from tidewheel.optimize.options import PlannerOptions
    from tidewheel.plan.defined.check import Check
    from tidewheel.plan.memory import PlanMemory
    from tidewheel.plan.plan import Plan
    from tidewheel.plan.request import RefreshRequest
    from tidewheel.run.outcome import Run
    from tidewheel.run.staged import Listener
    from tidewheel.run.status import Status
    from tidewheel.snapshot import Answer, ProjectSnapshot
    from tidewheel.store.expiry import EpochSummary
    from tidewheel.store.vacuum import VacuumResult
    from tidewheel.verify.verdict import Verification, ViewVerdict


def open_project(
    path: str | os.PathLike[str] = ".",
    *,
    target: str | None = None,
    spark: SparkSession | None = None,
    engine: EngineName | None = None,
    placement: PlacementMode | None = None,
    planner: PlannerOptions | None = None,
) -> Project:
    """Open the project in a folder or above it; `engine` and `placement` override those of tidewheel.yml.

    `planner` has other numbers than the usual ones to plan by.
    """
    root = find_root(os.fspath(path))
    return Project(root, target=target, spark=spark, engine=engine, placement=placement, planner=planner)


def create_project(
    path: str | os.PathLike[str],
    *,
    sources: Mapping[str, Mapping[str, Any]] | None = None,
    views: Mapping[str, str] | None = None,
    spark: SparkSession | None = None,
    engine: EngineName | None = None,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
    planner: PlannerOptions | None = None,
) -> Project:
    """Write a new project's files and open it; `options` are further entries of tidewheel.yml."""
    from tidewheel.editing import write_project  # noqa: PLC0415

    root = write_project(
        path, name=name, sources=sources or {}, views=views or {}, engine=engine, options=options or {}
    )
    return Project(root, spark=spark, engine=engine, planner=planner)


class Project:
    """A project: its definition is read anew by each call, its data is in the warehouse."""

    def __init__(
        self,
        root: str,
        *,
        target: str | None = None,
        spark: SparkSession | None = None,
        engine: EngineName | None = None,
        placement: PlacementMode | None = None,
        planner: PlannerOptions | None = None,
    ) -> None:
        self.root = root
        self.target = target
        self.planner = planner
        self.engines = Engines(self.definition, spark=spark, engine=engine, placement=placement)
        self._known: tuple[object, Definition] | None = None
        self.definition()

    def __repr__(self) -> str:
        from tidewheel.project.summary import summary  # noqa: PLC0415

        try:
            return f"<Project {summary(self.definition(), self._last_epoch())}, {self.root}>"
        except TidewheelError as error:
            return f"<Project {self.root}: {error.message}>"

    def _repr_html_(self) -> str | None:
        from tidewheel.project.summary import summary_html  # noqa: PLC0415

        try:
            return summary_html(self.definition(), self._last_epoch())
        except TidewheelError:
            return None  # a notebook then shows the line of `repr`

    def _last_epoch(self) -> int:
        """Its number, without reading it."""
        return (epoch_numbers(Warehouse(self.definition().warehouse)) or [0])[-1]

    def definition(self) -> Definition:
        """The project as its files define it now; read again only if a file changed."""
        signature = definition_signature(self.root)
        if self._known is None or self._known[0] != signature:
            definition = load_definition(self.root, self.target)
            self._known = (signature, definition) if is_settled(signature) else None
            return definition
        return self._known[1]

    @functools.cached_property
    def _memory(self) -> PlanMemory:
        """What was worked out for earlier plans; made when one is first asked for, because that takes the optimizer."""
        from tidewheel.plan.memory import PlanMemory  # noqa: PLC0415

        return PlanMemory()

    def warehouse(self, definition: Definition | None = None, *, force: bool = False) -> Warehouse:
        """The warehouse, to write to; begun if it is new. With `force`, also if the project has used another one."""
        definition = definition or self.definition()
        warehouse, notes = Warehouse(definition.warehouse), self._notes(definition)
        if not force:
            require_known(warehouse, notes)
        warehouse.open()
        notes.keep(warehouse)
        return warehouse

    def warehouse_to_read(self, definition: Definition | None = None) -> Warehouse:
        """The warehouse, to read from: nothing is written, and nothing begun."""
        definition = definition or self.definition()
        warehouse = Warehouse(definition.warehouse)
        require_known(warehouse, self._notes(definition))
        return warehouse

    def _notes(self, definition: Definition) -> Notes:
        return Notes(root=self.root, target=self.target, place=definition.config.warehouse)

    @property
    def views(self) -> tuple[str, ...]:
        return self.definition().graph.names

    @property
    def sources(self) -> tuple[str, ...]:
        return self.definition().graph.sources

    def engine(self) -> Engine:
        """The engine, started when it is first used."""
        return self.engines.engine()

    def close(self) -> None:
        """Stop the engine, if it was started here."""
        self.engines.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- definition ---

    def add_view(self, name: str, sql: str) -> None:
        """Write a view's file; refused, with nothing written, if the project would not be sound with it."""
        from tidewheel.editing import add_view  # noqa: PLC0415

        query = a_text(sql, "sql", '"SELECT * FROM orders"')
        add_view(self.definition(), a_text(name, "name", '"daily"'), query)

    def drop_view(self, name: str) -> None:
        """Delete a view's file; its table stays as an orphan until `drop`."""
        from tidewheel.editing import drop_view  # noqa: PLC0415

        drop_view(self.definition(), find_view(name, self.views, self.sources, self.orphans()))

    def check(self, *, spark: bool = False) -> Check:
        """Bind every view to what it reads, and say all that is wrong. Starts no engine.

        With `spark`, Spark's analyzer looks at every view too; no job is run.
        """
        from tidewheel.plan.defined.check import check  # noqa: PLC0415

        definition = self.definition()
        session = self.engine().session(definition.config.settings) if spark else None
        return check(definition, Warehouse(definition.warehouse), session, local=self.engines.name == "local")

    # --- data ---

    def ingest(
        self,
        source: str,
        data: Any,
        *,
        mode: Mode = "append",
        id: str | None = None,  # noqa: A002
        format: str | None = None,  # noqa: A002
        delimiter: str = ",",
        force: bool = False,
    ) -> IngestResult:
        """Write rows into a managed source: all or nothing, exactly once when given an id.

        With `force`, into whichever warehouse is there.
        """
        from tidewheel.ingest.ingest import IngestOptions, ingest  # noqa: PLC0415
        from tidewheel.ingest.inputs import ReadOptions  # noqa: PLC0415

        definition = self.definition()
        source = find_source(source, definition.graph.names, definition.config.sources)
        declared = definition.config.sources[source]
        if not isinstance(declared, ManagedSource):
            raise UserError(
                f'source "{source}" is not managed',
                code="not-managed",
                hint="Only sources of `kind: managed` are written through ingest.",
            )
        options = IngestOptions(
            mode=mode,
            id=None if id is None else a_text(id, "id", 'id="2026-07-01"'),
            read=ReadOptions(timezone=definition.config.timezone, format=format, delimiter=delimiter),
            memory=parse_bytes(definition.config.memory),
        )
        warehouse = self.warehouse(definition, force=force)
        with _as_arrow(data, warehouse) as stream:
            return ingest(warehouse, source, declared, stream, options)

    def plan(
        self,
        *,
        select: str | Iterable[str] = (),
        exclude: str | Iterable[str] = (),
        full_refresh: bool = False,
        what_if: str | Iterable[str] = (),
        placement: PlacementMode | None = None,
    ) -> Plan:
        """What a refresh would do now. Starts nothing, writes nothing.

        With `what_if`, as ["orders=+1%"], what it would do if sources had changed so.
        """
        from tidewheel.plan.planner import make_plan  # noqa: PLC0415
        from tidewheel.store.apply import applied_versions  # noqa: PLC0415

        definition = self.definition()
        warehouse = self.warehouse_to_read(definition)
        last = latest_epoch(warehouse)
        versions = applied_versions(warehouse, last.number) or {}
        request = self._request(definition, select, exclude, full_refresh=full_refresh, placement=placement)
        supposed = texts(what_if, "what_if")
        if not supposed:
            return make_plan(definition, warehouse, last, versions, request, predict=True)
        from tidewheel.plan.whatif import plan_for  # noqa: PLC0415

        return plan_for(definition, warehouse, last, versions, request, supposed)

    def refresh(
        self,
        *,
        select: str | Iterable[str] = (),
        exclude: str | Iterable[str] = (),
        full_refresh: bool = False,
        placement: PlacementMode | None = None,
        force: bool = False,
        fail_on: Literal["full"] | None = None,
        wait: bool = False,
        listener: Listener | None = None,
    ) -> Run:
        """Bring the views up to date and publish them as one epoch; `placement` as in tidewheel.yml.

        With `fail_on="full"` it is refused if a view would be recomputed that nobody asked to be; with `wait` it lets
        other runs finish first, and plans again if one of them wins.
        """
        from tidewheel.run.runner import refresh  # noqa: PLC0415

        definition = self.definition()
        request = self._request(definition, select, exclude, full_refresh=full_refresh, placement=placement)
        request = replace(request, fail_on_full=_is_full(fail_on))
        warehouse, told = self.warehouse(definition, force=force), listener or _silent

        def run() -> Run:
            return refresh(definition, warehouse, self.engine, request, told)

        if not wait:
            return run()
        from tidewheel.run.waiting import in_turn  # noqa: PLC0415

        return in_turn(run, warehouse, told)

    def _request(
        self,
        definition: Definition,
        select: str | Iterable[str],
        exclude: str | Iterable[str],
        *,
        full_refresh: bool,
        placement: PlacementMode | None = None,
    ) -> RefreshRequest:
        from tidewheel.plan.request import RefreshRequest  # noqa: PLC0415

        chosen = select_views(definition.graph, select, exclude)
        return RefreshRequest(
            selected=with_ancestors(definition.graph, chosen),
            rebuild=chosen if full_refresh else frozenset(),
            placement=self.engines.placement(placement),
            planner=self.planner,
            memory=lambda: self._memory,
        )

    def verify(
        self,
        *,
        select: str | Iterable[str] = (),
        exclude: str | Iterable[str] = (),
        deep: bool = False,
        engine: EngineName | None = None,
        listener: Callable[[str, str, ViewVerdict | None], None] | None = None,
    ) -> Verification:
        """Recompute and compare; `.differences` is empty, or says which rows.

        With `deep`, also what is stored for maintenance: hidden columns, states and change files. Spark runs the
        queries as they are written; `engine="local"` is for a quick look.
        """
        from tidewheel.store.apply import finish  # noqa: PLC0415
        from tidewheel.store.log import latest_version  # noqa: PLC0415
        from tidewheel.verify.verify import verify  # noqa: PLC0415

        definition = self.definition()
        warehouse = self.warehouse(definition)
        chosen = select_views(definition.graph, select, exclude)
        judge = self.engines.judge(engine)
        while True:
            with self.snapshot() as held:
                finish(warehouse)
                versions = {view: latest_version(warehouse.table(view)) for view in chosen}
                if self.epoch().number == held.epoch.number:  # else these may be versions of a newer epoch
                    return verify(definition, warehouse, judge, held.epoch, versions, listener or _silent, deep=deep)

    def epoch(self, number: int | None = None) -> Epoch:
        """The record of an epoch, by default the last."""
        warehouse = self.warehouse_to_read()
        wanted = a_number(number, "epoch")
        if wanted is None:
            return latest_epoch(warehouse)
        from tidewheel.store.expiry import readable_epoch  # noqa: PLC0415

        return readable_epoch(warehouse, wanted)

    def epochs(self, *, limit: int | None = None) -> list[EpochSummary]:
        """The epochs that can be read, newest first."""
        import itertools  # noqa: PLC0415

        from tidewheel.store.expiry import readable_epochs  # noqa: PLC0415

        return list(itertools.islice(readable_epochs(self.warehouse_to_read()), a_number(limit, "limit")))

    def snapshot(self, epoch: int | None = None) -> ProjectSnapshot:
        """Several relations at one cut; use it in a `with` block, so that vacuum knows of it."""
        from tidewheel.snapshot import ProjectSnapshot  # noqa: PLC0415

        return ProjectSnapshot(self.definition(), self.engines, self.epoch(epoch), latest=epoch is None)

    def table(self, name: str, *, epoch: int | None = None) -> DataFrame:
        """A relation as a Spark DataFrame, as of the last epoch or an older one."""
        return self.snapshot(epoch).frame(name, allow_stale=True)

    def to_arrow(self, name: str, *, epoch: int | None = None) -> pa.Table:
        """A relation as an Arrow table. No JVM."""
        return self.snapshot(epoch).to_arrow(name, allow_stale=True)

    def to_pandas(self, name: str, *, epoch: int | None = None) -> pd.DataFrame:
        """A relation as a pandas DataFrame. No JVM."""
        return self.snapshot(epoch).to_pandas(name, allow_stale=True)

    def to_polars(self, name: str, *, epoch: int | None = None) -> pl.DataFrame:
        """A relation as a Polars DataFrame. No JVM."""
        return self.snapshot(epoch).to_polars(name, allow_stale=True)

    def query(self, sql: str, *, epoch: int | None = None, limit: int | None = None) -> pa.Table:
        """The rows of a query over the relations of an epoch, the first of them if there is a limit.

        If it reads sources alone, and no epoch is given, it reads their newest rows.
        """
        return self.answer(sql, epoch=epoch, limit=limit).rows

    def answer(self, sql: str, *, epoch: int | None = None, limit: int | None = None) -> Answer:
        """The rows of a query, where it ran, and the sources that have newer rows."""
        with self.snapshot(epoch) as snapshot:
            return snapshot.answer(sql, limit=limit, newest=epoch is None)

    # --- upkeep ---

    def status(self) -> Status:
        """How every relation stands: fresh or behind, what is pending, what failed last. Starts nothing."""
        from tidewheel.run.status import status_of  # noqa: PLC0415

        definition = self.definition()
        return status_of(definition, self.warehouse_to_read(definition))

    def explain(self, view: str) -> dict[str, Any]:
        """One view: what it reads, how it was last built, what a refresh would do; as `explain --json` prints it."""
        from tidewheel.plan.explain.explain import explain_broken, explain_view  # noqa: PLC0415
        from tidewheel.run.past import failure_of_view  # noqa: PLC0415

        definition, epoch = self.definition(), self.epoch()
        name = find_view(view, definition.graph.names, definition.config.sources, epoch.views)
        warehouse = self.warehouse_to_read(definition)
        try:
            plan = self.plan(select=name)
            wrong = plan.step(name).error
        except (UserError, StoreError, PlanError) as error:
            wrong = error
        failure = failure_of_view(warehouse, name)
        if wrong is not None:
            return explain_broken(definition, warehouse, epoch, name, failure, wrong)
        return explain_view(definition, warehouse, epoch, plan, name, failure)

    def graph(self, *, select: str | Iterable[str] = (), exclude: str | Iterable[str] = ()) -> LineageGraph:
        """Sources and views: columns and where they come from, states, last runs. Starts no engine."""
        from tidewheel.lineage.collect import collect  # noqa: PLC0415

        definition = self.definition()
        found = collect(definition, self.warehouse_to_read(definition))
        chosen = select_views(definition.graph, select, exclude)
        return found.only(chosen) if select or exclude else found

    def history(self, *, limit: int | None = None) -> list[dict[str, Any]]:
        """Runs, newest first."""
        import itertools  # noqa: PLC0415

        from tidewheel.store import history  # noqa: PLC0415

        return list(itertools.islice(history.read(self.warehouse_to_read()), a_number(limit, "limit")))

    def vacuum(
        self, *, retention: str | None = None, abandoned: str | None = None, dry_run: bool = False
    ) -> VacuumResult:
        """Delete what neither the retention window, a stale view nor a reader needs."""
        from tidewheel.run.runner import own_relations  # noqa: PLC0415
        from tidewheel.store.apply import finish  # noqa: PLC0415
        from tidewheel.store.vacuum import ABANDONED_SECONDS, VacuumOptions, vacuum  # noqa: PLC0415

        definition = self.definition()
        warehouse = self.warehouse(definition)
        epoch, _, _ = finish(warehouse)
        options = VacuumOptions(
            retention=_duration(definition.config.retention if retention is None else retention, "retention"),
            abandoned=ABANDONED_SECONDS if abandoned is None else _duration(abandoned, "abandoned"),
            dry_run=dry_run,
        )
        return vacuum(warehouse, own_relations(definition.config.sources, epoch), options)

    def calibrate(self, *, listener: Callable[[str, str, None], None] | None = None) -> dict[str, Any]:
        """Measure what work costs here, in the driver and on the cluster, for the predictions to come."""
        from tidewheel.run.calibrate import calibrate  # noqa: PLC0415

        definition = self.definition()
        warehouse, placement = self.warehouse(definition), self.engines.placement("auto")
        found = calibrate(definition.config, warehouse, self.engine(), placement, listener or _silent)
        return {place: calibrated.to_dict() for place, calibrated in found.items()}

    def orphans(self) -> list[str]:
        """Views and sources whose definition is gone and whose table is still there."""
        from tidewheel.run.drop import orphans  # noqa: PLC0415

        definition = self.definition()
        return orphans(definition, self.warehouse_to_read(definition), self.epoch())

    def drop(self, name: str) -> str:
        """Delete an orphan's table and forget it; returns its name as it was spelled."""
        from tidewheel.run.drop import drop_orphan  # noqa: PLC0415

        definition = self.definition()
        return drop_orphan(definition, self.warehouse(definition), a_text(name, "name", '"daily"'))


def _duration(text: str, what: str) -> float:
    try:
        return parse_duration(a_text(text, what, f'{what}="7 days"'))
    except ValueError as error:
        raise UserError(str(error), code="bad-option", hint='Write for example "7 days" or "12 hours".') from error


def _is_full(fail_on: str | None) -> bool:
    if fail_on not in {None, "full"}:
        raise UserError(f'a refresh cannot fail on "{fail_on}"', code="bad-option", hint='Write "full".')
    return fail_on == "full"


def _silent(*_: object) -> None:
    """No progress display."""


@contextmanager
def _as_arrow(data: Any, warehouse: Warehouse) -> Iterator[Any]:
    """A Spark DataFrame is written to files first, so that it never has to fit into the driver."""
    if not type(data).__module__.startswith("pyspark."):
        yield data
        return
    import shutil  # noqa: PLC0415
    import uuid  # noqa: PLC0415

    from tidewheel.engine.spark.frames import write_frame  # noqa: PLC0415

    folder = os.path.join(warehouse.scratch, f"frame-{uuid.uuid4().hex[:8]}")
    try:
        yield write_frame(data, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
