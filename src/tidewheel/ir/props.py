"""What we know of a plan without running it: facts that later phases rely on, each a function of the plan alone.

Keys and functional dependencies stand in `ir/dependencies.py`, types and nullability in `ir/typing.py`. All facts are
one-sided: "may raise" and "not known to be unique" are always safe to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from tidewheel.ir import functions
from tidewheel.ir.dependencies import dependencies, has_one_row, is_matched_at_most_once, keys, matches_at_most_one
from tidewheel.ir.dependency_sets import Dependencies
from tidewheel.ir.memo import by_digest
from tidewheel.ir.parts import AggCall, JoinKey
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Opaque,
    Project,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip
from tidewheel.ir.scalar import FALSE, NULL, TRUE, Call, Cast, Scalar, conjuncts, shift
from tidewheel.ir.tree import scalars_of
from tidewheel.ir.typing import nullable_of, type_of, types_of
from tidewheel.types import DOUBLE, FLOAT, DataType

__all__ = [
    "Dependencies",
    "RowBounds",
    "can_raise",
    "cardinality",
    "cardinality_given",
    "clock_of",
    "dependencies",
    "is_deterministic",
    "is_empty",
    "keys",
    "nullable_of",
]

# --- determinism, errors, the clock ---

_CLOCKS: Final = ("none", "day", "time")
_CLOCK_WORDS: Final = re.compile(
    r"\b(current_\w+|curdate|now|localtimestamp|unix_timestamp|to_unix_timestamp|today|yesterday|tomorrow)\b",
    re.IGNORECASE,
)
_SAFE_CALLS: Final = frozenset(
    {
        "count", "count_if", "min", "max", "first", "first_value", "last", "last_value", "any_value", "nth_value",
        "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead",
        "bool_and", "bool_or", "every", "some", "any", "bit_and", "bit_or", "bit_xor", "collect_list", "collect_set",
    }
)  # fmt: skip
"""Aggregate and window functions that give a result for whatever their arguments are."""
_SAFE_OF_FLOATS: Final = frozenset(
    {"sum", "avg", "mean", "stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"}
)


@by_digest
def is_deterministic(rel: Rel) -> bool:
    """Does the plan give the same bag of rows for the same input, whenever and wherever it runs (the clock aside)."""
    if isinstance(rel, Opaque) or not all(is_deterministic(i) for i in rel.inputs):
        return False
    if isinstance(rel, Aggregate) and any(_depends_on_order(c) for c in rel.calls):
        return False
    return all(map(functions.is_deterministic, scalars_of(rel)))


def _depends_on_order(call: AggCall) -> bool:
    """Does the result depend on the order in which a group's rows come; of an unknown aggregate, perhaps."""
    facts = functions.AGGREGATES.get(call.name)
    return facts is None or (facts.ordered and not call.order)


@by_digest
def can_raise(rel: Rel) -> bool:
    """May evaluating the plan end in an error, for some input."""
    return any(can_raise(i) for i in rel.inputs) or raises_here(rel)


def raises_here(rel: Rel) -> bool:
    """May this node raise, given that its inputs did not."""
    match rel:
        case Scan() | Distinct() | Union() | SetOp():
            return False
        case Opaque():
            return True
        case Values():
            return any(functions.can_raise(s, ()) for s in scalars_of(rel))
        case Join():
            types = (*types_of(rel.left), *types_of(rel.right))
            return any(functions.can_raise(s, types) for s in (*map(_comparison(rel), rel.keys), rel.residual))
        case Aggregate() | Window():
            types = types_of(rel.input)
            return any(functions.can_raise(s, types) for s in scalars_of(rel)) or any(
                not _never_raises(call.name, call.args, types) for call in rel.calls
            )
        case Filter() | Project() | TopK() | Unnest():
            return any(functions.can_raise(s, types_of(rel.input)) for s in scalars_of(rel))


def _comparison(rel: Join) -> Callable[[JoinKey], Scalar]:
    """What a key means: sides of different types are converted first, and '1x' = 1 fails."""
    return lambda key: Call("<=>" if key.kind == "<=>" else "=", (key.left, shift(key.right, rel.left.width)))


def _never_raises(name: str, args: tuple[Scalar, ...], types: tuple[DataType, ...]) -> bool:
    """Sums of integers and decimals overflow; sums of floating point numbers do not."""
    if name in _SAFE_CALLS:
        return True
    return name in _SAFE_OF_FLOATS and all(type_of(a, types) in {FLOAT, DOUBLE} for a in args)


@by_digest
def clock_of(rel: Rel) -> str:
    """How often the result changes by itself: "none", "day" (current_date) or "time" (now)."""
    if isinstance(rel, Opaque):
        return "time" if _CLOCK_WORDS.search(rel.sql) else "none"
    found = [*map(clock_of, rel.inputs), *map(functions.clock_of, scalars_of(rel))]
    return max(found, key=_CLOCKS.index, default="none")


# --- what happens to the result when rows are appended to one relation ---


# --- numbers of rows ---


class RowBounds(NamedTuple):
    """At least `low` rows, at most `high`; no `high` is no bound."""

    low: int
    high: int | None

    def capped(self, high: int | None) -> RowBounds:
        return RowBounds(self.low, _least(self.high, high))


MOST: Final = 10**18
"""A bound beyond this says nothing, and the numbers of a plan of a hundred joins would be longer than the plan."""


def cardinality_given(stored: Callable[[Scan], RowBounds]) -> Callable[[Rel], RowBounds]:
    """How many rows a result has, given how many the stored relations have."""

    @by_digest
    def bounds_of(rel: Rel) -> RowBounds:
        if isinstance(rel, Scan):
            return stored(rel)
        bounds = _bounds(rel, [bounds_of(i) for i in rel.inputs])
        if bounds.low > MOST:
            bounds = RowBounds(MOST, bounds.high)
        return bounds.capped(1) if has_one_row(rel) else bounds

    return bounds_of


cardinality: Final = cardinality_given(lambda _: RowBounds(0, None))
"""How many rows the result has, whatever the stored relations hold."""


def _bounds(rel: Rel, below: list[RowBounds]) -> RowBounds:
    match rel:
        case Scan() | Opaque():
            return RowBounds(0, None)
        case Values():
            return RowBounds(len(rel.rows), len(rel.rows))
        case Filter():
            return RowBounds(0, 0) if never_true(rel.predicate) else _filtered(rel, below[0])
        case Project() | Window():
            return below[0]
        case Distinct():
            return RowBounds(min(1, below[0].low), below[0].high)
        case Union():
            return RowBounds(sum(b.low for b in below), _sum([b.high for b in below]))
        case TopK():
            return _limited(rel, below[0])
        case Unnest():
            return RowBounds(below[0].low if rel.outer else 0, 0 if below[0].high == 0 else None)
        case Aggregate():
            return _grouped(rel, below[0])
        case SetOp():
            return _set_bounds(rel, *below)
        case Join():
            return _join_bounds(rel, *below)


@by_digest
def is_empty(rel: Rel) -> bool:
    """Has the result no rows, whatever the stored relations hold: `cardinality` says so too, at a higher price."""
    match rel:
        case Scan() | Opaque():
            return False
        case Values():
            return not rel.rows
        case Filter():
            return never_true(rel.predicate) or is_empty(rel.input)
        case TopK():
            return rel.limit == 0 or is_empty(rel.input)
        case Aggregate():
            return is_empty(rel.input) and (bool(rel.keys) or rel.sets not in {None, ((),)})
        case SetOp(kind="except") | Join(kind="left" | "anti"):
            return is_empty(rel.left)
        case SetOp() | Join(kind="inner" | "semi"):
            return is_empty(rel.left) or is_empty(rel.right)
        case Union() | Join() | Project() | Distinct() | Window() | Unnest():
            return all(map(is_empty, rel.inputs))


def never_true(predicate: Scalar) -> bool:
    """Is the predicate, for all we see, false or NULL in every row."""
    return any(part in {FALSE, NULL} or _is_null(part) for part in conjuncts(predicate))


def _is_null(scalar: Scalar) -> bool:
    return isinstance(scalar, Cast) and scalar.arg == NULL


def _filtered(rel: Filter, below: RowBounds) -> RowBounds:
    return below if rel.predicate == TRUE else RowBounds(0, below.high)


def _limited(rel: TopK, below: RowBounds) -> RowBounds:
    low = max(0, below.low - rel.offset)
    high = None if below.high is None else max(0, below.high - rel.offset)
    return RowBounds(low if rel.limit is None else min(low, rel.limit), _least(high, rel.limit))


def _grouped(rel: Aggregate, below: RowBounds) -> RowBounds:
    if not rel.keys and rel.sets in {None, ((),)}:
        return RowBounds(1, 1)
    sets = rel.sets if rel.sets is not None else (tuple(range(len(rel.keys))),)
    high = _sum([below.high if chosen else _least(below.high, 1) for chosen in sets])
    return RowBounds(len(sets) if below.low else 0, high)


def _set_bounds(rel: SetOp, left: RowBounds, right: RowBounds) -> RowBounds:
    if rel.kind == "intersect":
        return RowBounds(0, _least(left.high, right.high))
    if right.high is None:
        return RowBounds(0, left.high)
    low = max(0, left.low - right.high) if rel.all else 0
    return RowBounds(low, left.high)


def _join_bounds(rel: Join, left: RowBounds, right: RowBounds) -> RowBounds:
    everything = not rel.keys and rel.residual == TRUE
    pairs = _product(left.high, right.high)
    match rel.kind:
        case "inner":
            high = _least(pairs, left.high) if matches_at_most_one(rel) else pairs
            high = _least(high, right.high) if is_matched_at_most_once(rel) else high
            return RowBounds(left.low * right.low if everything else 0, high)
        case "left":
            one = right.high is not None and right.high <= 1
            high = left.high if one or matches_at_most_one(rel) else pairs
            return RowBounds(left.low * max(1, right.low) if everything else left.low, high)
        case "full":
            return RowBounds(max(left.low, right.low), _full_high(left.high, right.high))
        case "semi":
            low = left.low if everything and right.low else 0
            return RowBounds(low, 0 if right.high == 0 else left.high)
        case "anti":
            low = left.low if right.high == 0 else 0
            return RowBounds(low, 0 if everything and right.low else left.high)


def _full_high(left: int | None, right: int | None) -> int | None:
    """All pairs, or all rows of both without a match, whichever is more."""
    if left is None or right is None:
        return None
    return max(left * right, left + right) if max(left, right) <= MOST else None


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


def _sum(numbers: list[int | None]) -> int | None:
    return None if None in numbers else sum(n for n in numbers if n is not None)


def _product(a: int | None, b: int | None) -> int | None:
    if 0 in {a, b}:
        return 0
    if a is None or b is None or max(a, b) > MOST:
        return None
    return a * b
