"""Scalar expressions, compiled to functions of a row together with their types.

Implicit casts are those of `ir/typing.resolve`. CASE and its kind, AND, OR and IN evaluate no more of their arguments
than Spark does; everything else evaluates all of them first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, assert_never

from tidewheel.ir.coercion import common_of
from tidewheel.ir.resolve import cast_type, resolve
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar
from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.casts import caster
from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.functions import FUNCTIONS, shapes
from tidewheel.tvr.reference.functions.registry import implementation
from tidewheel.tvr.reference.literals import literal
from tidewheel.tvr.reference.values import Row, Value
from tidewheel.types import UNKNOWN, VOID, DataType, to_sql

Run: TypeAlias = Callable[[Row], Value]


@dataclass(frozen=True, slots=True)
class Typed:
    """A compiled expression."""

    type: DataType
    run: Run


@dataclass(frozen=True, slots=True)
class EvalScope:
    """What an expression may read: columns, then the parameters of enclosing lambdas, and the clock."""

    inputs: tuple[DataType, ...]
    width: int
    now: dt.datetime | None = None

    @classmethod
    def over(cls, inputs: Sequence[DataType], now: dt.datetime | None = None) -> EvalScope:
        return cls(tuple(inputs), len(inputs), now)


Form: TypeAlias = Callable[[Call, EvalScope], Typed]
FORMS: Final[dict[str, Form]] = {}
"""Calls that do not evaluate all their arguments first, or whose arguments are no values."""


def form(*names: str) -> Callable[[Form], Form]:
    def register(build: Form) -> Form:
        FORMS.update(dict.fromkeys(names, build))
        return build

    return register


def compile_scalar(scalar: Scalar, scope: EvalScope) -> Typed:
    match scalar:
        case Col(index):
            return Typed(scope.inputs[index], lambda row: row[index])
        case Param(number):
            place = scope.width + number
            return Typed(scope.inputs[place], lambda row: row[place])
        case Lit():
            kind, value = literal(scalar)
            return Typed(kind, lambda _: value)
        case Cast(arg, to, lenient):
            return _cast(compile_scalar(arg, scope), to, lenient=lenient)
        case Case():
            return _case(scalar, scope)
        case Call(name):
            return FORMS[name](scalar, scope) if name in FORMS else compile_call(scalar, scope)
        case Lambda():
            raise Unsupported("a lambda outside of a function that takes one")
    assert_never(scalar)


def compile_all(scalars: Sequence[Scalar], scope: EvalScope) -> list[Typed]:
    return [compile_scalar(s, scope) for s in scalars]


def signature_of(name: str, args: Sequence[Typed], scalars: Sequence[Scalar]) -> Signature:
    """The types to which arguments are cast, and the type of the result."""
    kinds = [a.type for a in args]
    found = resolve(name, kinds, scalars) or shapes.resolve(name, kinds, scalars)
    if found is None:
        raise Unsupported(f"{name}({', '.join(map(to_sql, kinds))})")
    return found


def converted(value: Typed, to: DataType, *, lenient: bool = False) -> Typed:
    """The same value in another type; every implicit cast is a strict one."""
    if value.type == to or UNKNOWN in {value.type, to}:
        return value
    if value.type == VOID:
        return Typed(to, value.run)
    run, convert = value.run, caster(value.type, to, lenient=lenient)

    def cast(row: Row) -> Value:
        before = run(row)
        return None if before is None else convert(before)

    return Typed(to, cast)


def compile_call(call: Call, scope: EvalScope) -> Typed:
    """A function of its arguments' values."""
    name = call.name
    if name not in FUNCTIONS:
        raise Unsupported(name)
    args = compile_all(call.args, scope)
    signature = signature_of(name, args, call.args)
    runs = [converted(a, to).run for a, to in zip(args, signature.args, strict=True)]
    compute = implementation(FUNCTIONS[name], signature)
    match runs:
        case [one]:
            return Typed(signature.result, lambda row: compute(one(row)))
        case [one, two]:
            return Typed(signature.result, lambda row: compute(one(row), two(row)))
        case _:
            return Typed(signature.result, lambda row: compute(*[run(row) for run in runs]))


def _cast(arg: Typed, to: str, *, lenient: bool) -> Typed:
    target = cast_type(to)
    if UNKNOWN in {target, arg.type}:
        raise Unsupported(f"CAST from {to_sql(arg.type)} to {to}")
    return converted(arg, target, lenient=lenient)


def _case(scalar: Case, scope: EvalScope) -> Typed:
    conditions = [compile_scalar(c, scope).run for c, _ in scalar.branches]
    values = compile_all([v for _, v in scalar.branches], scope)
    values.append(Typed(VOID, lambda _: None) if scalar.otherwise is None else compile_scalar(scalar.otherwise, scope))
    kind = common(values)
    runs = [converted(v, kind).run for v in values]

    def run(row: Row) -> Value:
        taken = next((i for i, condition in enumerate(conditions) if condition(row) is True), -1)
        return runs[taken](row)

    return Typed(kind, run)


def common(values: Sequence[Typed]) -> DataType:
    """The type that branches of a CASE, arguments of coalesce and rows of VALUES have in common."""
    kinds = [v.type for v in values]
    if all(k == kinds[0] for k in kinds):
        return kinds[0]
    found = None if UNKNOWN in kinds else common_of(kinds)
    if found is None:
        raise Unsupported(f"a common type of {', '.join(map(to_sql, kinds))}")
    return found


def with_params(scope: EvalScope, function: Lambda, kinds: Sequence[DataType]) -> tuple[Typed, int]:
    """A lambda's body over parameters of these types, and the length of the row they are appended to."""
    start = scope.width + function.params[0].number
    inner = replace(scope, inputs=(*scope.inputs[:start], *kinds[: len(function.params)]))
    return compile_scalar(function.body, inner), start
