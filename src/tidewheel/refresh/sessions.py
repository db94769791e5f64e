"""The sessions of a run: that of its engine, and one in this process for what is too small to ask a cluster for."""

from __future__ import annotations

import threading

from tidewheel.engine.base import Engine, Session
from tidewheel.engine.local.engine import LocalEngine
from tidewheel.errors import TidewheelError
from tidewheel.project.config import parse_bytes
from tidewheel.project.definition import Definition
from tidewheel.refresh.look import Where
from tidewheel.store.warehouse import Warehouse


class Sessions:
    """Each is opened when it is first needed: a run of small changes starts no cluster. Safe to use from threads."""

    def __init__(self, engine: Engine, where: Where, definition: Definition, warehouse: Warehouse) -> None:
        self.where, self.is_local = where, where.is_local
        self.failure: TidewheelError | None = None
        """Why the engine cannot be used: no matter of a single view."""
        self._started, self._definition, self._warehouse = engine, definition, warehouse
        self._engine: Session | None = None
        self._driver: Session | None = None
        self._lock = threading.Lock()

    def engine(self) -> Session:
        with self._lock:
            if self.failure is not None:
                raise self.failure
            if self._engine is None:
                try:
                    self._engine = self._started.session(self._definition.config.settings)
                except TidewheelError as error:
                    self.failure = error
                    raise
            return self._engine

    def driver(self) -> Session:
        """The same session, if the engine is in this process."""
        if self.is_local:
            return self.engine()
        with self._lock:
            if self._driver is None:
                config = self._definition.config
                local = LocalEngine(parse_bytes(config.memory), self._warehouse.scratch)
                self._driver = local.session(config.settings)
            return self._driver

    def waited(self) -> float:
        """Seconds that this thread has waited for others, since it was last asked."""
        return sum(session.waited() for session in (self._engine, self._driver) if session is not None)

    def is_to_blame(self, error: TidewheelError) -> bool:
        """Is an error one of the engine, so that no other statement can do better."""
        return error is self.failure or error.code == "spark-died"

    def close(self) -> None:
        for session in (self._engine, self._driver):
            if session is not None:
                session.close()
