"""What is known around a query, and the ORDER BY and LIMIT that any query may carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tidewheel.ir.parts import SortKey
from tidewheel.ir.rel import Rel, TopK
from tidewheel.ir.scalar import Call, Col, Lit
from tidewheel.sql.bind.catalog import Bound, Catalog
from tidewheel.sql.bind.exprs import Exprs
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.orders import check_orderable, is_total
from tidewheel.sql.bind.scope import Scope
from tidewheel.sql.bind.text import NotBoundError, SqlText

_AFTER_ORDER = frozenset({TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH, TokenType.SEMICOLON})
BindQuery: TypeAlias = Callable[["Environment", exp.Expr, Scope | None], Bound]


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
    bind: BindQuery
    """Binds a query within this one."""
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
        """Any query that stands within this one."""
        return self.bind(self, node, outer)

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
