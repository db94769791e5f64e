"""The engines of a project: which one it has, where statements run, and who judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, get_args

from tidewheel.errors import UserError
from tidewheel.project.config import PlacementMode
from tidewheel.project.definition import Definition
from tidewheel.project.values import parse_bytes
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewheel.engine.base import Engine
    from tidewheel.engine.local.engine import LocalEngine
    from tidewheel.plan.placement import Placement

EngineName = Literal["spark", "local"]


class Engines:
    """Made from a project's definition as it is when one is first used; what was given overrides tidewheel.yml."""

    def __init__(
        self,
        definition: Callable[[], Definition],
        *,
        spark: SparkSession | None,
        engine: EngineName | None,
        placement: PlacementMode | None,
    ) -> None:
        _require_one_of(engine, EngineName, "engine")
        _require_one_of(placement, PlacementMode, "placement")
        self._definition = definition
        self._given_spark, self._name, self._placement = spark, engine, placement
        self._engine: Engine | None = None
        self.brief = False
        """Does the process end after one call: Spark is then started for that."""

    def engine(self) -> Engine:
        """The engine, started when it is first used."""
        if self._engine is None:
            definition = self._definition()
            config = definition.config
            if self.name == "local":
                self._engine = self.local()
            else:
                from tidewheel.engine.spark.engine import SparkEngine  # noqa: PLC0415

                app = f"tidewheel {config.name}"
                self._engine = SparkEngine(
                    config.spark.checked(definition.root), app, self._given_spark, brief=self.brief
                )
        return self._engine

    def local(self) -> LocalEngine:
        from tidewheel.engine.local.engine import LocalEngine  # noqa: PLC0415

        definition = self._definition()
        return LocalEngine(parse_bytes(definition.config.memory), Warehouse(definition.warehouse).scratch)

    def judge(self, engine: str | None) -> Engine:
        """Who says what a view's rows are: the project's engine, or the local one for a quick look."""
        _require_one_of(engine, EngineName, "engine")
        if engine == "spark" and self.name == "local":
            raise UserError(
                "this project runs on the local engine", code="not-spark", hint="Open it with engine='spark'."
            )
        return self.local() if engine == "local" else self.engine()

    def stop(self) -> None:
        if self._engine is not None:
            self._engine.stop()
            self._engine = None

    def placement(self, mode: PlacementMode | None = None) -> Placement:
        """Where statements are run; `mode` as `placement` in tidewheel.yml, which it overrides."""
        from tidewheel.plan.placement import Placement  # noqa: PLC0415

        _require_one_of(mode, PlacementMode, "placement")
        wanted = mode or self._placement or self._definition().config.placement
        local = self.name == "local"
        if wanted == "spark" and local:
            raise UserError(
                "the local engine runs nothing on Spark",
                code="bad-option",
                detail="The project says `engine: local`, and the placement is to be `spark`.",
                hint="Leave out one of the two.",
            )
        return Placement(is_local=local, is_here=local or self._is_here, mode=wanted)

    @property
    def name(self) -> EngineName:
        return self._name or self._definition().config.engine

    @property
    def _is_here(self) -> bool:
        """Is Spark on this very machine, so that the driver can do as much as it."""
        options = self._definition().config.spark
        if self._given_spark is not None:
            return str(self._given_spark.conf.get("spark.master", "")).startswith("local")
        return not options.remote and options.master.startswith("local")


def _require_one_of(given: str | None, choices: Any, what: str) -> None:
    if given not in (None, *get_args(choices)):
        raise UserError(
            f'{what} "{given}" does not exist', code="bad-option", hint=f"Write one of: {', '.join(get_args(choices))}."
        )
