"""Files that land in the folder of a source, long settled; what may happen to them, and what must be there after it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

import tidewheel as tw
from tests.e2e.foreign import Rows, bag, delta_rows

VIEWS = {"v": "SELECT a, b FROM s", "size": "SELECT count(*) AS n, sum(a) AS total FROM v"}
LONG_AGO = 1_000_000_000


def settle(path: Path, at: int = LONG_AGO) -> Path:
    """Give a file an old time, so that nobody has to wait until it has settled."""
    os.utime(path, (at, at))
    return path


def land(folder: Path, name: str, rows: Rows | bytes | str, at: int = LONG_AGO) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(rows, bytes):
        path.write_bytes(rows)
    elif isinstance(rows, str):
        path.write_text(rows)
    else:
        pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema([("a", pa.int64()), ("b", pa.string())])), path)
    return settle(path, at)


def assert_holds(project: tw.Project, *rows: tuple[int | None, str | None]) -> None:
    wanted = bag([{"a": a, "b": b} for a, b in rows])
    assert bag(project.to_arrow("v").to_pylist()) == bag(project.to_arrow("s").to_pylist()) == wanted
    assert bag(delta_rows(Path(project.root) / "warehouse" / "s")) == wanted
    assert project.to_arrow("size").to_pylist()[0]["n"] == len(rows)


def set_option(project: tw.Project, **options: Any) -> None:
    path = Path(project.root) / "tidewheel.yml"
    body = yaml.safe_load(path.read_text())
    body["sources"]["s"] |= options
    path.write_text(yaml.safe_dump(body))


CHANGES: dict[str, Callable[[Path], object]] = {
    "changed": lambda folder: land(folder, "one.parquet", [{"a": 5, "b": "new"}], at=LONG_AGO + 5),
    "changed text": lambda folder: land(folder, "two.csv", "a,b\n7,seven\n", at=LONG_AGO + 5),
    "removed": lambda folder: (folder / "one.parquet").unlink(),
    "renamed": lambda folder: (folder / "one.parquet").rename(folder / "other.parquet"),
}
AFTER: dict[str, list[tuple[int | None, str | None]]] = {
    "changed": [(5, "new"), (2, "y")],
    "changed text": [(1, "x"), (7, "seven")],
    "removed": [(2, "y")],
    "renamed": [(1, "x"), (2, "y")],
}
