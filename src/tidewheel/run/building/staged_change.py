"""The change of one stored relation as it was written, and which files are rewritten for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidewheel.optimize.maintenance import Statement
from tidewheel.run.building.spread import rows_per_file
from tidewheel.store.log import DataFile
from tidewheel.types import Schema

MANY = 8
"""So many small files are left as they are."""


@dataclass(frozen=True, slots=True)
class StagedChange:
    """The change of one stored relation as it was written."""

    statement: Statement
    files: tuple[DataFile, ...]
    schema: Schema
    goes: int
    """How many of its rows go."""
    touched: tuple[DataFile, ...]
    """The stored files that may hold them."""

    @property
    def rows(self) -> int:
        return sum(f.rows for f in self.files)

    @property
    def comes(self) -> int:
        return self.rows - self.goes


class RowsMissing(Exception):  # noqa: N818  no error of anybody's: the view is built in full
    """A row that should go was not stored: it came out differently when it was computed again."""


class InDoubt(Exception):  # noqa: N818  no error of anybody's: the change is computed with all that it may need
    """A quick change is not to be used, or not quick."""


def with_small(files: Sequence[DataFile], touched: list[DataFile], part: StagedChange) -> list[DataFile]:
    """Together with the files that have few rows, if there are many of those."""
    few = rows_per_file(sum(f.rows for f in files)) // 4
    small = [f for f in files if f.rows < few and f not in touched]
    return [*touched, *small] if len(small) + len(part.files) > MANY else touched
