"""Other refreshes under way. Waiting for them saves work that would be lost; safety never depends on it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import Any, Final

from tidewheel.errors import ConflictError, StoreError
from tidewheel.run.outcome import Run
from tidewheel.run.staged import Listener
from tidewheel.store import disk
from tidewheel.store.vacuum import ABANDONED_SECONDS
from tidewheel.store.warehouse import Warehouse

POLL_SECONDS: Final = 0.2
UNCLAIMED_SECONDS: Final = 60
"""So long may a run plan before it says who it is; one that is silent for longer has died."""


def in_turn(refresh: Callable[[], Run], warehouse: Warehouse, listener: Listener) -> Run:
    """Refresh when nobody else does, and again if another run won all the same: each time on the newer epoch."""
    while True:
        wait_for_others(warehouse, listener)
        try:
            return refresh()
        except ConflictError as error:
            listener("wait", f"{error.message}; planning again", None)


def wait_for_others(warehouse: Warehouse, listener: Listener) -> None:
    """Return when no other refresh is under way; whom it waits for is told once each."""
    told: set[str] = set()
    while others := under_way(warehouse):
        for attempt in others.keys() - told:
            listener("wait", f"waiting for {others[attempt]}", None)
        told |= others.keys()
        time.sleep(POLL_SECONDS)


def under_way(warehouse: Warehouse) -> dict[str, str]:
    """Refreshes that may still publish, by their attempt, and who runs them."""
    found = {}
    for name in disk.list_names(warehouse.own("intents")):
        folder = warehouse.own("intents", name)
        try:
            age = time.time() - os.stat(folder).st_mtime
            claim: Any = disk.read_json(os.path.join(folder, "claim.json"), "a claim")
        except FileNotFoundError:  # it is planning, or has ended
            claim = None
        except StoreError:
            continue
        if claim is None and os.path.isdir(folder) and age < UNCLAIMED_SECONDS:
            found[name] = "another run, which is planning"
        elif claim is not None and _is_alive(claim, age):
            found[name] = f"process {claim['pid']} on {claim['host']}, which builds epoch {claim['epoch']}"
    return found


def _is_alive(claim: Any, age: float) -> bool:
    """Is the process there; of another machine nobody knows, until `vacuum` would give up on it."""
    if claim["host"] != socket.gethostname():
        return age < ABANDONED_SECONDS
    try:
        os.kill(claim["pid"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
