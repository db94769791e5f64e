"""Many small ingests leave many small files: now and then they are merged, by size, and the log is checkpointed.

Files are merged with others of about their own size, so each row is rewritten a number of times that grows only with
the logarithm of the table. A merge changes no row and says so (`dataChange: false`): no view is recomputed for it.
"""

from __future__ import annotations

import math
import os

from tidewheel.ingest.commit import ROWS_PER_FILE, IngestAttempt, begin, discarding, newest_version, write_batches
from tidewheel.store import disk, log
from tidewheel.store.arrow import read_batches
from tidewheel.store.checkpoint import checkpoint_if_due
from tidewheel.store.log import DataFile
from tidewheel.store.tables import read_snapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema

LOOK_EVERY = 8
FAN_IN = 8
SMALL = 32 * 1024 * 1024
FEW = ROWS_PER_FILE // 2


def keep_up(warehouse: Warehouse, source: str, version: int) -> None:
    """Look now and then; losing a race here costs nothing, the next look does it."""
    if version % LOOK_EVERY == LOOK_EVERY - 1:
        compact(warehouse, source)
    checkpoint_if_due(warehouse.table(source), version)


def compact(warehouse: Warehouse, source: str) -> bool:
    """Merge small files of one size class into one; True if it was done."""
    attempt = begin(warehouse, source)  # before the newest version is read, as always
    try:
        with discarding(attempt):
            version = newest_version(warehouse.table(source))
            snapshot = read_snapshot(warehouse.table(source), version, cache=warehouse.own("cache", "deleted"))
            chosen = choose(snapshot.files)
            done = bool(chosen) and _merge(attempt, chosen, snapshot.schema, version)
    except FileNotFoundError:
        return False  # another ingest has replaced these files and `vacuum` has taken them: the race is lost
    if done:
        attempt.done()
    else:
        attempt.discard()
    return done


def choose(files: tuple[DataFile, ...]) -> list[DataFile]:
    """All files of each size class (a factor of FAN_IN wide) that has FAN_IN or more of them."""
    classes: dict[int, list[DataFile]] = {}
    for file in files:
        if file.size < SMALL and file.rows < FEW:
            classes.setdefault(int(math.log(max(file.size, 4096), FAN_IN)), []).append(file)
    return [f for group in classes.values() if len(group) >= FAN_IN for f in group]


def _merge(attempt: IngestAttempt, chosen: list[DataFile], schema: Schema, version: int) -> bool:
    paths = [os.path.join(attempt.table, f.path) for f in chosen]
    with disk.io_step("ingest.compact", attempt.data):
        merged = write_batches(attempt, read_batches(paths, schema), schema, "merged")
    actions = [log.remove_action(f.path, data_change=False) for f in chosen]
    actions += [log.add_action(f, data_change=False) for f in merged]
    return attempt.publish(version + 1, log.commit_text("COMPACT", {}, actions))
