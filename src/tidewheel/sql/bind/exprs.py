"""Expressions: sqlglot's trees to our scalars, names resolved, functions untouched.

Aggregates, window functions and subqueries become placeholders; what they stand for is collected, and whoever binds
the clause puts columns in their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from tidewheel.ddl import parse_type
from tidewheel.ir.scalar import FALSE, NULL, TRUE, Call, Case, Lit, Scalar
from tidewheel.sql.bind import aggregates, arguments, calls, names, predicates, windows
from tidewheel.sql.bind.constants import check_decimal, check_number, check_type, check_typed_literal
from tidewheel.sql.bind.context import Context, miscounted, only
from tidewheel.sql.bind.literals import has_suffix, interval, number, typed
from tidewheel.sql.bind.text import NotBoundError
from tidewheel.types import to_sql

BINARY: Final[Mapping[type[exp.Expr], str]] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "div", exp.Mod: "%", exp.EQ: "=",
    exp.NullSafeEQ: "<=>", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^", exp.RegexpLike: "rlike",
    exp.BitwiseLeftShift: "shiftleft", exp.BitwiseRightShift: "shiftright",
}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Exprs(Context):
    """The expressions of one clause."""

    def bind(self, node: exp.Expr) -> Scalar:
        kind = type(node)
        if kind in BINARY:
            only(node, "this", "expression", "typed", "safe")
            value: Scalar = Call(BINARY[kind], (self.bind(node.this), self.bind(node.expression)))
        else:
            bind = _BINDERS.get(kind)
            if bind is None:
                raise NotBoundError("unknown-expression", f"{node.key.upper()} ({node.sql(dialect='spark')[:80]})")
            value = bind(self, node)
        self.checks.visit(value, node)
        return value


def _bracket(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "expressions", "offset", "safe")
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        raise NotBoundError("unknown-expression", "a slice")
    return Call("get_item", (exprs.bind(node.this), exprs.bind(node.expressions[0])))


def _literal(exprs: Context, node: exp.Expr) -> Scalar:
    if not isinstance(node, exp.Literal):
        raise NotBoundError("unknown-expression", node.key)
    if node.is_string:
        return Lit("string", exprs.text.string(node))
    check_number(exprs.text, str(node.this), node)
    return number(str(node.this))


def _adjacent(exprs: Context, node: exp.Expr) -> Scalar:
    """Two strings side by side are one."""
    if not all(isinstance(e, exp.Literal) and e.is_string for e in node.expressions):
        raise NotBoundError("unknown-expression", "texts side by side")
    return Lit("string", "".join(exprs.text.string(e) for e in node.expressions))


def _cast(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "to", "safe", "_type")
    if not isinstance(node, exp.Cast):
        raise NotBoundError("unknown-expression", node.key)
    lenient = isinstance(node, exp.TryCast) and bool(node.args.get("safe"))
    check_type(exprs.text, node.to)
    check_decimal(exprs.text, node.to)
    suffix = has_suffix(node.this)
    value = typed(exprs.bind(node.this), _type_name(node.to), lenient=lenient, suffix=suffix)
    check_typed_literal(exprs.text, node, value)
    return value


def _minus(exprs: Context, node: exp.Expr) -> Scalar:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        check_number(exprs.text, str(node.this.this), node)
        return number("-" + str(node.this.this))
    if isinstance(node.this, exp.Cast) and has_suffix(node.this.this):
        value = number("-" + str(node.this.this.this))
        return typed(value, _type_name(node.this.to), lenient=False, suffix=True)
    return Call("negative", (exprs.bind(node.this),))


def _case(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "ifs", "default")
    operand = None if node.this is None else exprs.bind(node.this)
    branches = []
    for branch in node.args["ifs"]:
        condition = exprs.bind(branch.this)
        condition = condition if operand is None else Call("=", (operand, condition))
        branches.append((condition, exprs.bind(branch.args["true"])))
    default = node.args.get("default")
    return _either(branches, None if default is None else exprs.bind(default))


def _if(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "true", "false")
    otherwise = node.args.get("false")
    if otherwise is None:
        raise miscounted(exprs, "if", node)
    return _either([(exprs.bind(node.this), exprs.bind(node.args["true"]))], exprs.bind(otherwise))


def _either(branches: Sequence[tuple[Scalar, Scalar]], otherwise: Scalar | None) -> Scalar:
    """ELSE NULL says what no ELSE says."""
    return Case(tuple(branches), None if otherwise == NULL else otherwise)


def _type_name(node: exp.Expr) -> str:
    """A type as we write it; lengths of CHAR and VARCHAR mean nothing in a cast."""
    text = re.sub(r"\b(VAR)?CHAR\(\d+\)", "STRING", node.sql(dialect="spark"))
    try:
        return to_sql(parse_type(text))
    except Exception as error:
        raise NotBoundError("cast-type", f"a cast to {text}") from error


def _refuse(reason: str) -> Callable[[Context, exp.Expr], Scalar]:
    def refuse(_: Context, node: exp.Expr) -> Scalar:
        raise NotBoundError(reason, node.sql(dialect="spark")[:80])

    return refuse


_BINDERS: Final[Mapping[type[exp.Expr], Callable[[Context, exp.Expr], Scalar]]] = {
    exp.Column: names.column,
    exp.Star: names.star,
    exp.Identifier: names.identifier,
    exp.Dot: names.dot,
    exp.Bracket: _bracket,
    exp.Literal: _literal,
    exp.Concat: _adjacent,
    exp.RawString: lambda _, node: Lit("string", str(node.this)),
    exp.HexString: lambda _, node: Lit("binary", str(node.this).upper()),
    exp.Null: lambda _, __: NULL,
    exp.Boolean: lambda _, node: TRUE if node.this else FALSE,
    exp.Interval: lambda exprs, node: interval(node, exprs.text),
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Paren: lambda exprs, node: exprs.bind(node.this),
    exp.Not: predicates.negate,
    exp.Neg: _minus,
    exp.BitwiseNot: lambda exprs, node: Call("bit_not", (exprs.bind(node.this),)),
    exp.And: predicates.junction,
    exp.Or: predicates.junction,
    exp.DPipe: predicates.junction,
    exp.NullSafeNEQ: lambda exprs, node: Call(
        "not", (Call("<=>", (exprs.bind(node.this), exprs.bind(node.expression))),)
    ),
    exp.Is: predicates.is_,
    exp.In: predicates.in_,
    exp.Between: predicates.between,
    exp.Like: predicates.like,
    exp.ILike: predicates.like,
    exp.Escape: predicates.escaped,
    exp.Case: _case,
    exp.If: _if,
    exp.Exists: predicates.exists,
    exp.Subquery: predicates.scalar_query,
    exp.Select: predicates.scalar_query,
    exp.Any: aggregates.any_,
    exp.Tuple: lambda exprs, node: arguments.struct(exprs, node.expressions),
    exp.Anonymous: calls.call,
    exp.Lambda: arguments.lambda_,
    exp.Filter: aggregates.decorated,
    exp.WithinGroup: aggregates.decorated,
    exp.IgnoreNulls: aggregates.decorated,
    exp.RespectNulls: aggregates.decorated,
    exp.Window: windows.window,
    exp.Trim: calls.trim,
    exp.Substring: calls.substring,
    exp.StrPosition: calls.position,
    exp.Extract: calls.extract,
    exp.Overlay: calls.overlay,
    exp.Collate: _refuse("collation"),
}
