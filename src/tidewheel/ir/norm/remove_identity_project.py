"""Rule: a projection that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.rel import Project, Rel
from tidewheel.ir.scalar import identity


def remove_identity_project(rel: Project) -> Iterator[Rel]:
    """Project((c0, ..., cn), x) = x, if these are all columns of x in their order."""
    if rel.exprs == identity(rel.input.width):
        yield rel.input
