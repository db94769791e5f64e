"""What refreshes taught, in one small file. It may be lost, or written by two runs at once: it is learned again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse


def read(warehouse: Warehouse) -> dict[str, Any]:
    try:
        body = json.loads(disk.read_text(warehouse.own("learnt.json")))
    except (OSError, ValueError):
        return {}
    return body if isinstance(body, dict) else {}


def write(warehouse: Warehouse, body: Mapping[str, Any]) -> None:
    disk.replace(warehouse.own("learnt.json"), json.dumps(body), step="cache.learnt", scratch=warehouse.scratch)
