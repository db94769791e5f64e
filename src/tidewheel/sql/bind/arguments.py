"""Arguments of functions: expressions, stars, lambdas, and the fields of struct()."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tidewheel.ir.scalar import Call, Lambda, Lit, Param, Scalar
from tidewheel.sql.bind.context import Context
from tidewheel.sql.bind.names import is_star, starred
from tidewheel.sql.bind.text import NotBoundError
from tidewheel.types import DataType


def arguments(exprs: Context, args: Sequence[exp.Expr]) -> tuple[Scalar, ...]:
    bound: list[Scalar] = []
    for arg in args:
        if is_star(arg):
            bound += [value for _, value in starred(exprs, arg)]
        elif isinstance(arg, exp.Alias):
            raise NotBoundError("named-arguments", "an argument with a name")
        else:
            bound.append(exprs.bind(arg))
    return tuple(bound)


def with_lambdas(exprs: Context, name: str, args: Sequence[exp.Expr], node: exp.Expr) -> tuple[Scalar, ...]:
    """Arguments with lambdas among them, whose parameters have the types that the arguments before give."""
    bound: list[Scalar] = []
    for arg in args:
        if not isinstance(arg, exp.Lambda):
            bound += arguments(exprs, [arg])
            continue
        kinds = exprs.checks.lambda_kinds(name, bound, arg, node)
        bound.append(lambda_(exprs, arg, name, kinds))
    return tuple(bound)


def lambda_(exprs: Context, node: exp.Expr, name: str = "", kinds: Sequence[DataType] = ()) -> Scalar:
    start = sum(len(level) for level in exprs.params)
    level = {e.name.lower(): Param(start + i) for i, e in enumerate(node.expressions)}
    exprs.params = (*exprs.params, level)
    with exprs.checks.inside_lambda(start, kinds):
        body = exprs.bind(node.this)
        exprs.checks.lambda_body(name, body, node)
    exprs.params = exprs.params[:-1]
    return Lambda(tuple(level.values()), body)


def struct(exprs: Context, args: Sequence[exp.Expr]) -> Scalar:
    """A struct, its fields named after columns; positions have no names, so they are written out."""
    parts: list[Scalar] = []
    for number, arg in enumerate(args, start=1):
        if is_star(arg):
            for name, value in starred(exprs, arg):
                parts += [Lit("string", name), value]
            continue
        named = isinstance(arg, (exp.Alias, exp.Column, exp.Dot))
        name = (arg.alias or arg.name) if named else f"col{number}"
        parts += [Lit("string", name), exprs.bind(arg.unalias())]
    return Call("named_struct", tuple(parts))
