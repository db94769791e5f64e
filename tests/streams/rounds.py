"""A project, a stream of changes to its sources, and the proof after each refresh that every view equals its query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

import tidewheel as tw
from tests.streams.shadow import Shadow, stored
from tidewheel.demo.shop import Batch
from tidewheel.project.config import PlacementMode
from tidewheel.run.outcome import Run


class Stream(Protocol):
    """Tables that keep changing."""

    @property
    def sources(self) -> Mapping[str, Mapping[str, Any]]:
        """As they stand in tidewheel.yml."""

    def load(self) -> list[Batch]:
        """The first rows of each source."""

    def round(self) -> list[Batch]:
        """What is ingested before the next refresh."""


def run_rounds(
    make: Callable[..., tw.Project], stream: Stream, views: Mapping[str, str], many: int, *, most_full: int = 0
) -> Rounds:
    """Build the views in a new project, take `many` rounds of changes, and compare after each."""
    rounds = Rounds(make(stream.sources, views), stream, views)
    for _ in range(many):
        rounds.step()
    rounds.check_methods(most_full=most_full)
    return rounds


class Rounds:
    """Ingest, refresh, compare; `runs` are the refreshes so far, the first of which builds everything."""

    def __init__(self, project: tw.Project, stream: Stream, views: Mapping[str, str]) -> None:
        self.project, self.stream = project, stream
        self.shadow = Shadow(stream.sources, {name: views[name] for name in project.views})
        self.runs: list[Run] = []
        self.epochs: dict[int, dict[str, pa.Table]] = {}
        self._take(stream.load())

    def step(self, placement: PlacementMode | None = None) -> None:
        self._take(self.stream.round(), placement)

    def _take(self, batches: Sequence[Batch], placement: PlacementMode | None = None) -> None:
        for batch in batches:
            self.project.ingest(batch.source, batch.rows, mode=batch.mode)
            self.shadow.apply(batch)
        run = self.project.refresh(placement=placement)
        assert not run.failed, {name: str(view.error) for name, view in run.failed.items()}
        self.runs.append(run)
        self.shadow.compute()
        self.epochs[run.epoch] = {name: self.shadow.rows(name) for name in self.project.views}
        self._check_tables()

    def _check_tables(self) -> None:
        """Every table, of a source or of a view, holds exactly what it must."""
        found = {name: self.shadow.difference(name, stored(self.project.root, name)) for name in self.shadow.catalog}
        wrong = {f"{name} ({self._last_method(name)})": text for name, text in found.items() if text}
        assert not wrong, f"epoch {self.runs[-1].epoch}: {wrong}"

    def _last_method(self, name: str) -> str:
        view = self.runs[-1].views.get(name)
        return view.method if view else "source"

    def check_epochs(self) -> None:
        """What was published at each epoch is what is read there still: all relations at one cut."""
        for number, views in self.epochs.items():
            with self.project.snapshot(number) as snapshot:
                found = {name: self.shadow.compare(snapshot.to_arrow(name), rows) for name, rows in views.items()}
            assert not any(found.values()), (number, {name: text for name, text in found.items() if text})

    def check_methods(self, *, most_full: int = 0) -> None:
        """After the first build no view was recomputed, but at most so many."""
        print(methods_table(self.runs))
        recomputed = {
            name: f"{view.reason.code}: {view.reason.text}"
            for run in self.runs[1:]
            for name, view in run.views.items()
            if view.method == "full"
        }
        assert len(recomputed) <= most_full, recomputed


def methods_table(runs: Sequence[Run]) -> str:
    """How each view was brought up to date in each run, as a table of text."""
    names = list(dict.fromkeys(name for run in runs for name in run.views))
    rows = [[name, *(run.views[name].method if name in run.views else "" for run in runs)] for name in names]
    table = [["view", *(str(run.epoch) for run in runs)], *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in table)
