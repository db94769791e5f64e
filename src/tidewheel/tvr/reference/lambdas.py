"""Functions that take lambdas: a lambda's parameters are appended to the row that its body reads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Final

from tidewheel.ir.scalar import Call, Lambda, Scalar
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.functions.collections import make_map
from tidewheel.tvr.reference.scalars import EvalScope, Typed, compile_scalar, converted, form, with_params
from tidewheel.tvr.reference.values import Row, Value, key
from tidewheel.types import BOOLEAN, INT, Array, DataType, Map, to_sql

_MISSING: Final = "a function without a lambda"


def _lambda(scalar: Scalar, scope: EvalScope, kinds: Sequence[DataType]) -> tuple[DataType, Callable[..., Value]]:
    """The type of a lambda's result, and a function of the row and the lambda's arguments."""
    if not isinstance(scalar, Lambda):
        raise Unsupported(_MISSING)
    body, start = with_params(scope, scalar, kinds)
    count = len(scalar.params)
    return body.type, lambda row, *args: body.run((*row[:start], *args[:count]))


def _last_argument(*args: Value) -> Value:
    return args[-1]


def _array(call: Call, scope: EvalScope) -> tuple[Typed, DataType]:
    value = compile_scalar(call.args[0], scope)
    if not isinstance(value.type, Array):
        raise Unsupported(f"{call.name} of {to_sql(value.type)}")
    return value, value.type.element


def _map(call: Call, scope: EvalScope, at: int = 0) -> tuple[Typed, DataType, DataType]:
    value = compile_scalar(call.args[at], scope)
    if not isinstance(value.type, Map):
        raise Unsupported(f"{call.name} of {to_sql(value.type)}")
    return value, value.type.key, value.type.value


def _over(value: Typed, kind: DataType, compute: Callable[[Row, Value], Value]) -> Typed:
    """Compute something of a value that is not NULL."""

    def run(row: Row) -> Value:
        items = value.run(row)
        return None if items is None else compute(row, items)

    return Typed(kind, run)


@form("transform")
def transform(call: Call, scope: EvalScope) -> Typed:
    value, element = _array(call, scope)
    kind, f = _lambda(call.args[1], scope, (element, INT))
    return _over(value, Array(kind), lambda row, items: tuple(f(row, v, i) for i, v in enumerate(items)))


@form("filter")
def keep(call: Call, scope: EvalScope) -> Typed:
    value, element = _array(call, scope)
    _, f = _lambda(call.args[1], scope, (element, INT))
    return _over(value, value.type, lambda row, items: tuple(v for i, v in enumerate(items) if f(row, v, i) is True))


@form("exists")
def exists(call: Call, scope: EvalScope) -> Typed:
    """Three-valued: NULL if it is true of none but NULL of some."""
    value, element = _array(call, scope)
    _, f = _lambda(call.args[1], scope, (element,))

    def compute(row: Row, items: Value) -> Value:
        found: Value = False
        for item in items:
            match f(row, item):
                case True:
                    return True
                case None:
                    found = None
        return found

    return _over(value, BOOLEAN, compute)


@form("forall")
def forall(call: Call, scope: EvalScope) -> Typed:
    value, element = _array(call, scope)
    _, f = _lambda(call.args[1], scope, (element,))

    def compute(row: Row, items: Value) -> Value:
        found: Value = True
        for item in items:
            match f(row, item):
                case False:
                    return False
                case None:
                    found = None
        return found

    return _over(value, BOOLEAN, compute)


@form("aggregate", "reduce")
def aggregate(call: Call, scope: EvalScope) -> Typed:
    """From a start, with each element, and at the end a last step; the start has the type of every step."""
    value, element = _array(call, scope)
    start = compile_scalar(call.args[1], scope)
    kind, merge = _lambda(call.args[2], scope, (start.type, element))
    if kind != start.type:
        raise Unsupported(f"{call.name} from {to_sql(start.type)} to {to_sql(kind)}")
    result, finish = _lambda(call.args[3], scope, (kind,)) if len(call.args) == 4 else (kind, _last_argument)

    def compute(row: Row, items: Value) -> Value:
        return finish(row, functools.reduce(lambda so_far, v: merge(row, so_far, v), items, start.run(row)))

    return _over(value, result, compute)


@form("zip_with")
def zip_with(call: Call, scope: EvalScope) -> Typed:
    left, a = _array(call, scope)
    right = compile_scalar(call.args[1], scope)
    if not isinstance(right.type, Array):
        raise Unsupported(f"zip_with of {to_sql(right.type)}")
    kind, f = _lambda(call.args[2], scope, (a, right.type.element))

    def compute(row: Row, items: Value) -> Value:
        others = right.run(row)
        if others is None:
            return None
        longest = max(len(items), len(others))
        padded = [(*side, *(None,) * (longest - len(side))) for side in (items, others)]
        return tuple(f(row, v, w) for v, w in zip(*padded, strict=True))

    return _over(left, Array(kind), compute)


@form("array_sort")
def array_sort(call: Call, scope: EvalScope) -> Typed:
    """By a comparison, or in ascending order; NULLs last."""
    value, element = _array(call, scope)
    if len(call.args) == 1:
        return _over(value, value.type, lambda _, items: tuple(sorted(items, key=lambda v: (v is None, key(v)))))
    _, f = _lambda(call.args[1], scope, (element, element))

    def compute(row: Row, items: Value) -> Value:
        def compare(a: Value, b: Value) -> int:
            order = f(row, a, b)
            if order is None:
                raise EvaluationError("bad-argument", "a comparison gave NULL")
            return int(order)

        return tuple(sorted(items, key=functools.cmp_to_key(compare)))

    return _over(value, value.type, compute)


# --- maps ---


@form("map_filter")
def map_filter(call: Call, scope: EvalScope) -> Typed:
    value, k, v = _map(call, scope)
    _, f = _lambda(call.args[1], scope, (k, v))
    return _over(value, value.type, lambda row, pairs: tuple(p for p in pairs if f(row, *p) is True))


@form("transform_keys")
def transform_keys(call: Call, scope: EvalScope) -> Typed:
    value, k, v = _map(call, scope)
    kind, f = _lambda(call.args[1], scope, (k, v))
    return _over(value, Map(kind, v), lambda row, pairs: make_map((f(row, *p), p[1]) for p in pairs))


@form("transform_values")
def transform_values(call: Call, scope: EvalScope) -> Typed:
    value, k, v = _map(call, scope)
    kind, f = _lambda(call.args[1], scope, (k, v))
    return _over(value, Map(k, kind), lambda row, pairs: tuple((p[0], f(row, *p)) for p in pairs))


@form("map_zip_with")
def map_zip_with(call: Call, scope: EvalScope) -> Typed:
    left, k, v = _map(call, scope)
    right, other, w = _map(call, scope, 1)
    if k != other:
        raise Unsupported(f"map_zip_with of keys {to_sql(k)} and {to_sql(other)}")
    kind, f = _lambda(call.args[2], scope, (k, v, w))

    def compute(row: Row, pairs: Value) -> Value:
        others = right.run(row)
        if others is None:
            return None
        ours, theirs = ({key(a): b for a, b in side} for side in (pairs, others))
        names = {key(a): a for a, _ in (*pairs, *others)}
        return tuple((name, f(row, name, ours.get(at), theirs.get(at))) for at, name in names.items())

    return _over(converted(left, left.type), Map(k, kind), compute)
