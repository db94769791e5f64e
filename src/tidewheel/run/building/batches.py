"""Outputs that are written together, by one execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tidewheel.engine.base import Output
from tidewheel.program import ProgramOptions
from tidewheel.program.growth import tree_size


def batches_of(outputs: Sequence[Output], options: ProgramOptions) -> Iterator[list[Output]]:
    """Outputs that may be written by one execution: not more operators together than an engine should see."""
    some: list[Output] = []
    size = 0
    for output in outputs:
        own = tree_size(output.query.rel)
        if some and (size + own > options.most_operators or len(some) >= options.most_outputs):
            yield some
            some, size = [], 0
        some.append(output)
        size += own
    yield some
