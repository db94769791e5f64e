"""Checkpoints of our own Delta logs, so that opening a table stays quick."""

from __future__ import annotations

from tidewheel.errors import StoreError
from tidewheel.store import disk, log
from tidewheel.store.tables import open_table

EVERY = 25


def checkpoint_if_due(table: str, version: int) -> None:
    """A checkpoint can be made again from the log: callers suppress the StoreError, and the next open is slower."""
    if version % EVERY != EVERY - 1:
        return
    from deltalake.exceptions import DeltaError  # noqa: PLC0415  70 ms that few calls pay

    with disk.io_step("checkpoint.write", log.log_dir(table)):
        try:
            open_table(table, version).create_checkpoint()
        except DeltaError as error:  # also what a full disk looks like from there
            raise StoreError(
                "cannot write a checkpoint",
                code="io-error",
                detail=f"Table: {table}. {str(error).splitlines()[0]}.",
                hint="Check the disk and the folder, then run again.",
            ) from error
