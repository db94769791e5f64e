"""What `verify --deep` looks at besides the rows that users see: hidden columns, states, and change files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tidewheel.engine.base import Output, Session
from tidewheel.engine.local import duck
from tidewheel.ir.rel import Query
from tidewheel.names import WEIGHT, quote_double
from tidewheel.optimize.maintenance import MaintenanceLayout
from tidewheel.plan.defined.maintenance import upkeep_of_view
from tidewheel.project.config import Config
from tidewheel.project.graph import View
from tidewheel.run.building.intermediates import in_pieces
from tidewheel.store.epochs import Kept, Rows, ViewRecord, record_of
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema
from tidewheel.verify.compare import Allowance, compare_files
from tidewheel.verify.orders import Orders


@dataclass(frozen=True, slots=True, kw_only=True)
class Deep:
    """Compares what is stored for one view's maintenance with what it should be."""

    config: Config
    warehouse: Warehouse
    session: Session
    folder: str
    memory: int
    orders: Orders

    def problems(self, view: View, record: ViewRecord, schemas: Mapping[str, Schema]) -> Iterator[str]:
        """A sentence for each thing that is not as it should be."""
        if record.kept is not None:
            upkeep = upkeep_of_view(self.config, self.warehouse, view, schemas, record.kept)
            if isinstance(upkeep, MaintenanceLayout) and upkeep.signature == record.kept.layout:
                yield from self._stored(view, record, record.kept, upkeep)
        if record.change is not None and record.kept is not None:
            yield from self._change(view, record, record.change, record.kept.columns)

    def _stored(self, view: View, record: ViewRecord, kept: Kept, upkeep: MaintenanceLayout) -> Iterator[str]:
        for number, stored in enumerate(upkeep.stored):
            own = stored is upkeep.view
            rows = Rows(files=record.files, schema=kept.columns) if own else kept.states[stored.name]
            folder = os.path.join(self.folder, f"{view.name}-{number}")
            query = Query(rel=stored.layout.plan, names=stored.names)
            order = self.orders.of(query.rel)
            if order.rows:
                continue
            with in_pieces(self.session, view, query, f"{folder}-made", few=False) as over:
                self.session.run(view, [Output(query=over, folder=folder, schema=rows.schema)])
            expected = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".parquet"))
            found = compare_files(
                expected,
                self._paths(view, rows),
                rows.schema,
                memory=self.memory,
                scratch=self.folder,
                allowance=Allowance.of(stored.names, order.columns, rows.schema),
            )
            if found.missing or found.unexpected:
                what = "its hidden columns" if own else f"state {stored.name}"
                yield f"{what}: {found.missing} rows missing, {found.unexpected} rows unexpected"

    def _change(self, view: View, record: ViewRecord, change: Rows, columns: Schema) -> Iterator[str]:
        """The rows before, with the change, are the rows after: also of hidden columns, if the change has them.

        What was built in full and then compared with what was stored has a change of the rows that readers see.
        """
        columns = columns.only(change.schema.names)
        try:
            base = record_of(self.warehouse, view.name, record.base_built)
        except FileNotFoundError:
            return
        if not all(map(os.path.exists, self._paths(view, Rows(files=base.files, schema=columns)))):
            return  # vacuumed: nothing needs the rows before any more
        names = ", ".join(quote_double(n) for n in columns.names)
        before, after = (
            f"SELECT {names} FROM {duck.scan(self._paths(view, r), columns)}"
            for r in (Rows(files=base.files, schema=columns), Rows(files=record.files, schema=columns))
        )
        source = duck.scan(self._paths(view, change), change.schema)
        signed = WEIGHT in change.schema.names
        come, go = (f" WHERE {WEIGHT} > 0", f" WHERE {WEIGHT} < 0") if signed else ("", " WHERE false")
        come, go = (f"SELECT {names} FROM {source}{where}" for where in (come, go))
        wanted = f"(({before}) UNION ALL ({come})) EXCEPT ALL ({go})"
        read = [*self._paths(view, change), *self._paths(view, Rows(files=record.files, schema=columns))]
        with duck.io_errors(self.folder, read), duck.connect(memory=self.memory, scratch=self.folder) as connection:
            for a, b, what in ((wanted, after, "missing"), (after, wanted, "unexpected")):
                (count,) = connection.execute(f"SELECT count(*) FROM (({a}) EXCEPT ALL ({b}))").fetchone() or (0,)
                if count:
                    yield f"its change since epoch {record.base_built}: {count} rows {what}"

    def _paths(self, view: View, rows: Rows) -> list[str]:
        return [os.path.join(self.warehouse.table(view.name), f.path) for f in rows.files]
