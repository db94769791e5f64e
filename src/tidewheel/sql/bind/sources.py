"""FROM: relations, subqueries, joins, and the names they bring into scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from tidewheel.errors import did_you_mean
from tidewheel.ir.functions import BUILTINS
from tidewheel.ir.parts import JoinKey
from tidewheel.ir.rel import ONE_ROW, Join, JoinKind, Project, Rel
from tidewheel.ir.scalar import TRUE, Call, Col, Scalar, identity, remap
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.catalog import Bound
from tidewheel.sql.bind.correlation import references, split_condition
from tidewheel.sql.bind.decorrelate import Decorrelation
from tidewheel.sql.bind.environment import Environment
from tidewheel.sql.bind.exprs import Exprs
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.generators import generated, is_generator
from tidewheel.sql.bind.pivots import bind_pivot
from tidewheel.sql.bind.placement import check_uncorrelated
from tidewheel.sql.bind.scope import Entry, Scope, Source, moved, named
from tidewheel.sql.bind.subqueries import Subqueries
from tidewheel.sql.bind.text import NotBoundError, count

_KINDS: Final[dict[tuple[str, str], str]] = {
    ("", ""): "inner", ("", "INNER"): "inner", ("", "CROSS"): "inner",
    ("LEFT", ""): "left", ("LEFT", "OUTER"): "left", ("RIGHT", ""): "right", ("RIGHT", "OUTER"): "right",
    ("FULL", ""): "full", ("FULL", "OUTER"): "full",
    ("LEFT", "SEMI"): "semi", ("", "SEMI"): "semi", ("LEFT", "ANTI"): "anti", ("", "ANTI"): "anti",
}  # fmt: skip


NOTHING: Final = Source(ONE_ROW, ())


class Sources:
    """The FROM clause of one SELECT."""

    def __init__(self, env: Environment, outer: Scope | None) -> None:
        self.env, self.outer, self.text = env, outer, env.text

    def bind(self, select: exp.Expr) -> Source:
        first = select.args.get("from_")
        if first is None:
            return self._lateral_views(NOTHING, select.args.get("laterals") or ())
        current = self.item(first.this, NOTHING)
        for join in select.args.get("joins") or ():  # a comma is a cross join like any other: it binds no less tightly
            current = self.join(current, join)
        return self._lateral_views(current, select.args.get("laterals") or ())

    def item(self, node: exp.Expr, left: Source) -> Source:
        """One thing in FROM; a LATERAL one reads, and is joined with, what stands left of it."""
        match node:
            case exp.Table():
                source = self._table(node)
            case exp.Subquery():
                source = self._subquery(node)
            case exp.Values():
                source = self._values(node)
            case exp.Lateral():
                return self.lateral(node, left, "inner")
            case exp.Unnest():
                raise NotBoundError("table-function", "UNNEST")
            case _:
                raise NotBoundError("unknown-relation-kind", node.key.upper())
        for pivot in node.args.get("pivots") or ():
            source = Source(*bind_pivot(self, source, pivot))
        for join in node.args.get("joins") or ():
            source = self.join(source, join)
        return source

    def _table(self, node: exp.Table) -> Source:
        known = {"this", "alias", "pivots", "joins", "hints"}
        for key, value in node.args.items():
            if value and key not in known:
                raise NotBoundError("table-option", f"{key} of a table")
        if is_generator(node.this):
            return self.generator(node, NOTHING, outer=False)
        if not isinstance(node.this, exp.Identifier):
            name = node.this.name.lower() if isinstance(node.this, exp.Anonymous) else node.this.key
            if isinstance(node.this, exp.Anonymous) and name not in BUILTINS and name != "identifier":
                raise self.text.error(f'function "{name}" does not exist', node, code="unknown-function")
            raise NotBoundError("table-function", f"{name}() in FROM")
        bound = self.env.relation(node)
        if bound is None:
            raise self.text.error(
                f'relation "{node.name}" does not exist',
                node,
                code="unknown-relation",
                hint=did_you_mean(node.name, self.env.names()),
            )
        return self._aliased(bound, node, node.name)

    def _subquery(self, node: exp.Subquery) -> Source:
        inner = node.this
        if isinstance(inner, (exp.Table, exp.Subquery)) and not isinstance(inner, exp.Query):
            source = self.item(inner, NOTHING)
            alias = node.args.get("alias")
            if alias is None:
                return source
            names = [e.name for e in source.entries if e.in_star]
            picked = Project(input=source.rel, exprs=tuple(Col(e.index) for e in source.entries if e.in_star))
            return self._aliased(Bound(picked, tuple(names)), node, None)
        if isinstance(inner, exp.Table):
            return self.item(inner, NOTHING)
        return self._aliased(self.env.query(node, self.outer), node, None)  # its neighbours in FROM it does not see

    def _values(self, node: exp.Values) -> Source:
        return self._aliased(self.env.query(node, self.outer), node, None)

    def _aliased(self, bound: Bound, node: exp.Expr, default: str | None) -> Source:
        alias = node.args.get("alias")
        qualifier = alias.name if alias is not None and alias.this is not None else default
        names: Sequence[str] = bound.names
        listed = [] if alias is None else alias.args.get("columns") or []
        if listed:
            if len(listed) != len(names):
                raise self.text.error(
                    f"{count(len(listed), 'column name')} for {count(len(names), 'column')}",
                    alias,
                    code="alias-columns",
                )
            names = [c.name for c in listed]
        return Source(bound.rel, tuple(named(names, qualifier)))

    # --- joins ---

    def join(self, left: Source, node: exp.Expr) -> Source:
        for key, value in node.args.items():
            if value and key not in {"this", "side", "kind", "method", "on", "using", "hint"}:
                raise NotBoundError("join-option", f"{key} of a join")
        method = str(node.args.get("method") or "").upper()
        side, kind = str(node.args.get("side") or "").upper(), str(node.args.get("kind") or "").upper()
        shape = _KINDS.get((side, kind))
        if shape is None or method not in {"", "NATURAL"}:
            raise NotBoundError("join-kind", f"a {method} {side} {kind} join")
        if isinstance(node.this, exp.Lateral):
            if shape not in {"inner", "left"} or node.args.get("using") or method:
                raise NotBoundError("lateral-join", f"a lateral {shape} join")
            return self.lateral(node.this, left, shape, node.args.get("on"))
        if isinstance(node.this, exp.Table) and node.this.args.get("joins"):
            raise self.text.error(
                "an ON stands too far from its JOIN", node, code="sql-syntax", hint="Put the inner join in parentheses."
            )
        right = self.item(node.this, NOTHING)
        if method == "NATURAL" and (node.args.get("on") or node.args.get("using")):
            raise self.text.error("a NATURAL join has no condition of its own", node, code="sql-syntax")
        using = self._common(left, right) if method == "NATURAL" else node.args.get("using") or []
        if using:
            return self._using(left, right, shape, using)
        return self._on(left, right, shape, node.args.get("on"))

    def _common(self, left: Source, right: Source) -> list[exp.Expr]:
        names = {e.name.lower() for e in right.entries if e.by_name}
        return [exp.to_identifier(e.name) for e in left.entries if e.by_name and e.name.lower() in names]

    def _on(self, left: Source, right: Source, shape: str, on: exp.Expr | None) -> Source:
        entries = (*left.entries, *moved(right.entries, left.rel.width))
        found = Found()
        condition: Scalar = TRUE
        scope = Scope(list(entries), self.outer, types=(*types_of(left.rel), *types_of(right.rel)))
        if on is not None:
            exprs = self.exprs(scope, found, "JOIN ON")
            condition = exprs.bind(on)
            exprs.checks.condition(condition, on, "the condition of JOIN")
            check_uncorrelated(self.text, found.subqueries, scope, "ON")
        if found.subqueries:
            if shape != "inner":
                raise NotBoundError("subquery-in-on", "a subquery in the ON of an outer join")
            crossed = Join(kind="inner", left=left.rel, right=right.rel)
            return Source(Subqueries(found, scope.id, lambda s: s).filter(crossed, condition), entries)
        keys, residual = split_condition(condition, left.rel.width)
        rel = _joined(left.rel, right.rel, shape, keys, residual)
        return Source(rel, left.entries if shape in {"semi", "anti"} else entries)

    def _using(self, left: Source, right: Source, shape: str, using: Sequence[exp.Expr]) -> Source:
        """Columns of the same name are one: the left one, of a right join the right, of a full one whichever is."""
        width = left.rel.width
        pairs = [(self._using_side(left, c, "left"), self._using_side(right, c, "right")) for c in using]
        keys = tuple(JoinKey(left=Col(a.index), right=Col(b.index)) for a, b in pairs)
        rel = _joined(left.rel, right.rel, shape, keys, TRUE)
        if shape in {"semi", "anti"}:
            return Source(rel, left.entries)
        merged: list[Entry] = []
        hidden: list[Entry] = []
        for a, b in pairs:
            other = replace(b, index=b.index + width)
            if shape == "full":
                rel = Project(
                    input=rel, exprs=(*identity(rel.width), Call("coalesce", (Col(a.index), Col(other.index))))
                )
                merged.append(Entry(name=a.name, qualifier=None, index=rel.width - 1))
                hidden += [replace(a, in_star=False, by_name=False), replace(other, in_star=False, by_name=False)]
            else:
                kept, lost = (other, a) if shape == "right" else (a, other)
                merged.append(kept)
                hidden.append(replace(lost, in_star=False, by_name=False))
        taken = {id(a) for a, _ in pairs} | {id(b) for _, b in pairs}
        rest = [e for e in left.entries if id(e) not in taken]
        rest += moved([e for e in right.entries if id(e) not in taken], width)
        return Source(rel, (*merged, *rest, *hidden))

    def _using_side(self, source: Source, column: exp.Expr, side: str) -> Entry:
        found = [e for e in source.entries if e.by_name and e.name.lower() == column.name.lower()]
        if not found:
            raise self.text.error(
                f'column "{column.name}" of USING does not exist on the {side} side of the join',
                column,
                code="unknown-column",
                hint=did_you_mean(column.name, [e.name for e in source.entries]),
            )
        return found[0]  # of several, Spark takes the first

    # --- LATERAL ---

    def lateral(self, node: exp.Expr, left: Source, shape: str, on: exp.Expr | None = None) -> Source:
        """A subquery or generator that reads the columns left of it."""
        if not isinstance(node.this, exp.Subquery):
            if on is not None and not (isinstance(on, exp.Boolean) and on.this):
                raise NotBoundError("lateral-join", "a generator joined with a condition")
            return self.generator(node, left, outer=shape == "left")
        scope = Scope(list(left.entries), self.outer, types=types_of(left.rel))
        bound = self.env.query(node.this, scope)
        source = self._aliased(bound, node, None)
        entries = (*left.entries, *moved(source.entries, left.rel.width))
        reads = references(bound.rel, scope.id)
        keys: tuple[JoinKey, ...] = ()
        inner = bound.rel
        if reads:
            helper = Decorrelation(left.rel, scope.id, reads, Col)
            pushed = helper.push(bound.rel)
            inner, keys = pushed.rel, helper.keys(pushed, bound.rel.width)
        condition: Scalar = TRUE
        if on is not None:
            found = Found()
            condition = self.exprs(Scope(list(entries), self.outer), found, "JOIN ON").bind(on)
            if found.subqueries:
                raise NotBoundError("subquery-in-on", "a subquery in the ON of a lateral join")
        joined = Join(
            kind="left" if shape == "left" else "inner", left=left.rel, right=inner, keys=keys, residual=condition
        )
        return Source(Project(input=joined, exprs=identity(left.rel.width + bound.rel.width)), entries)

    def _lateral_views(self, source: Source, laterals: Sequence[exp.Expr]) -> Source:
        for node in laterals:
            source = self.generator(node, source, outer=bool(node.args.get("outer")))
        return source

    def generator(self, node: exp.Expr, left: Source, *, outer: bool) -> Source:
        alias = node.args.get("alias")
        listed = [c.name for c in (alias.args.get("columns") or [])] if alias is not None else []
        qualifier = alias.name if alias is not None and alias.this is not None else None
        scope = Scope(list(left.entries), self.outer, types=types_of(left.rel))
        exprs = self.exprs(scope, Found(), "LATERAL VIEW")
        rel, names = generated(exprs, left.rel, node.this, outer=outer, listed=listed)
        return Source(rel, (*left.entries, *named(names, qualifier, left.rel.width)))

    def exprs(self, scope: Scope, found: Found, clause: str) -> Exprs:
        return Exprs(text=self.text, scope=scope, found=found, queries=self.env.query, clause=clause)


def _joined(left: Rel, right: Rel, shape: str, keys: tuple[JoinKey, ...], residual: Scalar) -> Rel:
    if shape != "right":
        kinds: dict[str, JoinKind] = {"inner": "inner", "left": "left", "full": "full", "semi": "semi", "anti": "anti"}
        return Join(kind=kinds[shape], left=left, right=right, keys=keys, residual=residual)
    a, b = left.width, right.width
    swapped = Join(
        kind="left",
        left=right,
        right=left,
        keys=tuple(replace(k, left=k.right, right=k.left) for k in keys),
        residual=remap(residual, lambda i: i + b if i < a else i - a),
    )
    return Project(input=swapped, exprs=tuple(Col(i) for i in (*range(b, b + a), *range(b))))
