"""Rule: one union instead of nested ones."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.ir.norm.guards import same_types
from tidewheel.ir.rel import Rel, Union


def flatten_unions(rel: Union) -> Iterator[Rel]:
    """(x UNION ALL y) UNION ALL z = x UNION ALL y UNION ALL z; and a union of one part is that part.

    Only if the inner parts have the types of the inner union: a widening in two steps may end elsewhere than in one.

        (SELECT 1 AS a UNION ALL SELECT 1.5) UNION ALL SELECT 2L   -- 1 passes through DECIMAL(11,1), and then on
    """
    if len(rel.parts) == 1:
        yield rel.parts[0]
    elif any(map(_is_flat, rel.parts)):
        parts = [inner for part in rel.parts for inner in (_inner(part) if _is_flat(part) else (part,))]
        yield Union(parts=tuple(parts))


def _is_flat(part: Rel) -> bool:
    return isinstance(part, Union) and all(same_types(part, inner) for inner in part.parts)


def _inner(part: Rel) -> tuple[Rel, ...]:
    return part.parts if isinstance(part, Union) else (part,)
