"""What an engine does for a run: name the inputs, run a query, write its result. Spark does it, and DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tidewheel.ir.rel import Query
from tidewheel.project.graph import View
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How rows are spread over files: sorted by `order`, about `rows` in each.

    `bounds` are literals, ascending: values of the first column of the order at which one file ends and the next
    begins, where that is known beforehand. If files must be `apart`, none reaches across a bound.
    """

    order: tuple[str, ...]
    rows: int
    bounds: tuple[str, ...] = ()
    apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A plan whose rows are to be written. With a schema given, its columns are brought to those types.

    Outputs of one run have no column names in common but that of the weight.
    """

    query: Query
    folder: str
    schema: Schema | None = None
    spread: Spread | None = None


class Session(Protocol):
    """One run's own names and settings in an engine. Safe to use from several threads."""

    copies: bool
    """Is what a statement reads twice planned, and mostly computed, twice: then its size is that of a tree."""

    def register(self, name: str, *parts: TableSnapshot) -> None:
        """Let queries read a pinned relation by its name; several parts of the same columns are read together."""

    def define(self, view: View, sql: str) -> None:
        """Let queries read a view by its name as the query it is, not as stored rows."""

    def write(self, view: View, sql: str, folder: str, spread: Spread | None = None) -> Schema:
        """Run a view's query, write its rows as Parquet files into a new folder, return its analyzed schema."""

    def run(self, view: View, outputs: Sequence[Output]) -> list[Schema]:
        """Compute plans and write the rows of each as Parquet files into a folder, all in one execution."""

    def make(self, view: View, name: str, query: Query, folder: str, *, few: bool) -> int:
        """Compute a plan once, and let queries read its rows by a name; how many there are.

        If `few` are expected they may be held by the driver; if not, they may be written into a new folder.
        """

    def drop(self, name: str) -> None:
        """Forget what was made. Files in its folder are the caller's to remove."""

    def bytes(self, name: str) -> int:
        """What something that was made takes."""

    def collect(self, sql: str, limit: int | None = None) -> pa.Table:
        """The rows of a query, in its order; the first of them if there is a limit."""

    def waited(self) -> float:
        """Seconds that this thread has waited for others to be served, since it was last asked."""

    def close(self) -> None:
        """Forget the names."""


class Engine(Protocol):
    name: str
    parallelism: int

    @property
    def is_ready(self) -> bool:
        """Does it give a session without a wait."""

    def start(self, size: int) -> None:
        """Begin to start in the background, for work over so many bytes."""

    def session(self, settings: dict[str, str]) -> Session:
        """A new session; starts the engine if that has not happened yet."""

    def cancel(self) -> None:
        """Give up what is running."""

    def stop(self) -> None:
        """Release what the engine holds."""
