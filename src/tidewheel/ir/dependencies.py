"""Which columns determine which, and which sets of columns are unique.

Both are meant under Spark's null-safe equality, the one of GROUP BY: NULL equals NULL, NaN equals NaN, 0.0 equals -0.0.
A dependency X -> Y says: two rows of the result that are equal in all of X are equal in all of Y. A key says: no two
rows, copies included, are equal in all of it; the empty key says that there is at most one row. Both hold in every
version of the inputs, each by itself, given that the declared keys and NOT NULLs of scans hold.

Everything derived later (how a view is stored, what a merge matches by) trusts this, so a rule that is not certain
says nothing. Sets of columns are bit masks here, and frozen sets at the border.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from operator import or_

from tidewheel.ir.dependency_sets import (
    Dependencies,
    Pair,
    bits_of,
    closer_over,
    columns_of_mask,
    dependencies_of,
    mask_of,
    reduced_first,
)
from tidewheel.ir.equality import compares_exactly, is_plain
from tidewheel.ir.functions import is_deterministic
from tidewheel.ir.memo import by_digest
from tidewheel.ir.parts import JoinKey
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
from tidewheel.ir.scalar import Call, Col, Lit, Scalar, columns, conjuncts, shift
from tidewheel.ir.typing import nullable_of, type_of, types_of
from tidewheel.types import UNKNOWN, DataType


def keys(rel: Rel) -> tuple[frozenset[int], ...]:
    """Sets of columns that are unique, smallest first."""
    return tuple(columns_of_mask(key) for key in dependencies(rel).unique)


def has_one_row(rel: Rel) -> bool:
    """Is the set of no columns unique: there is at most one row."""
    return 0 in dependencies(rel).unique


@by_digest
def dependencies(rel: Rel) -> Dependencies:
    match rel:
        case Scan():
            return dependencies_of(rel.width, (), [mask_of(key) for key in rel.keys])
        case Values():
            return _values(rel)
        case Filter():
            below = dependencies(rel.input)
            types = types_of(rel.input)
            return dependencies_of(rel.width, [*below.pairs, *_equalities(rel.predicate, types)], below.unique)
        case Project():
            return _project(rel.input, rel.exprs)
        case Join():
            return _join(rel)
        case Aggregate():
            return _aggregate(rel)
        case Distinct():
            below = dependencies(rel.input)
            return dependencies_of(rel.width, below.pairs, [*below.unique, (1 << rel.width) - 1])
        case Union():
            return dependencies(rel.parts[0]) if len(rel.parts) == 1 else dependencies_of(rel.width, (), ())
        case SetOp():
            return _setop(rel)
        case Window():
            return _window(rel)
        case TopK():
            below = dependencies(rel.input)
            return dependencies_of(rel.width, below.pairs, [*below.unique, *([0] if rel.limit in {0, 1} else [])])
        case Unnest():
            below = dependencies(rel.input)
            position = 1 << rel.input.width
            numbered = [key | position for key in below.unique] if rel.generator == "posexplode" else []
            return dependencies_of(rel.width, below.pairs, numbered)
        case Opaque():
            return dependencies_of(rel.width, (), ())


# --- sets of columns as masks ---


# --- operators ---


def _values(rel: Values) -> Dependencies:
    if len(rel.rows) < 2:
        return dependencies_of(rel.width, (), [0])
    first = rel.rows[0]
    same = (i for i, s in enumerate(first) if isinstance(s, Lit) and all(row[i] == s for row in rel.rows))
    return dependencies_of(rel.width, [(0, mask_of(same))], ())


def _equalities(predicate: Scalar, types: Sequence[DataType]) -> Iterator[Pair]:
    """What a true predicate says: a = b, a <=> b, a = constant, a IS NULL."""
    for part in conjuncts(predicate):
        match part:
            case Call("isnull", (Col(i),)):
                yield 0, 1 << i
            case Call("=" | "<=>", (Col(i), Col(j))) if compares_exactly(types[i], types[j]):
                yield 1 << i, 1 << j
                yield 1 << j, 1 << i
            case Call("=" | "<=>", (Col(i), other) | (other, Col(i))) if _is_constant(other):
                if compares_exactly(types[i], type_of(other, types)):
                    yield 0, 1 << i


def _is_constant(scalar: Scalar) -> bool:
    """The same in all rows of one evaluation: the clock stands still meanwhile."""
    return not columns(scalar) and is_deterministic(scalar)


def _computed(scalar: Scalar, types: Sequence[DataType]) -> int | None:
    """The columns that determine an expression, if it is certain that they do."""
    if isinstance(scalar, Col):
        return 1 << scalar.index
    if not is_deterministic(scalar):
        return None
    read = columns(scalar)
    return mask_of(read) if all(is_plain(types[i]) for i in read) else None


def _project(source: Rel, exprs: Sequence[Scalar]) -> Dependencies:
    return _projected(dependencies(source), types_of(source), tuple(exprs))


@lru_cache(maxsize=20_000)
def _projected(below: Dependencies, types: tuple[DataType, ...], exprs: tuple[Scalar, ...]) -> Dependencies:
    """Outputs stand behind the input's columns, all that follows is derived there, and then the input is forgotten.

    Remembered, for a plan of a change has the same projections over many forms of the same relations.
    """
    width = below.width
    pairs = list(below.all_pairs)
    kept: dict[int, int] = {}
    for position, expr in enumerate(exprs):
        output = 1 << (width + position)
        if isinstance(expr, Col):
            kept.setdefault(expr.index, width + position)
            pairs.append((output, 1 << expr.index))
        if (read := _computed(expr, types)) is not None:
            pairs.append((read, output))
    outputs = ((1 << len(exprs)) - 1) << width
    passed = mask_of(kept.values())
    close, stays = closer_over(pairs), mask_of(kept) | outputs
    found = [(_moved(x, kept), close(x) & outputs) for x in {x for x, _ in pairs} if not x & ~stays]
    unique = [_moved(key, kept) for key in below.unique if not key & ~mask_of(kept)]
    if any(not key & ~close(passed) for key in below.unique):
        unique.append(passed)
    return dependencies_of(len(exprs), [(x >> width, y >> width) for x, y in found], [key >> width for key in unique])


def _moved(mask: int, kept: dict[int, int]) -> int:
    return mask_of(kept.get(i, i) for i in bits_of(mask))


def _join(rel: Join) -> Dependencies:
    left, right = dependencies(rel.left), dependencies(rel.right)
    width, by = rel.width, rel.left.width
    match rel.kind:
        case "semi" | "anti":
            return dependencies_of(width, left.pairs, left.unique)
        case "inner":
            types = (*types_of(rel.left), *types_of(rel.right))
            matched = [p for key in rel.keys for p in _key_pairs(key, types, by)]
            pairs = [*left.all_pairs, *_shifted(right.all_pairs, by), *matched, *_equalities(rel.residual, types)]
            both = [a | b << by for a in left.unique for b in right.unique]
            # From both ends: a|b may shrink to the left's key, or to the right's.
            close = closer_over(pairs)
            other = [reduced_first(key, (1 << by) - 1, close) for key in both]
            return dependencies_of(width, pairs, [*both, *other])
        case "left":
            pairs = [*left.all_pairs, *_shifted(_survivors(right, nullable_of(rel.right)), by)]
            both = [a | b << by for a in left.unique for b in right.unique]
            single = left.unique if matches_at_most_one(rel) else ()
            return dependencies_of(width, [*pairs, *_left_pairs(rel)], [*single, *both])
        case "full":
            nullable = (*nullable_of(rel.left), *nullable_of(rel.right))
            pairs = [
                *_survivors(left, nullable[:by]),
                *_shifted(_survivors(right, nullable[by:]), by),
            ]
            # A left row without a match and a right one without are both all NULL in a | b, unless a part is not.
            both = [a | b << by for a in left.unique for b in right.unique]
            return dependencies_of(width, pairs, [key for key in both if any(not nullable[i] for i in bits_of(key))])


def _shifted(pairs: Iterable[Pair], by: int) -> list[Pair]:
    return [(x << by, y << by) for x, y in pairs]


def _survivors(below: Dependencies, nullable: Sequence[bool]) -> list[Pair]:
    """Dependencies that still hold when rows of NULLs are added: those with a determinant that is never NULL.

    Wrong without: the side holds (NULL, 5), so c0 -> c1; a row without a match adds (NULL, NULL).
    """
    return [(x, y) for x, y in below.all_pairs if any(not nullable[i] for i in bits_of(x))]


def _key_pairs(key: JoinKey, types: Sequence[DataType], by: int) -> Iterator[Pair]:
    """Between rows that match, each side of a key determines the other if that is a column and compares exactly."""
    right = shift(key.right, by)
    exact = compares_exactly(type_of(key.left, types), type_of(right, types))
    for one, other in ((key.left, right), (right, key.left)):
        read = _computed(one, types)
        if exact and read is not None and isinstance(other, Col):
            yield read, 1 << other.index


def _left_pairs(rel: Join) -> Iterator[Pair]:
    """All the left sides of the keys together determine the right ones: whether there is a match, and its values.

    Not each alone, nor beside a residual: of two left rows with equal c0 one may match and the other not.
    """
    types, by = (*types_of(rel.left), *types_of(rel.right)), rel.left.width
    read = [_computed(key.left, types) for key in rel.keys]
    pairs = [pair for key in rel.keys for pair in _key_pairs(key, types, by) if pair[1] >> by]
    if rel.keys and not conjuncts(rel.residual) and None not in read:
        determinant = reduce(or_, (r or 0 for r in read), 0)
        yield from ((determinant, y) for _, y in pairs)


def matches_at_most_one(rel: Join) -> bool:
    """Has each left row at most one partner: the right columns that it must equal contain a key of the right."""
    return dependencies(rel.right).is_unique(k.right.index for k in _exact(rel) if isinstance(k.right, Col))


def is_matched_at_most_once(rel: Join) -> bool:
    """Is each right row the partner of at most one left row."""
    return dependencies(rel.left).is_unique(k.left.index for k in _exact(rel) if isinstance(k.left, Col))


def _exact(rel: Join) -> list[JoinKey]:
    """The keys by which a value of one side equals at most one of the other."""
    left, right = types_of(rel.left), types_of(rel.right)
    return [k for k in rel.keys if k.kind != "in" and compares_exactly(type_of(k.left, left), type_of(k.right, right))]


def _aggregate(rel: Aggregate) -> Dependencies:
    width, groups = rel.width, len(rel.keys)
    everything = (1 << groups) - 1
    if rel.sets is None:
        below = _project(rel.input, rel.keys)
        return dependencies_of(width, below.all_pairs, [everything])
    if len(set(rel.sets)) < len(rel.sets):
        # GROUPING SETS ((a), (a)) gives each row twice.
        return dependencies_of(width, (), ())
    if len(rel.sets) == 1:
        chosen = mask_of(rel.sets[0])
        return dependencies_of(width, [(0, (everything & ~chosen) | 1 << groups)], [chosen])
    return dependencies_of(width, (), [everything | 1 << groups])


def _setop(rel: SetOp) -> Dependencies:
    """A part of the left rows, and of the right ones if it is an intersection; without ALL each row once."""
    types = types_of(rel)
    sides = [rel.left] if rel.kind == "except" else [rel.left, rel.right]
    # Values that are widened to a common type may become equal: BIGINT with DOUBLE.
    below = [dependencies(side) for side in sides if types_of(side) == types and UNKNOWN not in types]
    rows = [] if rel.all else [(1 << rel.width) - 1]
    return dependencies_of(
        rel.width, [p for b in below for p in b.pairs], [*(k for b in below for k in b.unique), *rows]
    )


def _window(rel: Window) -> Dependencies:
    """Rows stay as they are; row_number is unique in its partition, and a total over a partition is one value."""
    below = dependencies(rel.input)
    pairs, unique = list(below.pairs), list(below.unique)
    partition = mask_of(p.index for p in rel.partition if isinstance(p, Col))
    if all(isinstance(p, Col) for p in rel.partition):
        for position, call in enumerate(rel.calls, rel.input.width):
            whole = call.frame is None or (call.frame.start is None and call.frame.end is None)
            if call.name == "row_number":
                unique.append(partition | 1 << position)
            elif call.name in {"count", "sum", "min", "max", "avg"} and not rel.order and whole:
                pairs.append((partition, 1 << position))
    return dependencies_of(rel.width, pairs, unique)
