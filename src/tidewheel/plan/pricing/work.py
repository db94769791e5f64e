"""The work of scans and rewrites, over the files that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tidewheel.delta.pruning import ColumnBounds
from tidewheel.ir.rel import Rel, Scan
from tidewheel.optimize.cost import Work
from tidewheel.optimize.facts import Facts
from tidewheel.plan.binding.reading import Reading
from tidewheel.plan.binding.requests import PartRequest
from tidewheel.plan.binding.shown import Shown
from tidewheel.store.log import DataFile

UNSORTED = 0.25
"""What it takes to write rows as they come, against writing them in order."""


TWICE = 2
"""A row that is scanned is also looked up, by the join that asks for the part."""


@dataclass(frozen=True, slots=True)
class Use:
    """A scan in a statement of a view, and what it asks for."""

    view: str
    reading: Reading
    scan: Scan
    asked: PartRequest

    def work(self) -> Work:
        """What reading for itself takes."""
        files = self.asked.files
        return Work(read=size_of(files, self.scan), rows=TWICE * files.share * files.rows)


@dataclass(frozen=True, slots=True)
class ReadingStock:
    """What a view's statements may read, for whoever chooses among them."""

    reading: Reading
    known: Callable[[Scan], Facts]

    def show(self, scan: Scan, bounds: ColumnBounds) -> Rel:
        return self.reading.show(scan, bounds)

    def facts(self, scan: Scan) -> Facts:
        return self.known(scan)

    def size(self, scan: Scan) -> float:
        return size_of(self.reading.seen[scan.relation], scan)


def by_view(uses: Sequence[Use], seconds: Callable[[Use], float]) -> dict[str, float]:
    """What the scans of each view take together."""
    found: dict[str, float] = {}
    for use in uses:
        found[use.view] = found.get(use.view, 0.0) + seconds(use)
    return found


def sizes_of(shown: Mapping[str, Shown]) -> Callable[[Scan], float]:
    return lambda scan: size_of(shown[scan.relation], scan)


def size_of(files: Shown, scan: Scan) -> float:
    """Bytes of the columns that a scan reads; they are taken to be of one size."""
    width = len(files.parts[0].schema.fields) if files.parts else 1
    return files.share * files.bytes * min(len(scan.columns) / max(width, 1), 1.0)


def rewriting_work(files: Sequence[DataFile], changed: float, *, signed: bool) -> Work:
    """What it takes to put a change into stored files, anywhere in which its rows may be."""
    rows, size = sum(f.rows for f in files), sum(f.size for f in files)
    each = bytes_of_row(files)
    share = 1 - (1 - 1 / len(files)) ** changed if files and signed else 0.0
    return Work(read=share * size, rows=share * rows, written=share * size + changed * each)


def bytes_of_row(files: Sequence[DataFile]) -> float:
    rows = sum(f.rows for f in files)
    return sum(f.size for f in files) / rows if rows else 50.0
