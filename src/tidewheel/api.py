"""The Python API: `tw.open`, `tw.create`, and what one does with a project."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tidewheel.arguments import as_arrow, duration, is_full, silent
from tidewheel.engines import EngineName
from tidewheel.errors import PlanError, StoreError, UserError
from tidewheel.project.config import ManagedSource, PlacementMode
from tidewheel.project.definition import (
    Definition,
    find_root,
)
from tidewheel.project.lookup import a_number, a_text, find_source, find_view, texts
from tidewheel.project.select import select_views, with_ancestors
from tidewheel.project.values import parse_bytes
from tidewheel.store.epochs import latest_epoch
from tidewheel.store.warehouse import Warehouse
from tidewheel.tables import Tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewheel.ingest.ingest import IngestResult, Mode
    from tidewheel.lineage.graph import LineageGraph
    from tidewheel.optimize.options import PlannerOptions
    from tidewheel.plan.defined.check import Check
    from tidewheel.plan.memory import PlanMemory
    from tidewheel.plan.plan import Plan
    from tidewheel.plan.request import RefreshRequest
    from tidewheel.run.outcome import Run
    from tidewheel.run.staged import Listener
    from tidewheel.run.standing import Status
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


class Project(Tables):
    """A project: its definition is read anew by each call, its data is in the warehouse."""

    @functools.cached_property
    def _memory(self) -> PlanMemory:
        """What was worked out for earlier plans; made when one is first asked for, because that takes the optimizer."""
        from tidewheel.plan.memory import PlanMemory  # noqa: PLC0415

        return PlanMemory()

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
        with as_arrow(data, warehouse) as stream:
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
        request = replace(request, fail_on_full=is_full(fail_on))
        warehouse, told = self.warehouse(definition, force=force), listener or silent

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
                    return verify(definition, warehouse, judge, held.epoch, versions, listener or silent, deep=deep)

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
            retention=duration(definition.config.retention if retention is None else retention, "retention"),
            abandoned=ABANDONED_SECONDS if abandoned is None else duration(abandoned, "abandoned"),
            dry_run=dry_run,
        )
        return vacuum(warehouse, own_relations(definition.config.sources, epoch), options)

    def calibrate(self, *, listener: Callable[[str, str, None], None] | None = None) -> dict[str, Any]:
        """Measure what work costs here, in the driver and on the cluster, for the predictions to come."""
        from tidewheel.run.calibrate import calibrate  # noqa: PLC0415

        definition = self.definition()
        warehouse, placement = self.warehouse(definition), self.engines.placement("auto")
        found = calibrate(definition.config, warehouse, self.engine(), placement, listener or silent)
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
