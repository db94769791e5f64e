"""Checkpoints of our own Delta logs, so that opening a table stays quick."""

from __future__ import annotations

from tidewheel.store import disk, log
from tidewheel.store.tables import open_table

EVERY = 25


def checkpoint_if_due(table: str, version: int) -> None:
    """A checkpoint can be made again from the log: failing here would only make the next open slower."""
    if version % EVERY == EVERY - 1:
        with disk.io_step("checkpoint.write", log.log_dir(table)):
            open_table(table, version).create_checkpoint()
