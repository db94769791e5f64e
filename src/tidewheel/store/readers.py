"""Readers that hold an epoch: `vacuum` keeps what they need."""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
import warnings

from tidewheel.errors import StoreError, TidewheelWarning
from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse


def register(warehouse: Warehouse, epoch: int) -> str:
    """Hold an epoch; returns the registration to release."""
    path = warehouse.own("readers", f"{uuid.uuid4().hex}.json")
    body = {"epoch": epoch, "pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
    disk.create(path, json.dumps(body), step="reader.register", scratch=warehouse.scratch)
    return path


def register_if_allowed(warehouse: Warehouse, epoch: int) -> str | None:
    """Hold an epoch; None, and a warning, if we may only read: then the retention alone protects us."""
    try:
        return register(warehouse, epoch)
    except StoreError as error:
        if error.code != "not-writable":
            raise
    if warehouse.root not in _warned:
        _warned.add(warehouse.root)
        warnings.warn(
            "the warehouse cannot be written to, so `vacuum` does not know of this reader: it may take away what is "
            "read once that is older than the retention",
            TidewheelWarning,
            stacklevel=3,
        )
    return None


_warned: set[str] = set()
"""Warehouses of which it was said in this process."""


def release(registration: str) -> None:
    disk.remove(registration, step="reader.release")


def held_epochs(warehouse: Warehouse) -> set[int]:
    """Epochs held by readers that may still live; registrations of dead processes on this host are ignored."""
    held = set()
    for name in disk.list_names(warehouse.own("readers")):
        try:
            body = disk.read_json(warehouse.own("readers", name), "a reader's registration")
        except FileNotFoundError:
            continue
        try:
            host, pid, epoch = body["host"], int(body["pid"]), int(body["epoch"])
        except (KeyError, TypeError, ValueError) as error:
            path = warehouse.own("readers", name)
            raise disk.damaged("a reader's registration", path, repr(error)) from error
        if host != socket.gethostname() or _is_alive(pid):
            held.add(epoch)
        else:
            disk.remove(warehouse.own("readers", name), step="reader.release")
    return held


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
