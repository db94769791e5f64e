"""Rule: inputs without rows, below operators that have some all the same."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.norm.guards import null_of
from tidewheel.ir.props import is_empty
from tidewheel.ir.rel import Distinct, Join, Project, Rel, SetOp, Union
from tidewheel.ir.scalar import Scalar, identity
from tidewheel.ir.typing import types_of
from tidewheel.types import UNKNOWN


def remove_empty_part(rel: Union | Join | SetOp) -> Iterator[Rel]:
    """R UNION ALL nothing = R, R LEFT JOIN nothing = R with NULLs, R ANTI JOIN nothing = R, R EXCEPT ALL nothing = R.

    The types must stay: an empty part may be what made a column of the union wider. Not so:

        nothing LEFT JOIN r   -- nothing;   nothing FULL JOIN r   -- r with NULLs on its left
    """
    for new in _without_empty(rel):
        types = types_of(rel)
        if UNKNOWN not in types and types_of(new) == types:
            yield new


def _without_empty(rel: Union | Join | SetOp) -> Iterator[Rel]:
    rows = [not is_empty(part) for part in rel.inputs]
    if all(rows) or not any(rows):
        return
    match rel:
        case Union():
            yield Union(parts=tuple(part for part, has in zip(rel.parts, rows, strict=True) if has))
        case SetOp(kind="except", left=left):
            if rows[0]:
                yield left if rel.all else Distinct(input=left)
        case Join(kind="anti", left=left):
            if rows[0]:
                yield left
        case Join(kind="left" | "full", left=left, right=right):
            if rows[0] and (nulls := _nulls(right)) is not None:
                yield Project(input=left, exprs=(*identity(left.width), *nulls))
            elif rel.kind == "full" and rows[1] and (nulls := _nulls(left)) is not None:
                yield Project(input=right, exprs=(*nulls, *identity(right.width)))


def _nulls(rel: Rel) -> list[Scalar] | None:
    nulls = [null_of(kind) for kind in types_of(rel)]
    found = [n for n in nulls if n is not None]
    return found if len(found) == len(nulls) else None
