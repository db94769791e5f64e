"""Several relations at one cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tidewheel.engine.base import Session
from tidewheel.errors import ExecutionError, Span, StoreError, TidewheelError, UserError
from tidewheel.markup import ROWS_SHOWN, html_table
from tidewheel.plan.binding.inputs import view_snapshot
from tidewheel.project.definition import Definition
from tidewheel.project.lookup import a_number, a_text, unknown_relation
from tidewheel.project.values import parse_bytes
from tidewheel.run.building.sessions import MAYBE_BEYOND
from tidewheel.sql.query import Reference, is_query, parse_statements, references
from tidewheel.store import readers
from tidewheel.store.arrow import read_table
from tidewheel.store.changes import ChangeKind
from tidewheel.store.epochs import Epoch, epoch_numbers, latest_epoch, view_record
from tidewheel.store.expiry import is_readable, unknown_epoch
from tidewheel.store.sources import Pin, pin, pin_of_entry, snapshot_of
from tidewheel.store.tables import TableSnapshot, read_delta
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from tidewheel.engines import Engines


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The rows of a query, where it ran, and the sources that have newer rows than those that it has seen."""

    rows: pa.Table
    place: str
    behind: tuple[str, ...] = ()

    @property
    def _title(self) -> str:
        older = f"; {', '.join(self.behind)} newer since" if self.behind else ""
        return f"{self.rows.num_rows:,} rows of {self.rows.num_columns} columns, on {self.place}{older}"

    def __repr__(self) -> str:
        return f"<Answer of {self._title}>"

    def _repr_html_(self) -> str:
        """The first rows; column by column, for two may have one name."""
        shown = [column.slice(0, ROWS_SHOWN).to_pylist() for column in self.rows.columns]
        return html_table(self._title, self.rows.column_names, zip(*shown, strict=True), of=self.rows.num_rows)


class ProjectSnapshot:
    """The relations of one epoch. A stale view is not part of the cut and is refused, unless asked for by name."""

    def __init__(self, definition: Definition, engines: Engines, epoch: Epoch, *, latest: bool = False) -> None:
        self.engines = engines
        self.epoch = epoch
        self.latest = latest
        self.definition = definition
        self.warehouse = Warehouse(self.definition.warehouse)
        self._registration: str | None = None
        self._engine_session: Any = None
        self._driver_session: Session | None = None
        self._named: dict[tuple[int, str], int] = {}

    def __enter__(self) -> Self:
        """Register as a reader; of the last epoch, if none was asked for, and it must be the last one after that too.

        A vacuum that did not see the registration had looked at the epochs before, and keeps the last one. Of an older
        epoch it has marked what it takes away before it looked.
        """
        while self.epoch.number:
            self._registration = readers.register_if_allowed(self.warehouse, self.epoch.number)
            if not self.latest or epoch_numbers(self.warehouse)[-1:] == [self.epoch.number]:
                break
            if self._registration is not None:
                readers.release(self._registration)
            self.epoch = latest_epoch(self.warehouse)
        if self.epoch.number and not is_readable(self.warehouse, self.epoch.number):
            self.__exit__()
            raise unknown_epoch(self.epoch.number)
        return self

    def __exit__(self, *_: object) -> None:
        for session in (self._engine_session, self._driver_session):
            if session is not None:
                session.close()
        if self._registration is not None:
            readers.release(self._registration)

    @property
    def _title(self) -> str:
        return f"{self.definition.config.name}: epoch {self.epoch.number}, {len(self.relations)} relations"

    def __repr__(self) -> str:
        return f"<ProjectSnapshot of {self._title}>"

    def _repr_html_(self) -> str:
        rows = [(name, "source", "", f"version {entry.version}") for name, entry in self.epoch.sources.items()]
        rows += [
            (name, "view", "stale" if entry.stale else "", f"as of epoch {entry.as_of}")
            for name, entry in self.epoch.views.items()
        ]
        return html_table(f"snapshot of {self._title}", ["relation", "kind", "state", "stands at"], rows)

    @property
    def relations(self) -> list[str]:
        return [*self.epoch.sources, *self.epoch.views]

    def contents(self, name: str, *, allow_stale: bool = False, newest: bool = False) -> TableSnapshot:
        """The files and the schema of a relation at this cut; with `newest`, those of a source as it is now."""
        a_text(name, "name", '"daily"')
        try:
            return self._contents(name, allow_stale=allow_stale, newest=newest)
        except (FileNotFoundError, StoreError) as error:
            if getattr(error, "code", "files-missing") == "files-missing" and self._is_over(name):
                raise unknown_epoch(self.epoch.number) from error
            raise

    def _is_over(self, name: str) -> bool:
        """Whether `vacuum` has let this epoch go: then its files are gone because of that."""
        source = self._source(name)
        is_ours = source is None or self.definition.config.sources[source].kind != "delta"
        is_old = epoch_numbers(self.warehouse)[-1:] > [self.epoch.number]
        return is_old and (is_ours or not is_readable(self.warehouse, self.epoch.number))

    def _contents(self, name: str, *, allow_stale: bool, newest: bool) -> TableSnapshot:
        if newest and (source := self._source(name)) is not None:
            return snapshot_of(self._newest(source), self.warehouse)
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
                hint=f"`tidewheel show {found}` or project.to_arrow() reads it alone; `--epoch {as_of}` all of then.",
            )
        return view_snapshot(self.warehouse, found, view_record(self.warehouse, self.epoch, found))

    def _source(self, name: str) -> str | None:
        return next((s for s in self.definition.config.sources if s.lower() == name.lower()), None)

    def _refuse_unbuilt(self, name: str) -> None:
        graph = self.definition.graph
        broken = next((b for b in graph.broken.values() if b.name.lower() == name.lower()), None)
        if broken is not None:
            raise broken.error
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

    def to_pandas(self, name: str, *, allow_stale: bool = False) -> pd.DataFrame:
        """A relation as a pandas DataFrame. No JVM."""
        from tidewheel.store.frames import to_pandas  # noqa: PLC0415

        return to_pandas(self.to_arrow(name, allow_stale=allow_stale))

    def to_polars(self, name: str, *, allow_stale: bool = False) -> pl.DataFrame:
        """A relation as a Polars DataFrame. No JVM."""
        from tidewheel.store.frames import to_polars  # noqa: PLC0415

        return to_polars(self.to_arrow(name, allow_stale=allow_stale))

    def frame(self, name: str, *, allow_stale: bool = False) -> DataFrame:
        """A relation as a Spark DataFrame."""
        frame: DataFrame = self._spark_session().frame(self.contents(name, allow_stale=allow_stale))
        return frame

    table = frame

    def sql(self, query: str) -> DataFrame:
        """A query over relations of this cut, as a Spark DataFrame."""
        session = self._spark_session()
        self._name_inputs(session, self._inputs(query, newest=False))
        frame: DataFrame = session.sql(query)
        return frame

    def query(self, query: str, *, limit: int | None = None) -> pa.Table:
        """The rows of a query over relations of this cut; the first of them if there is a limit."""
        return self.answer(query, limit=limit).rows

    def answer(self, query: str, *, limit: int | None = None, newest: bool = False) -> Answer:
        """The rows of a query and where it ran: in the driver if that gives Spark's answer and the inputs are small.

        With `newest`, a query that reads sources alone reads their newest rows.
        """
        a_number(limit, "limit")
        inputs = self._inputs(query, newest=newest)
        behind = self._behind(inputs) if newest and self._reads_views(inputs) else ()
        local = self.engines.name == "local"
        if local or self.engines.placement().needs_spark(sum(c.bytes for c in inputs.values()), full=False) is None:
            try:
                return Answer(rows=self._collect(self._driver(), query, inputs, limit), place="driver", behind=behind)
            except (UserError, ExecutionError) as error:
                if local or not (error.code in MAYBE_BEYOND or self._may_be_declared(error)):
                    raise
        return Answer(rows=self._collect(self._engine(), query, inputs, limit), place="spark", behind=behind)

    def _may_be_declared(self, error: TidewheelError) -> bool:
        """Is it for Spark to say: the driver knows nothing of functions that the project has declared."""
        return error.code == "unknown-function" and bool(self.definition.config.functions)

    def _collect(
        self, session: Session, query: str, inputs: Mapping[str, TableSnapshot], limit: int | None
    ) -> pa.Table:
        self._name_inputs(session, inputs)
        return session.collect(query, limit)

    def _inputs(self, query: str, *, newest: bool) -> dict[str, TableSnapshot]:
        """What a query reads, by the names that it uses: all at the cut, or nothing but sources as they are now."""
        parsed = parse_statements(a_text(query, "sql", '"SELECT * FROM daily"'), "<query>")
        if len(parsed) != 1 or not is_query(parsed[0]):
            raise _no_query(query, many=len(parsed) > 1)
        known = {name.lower() for name in (*self.relations, *self.definition.config.sources)}
        found = references(parsed[0], query, "<query>")
        read = [r for r in found if not r.guessed or r.name.lower() in known]
        now = newest and not self._reads_views(r.name for r in read)
        return {r.name: self._read_by(r, newest=now) for r in read}

    def _read_by(self, reference: Reference, *, newest: bool) -> TableSnapshot:
        """What a query reads; an error without a place gets that in the query."""
        try:
            return self.contents(reference.name, newest=newest)
        except UserError as error:
            error.span = error.span or reference.span
            raise

    def _reads_views(self, names: Iterable[str]) -> bool:
        return any(self._source(name) is None for name in names)

    def _behind(self, names: Iterable[str]) -> tuple[str, ...]:
        """The sources below some relations that have changed since this cut."""
        graph = self.definition.graph
        read = {name.lower() for name in names}
        below = {above for view in graph.views if view.lower() in read for above in graph.ancestors(view)}
        known = [s for s in self.epoch.sources if s in graph.sources and (s in below or s.lower() in read)]
        return tuple(source for source in known if self._has_changed(source))

    def _has_changed(self, source: str) -> bool:
        try:
            return self._newest(source).change.kind is not ChangeKind.NONE
        except TidewheelError:  # the next refresh will say what is wrong with it
            return False

    def _newest(self, source: str) -> Pin:
        declared = self.definition.config.sources[source]
        return pin(source, declared, self.warehouse, self.definition.root, self.epoch.sources.get(source))

    def _name_inputs(self, session: Session, inputs: Mapping[str, TableSnapshot]) -> None:
        for name, contents in inputs.items():
            if self._named.get((id(session), name.lower())) != contents.version:
                session.register(name, contents)
                self._named[id(session), name.lower()] = contents.version

    def _driver(self) -> Session:
        if self._driver_session is None:
            from tidewheel.engine.local.engine import LocalEngine  # noqa: PLC0415

            config = self.definition.config
            engine = LocalEngine(parse_bytes(config.memory), self.warehouse.spill)
            self._driver_session = engine.session(config.settings)
        return self._driver_session

    def _engine(self) -> Any:
        if self._engine_session is None:
            self._engine_session = self.engines.engine().session(self.definition.config.settings)
        return self._engine_session

    def _spark_session(self) -> Any:
        if self.engines.name != "spark":
            raise UserError(
                "this project runs on the local engine, which has no Spark DataFrames",
                code="not-spark",
                hint="Use to_arrow() or query(), or open the project with engine='spark'.",
            )
        return self._engine()


def _no_query(text: str, *, many: bool) -> UserError:
    """For a text that is something else than one query."""
    word = "" if many else next(iter(text.split()), "")
    return UserError(
        f'"{word}" begins no query' if word else "give one query",
        code="sql-syntax",
        span=Span.at(text, text.index(word), len(word), "<query>") if word else None,
        hint='Only queries are run, one at a time, for example "SELECT * FROM revenue".',
    )
