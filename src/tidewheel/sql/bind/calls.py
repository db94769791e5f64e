"""Calls of functions, and the functions whose arguments SQL writes in a way of their own."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tidewheel.errors import did_you_mean
from tidewheel.ir.functions import AGGREGATES, BUILTINS, GENERATORS, WINDOW_FUNCTIONS
from tidewheel.ir.scalar import INFIX, Call, Lit, Scalar
from tidewheel.sql.bind.aggregates import aggregate, grouping
from tidewheel.sql.bind.arguments import arguments, struct, with_lambdas
from tidewheel.sql.bind.context import Context, miscounted, only
from tidewheel.sql.bind.literals import typed
from tidewheel.sql.bind.text import NotBoundError
from tidewheel.sql.bind.time_windows import time_window

UNITS: Final = frozenset({"timestampadd", "timestampdiff", "dateadd", "datediff", "date_add", "date_diff"})
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


CALLABLE: Final = frozenset(name for name in BUILTINS if name.isidentifier()) - {
    "and", "between", "case", "div", "ilike", "in", "like", "not", "or", "regexp", "rlike"
}  # fmt: skip
"""What a misspelt call may have meant: no operators, and no words that are syntax."""


def call(exprs: Context, node: exp.Expr) -> Scalar:
    name = str(node.this).lower()
    args: list[exp.Expr] = node.expressions
    if name in UNITS and len(args) == 3 and isinstance(args[0], (exp.Column, exp.Var)):
        return Call(name, (Lit("word", args[0].name.upper()), *(exprs.bind(a) for a in args[1:])))
    if name in exprs.text.functions:
        raise NotBoundError("declared-function", f"{name}(), a function of your own")
    if name == "identifier":
        raise NotBoundError("identifier", "a name that is computed, by IDENTIFIER()")
    if name not in BUILTINS:
        raise exprs.text.error(
            f'function "{name}" does not exist',
            node,
            code="unknown-function",
            hint=did_you_mean(name, sorted(CALLABLE))
            or "Declare a function of your own under `functions:` in tidewheel.yml.",
        )
    if name in BY_NAME or any(isinstance(a, (exp.PropertyEQ, exp.Kwarg)) for a in args):
        raise NotBoundError("named-arguments", f"{name}() with arguments by name")
    if name == "window" and 2 <= len(args) <= 4:
        return time_window(exprs, node)
    if name in {"session_window", "window_time"}:
        raise NotBoundError("time-window", f"{name}()")
    if name in {"grouping", "grouping_id"}:
        return grouping(exprs, name, args, node)
    if name in AGGREGATES:
        return aggregate(exprs, name, args, node)
    if name in WINDOW_FUNCTIONS:
        raise exprs.text.error(
            f"{name}() needs an OVER clause", node, code="misplaced-window", hint=f"Write {name}() OVER (...)."
        )
    if name in GENERATORS:
        raise exprs.text.error(
            f"{name}() cannot stand inside an expression",
            node,
            code="misplaced-generator",
            hint="Select it alone, or use LATERAL VIEW.",
        )
    if name == "struct":
        return struct(exprs, args)
    if name in CAST_FUNCTIONS and len(args) == 1:
        return typed(exprs.bind(args[0]), CAST_FUNCTIONS[name], lenient=False)
    if any(isinstance(a, exp.Distinct) for a in args):
        raise exprs.text.error(f"{name}() cannot be DISTINCT", node, code="wrong-arguments")
    has_lambda = any(isinstance(a, exp.Lambda) for a in args)
    bound = with_lambdas(exprs, name, args, node) if has_lambda else arguments(exprs, args)
    exprs.checks.arity(name, len(bound), node)
    if name in INFIX and len(bound) != 2:
        raise miscounted(exprs, name, node)
    return Call(name, bound)


def trim(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "expression", "position")
    value, chars = exprs.bind(node.this), node.expression
    position = str(node.args.get("position") or "").upper()
    if chars is None:
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "trim")
        return Call(name, (value,))
    if position in {"LEADING", "TRAILING"}:
        return Call("ltrim" if position == "LEADING" else "rtrim", (exprs.bind(chars), value))
    return Call("btrim", (value, exprs.bind(chars)))


def substring(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "start", "length")
    parts = [node.this, node.args.get("start"), node.args.get("length")]
    if parts[1] is None:
        raise miscounted(exprs, "substring", node)
    return Call("substring", tuple(exprs.bind(p) for p in parts if p is not None))


def position(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "substr", "position")
    start = node.args.get("position")
    rest = () if start is None else (exprs.bind(start),)
    return Call("position", (exprs.bind(node.args["substr"]), exprs.bind(node.this), *rest))


def extract(exprs: Context, node: exp.Expr) -> Scalar:
    value = exprs.bind(node.expression)
    exprs.checks.extract(node.this.name, value, node)
    return Call("extract", (Lit("word", node.this.name.upper()), value))


def overlay(exprs: Context, node: exp.Expr) -> Scalar:
    only(node, "this", "expression", "from_", "for_")
    parts = [node.this, node.expression, node.args.get("from_"), node.args.get("for_")]
    return Call("overlay", tuple(exprs.bind(p) for p in parts if p is not None))
