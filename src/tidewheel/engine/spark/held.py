"""Parts of a plan that several others read, held in memory while it runs.

Spark copies a CTE to every place that reads it, and optimizes, and mostly computes, every copy: a plan whose shared
parts share parts grows without bound. A frame that is persisted is planned by itself and computed once, as part of the
execution that reads it first. It costs a stage, so only what would grow is held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tidewheel.engine.spark.naming import name_frame
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query, Rel, Scan
from tidewheel.ir.tree import nodes, replaced
from tidewheel.sql.unparse import to_spark
from tidewheel.types import schema_from_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GROWS: Final = 24
"""A part of so many operators, with those below it as often as they are read, is held if it is read more than once."""


def parts_to_hold(rel: Rel) -> list[Rel]:
    """The parts of a plan to hold, each after those that it reads."""
    uses = Counter(i.digest for node in nodes(rel) for i in node.inputs)
    sizes: dict[bytes, int] = {}
    found = []
    for node in nodes(rel):
        size = 1 + sum(sizes[i.digest] for i in node.inputs)
        if uses[node.digest] > 1 and size >= GROWS:
            found.append(node)
            size = 1
        sizes[node.digest] = size
    return found


@contextmanager
def holding(session: SparkSession, query: Query, prefix: str) -> Iterator[DataFrame]:
    """The frame of a query, with the parts that would be copied held for as long as it is used."""
    frames: list[DataFrame] = []
    scans: dict[bytes, Rel] = {}
    try:
        for number, part in enumerate(parts_to_hold(query.rel)):
            names = [f"c{i}" for i in range(part.width)]
            frame = session.sql(to_spark(Query(rel=replaced(part, scans), names=tuple(names)))).persist()
            frames.append(frame)
            name = f"{prefix}_{number}"
            name_frame(session, frame, name)
            fields = schema_from_json(frame.schema.json())
            scans[part.digest] = Scan(relation=name, columns=tuple(Column(f.name, f.type, f.nullable) for f in fields))
        yield session.sql(to_spark(Query(rel=replaced(query.rel, scans), names=query.names)))
    finally:
        for frame in frames:
            frame.unpersist()
