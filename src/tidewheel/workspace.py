"""Where a project is: its definition, its warehouse and its engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from tidewheel.engines import EngineName, Engines
from tidewheel.errors import TidewheelError
from tidewheel.project.config import PlacementMode
from tidewheel.project.definition import (
    Definition,
    definition_signature,
    is_settled,
    load_definition,
)
from tidewheel.store.epochs import epoch_numbers
from tidewheel.store.identity import Notes, require_known
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewheel.engine.base import Engine
    from tidewheel.optimize.options import PlannerOptions


class Workspace:
    """A project's folder. Its definition is read anew by each call, its data is in the warehouse."""

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
