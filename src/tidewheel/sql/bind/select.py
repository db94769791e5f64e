"""One SELECT: from its FROM clause to its columns.

FROM, WHERE, GROUP BY, HAVING, window functions, QUALIFY, the select list, DISTINCT, ORDER BY and LIMIT, in the order in
which they take effect. All expressions are bound over the FROM clause first; after grouping they are lifted: what
equals a grouping key becomes that key, an aggregate becomes its column, and any column that is left is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from tidewheel.ir.parts import SortKey, WindowCall
from tidewheel.ir.rel import Aggregate, Distinct, Filter, Project, Rel, Window
from tidewheel.ir.scalar import Col, Scalar, conjunction, conjuncts, identity, transform
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.catalog import Bound
from tidewheel.sql.bind.checks import Checks
from tidewheel.sql.bind.completion import complete_window
from tidewheel.sql.bind.environment import Environment, Limits
from tidewheel.sql.bind.exprs import Exprs
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.generators import generated, is_generator
from tidewheel.sql.bind.grouping import Grouping, bind_grouping
from tidewheel.sql.bind.items import KNOWN, Item, implied_name
from tidewheel.sql.bind.names import is_star, starred
from tidewheel.sql.bind.orders import directed, ordinal, sort_key
from tidewheel.sql.bind.placement import check_grouped, check_sorted
from tidewheel.sql.bind.row_checks import check_rows
from tidewheel.sql.bind.scope import SUBQUERY, WINDOW, Scope, mentions, placeholder_number
from tidewheel.sql.bind.sources import Sources
from tidewheel.sql.bind.subqueries import Subqueries
from tidewheel.sql.bind.text import NotBoundError, count
from tidewheel.sql.bind.windows import to_frame

LiftedWindow: TypeAlias = tuple[int, WindowCall, tuple[Scalar, ...], tuple[SortKey, ...]]
"""The number of a window call, the call, its partition and its order, over the relation it will be computed on."""


@dataclass(slots=True)
class Select:
    """A SELECT while it is being bound."""

    env: Environment
    node: exp.Expr
    outer: Scope | None
    rel: Rel = field(init=False)
    scope: Scope = field(init=False)
    checks: Checks = field(init=False)
    found: Found = field(default_factory=Found)
    items: list[Item] = field(default_factory=list)
    named_windows: dict[str, exp.Expr] = field(default_factory=dict)
    generates: bool = False

    def bind(self) -> Bound:
        for key, value in self.node.args.items():
            if value and key not in KNOWN:
                raise NotBoundError("select-option", f"{key} of a SELECT")
        source = Sources(self.env, self.outer).bind(self.node)
        self.rel, self.scope = source.rel, Scope(list(source.entries), self.outer, types=types_of(source.rel))
        self.checks = Checks(self.env.text, self.scope, self.found)
        self._where()
        for window in self.node.args.get("windows") or ():
            if window.name.lower() in self.named_windows:
                raise self.env.text.error(f'window "{window.name}" is defined twice', window, code="duplicate-window")
            self.named_windows[window.name.lower()] = window
        self._select_list()
        having, qualify = self._condition("having"), self._condition("qualify")
        limits = self.env.limits(self.node)
        order = self._order(limits)
        if self.generates and (self.node.args.get("group") is not None or self.found.aggregates or self.found.windows):
            raise NotBoundError("generator", "a generator beside aggregates or window functions")
        grouping = self._grouping(having)
        if grouping is not None:
            check_grouped(grouping, [(i.value, i.node) for i in self.items])
        if not limits.cuts:
            self._check_dropped(order, grouping)
            order = []
        values = [i.value for i in self.items]
        everything = [*values, *(k.expr for k in order), *having, *qualify]
        lifted = self._after_groups(everything, grouping, having_from=len(values) + len(order), having=len(having))
        return self._finish(lifted, order, limits, qualify=len(qualify))

    # --- clauses bound over FROM ---

    def exprs(self, clause: str, **options: object) -> Exprs:
        return Exprs(
            text=self.env.text, scope=self.scope, found=self.found, queries=self.env.query, clause=clause,
            named_windows=self.named_windows, checks=self.checks, **options,  # type: ignore[arg-type]
        )  # fmt: skip

    def _where(self) -> None:
        where = self.node.args.get("where")
        if where is None:
            return
        found = Found()
        exprs = Exprs(text=self.env.text, scope=self.scope, found=found, queries=self.env.query, clause="WHERE")
        predicate = exprs.bind(where.this)
        exprs.checks.condition(predicate, where.this, "the condition of WHERE")
        self.rel = Subqueries(found, self.scope.id, lambda s: s).filter(self.rel, predicate)

    def _select_list(self) -> None:
        aliases: dict[str, Scalar] = {}
        repeated: set[str] = set()
        for item in self.node.expressions:
            exprs = self.exprs("SELECT", aggregates=True, windows=True, aliases=aliases, repeated=repeated)
            if is_star(item):
                self.items += [Item(name, item, value) for name, value in starred(exprs, item)]
            elif is_generator(item.unalias() if not isinstance(item, exp.Aliases) else item.this):
                self._generator(exprs, item)
                if isinstance(item, (exp.Alias, exp.Aliases)):
                    aliases = {i.name.lower(): i.value for i in self.items if i.node is item} | aliases
            elif isinstance(item, exp.Aliases):
                raise NotBoundError("select-option", "several names for one expression")
            else:
                value = exprs.bind(item.unalias())
                name = item.alias or implied_name(item)
                self.items.append(Item(name, item, value))
                if item.alias and aliases.setdefault(item.alias.lower(), value) != value:
                    repeated.add(item.alias.lower())
        if not self.items:
            raise self.env.text.error("the query selects nothing", self.node, code="sql-syntax")

    def _generator(self, exprs: Exprs, item: exp.Expr) -> None:
        """SELECT explode(x): the rows are made after WHERE, before everything else."""
        inner = item.this if isinstance(item, (exp.Alias, exp.Aliases)) else item
        listed = [e.name for e in item.expressions] if isinstance(item, exp.Aliases) else []
        width = self.rel.width
        made, names = generated(exprs, self.rel, inner, outer=False, listed=listed)
        if isinstance(item, exp.Alias):
            if len(names) != 1:
                raise self.env.text.error(
                    f"{count(len(names), 'column')} need {len(names)} names",
                    item,
                    code="alias-columns",
                    hint="Write AS (a, b).",
                )
            names = (item.alias,)
        self.rel, self.generates = made, True
        self.scope.types = types_of(made)
        self.items += [Item(n, item, Col(width + i)) for i, n in enumerate(names)]

    def _condition(self, clause: str) -> list[Scalar]:
        node = self.node.args.get(clause)
        if node is None:
            return []
        aliases = {i.name.lower(): i.value for i in reversed(self.items) if i.node.alias}
        qualify = clause == "qualify"
        exprs = self.exprs(clause.upper(), aggregates=not qualify, windows=qualify, aliases=aliases)
        condition = exprs.bind(node.this)
        if clause == "having" and mentions(condition, WINDOW):
            raise self.env.text.error(
                "a window function cannot stand in HAVING", node, code="misplaced-window", hint="Use QUALIFY."
            )
        self.checks.castable_condition(condition, node.this, clause.upper())
        if clause == "qualify" and not self.found.windows:
            raise self.env.text.error(
                "QUALIFY needs a window function", node, code="misplaced-window", hint="Use WHERE or HAVING."
            )
        return list(conjuncts(condition))

    def _order(self, limits: Limits) -> list[SortKey]:
        """Sort keys over FROM; a name means a column of the select list first, a number its position."""
        if not limits.cuts and limits.order and self.outer is None:
            self.env.note("ORDER BY without LIMIT has no effect on a stored table")
        by_name: dict[str, Scalar] = {}
        for item in self.items:
            by_name.setdefault(item.name.lower(), item.value)
        keys = []
        if len(limits.order) == 1 and isinstance(limits.order[0].this, exp.Var) and limits.order[0].this.name == "ALL":
            node = limits.order[0]
            return [directed(item.value, node) for item in self.items] if limits.cuts else []
        for node in limits.order:
            position = ordinal(node.this)
            if position is None:
                keys.append(self._sort_key(node, by_name))
                continue
            if not 1 <= position <= len(self.items):
                raise self.env.text.error(
                    f"ORDER BY {position} is out of range",
                    node,
                    code="bad-ordinal",
                    detail=f"The query selects {count(len(self.items), 'column')}.",
                )
            keys.append(directed(self.items[position - 1].value, node))
            self.checks.orderable(keys[-1].expr, node, "ORDER BY")
        return keys

    def _sort_key(self, node: exp.Expr, by_name: dict[str, Scalar]) -> SortKey:
        distinct = self.node.args.get("distinct") is not None
        exprs = self.exprs(
            "ORDER BY of DISTINCT" if distinct else "ORDER BY",
            aggregates=not distinct, windows=not distinct, aliases=by_name, aliases_first=True,
        )  # fmt: skip
        seen, subqueries = len(self.found.seen), len(self.found.subqueries)
        around = [] if self.outer is None else self.outer.seen
        outside = len(around)
        key = sort_key(exprs, node)
        check_sorted(self.env.text, self.found.subqueries[subqueries:], self.scope)
        if len(around) > outside:
            raise self.env.text.error(
                "ORDER BY cannot read a column of the query around it", around[-1][1], code="unknown-column"
            )
        if distinct:
            self._check_selected([index for index, _ in self.found.seen[seen:]], node)
        return key

    def _check_dropped(self, order: Sequence[SortKey], grouping: Grouping | None) -> None:
        """An order without LIMIT changes nothing, but must be one that Spark takes."""
        for key in order:
            if grouping is not None and not mentions(key.expr, SUBQUERY):
                grouping.lift(key.expr)

    def _check_selected(self, columns: Sequence[int], node: exp.Expr) -> None:
        """DISTINCT leaves what is selected, under the names it has there; and the columns that USING hides."""
        bare = {i.value.index for i in self.items if isinstance(i.value, Col) and not i.node.alias}
        hidden = {e.index for e in self.scope.entries if not e.in_star}
        if not bare.union(hidden).issuperset(columns):
            raise self.env.text.error(
                "ORDER BY of a SELECT DISTINCT must name selected columns", node, code="order-by-distinct"
            )

    # --- grouping, windows, columns ---

    def _grouping(self, having: Sequence[Scalar]) -> Grouping | None:
        group = self.node.args.get("group")
        if group is None and not self.found.aggregates and not having and not self.found.groupings:
            return None
        exprs = self.exprs("GROUP BY")
        return bind_grouping(exprs, group, [(i.name, i.value, i.node) for i in self.items])

    def _after_groups(
        self, scalars: list[Scalar], grouping: Grouping | None, *, having_from: int, having: int
    ) -> list[Scalar]:
        """Group, filter groups, compute subqueries and windows; returns the scalars over what then is the relation."""
        lift = self._identity
        if grouping is not None:
            self._group(grouping)
            lift = grouping.lift
        scalars = [lift(s) for s in scalars]
        helper = Subqueries(self.found, self.scope.id, lift)
        if having:
            condition = conjunction(scalars[having_from : having_from + having])
            self.rel = helper.filter(self.rel, condition)
        del scalars[having_from : having_from + having]
        windows = [self._lifted_window(i, lift) for i in range(len(self.found.windows))]
        scalars = self._windows(scalars, windows, grouping)
        if any(mentions(s, SUBQUERY) for s in scalars):
            self.rel, scalars = helper.values(self.rel, scalars)
        return scalars

    @staticmethod
    def _identity(scalar: Scalar) -> Scalar:
        return scalar

    def _group(self, grouping: Grouping) -> None:
        """Group; subqueries inside aggregates and grouping keys are computed before."""
        keys, calls = grouping.keys, list(self.found.aggregates)
        if any(mentions(s, SUBQUERY) for s in [*keys, *(s for c in calls for s in c.scalars)]):
            helper = Subqueries(self.found, self.scope.id, self._identity)
            self.rel, placed = helper.values(self.rel, keys)
            keys = tuple(placed)
            for i, call in enumerate(calls):
                self.rel, scalars = helper.values(self.rel, call.scalars)
                calls[i] = call.over(scalars)
        self.rel = Aggregate(input=self.rel, keys=keys, calls=tuple(calls), sets=grouping.sets)

    def _lifted_window(
        self, number: int, lift: object
    ) -> tuple[int, WindowCall, tuple[Scalar, ...], tuple[SortKey, ...]]:
        assert callable(lift)  # noqa: S101
        spec = self.found.windows[number]
        call = WindowCall(
            name=spec.name,
            args=tuple(lift(a) for a in spec.args),
            frame=to_frame(spec.frame),
            where=None if spec.where is None else lift(spec.where),
            ignore_nulls=spec.ignore_nulls,
        )
        order = tuple(
            SortKey(expr=lift(k.expr), descending=k.descending, nulls_first=k.nulls_first) for k in spec.order
        )
        return number, call, tuple(lift(p) for p in spec.partition), order

    def _windows(
        self,
        scalars: list[Scalar],
        windows: Sequence[LiftedWindow],
        grouping: Grouping | None,
    ) -> list[Scalar]:
        """One Window node for all calls over the same partition and order; ties are broken where they show."""
        base = self.rel
        groups: dict[tuple[tuple[Scalar, ...], tuple[SortKey, ...]], list[tuple[int, WindowCall]]] = {}
        for number, call, partition, order in windows:
            full = complete_window(self.env, base, self.found.windows[number], partition, order, self.scope, grouping)
            groups.setdefault((partition, full), []).append((number, call))
        places: dict[int, Scalar] = {}
        for (partition, order), calls in groups.items():
            start = self.rel.width
            self.rel = Window(input=self.rel, partition=partition, order=order, calls=tuple(call for _, call in calls))
            places |= {number: Col(start + i) for i, (number, _) in enumerate(calls)}

        def placed(part: Scalar) -> Scalar | None:
            number = placeholder_number(part, WINDOW)
            return None if number is None else places[number]

        return [transform(s, placed) for s in scalars] if places else scalars

    def _finish(self, scalars: list[Scalar], order: Sequence[SortKey], limits: Limits, *, qualify: int) -> Bound:
        width = len(self.items)
        if qualify:
            self.rel = Filter(input=self.rel, predicate=conjunction(scalars[-qualify:]))
            del scalars[-qualify:]
        values, sort = scalars[:width], scalars[width:]
        keys = [
            SortKey(expr=e, descending=k.descending, nulls_first=k.nulls_first)
            for e, k in zip(sort, order, strict=True)
        ]
        names = tuple(i.name for i in self.items)
        distinct = self.node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise NotBoundError("select-option", "DISTINCT ON")
        if distinct is not None:
            check_rows(self.env.text, [(i.node, self.checks.visit(i.value, i.node)) for i in self.items], "DISTINCT")
        if not limits.cuts:
            rel: Rel = Project(input=self.rel, exprs=tuple(values))
            return Bound(Distinct(input=rel) if distinct is not None else rel, names)
        return Bound(self._limited(values, keys, limits, distinct=distinct is not None), names)

    def _limited(self, values: list[Scalar], keys: Sequence[SortKey], limits: Limits, *, distinct: bool) -> Rel:
        """Sort keys that are not selected are computed beside the columns and dropped afterwards."""
        places: dict[Scalar, int] = {}
        for i, value in enumerate(values):
            places.setdefault(value, i)
        extra = list(dict.fromkeys(k.expr for k in keys if k.expr not in places))
        if distinct and extra:
            raise NotBoundError("order-by-distinct", "ORDER BY of an expression over the columns of SELECT DISTINCT")
        places |= {e: len(values) + i for i, e in enumerate(extra)}
        rel: Rel = Project(input=self.rel, exprs=(*values, *extra))
        rel = Distinct(input=rel) if distinct else rel
        order = [SortKey(expr=Col(places[k.expr]), descending=k.descending, nulls_first=k.nulls_first) for k in keys]
        top = self.env.top(rel, order, limits, len(values))
        return Project(input=top, exprs=identity(len(values))) if extra else top
