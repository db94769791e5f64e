"""What each run did: one JSON line a run, one file a month. Cheap to append, and anything can read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse


def append(warehouse: Warehouse, run: Mapping[str, Any]) -> None:
    month = str(run["started"])[:7]
    disk.append_line(warehouse.own("history", f"{month}.jsonl"), json.dumps(run), step="history.append")


def read(warehouse: Warehouse, *, newest_first: bool = True) -> Iterator[dict[str, Any]]:
    """All runs. A line cut short by a crash is no run: the run's record was being written when it died."""
    for name in sorted(disk.list_names(warehouse.own("history")), reverse=newest_first):
        lines = disk.read_text(warehouse.own("history", name)).splitlines()
        for line in reversed(lines) if newest_first else lines:
            try:
                run = json.loads(line)
            except ValueError:
                continue
            if isinstance(run, dict):
                yield run
