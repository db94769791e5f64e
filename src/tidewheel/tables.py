"""The relations of a project as tables: of its last epoch, or of an older one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewheel.project.lookup import a_number
from tidewheel.store.epochs import Epoch, latest_epoch

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from tidewheel.snapshot import Answer, ProjectSnapshot
    from tidewheel.store.expiry import EpochSummary


from tidewheel.workspace import Workspace


class Tables(Workspace):
    """What a project has published, to be read."""

    def epoch(self, number: int | None = None) -> Epoch:
        """The record of an epoch, by default the last."""
        warehouse = self.warehouse_to_read()
        wanted = a_number(number, "epoch")
        if wanted is None:
            return latest_epoch(warehouse)
        from tidewheel.store.expiry import readable_epoch  # noqa: PLC0415

        return readable_epoch(warehouse, wanted)

    def epochs(self, *, limit: int | None = None) -> list[EpochSummary]:
        """The epochs that can be read, newest first."""
        import itertools  # noqa: PLC0415

        from tidewheel.store.expiry import readable_epochs  # noqa: PLC0415

        return list(itertools.islice(readable_epochs(self.warehouse_to_read()), a_number(limit, "limit")))

    def snapshot(self, epoch: int | None = None) -> ProjectSnapshot:
        """Several relations at one cut; use it in a `with` block, so that vacuum knows of it."""
        from tidewheel.snapshot import ProjectSnapshot  # noqa: PLC0415

        return ProjectSnapshot(self.definition(), self.engines, self.epoch(epoch), latest=epoch is None)

    def table(self, name: str, *, epoch: int | None = None) -> DataFrame:
        """A relation as a Spark DataFrame, as of the last epoch or an older one."""
        return self.snapshot(epoch).frame(name, allow_stale=True)

    def to_arrow(self, name: str, *, epoch: int | None = None) -> pa.Table:
        """A relation as an Arrow table. No JVM."""
        return self.snapshot(epoch).to_arrow(name, allow_stale=True)

    def to_pandas(self, name: str, *, epoch: int | None = None) -> pd.DataFrame:
        """A relation as a pandas DataFrame. No JVM."""
        return self.snapshot(epoch).to_pandas(name, allow_stale=True)

    def to_polars(self, name: str, *, epoch: int | None = None) -> pl.DataFrame:
        """A relation as a Polars DataFrame. No JVM."""
        return self.snapshot(epoch).to_polars(name, allow_stale=True)

    def query(self, sql: str, *, epoch: int | None = None, limit: int | None = None) -> pa.Table:
        """The rows of a query over the relations of an epoch, the first of them if there is a limit.

        If it reads sources alone, and no epoch is given, it reads their newest rows.
        """
        return self.answer(sql, epoch=epoch, limit=limit).rows

    def answer(self, sql: str, *, epoch: int | None = None, limit: int | None = None) -> Answer:
        """The rows of a query, where it ran, and the sources that have newer rows."""
        with self.snapshot(epoch) as snapshot:
            return snapshot.answer(sql, limit=limit, newest=epoch is None)
