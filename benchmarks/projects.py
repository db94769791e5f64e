"""Projects to be planned: the TPC-H views, the TPC-DS views, or made-up ones, with a change that is not in them yet.

    PYTHONPATH=src:. python benchmarks/projects.py build/bench/planning/TPC-H TPC-H

It is a program of its own so that the code of any commit can make the projects that it is to plan.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.streams import tpcds, tpch

import tidewheel as tw
from tidewheel.demo.shop import Batch


class Synthetic:
    """Views over eight tables and over each other: each reads one or two of the relations made before it."""

    def __init__(self) -> None:
        table = {"kind": "managed", "schema": "id BIGINT, k BIGINT, v BIGINT", "key": ["id"]}
        self.sources = {f"t{n}": table for n in range(8)}
        self.rows = 0

    def views(self, count: int) -> dict[str, str]:
        names = list(self.sources)
        found: dict[str, str] = {}
        for n in range(count):
            left, right = names[n], names[(n * 7 + 3) % len(names)] if n % 8 else names[n + 1]
            found[f"v{n}"] = self._sql(n, left, right)
            names.append(f"v{n}")
        return found

    def _sql(self, n: int, left: str, right: str) -> str:
        forms = (
            f"SELECT l.id, l.k, r.v FROM {left} AS l JOIN {right} AS r ON l.id = r.id WHERE l.k <> {n}",
            f"SELECT k AS id, count(*) AS k, sum(v) AS v FROM {left} GROUP BY k HAVING sum(v) > {n % 50}",
            f"SELECT l.id, l.k, coalesce(r.v, 0) AS v FROM {left} AS l LEFT JOIN {right} AS r ON l.k = r.id",
            f"SELECT id, k, v FROM {left} WHERE k IN (SELECT k FROM {right} WHERE v > {n % 10})",
        )
        return forms[n % len(forms)]

    def load(self) -> Iterator[Batch]:
        yield from self._appended(40)

    def round(self) -> Iterator[Batch]:
        yield from self._appended(2)

    def _appended(self, count: int) -> Iterator[Batch]:
        start, self.rows = self.rows, self.rows + count
        for name in self.sources:
            yield Batch(name, "append", self._rows(start, count))

    def _rows(self, start: int, count: int) -> pa.Table:
        ids = range(start, start + count)
        return pa.table({"id": list(ids), "k": [i % 7 for i in ids], "v": [i * 11 % 100 for i in ids]})


def project_of(name: str) -> tuple[Any, Mapping[str, str]]:
    """Changes and views: "TPC-H", "TPC-DS", or a number of made-up views, as in "500 views"."""
    if name == "TPC-H":
        return tpch.TpchStream(1, fraction=0.01), tpch.VIEWS
    if name == "TPC-DS":
        return tpcds.TpcdsStream(1), tpcds.VIEWS
    synthetic = Synthetic()
    return synthetic, synthetic.views(int(name.split(maxsplit=1)[0]))


def make(folder: Path, name: str) -> None:
    """The project, and in `more` what comes next: more rows, but no other kinds of changes."""
    shutil.rmtree(folder, ignore_errors=True)
    stream, views = project_of(name)
    project = tw.create(folder / "project", sources=stream.sources, views=views, engine="local")
    _ingest(project, stream.load())
    run = project.refresh()
    if run.failed:
        raise AssertionError({name: str(view.error) for name, view in run.failed.items()})
    changes = list(stream.round())
    _ingest(project, changes)
    kinds = {(batch.source, batch.mode) for batch in changes}
    more = [batch for _ in range(3) for batch in stream.round() if (batch.source, batch.mode) in kinds]
    (folder / "more").mkdir()
    for number, batch in enumerate(more):
        pq.write_table(batch.rows, folder / "more" / f"{number:03}.{batch.source}.{batch.mode}.parquet")
    (folder / "done").touch()


def _ingest(project: tw.Project, batches: Iterable[Batch]) -> None:
    for batch in batches:
        project.ingest(batch.source, batch.rows, mode=batch.mode)


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2])
