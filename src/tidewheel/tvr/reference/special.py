"""Calls that evaluate their arguments one by one: connectives, choices, IN; fields; the clock; casts by name."""

from __future__ import annotations

import datetime as dt
from typing import Final

from tidewheel.ir.resolve import resolve
from tidewheel.ir.scalar import Call, Case, Cast, Lit
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.scalars import (
    EvalScope,
    Typed,
    common,
    compile_all,
    compile_call,
    compile_scalar,
    converted,
    form,
    signature_of,
)
from tidewheel.tvr.reference.values import Row, Value, key
from tidewheel.types import BOOLEAN, DATE, INT, STRING, TIMESTAMP, TIMESTAMP_NTZ, VOID, Array, Struct, to_sql


@form("and")
def conjunction(call: Call, scope: EvalScope) -> Typed:
    """False as soon as one is false; otherwise NULL if one is NULL."""
    runs = [converted(a, BOOLEAN).run for a in compile_all(call.args, scope)]

    def run(row: Row) -> Value:
        seen: Value = True
        for one in runs:
            value = one(row)
            if value is False:
                return False
            seen = None if value is None else seen
        return seen

    return Typed(BOOLEAN, run)


@form("or")
def disjunction(call: Call, scope: EvalScope) -> Typed:
    """True as soon as one is true; otherwise NULL if one is NULL."""
    runs = [converted(a, BOOLEAN).run for a in compile_all(call.args, scope)]

    def run(row: Row) -> Value:
        seen: Value = False
        for one in runs:
            value = one(row)
            if value is True:
                return True
            seen = None if value is None else seen
        return seen

    return Typed(BOOLEAN, run)


@form("in")
def membership(call: Call, scope: EvalScope) -> Typed:
    """True at the first equal member; otherwise NULL if the value or a member is NULL."""
    args = compile_all(call.args, scope)
    signature = signature_of("in", args, call.args)
    value, *members = [converted(a, to).run for a, to in zip(args, signature.args, strict=True)]

    def run(row: Row) -> Value:
        wanted = value(row)
        if wanted is None:
            return None
        seen: Value = False
        for member in members:
            found = member(row)
            if found is not None and key(found) == key(wanted):
                return True
            seen = None if found is None else seen
        return seen

    return Typed(BOOLEAN, run)


@form("coalesce", "nvl", "ifnull")
def coalesce(call: Call, scope: EvalScope) -> Typed:
    args = compile_all(call.args, scope)
    kind = common(args)
    runs = [converted(a, kind).run for a in args]

    def run(row: Row) -> Value:
        return next((v for v in (one(row) for one in runs) if v is not None), None)

    return Typed(kind, run)


@form("nullif")
def null_if(call: Call, scope: EvalScope) -> Typed:
    same = compile_scalar(Call("=", call.args), scope).run
    value = compile_scalar(call.args[0], scope)
    return Typed(value.type, lambda row: None if same(row) is True else value.run(row))


@form("nullifzero")
def null_if_zero(call: Call, scope: EvalScope) -> Typed:
    return null_if(Call("nullif", (call.args[0], Lit("int", "0"))), scope)


@form("zeroifnull")
def zero_if_null(call: Call, scope: EvalScope) -> Typed:
    return coalesce(Call("coalesce", (call.args[0], Lit("int", "0"))), scope)


@form("if", "iff")
def choose(call: Call, scope: EvalScope) -> Typed:
    condition, yes, no = call.args
    return compile_scalar(Case(((condition, yes),), no), scope)


@form("nvl2")
def nvl2(call: Call, scope: EvalScope) -> Typed:
    value, yes, no = call.args
    return compile_scalar(Case(((Call("isnotnull", (value,)), yes),), no), scope)


@form("decode")
def decode(call: Call, scope: EvalScope) -> Typed:
    """Of (binary, character set), its text; or of (value, key, result, ..., otherwise), the result of an equal key."""
    if len(call.args) == 2:
        return compile_call(call, scope)
    value, *rest = call.args
    branches = tuple((Call("<=>", (value, k)), v) for k, v in zip(rest[::2], rest[1::2], strict=False))
    return compile_scalar(Case(branches, rest[-1] if len(rest) % 2 else None), scope)


@form("get_field")
def get_field(call: Call, scope: EvalScope) -> Typed:
    """A field of a struct, or the array of that field of an array's structs."""
    value = compile_scalar(call.args[0], scope)
    name = call.args[1]
    kind = value.type.element if isinstance(value.type, Array) else value.type
    found = resolve("get_field", [value.type, STRING], call.args)
    if found is None or not isinstance(kind, Struct) or not isinstance(name, Lit):
        raise Unsupported(f"a field of {to_sql(value.type)}")
    place = next(i for i, f in enumerate(kind.fields) if f.name.lower() == name.value.lower())

    def take(item: Value) -> Value:
        return None if item is None else item[place]

    if isinstance(value.type, Array):
        return Typed(found.result, lambda row: None if (v := value.run(row)) is None else tuple(map(take, v)))
    return Typed(found.result, lambda row: take(value.run(row)))


@form("typeof")
def type_name(call: Call, scope: EvalScope) -> Typed:
    name = to_sql(compile_scalar(call.args[0], scope).type).lower().replace(", ", ",").replace(": ", ":")
    return Typed(STRING, lambda _: name)


@form("raise_error")
def raise_error(call: Call, scope: EvalScope) -> Typed:
    message = compile_scalar(call.args[0], scope)

    def run(row: Row) -> Value:
        raise EvaluationError("raised", str(message.run(row)))

    return Typed(VOID, run)


@form("assert_true")
def assert_true(call: Call, scope: EvalScope) -> Typed:
    condition = compile_scalar(call.args[0], scope)

    def run(row: Row) -> Value:
        if condition.run(row) is not True:
            raise EvaluationError("raised", f"{call.args[0]} is not true")

    return Typed(VOID, run)


# --- the clock ---


def _now(scope: EvalScope) -> dt.datetime:
    if scope.now is None:
        raise Unsupported("the clock, unless it is told the time")
    return scope.now


@form("current_date", "curdate")
def current_date(_: Call, scope: EvalScope) -> Typed:
    today = _now(scope).date()
    return Typed(DATE, lambda _row: today)


@form("current_timestamp", "now")
def current_timestamp(_: Call, scope: EvalScope) -> Typed:
    now = _now(scope)
    return Typed(TIMESTAMP, lambda _row: now)


@form("localtimestamp")
def local_timestamp(_: Call, scope: EvalScope) -> Typed:
    now = _now(scope).replace(tzinfo=None)
    return Typed(TIMESTAMP_NTZ, lambda _row: now)


# --- casts that are written as functions ---

_CASTS: Final = (
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "decimal",
)  # fmt: skip


def _cast_by_name(call: Call, scope: EvalScope) -> Typed:
    return compile_scalar(Cast(call.args[0], call.name.upper()), scope)


for _name in _CASTS:
    form(_name)(_cast_by_name)


@form("array_size")
def array_size(call: Call, scope: EvalScope) -> Typed:
    value = compile_scalar(call.args[0], scope)
    return Typed(INT, lambda row: None if (v := value.run(row)) is None else len(v))
