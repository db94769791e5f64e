"""Rule: what all alternatives demand is demanded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tidewheel.ir.norm.guards import is_deterministic, is_movable
from tidewheel.ir.rel import Filter, Join, Rel
from tidewheel.ir.scalar import TRUE, Call, Scalar, conjunction, conjuncts, disjunction
from tidewheel.ir.typing import types_of
from tidewheel.types import DataType


def factor_disjunctions(rel: Filter | Join) -> Iterator[Rel]:
    """(a AND b) OR (a AND c) = a AND (b OR c), in the condition of a filter or a join.

    AND and OR of three values are distributive. It is what makes a join key of an equality that was written into each
    alternative. What moves to the front is evaluated on more rows, so it must never raise:

        WHERE (b <> 0 AND 1 / b > 2) OR (c <> 0 AND 1 / b > 2)   -- wrong as 1 / b > 2 AND (b <> 0 OR c <> 0)
    """
    if isinstance(rel, Filter):
        predicate, types = rel.predicate, types_of(rel.input)
    else:
        predicate, types = rel.residual, (*types_of(rel.left), *types_of(rel.right))
    parts = conjuncts(predicate)
    if not any(isinstance(part, Call) and part.name == "or" for part in parts) or not is_deterministic(predicate):
        return
    new = conjunction([_factored(part, types) for part in parts])
    if new != conjunction([predicate]):
        yield replace(rel, predicate=new) if isinstance(rel, Filter) else replace(rel, residual=new)


def _factored(part: Scalar, types: Sequence[DataType]) -> Scalar:
    if not (isinstance(part, Call) and part.name == "or"):
        return part
    alternatives = [conjuncts(alternative) for alternative in part.args]
    common = [c for c in alternatives[0] if all(c in other for other in alternatives) and is_movable(c, types)]
    if not common:
        return part
    rest = [conjunction([c for c in other if c not in common]) for other in alternatives]
    return conjunction(common if TRUE in rest else [*common, disjunction(rest)])
