"""What each run did: one JSON line a run, one file a month. Cheap to append, and anything can read it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse

BLOCK: Final = 1 << 18
FIELDS = frozenset({"epoch", "started", "seconds", "engine", "published", "views"})
"""What every run has."""


def append(warehouse: Warehouse, run: Mapping[str, Any]) -> None:
    month = str(run["started"])[:7]
    disk.append_line(warehouse.own("history", f"{month}.jsonl"), json.dumps(run), step="history.append")


def read(warehouse: Warehouse) -> Iterator[dict[str, Any]]:
    """All runs, newest first. A line that was cut short by a crash, or damaged since, is no run."""
    for name in sorted(disk.list_names(warehouse.own("history")), reverse=True):
        for line in _from_the_end(warehouse.own("history", name)):
            try:
                run = json.loads(line)
            except ValueError:
                continue
            if isinstance(run, dict) and run.keys() >= FIELDS and isinstance(run["views"], dict):
                yield run


def _from_the_end(path: str) -> Iterator[bytes]:
    """Lines, the last one first: whoever wants the newest few does not read a month."""
    with open(path, "rb") as file:
        end, rest = file.seek(0, os.SEEK_END), b""
        while end > 0:
            begin = max(0, end - BLOCK)
            file.seek(begin)
            rest, *lines = (file.read(end - begin) + rest).split(b"\n")
            yield from reversed(lines)
            end = begin
        yield rest
