"""Whether a plan's answer hangs on the session's time zone.

A TIMESTAMP is a moment; the zone comes in when it meets a calendar: casts from and to dates and texts, parts of a
date, truncation, literals without an offset. Moving moments about and comparing them with each other does not need it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tidewheel.ir.rel import Aggregate, Join, Rel, SetOp, Union, Window
from tidewheel.ir.scalar import NULL, Call, Case, Cast, Lit, Scalar, children, walk
from tidewheel.ir.tree import nodes, scalars_of
from tidewheel.ir.typing import type_of, types_of
from tidewheel.types import BOOLEAN, TIMESTAMP, VOID, DataType

_MOMENTS_ONLY: Final = frozenset(
    {
        "=", "<=>", "<>", "<", "<=", ">", ">=", "in", "isnull", "isnotnull", "coalesce", "nvl", "ifnull", "nullif",
        "greatest", "least", "count", "min", "max", "first", "first_value", "last", "last_value", "any_value",
        "single_value", "lag", "lead", "nth_value",
    }
)  # fmt: skip
_OFFSET: Final = re.compile(r"(Z|[+-]\d{2}(:?\d{2})?)$")


def depends_on_zone(rel: Rel) -> bool:
    """Careful where functions are not known; types that are not known are taken for other things than moments."""
    return any(_here(node) for node in nodes(rel))


def _here(node: Rel) -> bool:
    match node:
        case Join():
            left, right = types_of(node.left), types_of(node.right)
            if any(_mixes([type_of(k.left, left), type_of(k.right, right)]) for k in node.keys):
                return True
            sides = [(k.left, left) for k in node.keys] + [(k.right, right) for k in node.keys]
            return any(_scalar(s, types) for s, types in [*sides, (node.residual, left + right)])
        case Union() | SetOp():
            columns = zip(*(types_of(part) for part in node.inputs), strict=True)
            return any(_mixes(column) for column in columns)
    types = tuple(t for part in node.inputs for t in types_of(part))
    if any(_scalar(s, types) for s in scalars_of(node)):
        return True
    if isinstance(node, (Aggregate, Window)):
        return any(_call(c.name, [type_of(a, types) for a in c.args]) for c in node.calls)
    return False


def _scalar(scalar: Scalar, types: Sequence[DataType]) -> bool:
    return any(_part(part, types) for part in walk(scalar))


def _part(part: Scalar, types: Sequence[DataType]) -> bool:
    match part:
        case Lit("timestamp", text):
            return _OFFSET.search(text) is None
        case Cast(arg) if arg == NULL:
            return False
        case Cast(arg):
            return TIMESTAMP in {type_of(arg, types), type_of(part, types)}
        case Case():
            return type_of(part, types) == TIMESTAMP and _mixes([type_of(c, types) for c in children(part)])
        case Call(name, args):
            kinds = [type_of(a, types) for a in args]
            return _call(name, kinds) or (type_of(part, types) == TIMESTAMP and name not in _MOMENTS_ONLY)
    return False


def _call(name: str, kinds: Sequence[DataType]) -> bool:
    return TIMESTAMP in kinds and (name not in _MOMENTS_ONLY or _mixes(kinds))


def _mixes(kinds: Sequence[DataType]) -> bool:
    """Moments beside something else: one side is converted."""
    return TIMESTAMP in kinds and not set(kinds) <= {TIMESTAMP, VOID, BOOLEAN}
