"""The sessions of a run: that of its engine, and one in this process for what is too small to ask a cluster for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, TypeVar

from tidewheel.engine.base import Engine, Session
from tidewheel.engine.local.engine import LocalEngine
from tidewheel.errors import ExecutionError, TidewheelError, UserError
from tidewheel.plan.placement import Placement
from tidewheel.plan.plan import Reason, RunPlace
from tidewheel.project.definition import Definition
from tidewheel.project.values import parse_bytes
from tidewheel.run.staged import Listener
from tidewheel.store.warehouse import Warehouse

T = TypeVar("T")
BEYOND: Final = frozenset({"not-local", "out-of-memory"})
"""What says nothing about a statement but that it is not for the driver."""
MAYBE_BEYOND: Final = BEYOND | {"query-failed", "invalid-query"}
"""What may be the driver's fault alone: Spark, which defines what a view is, has the last word."""


class Sessions:
    """Each is opened when it is first needed: a run of small changes starts no cluster. Safe to use from threads."""

    def __init__(
        self, engine: Engine, placement: Placement, definition: Definition, warehouse: Warehouse, listener: Listener
    ) -> None:
        self.placement, self.is_local = placement, placement.is_local
        self.failure: TidewheelError | None = None
        """Why the engine cannot be used: no matter of a single view."""
        self.places: dict[str, tuple[RunPlace, Reason | None]] = {}
        """By view, where its statements ran: on Spark if one of them did, and why."""
        self._started, self._definition, self._warehouse = engine, definition, warehouse
        self.listener = listener
        self._engine: Session | None = None
        self._driver: Session | None = None
        self._lock = threading.Lock()

    def run(
        self,
        view: str,
        statement: Callable[[Session], T],
        *,
        refused: Reason | None,
        beyond: frozenset[str] = BEYOND,
        undo: Callable[[], None],
    ) -> T:
        """A statement in the driver, unless that is refused; on Spark then, or if it turns out to be beyond it."""
        if refused is None:
            try:
                return self._placed(view, "driver", None, self.driver, statement)
            except (UserError, ExecutionError) as error:
                if self.is_local or error.code not in beyond:
                    raise
                undo()
                refused = Reason("beyond-driver", error.message)
        return self._placed(view, "spark", refused, self.engine, statement)

    def _placed(
        self,
        view: str,
        place: RunPlace,
        why: Reason | None,
        session: Callable[[], Session],
        statement: Callable[[Session], T],
    ) -> T:
        opened = session()
        if self.places.get(view, ("driver", None))[0] == "driver":
            self.places[view] = (place, why)
        return statement(opened)

    def engine(self) -> Session:
        with self._lock:
            if self.failure is not None:
                raise self.failure
            if self._engine is None:
                if not self._started.is_ready:
                    self.listener("engine", "starting Spark ...", None)
                try:
                    self._engine = self._started.session(self._definition.config.settings)
                except TidewheelError as error:
                    self.failure = error
                    raise
            return self._engine

    def driver(self) -> Session:
        """The session in this process; that of the engine, if the engine is in this process."""
        if self.is_local:
            return self.engine()
        with self._lock:
            if self._driver is None:
                config = self._definition.config
                local = LocalEngine(parse_bytes(config.memory), self._warehouse.scratch)
                self._driver = local.session(config.settings)
            return self._driver

    def has_another(self, session: Session) -> bool:
        """Is there another session for what one does not manage."""
        return session is self._driver and not self.is_local

    def waited(self) -> float:
        """Seconds that this thread has waited for others, since it was last asked."""
        return sum(session.waited() for session in (self._engine, self._driver) if session is not None)

    def is_to_blame(self, error: TidewheelError) -> bool:
        """Is an error one of the engine, so that no other statement can do better.

        The driver can, if it is to do whatever it can: then it is a matter of the views that need Spark.
        """
        return self.placement.mode != "driver" and (error is self.failure or error.code == "spark-died")

    def close(self) -> None:
        for session in (self._engine, self._driver):
            if session is not None:
                session.close()
