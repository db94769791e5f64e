"""The rows that `show` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewheel.api import Project


def head(project: Project, name: str, limit: int, epoch: int | None) -> pa.Table:
    """The first rows of a relation, reading no more files than it takes."""
    import pyarrow as pa  # noqa: PLC0415

    from tidewheel.store.arrow import read_batches, to_arrow  # noqa: PLC0415

    snapshot = project.snapshot(epoch)
    contents = snapshot.contents(name, allow_stale=True)
    if contents.partition_columns:
        return snapshot.to_arrow(name, allow_stale=True).slice(0, limit)
    batches, rows = [], 0
    for batch in read_batches(contents.paths(), contents.schema):
        batches.append(batch)
        rows += batch.num_rows
        if rows >= limit:
            break
    return pa.Table.from_batches(batches, schema=to_arrow(contents.schema)).slice(0, limit)
