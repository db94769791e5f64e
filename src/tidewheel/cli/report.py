"""The rows that `show` prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewheel.api import Project


def head(project: Project, name: str, limit: int, epoch: int | None) -> pa.Table:
    """The first rows of a relation, reading no more files than it takes; of a source, as it is now."""
    import pyarrow as pa  # noqa: PLC0415

    from tidewheel.store.arrow import conform, read_batches, to_arrow  # noqa: PLC0415
    from tidewheel.store.tables import read_delta  # noqa: PLC0415

    contents = project.snapshot(epoch).contents(name, allow_stale=True, newest=epoch is None)
    found: Iterable[pa.RecordBatch] = read_batches(contents.paths(), contents.schema)
    if contents.partition_columns:
        found = (conform(b, to_arrow(contents.schema)) for b in read_delta(contents.table, contents.version))
    batches, rows = [], 0
    for batch in found:
        batches.append(batch)
        rows += batch.num_rows
        if rows >= limit:
            break
    return pa.Table.from_batches(batches, schema=to_arrow(contents.schema)).slice(0, limit)
