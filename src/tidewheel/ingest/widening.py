"""Columns that a declaration adds to a managed source, taken over into its table by a commit of their own.

Such a commit moves no row: older files simply have no such column, and every reader gives NULL for it.
"""

from __future__ import annotations

from tidewheel.ingest.commit import TRIES, begin, busy, discarding, newest_version
from tidewheel.project.config import ManagedSource
from tidewheel.schema_json import schema_from_json
from tidewheel.store import log
from tidewheel.store.sources import added_columns
from tidewheel.store.tables import open_table
from tidewheel.store.warehouse import Warehouse


def widen(warehouse: Warehouse, name: str, source: ManagedSource) -> None:
    """Give the table the declared columns that it has not; nothing is done if it has them all."""
    for _ in range(TRIES):
        if newest_version(warehouse.table(name)) < 0 or not _missing(warehouse.table(name), source):
            return
        if _try(warehouse, name, source):
            return
    raise busy(name)


def _missing(table: str, source: ManagedSource) -> list[str]:
    found = schema_from_json(open_table(table).schema().to_json())
    return [field.name for field in added_columns(source, found)]


def _try(warehouse: Warehouse, name: str, source: ManagedSource) -> bool:
    """One try, on the version that is the newest now; False if somebody else was quicker."""
    attempt = begin(warehouse, name)  # before the newest version is read, as always
    with discarding(attempt):
        version = newest_version(attempt.table)
        opened = open_table(attempt.table, version)
        columns = [f.name for f in added_columns(source, schema_from_json(opened.schema().to_json()))]
        schema = source.declared
        if not columns or schema is None:
            attempt.discard()
            return True
        actions = log.schema_change_actions(schema, str(opened.metadata().id))
        done = attempt.publish(version + 1, log.commit_text("ADD COLUMNS", {"columns": columns}, actions))
    if done:
        attempt.done()
    else:
        attempt.discard()
    return done
