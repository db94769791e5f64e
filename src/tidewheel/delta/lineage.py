"""Where a column comes from, if it is a stored column as it is."""

from __future__ import annotations

from tidewheel.ir.rel import Aggregate, Distinct, Filter, Join, Project, Rel, Scan, TopK, Unnest, Window
from tidewheel.ir.scalar import Col, Scalar


def lineage(rel: Rel, column: int) -> tuple[str, str] | None:
    """The stored relation and the name of its column whose values a column has; None if they are computed."""
    at: Scalar = Col(column)
    while isinstance(at, Col):
        match rel:
            case Scan():
                return rel.relation, rel.columns[at.index].name
            case Project(exprs=exprs):
                at, rel = exprs[at.index], rel.input
            case Aggregate(keys=keys, sets=None) if at.index < len(keys):
                at, rel = keys[at.index], rel.input
            case Filter() | Distinct() | TopK():
                rel = rel.input
            case Window() | Unnest() if at.index < rel.input.width:
                rel = rel.input
            case Join() if at.index < rel.left.width:
                rel = rel.left
            case Join():
                at, rel = Col(at.index - rel.left.width), rel.right
            case _:
                return None
    return None
