"""Rule: two projections as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tidewheel.ir.norm.guards import is_deterministic, is_null, keeps_types
from tidewheel.ir.rel import Project, Rel
from tidewheel.ir.scalar import Col, Lambda, Lit, Scalar, children, substitute
from tidewheel.ir.typing import types_of


def merge_projects(rel: Project) -> Iterator[Rel]:
    """Project(e, Project(f, x)) = Project(e[f], x), if nothing is then computed twice.

    A column that is used more than once must be cheap, and nothing may be left to chance:

        SELECT r, r FROM (SELECT rand() AS r FROM t)   -- wrong as SELECT rand(), rand() FROM t
    """
    below = rel.input
    if not isinstance(below, Project) or not all(map(is_deterministic, below.exprs)):
        return
    uses = _uses(rel.exprs)
    if all(uses[i] <= 1 or _is_cheap(expr) for i, expr in enumerate(below.exprs)):
        types = types_of(below)
        if all(keeps_types(expr, below.exprs, types) for expr in rel.exprs):
            yield Project(input=below.input, exprs=tuple(substitute(expr, below.exprs) for expr in rel.exprs))


def _uses(exprs: Sequence[Scalar]) -> Counter[int]:
    """How often each column is evaluated per row; in a lambda, once per element."""
    found: Counter[int] = Counter()
    todo = [(expr, 1) for expr in exprs]
    while todo:
        scalar, times = todo.pop()
        if isinstance(scalar, Col):
            found[scalar.index] += times
        times += isinstance(scalar, Lambda)
        todo.extend((child, times) for child in children(scalar))
    return found


def _is_cheap(scalar: Scalar) -> bool:
    return isinstance(scalar, (Col, Lit)) or is_null(scalar)
