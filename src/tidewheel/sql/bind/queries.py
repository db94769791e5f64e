"""Whole queries: WITH, set operations, VALUES, ORDER BY and LIMIT around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tidewheel.ir.parts import SortKey
from tidewheel.ir.props import keys
from tidewheel.ir.rel import Distinct, Project, Rel, SetOp, TopK, Union, Values
from tidewheel.ir.scalar import Call, Col, Lit, Scalar
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.catalog import Bound, Catalog
from tidewheel.sql.bind.checks import check_sides
from tidewheel.sql.bind.exprs import Exprs
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.orders import directed, sort_key
from tidewheel.sql.bind.scope import Scope, named
from tidewheel.sql.bind.text import NotBoundError, SqlText, count
from tidewheel.types import DataType, Map, Struct

_AFTER_ORDER = frozenset({TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH, TokenType.SEMICOLON})
_MODIFIERS = frozenset({"with_", "order", "limit", "offset", "sort", "cluster", "distribute"})
SetOperation = exp.Union | exp.Intersect | exp.Except


@dataclass(frozen=True, slots=True)
class Limits:
    """ORDER BY, LIMIT and OFFSET of a query."""

    order: Sequence[exp.Expr]
    limit: int | None
    offset: int
    at: exp.Expr

    @property
    def cuts(self) -> bool:
        return self.limit is not None or self.offset > 0


@dataclass(slots=True)
class Environment:
    """What is known around a query: the catalog, and the common table expressions in sight."""

    catalog: Catalog
    text: SqlText
    ctes: Mapping[str, Bound] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def relation(self, node: exp.Table) -> Bound | None:
        name = node.name.lower()
        if name in self.ctes:
            return self.ctes[name]
        relation = self.catalog.get(name)
        return None if relation is None else Bound(relation.scan(), tuple(c.name for c in relation.columns))

    def names(self) -> list[str]:
        return [*self.ctes, *(r.name for r in self.catalog.values())]

    def note(self, text: str) -> None:
        self.notes[text] = None

    def query(self, node: exp.Expr, outer: Scope | None) -> Bound:
        """Any query, with the WITH clause and the modifiers it may carry."""
        env = self._with(node, outer)
        match node:
            case exp.Select():
                from tidewheel.sql.bind.select import bind_select  # noqa: PLC0415  selects contain queries

                return bind_select(env, node, outer)
            case exp.Subquery():
                return env.limited(env.query(node.this, outer), node, outer)
            case exp.Union() | exp.Intersect() | exp.Except():
                return env.limited(env.set_operation(node, outer), node, outer)
            case exp.Values():
                return env.values(node, outer)
            case exp.Table():
                bound = env.relation(node)
                if bound is not None:
                    return bound
        raise NotBoundError("unknown-statement", node.key.upper())

    def _with(self, node: exp.Expr, outer: Scope | None) -> Environment:
        clause = node.args.get("with_")
        if clause is None:
            return self
        env = replace(self, ctes=dict(self.ctes))
        own: set[str] = set()
        for cte in clause.expressions:
            if clause.args.get("recursive") and _names_itself(cte):
                raise NotBoundError("recursive-cte", f"the recursive query {cte.alias}")
            name = cte.alias.lower()
            if name in own:
                raise self.text.error(
                    f'"{cte.alias}" is defined twice in WITH', cte.args["alias"], code="duplicate-cte"
                )
            own.add(name)
            bound = env.query(cte.this, outer)
            listed = [c.name for c in cte.args["alias"].args.get("columns") or []]
            if listed and len(listed) != len(bound.names):
                raise self.text.error(
                    f"{count(len(listed), 'column name')} for {count(len(bound.names), 'column')}",
                    cte.args["alias"],
                    code="alias-columns",
                )
            env.ctes = {**env.ctes, name: Bound(bound.rel, tuple(listed) or bound.names)}
        return env

    def values(self, node: exp.Values, outer: Scope | None) -> Bound:
        rows: list[tuple[Scalar, ...]] = []
        exprs = Exprs(text=self.text, scope=Scope([], outer), found=Found(), queries=self.query, clause="VALUES")
        for item in node.expressions:
            cells = item.expressions if isinstance(item, exp.Tuple) else [item.unnest()]
            rows.append(tuple(exprs.bind(c) for c in cells))
        if len({len(row) for row in rows}) != 1:
            raise self.text.error("the rows of VALUES differ in length", node, code="values-width")
        if exprs.found.subqueries:
            first = exprs.found.subqueries[0].node
            raise self.text.error("a subquery cannot stand in VALUES", first, code="misplaced-subquery")
        for column in zip(*rows, strict=True):
            exprs.checks.common([exprs.checks.visit(c, node) for c in column], "the values of a column of VALUES", node)
        return Bound(Values(rows=tuple(rows), arity=len(rows[0])), tuple(f"col{i + 1}" for i in range(len(rows[0]))))

    def set_operation(self, node: SetOperation, outer: Scope | None) -> Bound:
        for key, value in node.args.items():
            if value and key not in {"this", "expression", "distinct", "by_name", *_MODIFIERS}:
                raise NotBoundError("set-operation-option", f"{key} of a set operation")
        left, right = self.query(node.this, outer), self.query(node.expression, outer)
        if node.args.get("by_name"):
            right = self._by_name(left, right, node)
        if left.rel.width != right.rel.width:
            raise self.text.error(
                f"the sides of {node.key.upper()} have {count(left.rel.width, 'column')} and {right.rel.width}",
                node.expression,
                code="set-operation-columns",
            )
        whole_rows = not isinstance(node, exp.Union) or bool(node.args.get("distinct"))
        check_sides(self.text, node, types_of(left.rel), types_of(right.rel), whole_rows=whole_rows)
        rel: Rel
        if isinstance(node, exp.Union):
            rel = Union(parts=(left.rel, right.rel))
            rel = Distinct(input=rel) if node.args.get("distinct") else rel
        else:
            everything = not node.args.get("distinct")
            kind = "intersect" if isinstance(node, exp.Intersect) else "except"
            rel = SetOp(
                kind="intersect" if kind == "intersect" else "except", all=everything, left=left.rel, right=right.rel
            )
        return Bound(rel, left.names)

    def _by_name(self, left: Bound, right: Bound, node: exp.Expr) -> Bound:
        if not isinstance(node, exp.Union):
            raise NotBoundError("set-operation-option", "BY NAME of a set operation other than UNION")
        places = {n.lower(): i for i, n in enumerate(right.names)}
        if set(places) != {n.lower() for n in left.names} or len(places) != len(right.names):
            raise self.text.error(
                "the sides of UNION BY NAME have different columns", node, code="set-operation-columns"
            )
        exprs = tuple(Col(places[n.lower()]) for n in left.names)
        return Bound(Project(input=right.rel, exprs=exprs), left.names)

    # --- ORDER BY, LIMIT, OFFSET ---

    def limits(self, node: exp.Expr) -> Limits:
        ordered = node.args.get("order")
        order = ordered.expressions if ordered is not None else []
        return Limits(order, self._count(node, "limit"), self._count(node, "offset") or 0, node)

    def _count(self, node: exp.Expr, which: str) -> int | None:
        clause = node.args.get(which)
        if clause is None:
            return None
        value = clause.expression
        if isinstance(value, exp.Var) and value.name.upper() == "ALL":
            return None
        if isinstance(clause, exp.Fetch) or value is None:
            raise self.text.error("FETCH is not Spark SQL", clause, code="sql-syntax", hint="Write LIMIT.")
        if value.find(exp.Query, exp.Null):
            raise self.text.error(f"{which.upper()} must be a whole number", value, code="bad-limit")
        if value.find(exp.Column):
            raise self.text.error(f"{which.upper()} must be a constant", value, code="bad-limit")
        exprs = Exprs(text=self.text, scope=Scope([]), found=Found(), queries=self.query, clause=which.upper())
        bound = exprs.bind(value)
        if isinstance(bound, Call) or not isinstance(bound, Lit):
            raise NotBoundError("limit-expression", f"{which.upper()} of an expression")
        if bound.kind not in {"tinyint", "smallint", "int"} or int(bound.value) < 0:
            raise self.text.error(
                f"{which.upper()} must be a whole number that is not negative", value, code="bad-limit"
            )
        return int(bound.value)

    def limited(self, bound: Bound, node: exp.Expr, outer: Scope | None) -> Bound:
        """ORDER BY and LIMIT of a set operation or a query in parentheses: over its output columns."""
        limits = self.limits(node)
        if not limits.order and not limits.cuts:
            return bound
        scope = Scope(named(bound.names, None), outer, types=types_of(bound.rel))
        exprs = Exprs(text=self.text, scope=scope, found=Found(), queries=self.query, clause="ORDER BY")
        order = []
        for item in limits.order:
            position = ordinal(item.this)
            if position is None:
                order.append(sort_key(exprs, item))
            else:
                order.append(sort_key_at(self, item, position, bound.rel.width))
        if exprs.found.subqueries:
            raise NotBoundError("subquery-in-order", "a subquery in ORDER BY")
        return Bound(self.top(bound.rel, order, limits, bound.rel.width), bound.names)

    def top(self, rel: Rel, order: Sequence[SortKey], limits: Limits, visible: int) -> Rel:
        """The first rows; an order that leaves ties is completed with the columns that are left."""
        if not limits.cuts:
            return rel
        given = {k.expr for k in order}
        completed = list(order)
        if not is_total(rel, given):
            missing = [i for i in range(visible) if Col(i) not in given]
            check_orderable(rel, missing)
            completed += [SortKey(expr=Col(i)) for i in missing]
            if missing:
                self._complete(limits, missing)
        return TopK(input=rel, order=tuple(completed), limit=limits.limit, offset=limits.offset)

    def _complete(self, limits: Limits, missing: Sequence[int]) -> None:
        """Write the tie-breakers into the text, as ordinals, before LIMIT."""
        if any(limits.at.args.get(k) for k in ("sort", "cluster", "distribute")):
            raise NotBoundError("no-total-order", "LIMIT after SORT BY, CLUSTER BY or DISTRIBUTE BY")
        ordinals = ", ".join(str(i + 1) for i in missing)
        self.note("LIMIT over an order with ties: the other columns decide among equals")
        clauses = [limits.at.args[k] for k in ("limit", "offset") if limits.at.args.get(k) is not None]
        start = min(self.text.range(c)[0] for c in clauses)
        tokens = self.text.tokens
        position = max(t.start for t in tokens if t.start < start and t.token_type in _AFTER_ORDER)
        if limits.order:  # ORDER BY a WINDOW w AS (...) LIMIT 1
            last = max(self.text.range(o)[1] for o in limits.order)
            between = (t.start for t in tokens if last < t.start < position and t.token_type == TokenType.WINDOW)
            position = min(between, default=position)
        self.text.insert(position, f", {ordinals} " if limits.order else f"ORDER BY {ordinals} ")


def _names_itself(cte: exp.Expr) -> bool:
    return any(t.name.lower() == cte.alias.lower() for t in cte.this.find_all(exp.Table))


def ordinal(node: exp.Expr) -> int | None:
    """`ORDER BY 2` means the second column; of an expression, nothing."""
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit():
        return int(str(node.this))
    return None


def sort_key_at(env: Environment, item: exp.Expr, position: int, width: int) -> SortKey:
    if not 1 <= position <= width:
        raise env.text.error(
            f"ORDER BY {position} is out of range",
            item,
            code="bad-ordinal",
            detail=f"There {'is' if width == 1 else 'are'} {count(width, 'column')}.",
        )
    return directed(Col(position - 1), item)


def is_total(rel: Rel, given: set[Scalar], fixed: Sequence[Scalar] = ()) -> bool:
    """Whether rows that agree in these expressions are the same row: they contain a key."""
    known = {e.index for e in (*given, *fixed) if isinstance(e, Col)}
    return any(key <= known for key in keys(rel))


def check_orderable(rel: Rel, columns: Sequence[int]) -> None:
    types = types_of(rel)
    for i in columns:
        if not _is_orderable(types[i]):
            raise NotBoundError("no-total-order", "rows that cannot be put into a total order (a MAP column)")


def _is_orderable(kind: DataType) -> bool:
    match kind:
        case Map():
            return False
        case Struct(fields):
            return all(_is_orderable(f.type) for f in fields)
    return True
