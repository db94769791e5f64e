"""Expressions: sqlglot's trees to our scalars, names resolved, functions untouched.

Aggregates, window functions and subqueries become placeholders; what they stand for is collected, and whoever binds
the clause puts columns in their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from sqlglot import exp

from tidewheel.errors import did_you_mean
from tidewheel.ir.functions import AGGREGATES, BUILTINS, GENERATORS, WINDOW_FUNCTIONS
from tidewheel.ir.parts import AggCall, SortKey
from tidewheel.ir.scalar import (
    FALSE,
    NULL,
    TRUE,
    Call,
    Case,
    Col,
    Lambda,
    Lit,
    Param,
    Scalar,
    conjunction,
    disjunction,
)  # fmt: skip
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.catalog import Bound
from tidewheel.sql.bind.checks import Checks
from tidewheel.sql.bind.constants import check_decimal, check_number, check_typed_literal
from tidewheel.sql.bind.literals import has_suffix, interval, number, typed
from tidewheel.sql.bind.scope import (
    AGGREGATE,
    SUBQUERY,
    WINDOW,
    Entry,
    Scope,
    mentions,
    outer_column,
    placeholder,
)  # fmt: skip
from tidewheel.sql.bind.text import NotBoundError, SqlText, count
from tidewheel.types import UNKNOWN, DataType, Struct, parse_type, to_sql

BINARY: Final[Mapping[type[exp.Expr], str]] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "div", exp.Mod: "%", exp.EQ: "=",
    exp.NullSafeEQ: "<=>", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^", exp.RegexpLike: "rlike",
    exp.BitwiseLeftShift: "shiftleft", exp.BitwiseRightShift: "shiftright",
}  # fmt: skip
UNITS: Final = frozenset({"timestampadd", "timestampdiff", "dateadd", "datediff", "date_add", "date_diff"})
CLOCK_WORDS: Final = frozenset({"current_date", "current_timestamp", "localtimestamp", "current_time", "current_user"})
CAST_FUNCTIONS: Final = {
    name: {"decimal": "DECIMAL(10,0)"}.get(name, name.upper())
    for name in (
        "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "date", "timestamp", "binary",
        "string",
    )
}  # fmt: skip
"""`string(x)` is another way to write CAST(x AS STRING)."""
BY_NAME: Final = frozenset({"arrays_zip"})
"""Functions whose result depends on the names of their arguments, which positions do not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSpec:
    """A call with its OVER clause, before it has a Window node."""

    name: str
    args: tuple[Scalar, ...]
    where: Scalar | None
    ignore_nulls: bool
    partition: tuple[Scalar, ...]
    order: tuple[SortKey, ...]
    frame: tuple[str, Lit | None, Lit | None] | None
    node: exp.Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery:
    """A query inside an expression: its one value, whether it has rows, or whether the operands are among them."""

    kind: Literal["scalar", "exists", "in"]
    query: Bound
    operands: tuple[Scalar, ...] = ()
    node: exp.Expr


@dataclass(slots=True)
class Found:
    """What the placeholders of one SELECT stand for."""

    aggregates: list[AggCall] = field(default_factory=list)
    windows: list[WindowSpec] = field(default_factory=list)
    subqueries: list[Subquery] = field(default_factory=list)
    seen: list[tuple[int, exp.Expr]] = field(default_factory=list)  # columns and where they stand, for errors
    groupings: list[tuple[Call, exp.Expr]] = field(default_factory=list)  # calls of grouping(), and where they stand


@dataclass(slots=True, kw_only=True)
class Exprs:
    """The expressions of one clause."""

    text: SqlText
    scope: Scope
    found: Found
    queries: Callable[[exp.Expr, Scope], Bound]
    clause: str = "SELECT"
    aggregates: bool = False
    windows: bool = False
    aliases: Mapping[str, Scalar] = field(default_factory=dict)
    aliases_first: bool = False
    repeated: Collection[str] = ()  # aliases that more than one column has
    named_windows: Mapping[str, exp.Expr] = field(default_factory=dict)
    params: tuple[dict[str, Param], ...] = ()
    inside: str | None = None  # the aggregate or window function whose argument is being bound
    checks: Checks = field(default=None)  # type: ignore[assignment]  # set below

    def __post_init__(self) -> None:
        if self.checks is None or self.checks.found is not self.found:
            self.checks = Checks(self.text, self.scope, self.found)

    @property
    def types(self) -> Sequence[DataType]:
        """The types of the FROM clause's columns."""
        return self.scope.types

    def bind(self, node: exp.Expr) -> Scalar:
        kind = type(node)
        if kind in BINARY:
            _only(node, "this", "expression", "typed", "safe")
            value: Scalar = Call(BINARY[kind], (self.bind(node.this), self.bind(node.expression)))
        else:
            bind = _BINDERS.get(kind)
            if bind is None:
                raise NotBoundError("unknown-expression", f"{node.key.upper()} ({node.sql(dialect='spark')[:80]})")
            value = bind(self, node)
        self.checks.visit(value, node)
        return value

    # --- names ---

    def column(self, node: exp.Expr) -> Scalar:
        parts = [p.name for p in node.parts] if isinstance(node, exp.Column) else [node.name]
        if isinstance(node.this, exp.Star):
            return self.star(node)
        if len(parts) == 1 and re.fullmatch(r"[\d.]+BD", parts[0], re.IGNORECASE) and not node.this.quoted:
            return Lit("decimal", parts[0][:-2])
        for level in reversed(self.params):
            if parts[0].lower() in level:
                return _fields(level[parts[0].lower()], parts[1:])
        return self.name(parts, node)

    def star(self, node: exp.Expr) -> Scalar:
        raise self.text.error("a star cannot stand here", node, code="misplaced-star", hint="Name the column.")

    def name(self, parts: Sequence[str], node: exp.Expr) -> Scalar:
        alias = self.aliases.get(parts[0].lower())
        if self.aliases_first and alias is not None:
            return _fields(alias, parts[1:])
        found = self.scope.find(parts)
        if found:
            entry, rest = self._one(found, parts, node)
            self.found.seen.append((entry.index, node))
            return _fields(
                Col(entry.index), rest, self.types[entry.index] if entry.index < len(self.types) else UNKNOWN
            )
        if alias is not None:
            return self._lateral(alias, parts, node)
        outer = self.scope.outer
        if outer is not None and (found := outer.find(parts)):
            entry, rest = self._one(found, parts, node)
            outer.seen.append((entry.index, node))
            return _fields(outer_column(outer, entry.index), rest)
        if len(parts) == 1 and parts[0].lower() in CLOCK_WORDS:
            return Call(parts[0].lower())
        if outer is not None and outer.outer is not None and outer.outer.find(parts):
            raise self.text.error(
                f'column "{".".join(parts)}" is two queries further out',
                node,
                code="unknown-column",
                detail="A subquery sees the columns of the query around it, not of those around that.",
            )
        raise self._unknown(parts, node)

    def _lateral(self, alias: Scalar, parts: Sequence[str], node: exp.Expr) -> Scalar:
        if parts[0].lower() in self.repeated:
            raise self.text.error(
                f'column "{parts[0]}" is ambiguous',
                node,
                code="ambiguous-column",
                detail="Several columns are named so.",
            )
        if self.inside == "aggregate" and (mentions(alias, AGGREGATE) or mentions(alias, WINDOW)):
            raise self.text.error(
                f'"{parts[0]}" is an aggregate and cannot be aggregated again', node, code="nested-aggregate"
            )
        return _fields(alias, parts[1:])

    def _one(
        self, found: Sequence[tuple[Entry, Sequence[str]]], parts: Sequence[str], node: exp.Expr
    ) -> tuple[Entry, Sequence[str]]:
        if len(found) > 1:
            owners = [f"{e.qualifier}.{e.name}" if e.qualifier else e.name for e, _ in found]
            several = len({o.lower() for o in owners}) > 1
            raise self.text.error(
                f'column "{".".join(parts)}" is ambiguous',
                node,
                code="ambiguous-column",
                detail=f"It may be {' or '.join(owners)}." if several else f"There are {len(found)} of this name.",
                hint="Put the table's name or alias before it." if several else "Give each a name of its own.",
            )
        return found[0]

    def _unknown(self, parts: Sequence[str], node: exp.Expr) -> Exception:
        if len(parts) > 1 and not self.scope.has_qualifier(parts[0]):
            known = sorted({e.qualifier for e in self.scope.entries if e.qualifier})
            return self.text.error(
                f'table "{parts[0]}" is not in the FROM clause',
                node,
                code="unknown-column",
                hint=did_you_mean(parts[0], known),
            )
        known = [e.name for e in self.scope.entries]
        name = parts[-1] if len(parts) > 1 else parts[0]
        return self.text.error(
            f'column "{".".join(parts)}" does not exist', node, code="unknown-column", hint=did_you_mean(name, known)
        )

    def identifier(self, node: exp.Expr) -> Scalar:
        for level in reversed(self.params):
            if node.name.lower() in level:
                return level[node.name.lower()]
        return self.name([node.name], node)

    def dot(self, node: exp.Expr) -> Scalar:
        if isinstance(node.expression, exp.Identifier):
            return _fields(self.bind(node.this), [node.expression.name])
        raise NotBoundError("unknown-expression", "a name in several parts")

    def bracket(self, node: exp.Expr) -> Scalar:
        _only(node, "this", "expressions", "offset", "safe")
        if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
            raise NotBoundError("unknown-expression", "a slice")
        return Call("get_item", (self.bind(node.this), self.bind(node.expressions[0])))

    # --- constants, casts, conditions ---

    def literal(self, node: exp.Expr) -> Scalar:
        if not isinstance(node, exp.Literal):
            raise NotBoundError("unknown-expression", node.key)
        if node.is_string:
            return Lit("string", self.text.string(node))
        check_number(self.text, str(node.this), node)
        return number(str(node.this))

    def adjacent(self, node: exp.Expr) -> Scalar:
        """Two strings side by side are one."""
        if not all(isinstance(e, exp.Literal) and e.is_string for e in node.expressions):
            raise NotBoundError("unknown-expression", "texts side by side")
        return Lit("string", "".join(self.text.string(e) for e in node.expressions))

    def cast(self, node: exp.Expr) -> Scalar:
        _only(node, "this", "to", "safe", "_type")
        if not isinstance(node, exp.Cast):
            raise NotBoundError("unknown-expression", node.key)
        lenient = isinstance(node, exp.TryCast) and bool(node.args.get("safe"))
        check_decimal(self.text, node.to)
        suffix = has_suffix(node.this)
        value = typed(self.bind(node.this), type_name(node.to), lenient=lenient, suffix=suffix)
        check_typed_literal(self.text, node, value)
        return value

    def between(self, node: exp.Expr) -> Scalar:
        _only(node, "this", "low", "high")
        value = self.bind(node.this)
        low, high = self.bind(node.args["low"]), self.bind(node.args["high"])
        return conjunction([Call(">=", (value, low)), Call("<=", (value, high))])

    def like(self, node: exp.Expr, escape: tuple[Scalar, ...] = ()) -> Scalar:
        _only(node, "this", "expression", "negate")
        name = "ilike" if isinstance(node, exp.ILike) else "like"
        value, pattern = self.bind(node.this), node.expression
        if isinstance(pattern, (exp.Any, exp.All)):
            inner = pattern.this
            listed = inner.expressions if isinstance(inner, exp.Tuple) else [inner.unnest()]
            tests = [self._like(name, (value, self.bind(p), *escape), node) for p in listed]
            return disjunction(tests) if isinstance(pattern, exp.Any) else conjunction(tests)
        return self._like(name, (value, self.bind(pattern), *escape), node)

    @staticmethod
    def _like(name: str, args: tuple[Scalar, ...], node: exp.Expr) -> Scalar:
        """NOT LIKE ANY is any NOT LIKE: the negation stands with each pattern."""
        return Call("not", (Call(name, args),)) if node.args.get("negate") else Call(name, args)

    def escaped(self, node: exp.Expr) -> Scalar:
        if not isinstance(node.this, (exp.Like, exp.ILike)):
            raise NotBoundError("unknown-expression", "ESCAPE")
        return self.like(node.this, (self.bind(node.expression),))

    def is_(self, node: exp.Expr) -> Scalar:
        _only(node, "this", "expression")
        value = self.bind(node.this)
        match node.expression:
            case exp.Null():
                return Call("isnull", (value,))
            case exp.Boolean(this=truth):
                return Call("<=>", (value, TRUE if truth else FALSE))
        raise NotBoundError("unknown-expression", "IS")

    def negate(self, node: exp.Expr) -> Scalar:
        inner = self.bind(node.this)
        if isinstance(inner, Call) and inner.name == "isnull":
            return Call("isnotnull", inner.args)
        return Call("not", (inner,))

    def minus(self, node: exp.Expr) -> Scalar:
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            check_number(self.text, str(node.this.this), node)
            return number("-" + str(node.this.this))
        if isinstance(node.this, exp.Cast) and has_suffix(node.this.this):
            value = number("-" + str(node.this.this.this))
            return typed(value, type_name(node.this.to), lenient=False, suffix=True)
        return Call("negative", (self.bind(node.this),))

    def case(self, node: exp.Expr) -> Scalar:
        _only(node, "this", "ifs", "default")
        operand = None if node.this is None else self.bind(node.this)
        branches = []
        for branch in node.args["ifs"]:
            condition = self.bind(branch.this)
            condition = condition if operand is None else Call("=", (operand, condition))
            branches.append((condition, self.bind(branch.args["true"])))
        default = node.args.get("default")
        return _case(branches, None if default is None else self.bind(default))

    def if_(self, node: exp.Expr) -> Scalar:
        _only(node, "this", "true", "false")
        otherwise = node.args.get("false")
        if otherwise is None:
            raise self._arity("if", node)
        return _case([(self.bind(node.this), self.bind(node.args["true"]))], self.bind(otherwise))

    def in_(self, node: exp.Expr) -> Scalar:
        _only(node, "this", "expressions", "query", "is_global")
        query = node.args.get("query")
        if query is None:
            if any(isinstance(e, exp.Star) for e in node.expressions):
                raise NotBoundError("unknown-expression", "a star in the list of IN")
            if not node.expressions:
                raise self.text.error("the list of IN is empty", node, code="sql-syntax")
            return Call("in", (self.bind(node.this), *(self.bind(e) for e in node.expressions)))
        operands = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        bound = self.queries(query, self.scope)
        if bound.rel.width != len(operands):
            raise self.text.error(
                f"the subquery of IN gives {count(bound.rel.width, 'column')}, not {len(operands)}",
                query,
                code="subquery-columns",
                hint="Select as many columns as stand before IN.",
            )
        values = tuple(self.bind(o) for o in operands)
        for value, kind in zip(values, types_of(bound.rel), strict=True):
            self.checks.comparable([self.checks.visit(value, node), kind], "the sides of IN", node)
        return self._subquery(Subquery(kind="in", query=bound, operands=values, node=node))

    def exists(self, node: exp.Expr) -> Scalar:
        return self._subquery(Subquery(kind="exists", query=self.queries(node.this, self.scope), node=node))

    def scalar_query(self, node: exp.Expr) -> Scalar:
        bound = self.queries(node, self.scope)
        if bound.rel.width != 1:
            raise self.text.error(
                f"a subquery used as a value gives {count(bound.rel.width, 'column')}, not one",
                node,
                code="subquery-columns",
                hint="Select one column.",
            )
        return self._subquery(Subquery(kind="scalar", query=bound, node=node))

    def _subquery(self, subquery: Subquery) -> Scalar:
        if self.inside == "over":
            raise NotBoundError("subquery-in-window", "a subquery in a window function")
        self.found.subqueries.append(subquery)
        return placeholder(SUBQUERY, len(self.found.subqueries) - 1)

    def any_(self, node: exp.Expr) -> Scalar:
        """`any(x)` is an aggregate; Spark has no comparison with ANY of a subquery."""
        inner = node.this.unnest() if node.this is not None else None
        if inner is None or isinstance(inner, (exp.Select, exp.Subquery, exp.Tuple)):
            raise self.text.error(
                "ANY over a subquery is not Spark SQL", node, code="sql-syntax", hint="Use IN or EXISTS."
            )
        return self.aggregate("any", [inner], node)

    def tuple_(self, node: exp.Expr) -> Scalar:
        return self._struct(node.expressions)

    def junction(self, node: exp.Expr) -> Scalar:
        """A chain of ANDs, ORs or || as one flat call; without recursion, for such chains are long."""
        kind, parts, todo = type(node), [], [node]
        while todo:
            current = todo.pop()
            if type(current) is kind:
                todo += [current.expression, current.this]
            elif isinstance(current, exp.Paren) and type(current.this) is kind and kind is not exp.DPipe:
                todo.append(current.this)
            else:
                parts.append(self.bind(current))
        if kind is exp.DPipe:
            return Call("||", tuple(parts))
        name = "and" if kind is exp.And else "or"
        flat = [p for part in parts for p in (part.args if isinstance(part, Call) and part.name == name else (part,))]
        return Call(name, tuple(flat))

    # --- functions ---

    def call(self, node: exp.Expr) -> Scalar:
        name = str(node.this).lower()
        args: list[exp.Expr] = node.expressions
        if name in UNITS and len(args) == 3 and isinstance(args[0], (exp.Column, exp.Var)):
            return Call(name, (Lit("word", args[0].name.upper()), *(self.bind(a) for a in args[1:])))
        if name not in BUILTINS:
            raise self.text.error(
                f'function "{name}" does not exist',
                node,
                code="unknown-function",
                hint=did_you_mean(name, sorted(BUILTINS)) or "Functions of your own cannot be used in views.",
            )
        if name in BY_NAME or any(isinstance(a, (exp.PropertyEQ, exp.Kwarg)) for a in args):
            raise NotBoundError("named-arguments", f"{name}() with arguments by name")
        if name in {"grouping", "grouping_id"}:
            return self.grouping(name, args, node)
        if name in AGGREGATES:
            return self.aggregate(name, args, node)
        if name in WINDOW_FUNCTIONS:
            raise self.text.error(
                f"{name}() needs an OVER clause", node, code="misplaced-window", hint=f"Write {name}() OVER (...)."
            )
        if name in GENERATORS:
            raise self.text.error(
                f"{name}() cannot stand inside an expression",
                node,
                code="misplaced-generator",
                hint="Select it alone, or use LATERAL VIEW.",
            )
        if name == "struct":
            return self._struct(args)
        if name in CAST_FUNCTIONS and len(args) == 1:
            return typed(self.bind(args[0]), CAST_FUNCTIONS[name], lenient=False)
        if any(isinstance(a, exp.Distinct) for a in args):
            raise self.text.error(f"{name}() cannot be DISTINCT", node, code="wrong-arguments")
        bound = self.lambdas(name, args, node) if any(isinstance(a, exp.Lambda) for a in args) else self.arguments(args)
        self.checks.arity(name, len(bound), node)
        return Call(name, bound)

    def lambdas(self, name: str, args: Sequence[exp.Expr], node: exp.Expr) -> tuple[Scalar, ...]:
        """Arguments with lambdas among them, whose parameters have the types that the arguments before give."""
        bound: list[Scalar] = []
        for arg in args:
            if not isinstance(arg, exp.Lambda):
                bound += self.arguments([arg])
                continue
            kinds = self.checks.lambda_kinds(name, bound, arg, node)
            bound.append(self.lambda_(arg, name, kinds))
        return tuple(bound)

    def arguments(self, args: Sequence[exp.Expr]) -> tuple[Scalar, ...]:
        bound: list[Scalar] = []
        for arg in args:
            if isinstance(arg, exp.Star) or (isinstance(arg, exp.Column) and isinstance(arg.this, exp.Star)):
                bound += [value for _, value in self.starred(arg)]
            elif isinstance(arg, exp.Alias):
                raise NotBoundError("named-arguments", "an argument with a name")
            else:
                bound.append(self.bind(arg))
        return tuple(bound)

    def starred(self, star: exp.Expr) -> list[tuple[str, Scalar]]:
        """The columns of `*`, `t.*` or the fields of a struct `s.*`, without those it excepts."""
        qualifier = star.args["table"].name if isinstance(star, exp.Column) else None
        found = [(e.name, _column(e)) for e in self.scope.star(qualifier)]
        self.found.seen += [(e.index, star) for e in self.scope.star(qualifier)]
        if qualifier is not None and not found:
            found = self._struct_star(qualifier, star)
        inner = star.this if isinstance(star, exp.Column) else star
        _only(inner, "except_", "except")
        for excepted in inner.args.get("except_") or inner.args.get("except") or []:
            if isinstance(excepted, exp.Column) and excepted.table:
                raise NotBoundError("star-except-field", "EXCEPT of a column with its table or of a field")
            name = excepted.name.lower()
            if not any(n.lower() == name for n, _ in found):
                raise self.text.error(f'column "{excepted.name}" does not exist', excepted, code="unknown-column")
            found = [(n, v) for n, v in found if n.lower() != name]
        return found

    def _struct_star(self, name: str, star: exp.Expr) -> list[tuple[str, Scalar]]:
        columns = self.scope.find([name])
        if not columns:
            known = sorted({e.qualifier for e in self.scope.entries if e.qualifier})
            raise self.text.error(
                f'table "{name}" is not in the FROM clause',
                star,
                code="unknown-column",
                hint=did_you_mean(name, known),
            )
        entry, _ = self._one(columns, [name], star)
        kind = self.types[entry.index] if entry.index < len(self.types) else UNKNOWN
        if not isinstance(kind, Struct):
            raise NotBoundError("struct-star", f"{name}.* of something that is not known to be a struct")
        return [(f.name, _fields(Col(entry.index), [f.name])) for f in kind.fields]

    def _struct(self, args: Sequence[exp.Expr]) -> Scalar:
        """struct(a, b + 1) names its fields after columns; positions have no names, so they are written out."""
        parts: list[Scalar] = []
        for number_, arg in enumerate(args, start=1):
            if isinstance(arg, exp.Star) or (isinstance(arg, exp.Column) and isinstance(arg.this, exp.Star)):
                for name, value in self.starred(arg):
                    parts += [Lit("string", name), value]
                continue
            named = isinstance(arg, (exp.Alias, exp.Column, exp.Dot))
            name = (arg.alias or arg.name) if named else f"col{number_}"
            parts += [Lit("string", name), self.bind(arg.unalias())]
        return Call("named_struct", tuple(parts))

    def lambda_(self, node: exp.Expr, name: str = "", kinds: Sequence[DataType] = ()) -> Scalar:
        start = sum(len(level) for level in self.params)
        level = {e.name.lower(): Param(start + i) for i, e in enumerate(node.expressions)}
        self.params = (*self.params, level)
        with self.checks.inside_lambda(start, kinds):
            body = self.bind(node.this)
            self.checks.lambda_body(name, body, node)
        self.params = self.params[:-1]
        return Lambda(tuple(level.values()), body)

    def aggregate(
        self, name: str, args: Sequence[exp.Expr], node: exp.Expr, *, where: exp.Expr | None = None,
        order: Sequence[exp.Expr] = (), ignore_nulls: bool = False,
    ) -> Scalar:  # fmt: skip
        if self.inside == "aggregate" or self.params:
            raise self.text.error(
                f"{name}() stands inside {'another aggregate' if self.inside else 'a lambda'}",
                node,
                code="nested-aggregate",
                hint="Compute the inner one in a subquery.",
            )
        if not self.aggregates:
            raise self.text.error(
                f"{name}() is an aggregate and cannot stand in {self.clause}",
                node,
                code="misplaced-aggregate",
                hint="Filter groups with HAVING." if self.clause == "WHERE" else None,
            )
        around, self.inside = self.inside, "aggregate"
        call = self.aggregate_call(name, args, node, where=where, order=order, ignore_nulls=ignore_nulls)
        self.inside = around
        if call not in self.found.aggregates:
            self.found.aggregates.append(call)
        return placeholder(AGGREGATE, self.found.aggregates.index(call))

    def aggregate_call(
        self, name: str, args: Sequence[exp.Expr], node: exp.Expr, *, where: exp.Expr | None,
        order: Sequence[exp.Expr], ignore_nulls: bool,
    ) -> AggCall:  # fmt: skip
        distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
        listed = args[0].expressions if distinct else list(args)
        if len(listed) == 1 and isinstance(listed[0], (exp.IgnoreNulls, exp.RespectNulls)):
            ignore_nulls = isinstance(listed[0], exp.IgnoreNulls)
            listed = [listed[0].this]
        if len(listed) == 1 and isinstance(listed[0], exp.Order):
            raise NotBoundError("ordered-argument", f"{name}() with ORDER BY among its arguments")
        if name == "count" and not distinct and len(listed) == 1 and isinstance(listed[0], exp.Star):
            bound: tuple[Scalar, ...] = ()
        else:
            bound = self.arguments(listed)
            self.checks.arity(name, len(bound), node)
            if name == "count" and not distinct and len(bound) == 1 and isinstance(bound[0], Lit) and bound[0] != NULL:
                bound = ()  # count(1) counts rows
        condition = None if where is None else self.bind(where)
        keys = tuple(self.sort_key(o) for o in order)
        call = AggCall(name=name, args=bound, distinct=distinct, where=condition, order=keys, ignore_nulls=ignore_nulls)
        self.checks.aggregate(call, node)
        return call

    def sort_key(self, node: exp.Expr) -> SortKey:
        _only(node, "this", "desc", "nulls_first")
        value = self.bind(node.this)
        self.checks.orderable(value, node.this, "ORDER BY")
        return SortKey(
            expr=value,
            descending=bool(node.args.get("desc")),
            nulls_first=bool(node.args.get("nulls_first")),
        )

    def decorated(self, node: exp.Expr) -> Scalar:
        """An aggregate with FILTER, WITHIN GROUP or IGNORE NULLS around it, in any order."""
        where: exp.Expr | None = None
        order: Sequence[exp.Expr] = ()
        ignore_nulls = False
        inner = node
        while not isinstance(inner, (exp.Anonymous, exp.Any)):
            match inner:
                case exp.Filter():
                    where = inner.expression.this
                case exp.WithinGroup():
                    order = inner.expression.expressions
                case exp.IgnoreNulls():
                    ignore_nulls = True
                case exp.RespectNulls():
                    pass
                case _:
                    raise NotBoundError("unknown-expression", inner.key.upper())
            inner = inner.this
        name = str(inner.this).lower() if isinstance(inner, exp.Anonymous) else "any"
        if name not in AGGREGATES:
            raise self.text.error(f"{name}() is not an aggregate", node, code="misplaced-aggregate")
        args = inner.expressions if isinstance(inner, exp.Anonymous) else [inner.this.unnest()]
        return self.aggregate(name, args, node, where=where, order=order, ignore_nulls=ignore_nulls)

    def grouping(self, name: str, args: Sequence[exp.Expr], node: exp.Expr) -> Scalar:
        if not self.aggregates or self.inside == "aggregate":
            raise self.text.error(f"{name}() cannot stand in {self.clause}", node, code="misplaced-aggregate")
        call = Call(f"#{name}", tuple(self.bind(a) for a in args))
        self.found.groupings.append((call, node))
        return call

    def window(self, node: exp.Expr) -> Scalar:
        from tidewheel.sql.bind.windows import bind_window  # noqa: PLC0415  the two need each other

        spec = bind_window(self, node)
        for number_, known in enumerate(self.found.windows):
            if _same_window(known, spec):
                return placeholder(WINDOW, number_)
        self.found.windows.append(spec)
        return placeholder(WINDOW, len(self.found.windows) - 1)

    def _arity(self, name: str, node: exp.Expr) -> Exception:
        return self.text.error(f"{name}() has a wrong number of arguments", node, code="wrong-arguments")


def _same_window(a: WindowSpec, b: WindowSpec) -> bool:
    return all(
        getattr(a, name) == getattr(b, name)
        for name in ("name", "args", "where", "ignore_nulls", "partition", "order", "frame")
    )


def _case(branches: Sequence[tuple[Scalar, Scalar]], otherwise: Scalar | None) -> Scalar:
    """ELSE NULL says what no ELSE says."""
    return Case(tuple(branches), None if otherwise == NULL else otherwise)


def _column(entry: Entry) -> Scalar:
    return Col(entry.index)


def _fields(value: Scalar, fields: Sequence[str], kind: DataType = UNKNOWN) -> Scalar:
    """Fields of a struct, named as its type names them where that is known; a map's keys tell case apart."""
    for name in fields:
        known = kind.fields if isinstance(kind, Struct) else ()
        field_ = next((f for f in known if f.name.lower() == name.lower()), None)
        kind = UNKNOWN if field_ is None else field_.type
        value = Call("get_field", (value, Lit("string", name if field_ is None else field_.name)))
    return value


def type_name(node: exp.Expr) -> str:
    """A type as we write it; lengths of CHAR and VARCHAR mean nothing in a cast."""
    text = re.sub(r"\b(VAR)?CHAR\(\d+\)", "STRING", node.sql(dialect="spark"))
    try:
        return to_sql(parse_type(text))
    except Exception as error:
        raise NotBoundError("cast-type", f"a cast to {text}") from error


def _only(node: exp.Expr, *known: str) -> None:
    """Refuse a node that says more than we read of it."""
    for key, value in node.args.items():
        if value not in (None, False, [], "") and key not in known:
            raise NotBoundError("unknown-expression", f"{key} of {node.key.upper()}")


def _trim(self: Exprs, node: exp.Expr) -> Scalar:
    _only(node, "this", "expression", "position")
    value, chars = self.bind(node.this), node.expression
    position = str(node.args.get("position") or "").upper()
    if chars is None:
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "trim")
        return Call(name, (value,))
    if position in {"LEADING", "TRAILING"}:
        return Call("ltrim" if position == "LEADING" else "rtrim", (self.bind(chars), value))
    return Call("btrim", (value, self.bind(chars)))


def _substring(self: Exprs, node: exp.Expr) -> Scalar:
    _only(node, "this", "start", "length")
    parts = [node.this, node.args.get("start"), node.args.get("length")]
    if parts[1] is None:
        raise self._arity("substring", node)
    return Call("substring", tuple(self.bind(p) for p in parts if p is not None))


def _position(self: Exprs, node: exp.Expr) -> Scalar:
    _only(node, "this", "substr", "position")
    start = node.args.get("position")
    rest = () if start is None else (self.bind(start),)
    return Call("position", (self.bind(node.args["substr"]), self.bind(node.this), *rest))


def _extract(self: Exprs, node: exp.Expr) -> Scalar:
    value = self.bind(node.expression)
    self.checks.extract(node.this.name, value, node)
    return Call("extract", (Lit("word", node.this.name.upper()), value))


def _overlay(self: Exprs, node: exp.Expr) -> Scalar:
    _only(node, "this", "expression", "from_", "for_")
    parts = [node.this, node.expression, node.args.get("from_"), node.args.get("for_")]
    return Call("overlay", tuple(self.bind(p) for p in parts if p is not None))


def _refuse(reason: str) -> Callable[[Exprs, exp.Expr], Scalar]:
    def refuse(_: Exprs, node: exp.Expr) -> Scalar:
        raise NotBoundError(reason, node.sql(dialect="spark")[:80])

    return refuse


_BINDERS: Final[Mapping[type[exp.Expr], Callable[[Exprs, exp.Expr], Scalar]]] = {
    exp.Column: Exprs.column,
    exp.Star: Exprs.star,
    exp.Identifier: Exprs.identifier,
    exp.Dot: Exprs.dot,
    exp.Bracket: Exprs.bracket,
    exp.Literal: Exprs.literal,
    exp.Concat: Exprs.adjacent,
    exp.RawString: lambda _, node: Lit("string", str(node.this)),
    exp.HexString: lambda _, node: Lit("binary", str(node.this).upper()),
    exp.Null: lambda _, __: NULL,
    exp.Boolean: lambda _, node: TRUE if node.this else FALSE,
    exp.Interval: lambda self, node: interval(node, self.text),
    exp.Cast: Exprs.cast,
    exp.TryCast: Exprs.cast,
    exp.Paren: lambda self, node: self.bind(node.this),
    exp.Not: Exprs.negate,
    exp.Neg: Exprs.minus,
    exp.BitwiseNot: lambda self, node: Call("bit_not", (self.bind(node.this),)),
    exp.And: Exprs.junction,
    exp.Or: Exprs.junction,
    exp.DPipe: Exprs.junction,
    exp.NullSafeNEQ: lambda self, node: Call("not", (Call("<=>", (self.bind(node.this), self.bind(node.expression))),)),
    exp.Is: Exprs.is_,
    exp.In: Exprs.in_,
    exp.Between: Exprs.between,
    exp.Like: Exprs.like,
    exp.ILike: Exprs.like,
    exp.Escape: Exprs.escaped,
    exp.Case: Exprs.case,
    exp.If: Exprs.if_,
    exp.Exists: Exprs.exists,
    exp.Subquery: Exprs.scalar_query,
    exp.Select: Exprs.scalar_query,
    exp.Any: Exprs.any_,
    exp.Tuple: Exprs.tuple_,
    exp.Anonymous: Exprs.call,
    exp.Lambda: Exprs.lambda_,
    exp.Filter: Exprs.decorated,
    exp.WithinGroup: Exprs.decorated,
    exp.IgnoreNulls: Exprs.decorated,
    exp.RespectNulls: Exprs.decorated,
    exp.Window: Exprs.window,
    exp.Trim: _trim,
    exp.Substring: _substring,
    exp.StrPosition: _position,
    exp.Extract: _extract,
    exp.Overlay: _overlay,
    exp.Collate: _refuse("collation"),
}
