"""Several relations at one cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from tidewheel.errors import UserError
from tidewheel.project.lookup import unknown_relation
from tidewheel.refresh.inputs import view_snapshot
from tidewheel.sql.query import is_query, parse_statements, references
from tidewheel.store import readers
from tidewheel.store.arrow import read_table
from tidewheel.store.epochs import Epoch, epoch_numbers, latest_epoch, view_record
from tidewheel.store.sources import Pin, pin_of_entry, snapshot_of
from tidewheel.store.tables import Snapshot, read_delta
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from tidewheel.api import Project


class ProjectSnapshot:
    """The relations of one epoch. A stale view is not part of the cut and is refused, unless asked for by name."""

    def __init__(self, project: Project, epoch: Epoch, *, latest: bool = False) -> None:
        self.project = project
        self.epoch = epoch
        self.latest = latest
        self.definition = project.definition()
        self.warehouse = Warehouse(self.definition.warehouse)
        self._registration: str | None = None
        self._session: Any = None
        self._named: set[str] = set()

    def __enter__(self) -> Self:
        """Register as a reader; of the last epoch, if none was asked for, and it must be the last one after that too.

        A vacuum that did not see the registration had looked at the epochs before, and keeps the last one.
        """
        while self.epoch.number:
            self._registration = readers.register(self.warehouse, self.epoch.number)
            if not self.latest or epoch_numbers(self.warehouse)[-1:] == [self.epoch.number]:
                break
            readers.release(self._registration)
            self.epoch = latest_epoch(self.warehouse)
        return self

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.close()
        if self._registration is not None:
            readers.release(self._registration)

    @property
    def relations(self) -> list[str]:
        return [*self.epoch.sources, *self.epoch.views]

    def contents(self, name: str, *, allow_stale: bool = False) -> Snapshot:
        """The files and the schema of a relation at this cut."""
        known = {n.lower(): n for n in self.relations}
        found = known.get(name.lower())
        if found is None:
            self._refuse_unbuilt(name)
            raise unknown_relation(name, self.relations)
        if found in self.epoch.sources:
            return snapshot_of(self._pin(found), self.warehouse)
        stale = self.epoch.views[found].stale
        if stale is not None and not allow_stale:
            as_of = self.epoch.views[found].as_of
            raise UserError(
                f'view "{found}" is stale as of epoch {as_of}',
                code="stale-view",
                relation=found,
                detail=f"{stale['text']}.",
                hint=f"Read it alone with project.table(), or everything at epoch {as_of}.",
            )
        return view_snapshot(self.warehouse, found, view_record(self.warehouse, self.epoch, found))

    def _refuse_unbuilt(self, name: str) -> None:
        graph = self.definition.graph
        if any(n.lower() == name.lower() for n in (*graph.views, *graph.sources)):
            raise UserError(
                f'relation "{name}" is in no epoch yet',
                code="not-built",
                relation=name,
                hint="Run `tidewheel refresh` first.",
            )

    def _pin(self, name: str) -> Pin:
        entry = self.epoch.sources[name]
        source = self.definition.config.sources.get(name)
        if source is None:
            raise unknown_relation(name, self.relations)
        return pin_of_entry(name, source, self.warehouse, self.definition.root, entry)

    def to_arrow(self, name: str, *, allow_stale: bool = False) -> pa.Table:
        """A relation as an Arrow table. No JVM."""
        contents = self.contents(name, allow_stale=allow_stale)
        if contents.partition_columns:
            return read_delta(contents.table, contents.version).read_all()
        return read_table(contents.paths(), contents.schema)

    def frame(self, name: str, *, allow_stale: bool = False) -> DataFrame:
        """A relation as a Spark DataFrame."""
        frame: DataFrame = self._spark_session().frame(self.contents(name, allow_stale=allow_stale))
        return frame

    table = frame

    def sql(self, query: str) -> DataFrame:
        """A query over relations of this cut, as a Spark DataFrame."""
        self._name_inputs(query, self._spark_session())
        frame: DataFrame = self._session.sql(query)
        return frame

    def query(self, query: str) -> pa.Table:
        """The rows of a query over relations of this cut, on whichever engine the project uses."""
        self._name_inputs(query, self._any_session())
        rows: pa.Table = self._session.collect(query)
        return rows

    def _name_inputs(self, query: str, session: Any) -> None:
        parsed = parse_statements(query, "<query>")
        if len(parsed) != 1 or not is_query(parsed[0]):
            raise UserError("give one query", code="sql-syntax", hint='For example "SELECT * FROM revenue".')
        for reference in references(parsed[0], query, "<query>"):
            if reference.name.lower() not in self._named:
                session.register(reference.name, self.contents(reference.name))
                self._named.add(reference.name.lower())

    def _any_session(self) -> Any:
        if self._session is None:
            self._session = self.project.engine().session(self.definition.config.settings)
        return self._session

    def _spark_session(self) -> Any:
        if self.project.engine().name != "spark":
            raise UserError(
                "this project runs on the local engine, which has no Spark DataFrames",
                code="not-spark",
                hint="Use to_arrow() or query(), or open the project with engine='spark'.",
            )
        return self._any_session()
