"""What an engine does for a run: name the inputs, run a query, write its result. Spark does it, and DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tidewheel.project.graph import View
from tidewheel.store.tables import Snapshot
from tidewheel.types import Schema

if TYPE_CHECKING:
    import pyarrow as pa


class Session(Protocol):
    """One run's own names and settings in an engine. Safe to use from several threads."""

    def register(self, name: str, snapshot: Snapshot) -> None:
        """Let queries read a pinned relation by its name."""

    def define(self, view: View, sql: str) -> None:
        """Let queries read a view by its name as the query it is, not as stored rows."""

    def write(self, view: View, sql: str, folder: str) -> Schema:
        """Run a view's query, write its rows as Parquet files into a new folder, return its analyzed schema."""

    def collect(self, sql: str) -> pa.Table:
        """The rows of a query."""

    def close(self) -> None:
        """Forget the names."""


class Engine(Protocol):
    name: str
    parallelism: int

    def session(self, settings: dict[str, str]) -> Session:
        """A new session; starts the engine if that has not happened yet."""

    def cancel(self) -> None:
        """Give up what is running."""

    def stop(self) -> None:
        """Release what the engine holds."""
