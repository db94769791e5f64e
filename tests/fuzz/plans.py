"""Random relational plans: every operator over every other, with types, bounds and sizes carried along."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tests.fuzz.aggregates import aggregate_call, window_call
from tests.fuzz.kinds import BIG, COLUMN_TYPES, DECIMALS, INT, Info, common, info_of, is_numeric, literal, value
from tests.fuzz.scalars import Expr, Scalars
from tests.fuzz.tables import Data
from tidewheel.ir.parts import AggCall, JoinKey, KeyKind, SortKey
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
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
from tidewheel.ir.scalar import NULL, TRUE, Call, Case, Cast, Col, Lit, Scalar, columns, identity
from tidewheel.types import UNKNOWN, DataType, to_sql

MOST_ROWS: Final = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan with what is known of its columns and the most rows it can give."""

    rel: Rel
    infos: tuple[Info, ...]
    rows: int


class Plans:
    """Makes plans over the given tables. What was made before is used again now and then."""

    def __init__(
        self, rng: random.Random, tables: Sequence[Data], views: Mapping[str, Plan] | None = None, most: int = 0
    ) -> None:
        self.rng = rng
        self.tables = tables
        self.views = views or {}
        """What is known of tables that are views."""
        self.most = most
        """How many rows a table may grow to."""
        self.made: list[Plan] = []

    def root(self, depth: int) -> Plan:
        plan = self.plan(depth)
        return self.daring(plan) if self.rng.random() < 0.03 else plan

    def plan(self, depth: int) -> Plan:
        rng = self.rng
        if depth == 0:
            return self._leaf()
        if self.made and rng.random() < 0.1:
            return rng.choice(self.made)
        makers = (
            self._filter, self._filter, self._project, self._project, self._join, self._join, self._join, self._join,
            self._aggregate, self._aggregate, self._aggregate, self._distinct, self._union, self._setop, self._window,
            self._window, self._topk, self._unnest,
        )  # fmt: skip
        plan = rng.choice(makers)(depth - 1)
        if plan.rows > MOST_ROWS:
            plan = self._shortened(plan, rng.randint(3, 12))
        if plan.rel.width > 9:
            plan = self._narrowed(plan, rng.randint(2, 6))
        self.made.append(plan)
        return plan

    def _scalars(self, *plans: Plan) -> Scalars:
        return Scalars(self.rng, [info for p in plans for info in p.infos])

    # --- leaves ---

    def _leaf(self) -> Plan:
        rng = self.rng
        if rng.random() < 0.12:
            return self._values(None)
        if self.made and rng.random() < 0.15:
            return rng.choice(self.made)
        table = rng.choice(self.tables)
        if not table.rows and table.name not in self.views and rng.random() < 0.7:
            table = rng.choice(self.tables)
        chosen = list(range(len(table.columns)))
        if rng.random() < 0.4:
            chosen = rng.sample(chosen, rng.randint(1, len(chosen)))
        read = tuple(table.columns[i] for i in chosen)
        keys = tuple(tuple(chosen.index(i) for i in key) for key in table.keys if set(key) <= set(chosen))
        scan = Scan(relation=table.name, columns=read, keys=keys)
        if table.name in self.views:
            view = self.views[table.name]
            return Plan(scan, tuple(view.infos[i] for i in chosen), view.rows)
        infos = tuple(replace(info_of(c.type), bound=_bound_of(c.type)) for c in read)
        return Plan(scan, infos, max(len(table.rows), self.most))

    def _values(self, kinds: Sequence[DataType] | None) -> Plan:
        rng = self.rng
        if kinds is None:
            types, weights = zip(*COLUMN_TYPES, strict=True)
            kinds = rng.choices(types, weights, k=rng.randint(1, 3))
        size = rng.choice((1, 2, 3, 4, 5))
        made = [[self._cell(kind) for _ in range(size)] for kind in kinds]
        for kind, cells in zip(kinds, made, strict=True):
            if all(cell == NULL for cell in cells):
                cells[0] = Cast(NULL, to_sql(kind))
        rows = tuple(zip(*made, strict=True))
        return Plan(Values(rows=rows, arity=len(kinds)), tuple(map(info_of, kinds)), size)

    def _cell(self, kind: DataType) -> Scalar:
        return NULL if self.rng.random() < 0.15 else literal(value(self.rng, kind), kind)

    # --- rows in, rows out ---

    def _filter(self, depth: int) -> Plan:
        below = self.plan(depth)
        predicate = self._scalars(below).predicate(self.rng.choice((1, 2, 2, 3)))
        return Plan(Filter(input=below.rel, predicate=predicate.scalar), below.infos, below.rows)

    def _project(self, depth: int) -> Plan:
        below = self.plan(depth)
        scalars = self._scalars(below)
        exprs = [
            scalars.column() if self.rng.random() < 0.4 else scalars.any(self.rng.choice((1, 2, 2, 3)))
            for _ in range(self.rng.randint(1, 4))
        ]
        return _projected(below, exprs)

    def _narrowed(self, plan: Plan, width: int) -> Plan:
        chosen = self.rng.sample(range(plan.rel.width), width)
        return _projected(plan, [Expr(Col(i), plan.infos[i]) for i in chosen])

    def _distinct(self, depth: int) -> Plan:
        below = self.plan(depth)
        if below.rel.width > 3 and self.rng.random() < 0.7:
            below = self._narrowed(below, self.rng.randint(1, 2))
        return Plan(Distinct(input=below.rel), below.infos, below.rows)

    def _topk(self, depth: int) -> Plan:
        return self._shortened(
            self.plan(depth), self.rng.choice((1, 2, 3, 3, 5, 5, 8, 8, 10, None, None, self.rng.choice((0, 1))))
        )

    def _shortened(self, below: Plan, limit: int | None) -> Plan:
        offset = self.rng.choice((0, 0, 0, 0, 0, 1, 2)) if limit != 1 else 0
        order = self._total_order(below)
        rows = below.rows if limit is None else min(limit, below.rows)
        return Plan(TopK(input=below.rel, order=order, limit=limit, offset=offset), below.infos, rows)

    def _some_order(self, below: Plan, size: int) -> tuple[SortKey, ...]:
        scalars = self._scalars(below)
        keys = []
        for _ in range(size):
            found = scalars.column() if self.rng.random() < 0.8 else scalars.any(1)
            keys.append(self._sort_key(found.scalar))
        return tuple(keys)

    def _sort_key(self, scalar: Scalar) -> SortKey:
        descending = self.rng.random() < 0.4
        nulls_first = not descending if self.rng.random() < 0.7 else descending
        return SortKey(expr=scalar, descending=descending, nulls_first=nulls_first)

    def _total_order(self, below: Plan) -> tuple[SortKey, ...]:
        """Some keys, then every column that is not among them."""
        first = self._some_order(below, self.rng.choice((0, 1, 1, 2)))
        named = {k.expr.text for k in first}
        rest = [self._sort_key(c) for c in identity(below.rel.width) if c.text not in named]
        return (*first, *rest)

    def _window(self, depth: int) -> Plan:
        rng = self.rng
        below = self.plan(depth)
        scalars = self._scalars(below)
        partition = tuple(
            (scalars.column() if rng.random() < 0.8 else scalars.any(1)).scalar for _ in range(rng.choice((0, 1, 1, 2)))
        )
        total = rng.random() < 0.6
        order = self._total_order(below) if total else self._some_order(below, rng.choice((0, 1, 1, 1, 2)))
        calls = [window_call(rng, scalars, order, below.rows, total=total) for _ in range(rng.choice((1, 1, 2, 3)))]
        rel = Window(input=below.rel, partition=partition, order=order, calls=tuple(c for c, _ in calls))
        return Plan(rel, (*below.infos, *(i for _, i in calls)), below.rows)

    def _unnest(self, depth: int) -> Plan:
        rng = self.rng
        below = self.plan(depth)
        scalars = self._scalars(below)
        first = scalars.any(1)
        items = [first, *(scalars.of(first.type, 1) for _ in range(rng.choice((0, 1, 2))))]
        array: Scalar = Call("array", tuple(i.scalar for i in items))
        if rng.random() < 0.3:
            array = Case(((scalars.predicate(1).scalar, array),))
        generator = rng.choice(("explode", "explode", "posexplode"))
        bound = max(i.info.bound for i in items)
        made = [replace(first.info, bound=bound, exact=all(i.info.exact for i in items))]
        made = [Info(INT, bound=3.0), *made] if generator == "posexplode" else made
        rel = Unnest(input=below.rel, generator=generator, args=(array,), arity=len(made), outer=rng.random() < 0.4)
        return Plan(rel, (*below.infos, *made), below.rows * len(items))

    # --- two inputs ---

    def _partner(self, left: Plan, depth: int) -> Plan:
        """The other input: often a part of the first, so that rows match."""
        if self.rng.random() < 0.15:
            return left
        return self.plan(self.rng.randint(0, depth))

    def _join(self, depth: int) -> Plan:
        rng = self.rng
        left = self.plan(depth)
        right = self._partner(left, depth)
        if rng.random() < 0.3:
            left, right = right, left
        kind: JoinKind = rng.choice(("inner", "inner", "inner", "left", "left", "full", "semi", "anti"))
        if left.rows * right.rows > 4 * MOST_ROWS:
            right = self._shortened(right, rng.randint(2, 8))
        keys = self._join_keys(left, right, kind)
        residual: Scalar = TRUE
        if (not keys and rng.random() < 0.8) or rng.random() < 0.25:
            residual = self._scalars(left, right).predicate(rng.choice((1, 2, 2))).scalar
        rel = Join(kind=kind, left=left.rel, right=right.rel, keys=keys, residual=residual)
        if kind in {"semi", "anti"}:
            return Plan(rel, left.infos, left.rows)
        extra = left.rows + right.rows if kind != "inner" else 0
        return Plan(rel, (*left.infos, *right.infos), left.rows * right.rows + extra)

    def _join_keys(self, left: Plan, right: Plan, kind: str) -> tuple[JoinKey, ...]:
        rng = self.rng
        same = [
            (i, j) for i, a in enumerate(left.infos) for j, b in enumerate(right.infos)
            if a.type == b.type or (is_numeric(a.type) and common(a.type, b.type) is not None and rng.random() < 0.2)
        ]  # fmt: skip
        keys = []
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2))):
            style: KeyKind = "<=>" if rng.random() < 0.2 else "="
            style = "in" if kind == "anti" and rng.random() < 0.4 else style
            if same and rng.random() < 0.9:
                i, j = rng.choice(same)
                keys.append(JoinKey(left=Col(i), right=Col(j), kind=style))
            elif rng.random() < 0.4:
                a = self._scalars(left).any(1)
                b = self._scalars(right).of(a.type, 1)
                if columns(a.scalar) and columns(b.scalar):
                    keys.append(JoinKey(left=a.scalar, right=b.scalar, kind=style))
        return tuple(keys)

    def _matching(self, like: Plan, depth: int) -> Plan:
        """A plan with the same types, often over the same rows."""
        rng = self.rng
        if rng.random() < 0.45:
            scalars = self._scalars(like)
            kept = Filter(input=like.rel, predicate=scalars.predicate(2).scalar)
            below = Plan(kept, like.infos, like.rows)
            if rng.random() < 0.5:
                return below
            return _projected(below, [scalars.of(i.type, rng.choice((0, 0, 0, 1))) for i in like.infos])
        if rng.random() < 0.15:
            return self._values([i.type for i in like.infos])
        other = self.plan(rng.randint(0, depth))
        scalars = self._scalars(other)
        return _projected(other, [scalars.of(i.type, rng.choice((0, 0, 1))) for i in like.infos])

    def _union(self, depth: int) -> Plan:
        first = self.plan(depth)
        parts = [first, *(self._matching(first, depth) for _ in range(self.rng.choice((1, 1, 2))))]
        return _merged(Union(parts=tuple(p.rel for p in parts)), parts, sum(p.rows for p in parts))

    def _setop(self, depth: int) -> Plan:
        left = self.plan(depth)
        if left.rel.width > 2 and self.rng.random() < 0.7:
            left = self._narrowed(left, self.rng.randint(1, 2))
        right = self._matching(left, depth)
        everything = self.rng.random() < 0.5
        if self.rng.random() < 0.5:
            return _merged(SetOp(kind="except", all=everything, left=left.rel, right=right.rel), [left], left.rows)
        rel = SetOp(kind="intersect", all=everything, left=left.rel, right=right.rel)
        return _merged(rel, [left, right], left.rows)

    # --- groups ---

    def _aggregate(self, depth: int) -> Plan:
        rng = self.rng
        below = self.plan(depth)
        scalars = self._scalars(below)
        found = [
            scalars.column() if rng.random() < 0.75 else scalars.any(rng.choice((1, 2)))
            for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3)))
        ]
        keys = list({k.scalar.text: k for k in found}.values())
        calls = [
            aggregate_call(rng, scalars, below.rows)
            for _ in range(rng.choice((0, 1, 1, 2, 2, 3) if keys else (1, 2, 3)))
        ]
        if not keys and rng.random() < 0.15:
            return self._only_value(below)
        sets = self._grouping_sets(len(keys)) if keys and rng.random() < 0.2 else None
        rel = Aggregate(
            input=below.rel, keys=tuple(k.scalar for k in keys), calls=tuple(c for c, _ in calls), sets=sets
        )
        infos = [k.info for k in keys] + ([] if sets is None else [Info(BIG, bound=8.0)]) + [i for _, i in calls]
        rows = below.rows * (1 if sets is None else len(sets)) if keys else 1
        return Plan(rel, tuple(infos), rows)

    def _grouping_sets(self, size: int) -> tuple[tuple[int, ...], ...]:
        rng = self.rng
        if rng.random() < 0.4:  # a ROLLUP
            return tuple(tuple(range(n)) for n in range(size, -1, -1))
        subsets = [tuple(i for i in range(size) if rng.random() < 0.6) for _ in range(rng.randint(1, 3))]
        return tuple(subsets)

    def _only_value(self, below: Plan) -> Plan:
        one = self._shortened(below, 1) if self.rng.random() < 0.5 or below.rows > 1 else below
        i = self.rng.randrange(one.rel.width)
        rel = Aggregate(input=one.rel, calls=(AggCall(name="single_value", args=(Col(i),)),))
        return Plan(rel, (one.infos[i],), 1)

    # --- errors ---

    def daring(self, below: Plan) -> Plan:
        """Divisions and conversions that some value may not survive, where every row must go through them."""
        scalars = self._scalars(below)
        kind = self.rng.choice((INT, BIG, *DECIMALS))
        a = scalars.of(kind, 1)
        risky: Scalar = self.rng.choice(
            (
                Call("/", (a.scalar, scalars.leaf(kind).scalar)),
                Call("%", (a.scalar, scalars.leaf(kind).scalar)),
                Cast(Call("*", (a.scalar, Lit("int", "40"))), "TINYINT"),
                Cast(Call("*", (a.scalar, Lit("int", "9"))), "DECIMAL(3,1)"),
            )
        )
        rel = Project(input=below.rel, exprs=(*identity(below.rel.width), risky))
        return Plan(rel, (*below.infos, Info(UNKNOWN)), below.rows)


def _bound_of(kind: DataType) -> float:
    """What a stored column may hold: keys go up to 14."""
    return max(info_of(kind).bound, 16.0)


def _projected(below: Plan, exprs: Sequence[Expr]) -> Plan:
    rel = Project(input=below.rel, exprs=tuple(e.scalar for e in exprs))
    return Plan(rel, tuple(e.info for e in exprs), below.rows)


def _merged(rel: Rel, plans: Sequence[Plan], rows: int) -> Plan:
    infos = [
        Info(column[0].type, all(i.exact for i in column), max(i.bound for i in column))
        for column in zip(*(p.infos for p in plans), strict=True)
    ]
    return Plan(rel, tuple(infos), rows)
