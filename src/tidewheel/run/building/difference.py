"""The change of a view that was built in full: what was stored against what is there now.

Views that read it can then go on from changes, as if it had been brought up to date from changes itself.
"""

from __future__ import annotations

import os

from tidewheel.delta.change import comparable, consolidated, difference
from tidewheel.engine.base import Output, Session
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query, Scan
from tidewheel.names import WEIGHT
from tidewheel.project.graph import View
from tidewheel.run.building.built import Home
from tidewheel.store import disk
from tidewheel.store.deltas import with_sign
from tidewheel.store.epochs import Rows, ViewRecord
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema

PART = "difference"


def difference_of(home: Home, view: View, before: ViewRecord, after: ViewRecord) -> Rows | None:
    """The rows that came and went between two records of a view; None if they cannot be compared."""
    if before.schema != after.schema or not comparable([f.type for f in after.schema]):
        return None
    schema = with_sign(after.schema)
    folder = os.path.join(home.folder(view), PART)

    def run(session: Session) -> None:
        query = _query(home, session, view, before, after)
        with disk.io_step("stage.data", folder):
            session.run(view, [Output(query=query, folder=folder, schema=schema)])

    size = sum(f.size for record in (before, after) for f in record.files)
    refused = home.sessions.placement.needs_spark(size, full=False)
    home.sessions.run(view.name, run, refused=refused, undo=lambda: disk.remove(folder, step="discard.attempt"))
    return Rows(files=home.described(view, PART, schema), schema=schema)


def _query(home: Home, session: Session, view: View, before: ViewRecord, after: ViewRecord) -> Query:
    scans = []
    for name, record in (("after", after), ("before", before)):
        shown = f"_tw_{name}_{view.name}"
        table = home.inputs.table(view.name)
        session.register(shown, TableSnapshot(table=table, version=-1, schema=record.schema, files=record.files))
        scans.append(_scan(shown, record.schema))
    change = consolidated(difference(*scans), keyed=False)
    return Query(rel=change.rel, names=(*after.schema.names, WEIGHT))


def _scan(name: str, schema: Schema) -> Scan:
    return Scan(relation=name, columns=tuple(Column(f.name, f.type, f.nullable) for f in schema))
