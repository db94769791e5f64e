"""Subqueries without correlation: every query inside a query becomes a join.

A correlated subquery is a function of some columns of the query around it. We evaluate it for all values at once:
`push` carries the domain, the distinct values of those columns, down into the subquery's plan, so that each of its rows
says for which values it holds; a join with the outer query then picks the rows (Neumann and Kemper's unnesting). Where
a WHERE clause equates every outer column with an inner expression, as it mostly does, the inner expression takes the
place of the domain and nothing is carried at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tidewheel.ir.functions import AGGREGATES
from tidewheel.ir.parts import AggCall, JoinKey, SortKey, WindowCall
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
from tidewheel.ir.scalar import (
    TRUE,
    Call,
    Col,
    Lit,
    Scalar,
    columns,
    conjunction,
    conjuncts,
    identity,
    remap,
    substitute,
)  # fmt: skip
from tidewheel.ir.tree import scalars_of
from tidewheel.ir.typing import type_of, types_of
from tidewheel.sql.bind.correlation import is_correlated, outer_in, reads_outer, resolve_outer
from tidewheel.sql.bind.scope import outer_parts
from tidewheel.sql.bind.text import NotBoundError
from tidewheel.types import UNKNOWN


@dataclass(frozen=True, slots=True)
class Pushed:
    """A plan with its own columns first and then one for each outer column; `exact` equalities match NULL too."""

    rel: Rel
    null_safe: bool


class Decorrelation:
    """One subquery in one outer query, whose columns are given by `outer` (positions may have been grouped away)."""

    def __init__(self, outer: Rel, scope: int, reads: tuple[int, ...], column: Callable[[int], Scalar]) -> None:
        self.outer, self.scope, self.reads = outer, scope, reads
        self.values = tuple(column(i) for i in reads)
        self.domain: Rel = Distinct(input=Project(input=outer, exprs=self.values))
        outer_types = types_of(outer)
        self.types = tuple(type_of(v, outer_types) for v in self.values)

    def keys(self, pushed: Pushed, width: int) -> tuple[JoinKey, ...]:
        """Outer columns against the columns that say for which values a row holds."""
        kind = "<=>" if pushed.null_safe else "="
        return tuple(
            JoinKey(left=v, right=Col(width + i), kind="<=>" if kind == "<=>" else "=")
            for i, v in enumerate(self.values)
        )

    def inlined(self, scalar: Scalar, start: int) -> Scalar:
        """The scalar with outer columns read from the carried ones, which begin at a position."""
        return resolve_outer(scalar, self.scope, lambda i: Col(start + self.reads.index(i)))

    def push(self, rel: Rel) -> Pushed:
        if not is_correlated(rel, self.scope):
            return Pushed(Join(kind="inner", left=rel, right=self.domain), null_safe=True)
        match rel:
            case Filter():
                return self._filter(rel)
            case Project():
                below = self.push(rel.input)
                exprs = (*(self.inlined(e, rel.input.width) for e in rel.exprs), *self._carried(rel.input.width))
                return Pushed(Project(input=below.rel, exprs=exprs), below.null_safe)
            case Join():
                return self._join(rel)
            case Aggregate():
                return self._aggregate(rel)
            case Distinct():
                below = self.push(rel.input)
                return Pushed(Distinct(input=below.rel), below.null_safe)
            case Union():
                parts = [self.push(p) for p in rel.parts]
                return Pushed(Union(parts=tuple(p.rel for p in parts)), any(p.null_safe for p in parts))
            case SetOp():
                left, right = self.push(rel.left), self.push(rel.right)
                return Pushed(replace(rel, left=left.rel, right=right.rel), left.null_safe)
            case Window():
                return self._window(rel)
            case TopK():
                return self._topk(rel)
            case Unnest():
                return self._unnest(rel)
            case Values():
                return self._values(rel)
            case Scan() | Opaque():
                raise AssertionError("a stored relation reads no outer column")

    def _carried(self, start: int) -> tuple[Scalar, ...]:
        return tuple(Col(start + i) for i in range(len(self.reads)))

    def _filter(self, rel: Filter) -> Pushed:
        if not is_correlated(rel.input, self.scope) and (found := self._equated(rel)) is not None:
            return found
        below = self.push(rel.input)
        return Pushed(Filter(input=below.rel, predicate=self.inlined(rel.predicate, rel.width)), below.null_safe)

    def _equated(self, rel: Filter) -> Pushed | None:
        """WHERE inner = outer for every outer column: the inner expressions stand for the domain.

        Rows for values that the outer query does not have are made too; the join with it drops them. An outer column
        that is used elsewhere is replaced by its equal, which must then be of the same type: '01' = 1 holds, but
        length('01') is not length(1).
        """
        types = types_of(rel.input)
        stand_ins: dict[int, Scalar] = {}
        rest: list[Scalar] = []
        for part in conjuncts(rel.predicate):
            pair = self._equation(part)
            if pair is not None and pair[0] not in stand_ins:
                stand_ins[pair[0]] = pair[1]
            else:
                rest.append(part)
        if set(stand_ins) != set(self.reads):
            return None
        for part in rest:
            for _, index in outer_in([part]):
                known = self.types[self.reads.index(index)]
                if known == UNKNOWN or type_of(stand_ins[index], types) != known:
                    return None
        kept = [resolve_outer(p, self.scope, lambda i: stand_ins[i]) for p in rest]
        kept += [Call("isnotnull", (stand_ins[i],)) for i in self.reads]
        filtered = Filter(input=rel.input, predicate=conjunction(kept))
        exprs = (*identity(rel.width), *(stand_ins[i] for i in self.reads))
        return Pushed(Project(input=filtered, exprs=exprs), null_safe=False)

    def _equation(self, part: Scalar) -> tuple[int, Scalar] | None:
        if not (isinstance(part, Call) and part.name == "="):
            return None
        for one, other in (part.args, part.args[::-1]):
            found = outer_parts(one)
            if found is not None and found[0] == self.scope and columns(other) and not reads_outer(other, self.scope):
                return found[1], other
        return None

    def _join(self, rel: Join) -> Pushed:
        """Both sides carry the values, and agree on them; a side that reads none joins as it is where that is sound."""
        keeps_left = rel.kind in {"semi", "anti"}
        on_left = is_correlated(rel.left, self.scope)
        on_right = is_correlated(rel.right, self.scope)
        in_condition = any(reads_outer(s, self.scope) for s in scalars_of(rel))
        left_width, right_width, extra = rel.left.width, rel.right.width, len(self.reads)
        if rel.kind == "inner" and on_right and not on_left:
            swapped = _swap(rel)
            pushed = self._join(swapped)
            order = (*range(right_width, right_width + left_width), *range(right_width))
            exprs = (*(Col(i) for i in order), *self._carried(left_width + right_width))
            return Pushed(Project(input=pushed.rel, exprs=exprs), pushed.null_safe)
        left = self.push(rel.left)
        right = self.push(rel.right) if on_right or (rel.kind == "full") else None
        keys = tuple(
            replace(k, left=self.inlined(k.left, left_width), right=self.inlined(k.right, right_width))
            for k in rel.keys
        )
        if in_condition and right is None and any(reads_outer(k.right, self.scope) for k in rel.keys):
            right = self.push(rel.right)
        if right is not None:
            keys += tuple(
                JoinKey(left=Col(left_width + i), right=Col(right_width + i), kind="<=>") for i in range(extra)
            )

        def place(i: int) -> int:
            return i if i < left_width else i + extra

        residual = resolve_outer(
            remap(rel.residual, place), self.scope, lambda i: Col(left_width + self.reads.index(i))
        )
        joined = Join(
            kind=rel.kind, left=left.rel, right=rel.right if right is None else right.rel, keys=keys, residual=residual
        )
        null_safe = left.null_safe or (right is not None and right.null_safe)
        if keeps_left:
            return Pushed(joined, left.null_safe)
        own = (*range(left_width), *range(left_width + extra, left_width + extra + right_width))
        carried: tuple[Scalar, ...] = self._carried(left_width)
        if rel.kind == "full":
            start = left_width + extra + right_width
            carried = tuple(Call("coalesce", (Col(left_width + i), Col(start + i))) for i in range(extra))
        return Pushed(Project(input=joined, exprs=(*(Col(i) for i in own), *carried)), null_safe)

    def _aggregate(self, rel: Aggregate) -> Pushed:
        """Groups for each value; a global aggregate also has a row for values without rows (the count bug)."""
        below = self.push(rel.input)
        width, extra = rel.input.width, len(self.reads)
        keys = tuple(self.inlined(k, width) for k in rel.keys)
        calls = tuple(self._call(c, width) for c in rel.calls)
        sets = rel.sets
        if sets is not None:
            sets = tuple((*s, *range(len(keys), len(keys) + extra)) for s in sets)
        grouped: Rel = Aggregate(input=below.rel, keys=(*keys, *self._carried(width)), calls=calls, sets=sets)
        if sets is not None:
            return Pushed(self._without_carried_bits(rel, grouped), below.null_safe)
        own = (*range(len(keys)), *range(len(keys) + extra, len(keys) + extra + len(calls)))
        exprs = (*(Col(i) for i in own), *self._carried(len(keys)))
        grouped = Project(input=grouped, exprs=exprs)
        if rel.keys:
            return Pushed(grouped, below.null_safe)
        joined = Join(
            kind="left",
            left=self.domain,
            right=grouped,
            keys=tuple(JoinKey(left=Col(i), right=Col(len(calls) + i), kind="<=>") for i in range(extra)),
        )
        filled = [or_empty(call, Col(extra + i)) for i, call in enumerate(calls)]
        return Pushed(Project(input=joined, exprs=(*filled, *self._carried(0))), null_safe=True)

    def _without_carried_bits(self, rel: Aggregate, grouped: Rel) -> Rel:
        """The carried columns are in every grouping set: their bits of the grouping id are 0 and are cut off."""
        count, extra = len(rel.keys), len(self.reads)
        group_id = Call("shiftright", (Col(count + extra), Lit("int", str(extra))))
        calls = [Col(count + extra + 1 + i) for i in range(len(rel.calls))]
        exprs = (*identity(count), group_id, *calls, *self._carried(count))
        return Project(input=grouped, exprs=exprs)

    def _call(self, call: AggCall, start: int) -> AggCall:
        return replace(
            call,
            args=tuple(self.inlined(a, start) for a in call.args),
            where=None if call.where is None else self.inlined(call.where, start),
            order=tuple(self._sort_key(k, start) for k in call.order),
        )

    def _sort_key(self, key: SortKey, start: int) -> SortKey:
        return replace(key, expr=self.inlined(key.expr, start))

    def _window(self, rel: Window) -> Pushed:
        below = self.push(rel.input)
        width, extra = rel.input.width, len(self.reads)
        calls = tuple(
            replace(
                c,
                args=tuple(self.inlined(a, width) for a in c.args),
                where=None if c.where is None else self.inlined(c.where, width),
            )
            for c in rel.calls
        )
        windowed = Window(
            input=below.rel,
            partition=(*(self.inlined(p, width) for p in rel.partition), *self._carried(width)),
            order=tuple(self._sort_key(k, width) for k in rel.order),
            calls=calls,
        )
        own = (*range(width), *range(width + extra, width + extra + len(calls)))
        return Pushed(Project(input=windowed, exprs=(*(Col(i) for i in own), *self._carried(width))), below.null_safe)

    def _topk(self, rel: TopK) -> Pushed:
        """The first rows for each value: numbered, for the order is total."""
        below = self.push(rel.input)
        width, extra = rel.width, len(self.reads)
        numbered = Window(
            input=below.rel,
            partition=self._carried(width),
            order=tuple(self._sort_key(k, width) for k in rel.order),
            calls=(WindowCall(name="row_number"),),
        )
        position = Col(width + extra)
        wanted = [Call(">", (position, Lit("int", str(rel.offset))))] if rel.offset else []
        if rel.limit is not None:
            wanted.append(Call("<=", (position, Lit("int", str(rel.offset + rel.limit)))))
        kept = Filter(input=numbered, predicate=conjunction(wanted))
        return Pushed(Project(input=kept, exprs=identity(width + extra)), below.null_safe)

    def _unnest(self, rel: Unnest) -> Pushed:
        below = self.push(rel.input)
        width, extra = rel.input.width, len(self.reads)
        made = replace(rel, input=below.rel, args=tuple(self.inlined(a, width) for a in rel.args))
        own = (*range(width), *range(width + extra, width + extra + rel.arity))
        return Pushed(Project(input=made, exprs=(*(Col(i) for i in own), *self._carried(width))), below.null_safe)

    def _values(self, rel: Values) -> Pushed:
        """SELECT without FROM, or VALUES, over outer columns: each of its rows, for each value."""
        parts = [
            Project(input=self.domain, exprs=(*(self.inlined(e, 0) for e in row), *self._carried(0)))
            for row in rel.rows
        ]
        return Pushed(parts[0] if len(parts) == 1 else Union(parts=tuple(parts)), null_safe=True)


def or_empty(call: AggCall, value: Scalar) -> Scalar:
    """An aggregate after an outer join: where no group was, its value over no rows."""
    match AGGREGATES[call.name].empty:
        case "null":
            return value
        case "zero":
            return Call("coalesce", (value, Lit("bigint", "0")))
        case "empty-array":
            return Call("coalesce", (value, Call("array")))
        case "unknown":
            raise NotBoundError("aggregate-of-nothing", f"{call.name}() in a correlated subquery")


def _swap(rel: Join) -> Join:
    left, right = rel.left.width, rel.right.width
    keys = tuple(replace(k, left=k.right, right=k.left) for k in rel.keys)
    residual = remap(rel.residual, lambda i: i + right if i < left else i - left)
    return Join(kind="inner", left=rel.right, right=rel.left, keys=keys, residual=residual)


def pulled_up(rel: Rel, scope: int) -> tuple[Rel, tuple[Scalar, ...], tuple[Scalar, ...]] | None:
    """A subquery as an uncorrelated plan, its columns over that plan, and correlated conditions over it.

    This is the common shape, SELECT ... FROM ... WHERE inner = outer AND ...; None if correlation goes deeper.
    """
    exprs = identity(rel.width)
    while isinstance(rel, Project) and not any(reads_outer(e, scope) for e in rel.exprs):
        below = rel.exprs
        exprs = tuple(substitute(e, below) for e in exprs)
        rel = rel.input
    correlated: list[Scalar] = []
    if isinstance(rel, Filter):
        parts = conjuncts(rel.predicate)
        correlated = [p for p in parts if reads_outer(p, scope)]
        plain = conjunction([p for p in parts if not reads_outer(p, scope)])
        rel = rel.input if plain == TRUE else Filter(input=rel.input, predicate=plain)
    if is_correlated(rel, scope):
        return None
    return rel, exprs, tuple(correlated)
