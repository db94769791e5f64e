"""The types of functions that take lambdas: the parameters get their types from the other arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

from tidewheel.ir.scalar import Lambda, Scalar
from tidewheel.types import BOOLEAN, INT, UNKNOWN, Array, DataType, Map

Params: TypeAlias = Mapping[int, DataType]


class TypeOf(Protocol):
    def __call__(self, scalar: Scalar, inputs: Sequence[DataType], params: Params | None = None) -> DataType: ...


class LambdaScope:
    """Where a call stands: the columns and the parameters of the lambdas around it."""

    def __init__(self, inputs: Sequence[DataType], params: Params, type_of: TypeOf) -> None:
        self.inputs = inputs
        self.params = params
        self.type_of = type_of

    def type(self, scalar: Scalar) -> DataType:
        return self.type_of(scalar, self.inputs, self.params)

    def result(self, function: Scalar, *kinds: DataType) -> DataType:
        """The type of a lambda's body when its parameters have these types; further ones it does not name."""
        if not isinstance(function, Lambda) or len(function.params) > len(kinds):
            return UNKNOWN
        known = dict(zip((p.number for p in function.params), kinds, strict=False))
        return self.type_of(function.body, self.inputs, {**self.params, **known})


HigherOrder: TypeAlias = Callable[[Sequence[Scalar], LambdaScope], DataType | None]


def _transform(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    kind = scope.type(args[0])
    element = scope.result(args[1], kind.element, INT) if isinstance(kind, Array) else UNKNOWN
    return None if element == UNKNOWN else Array(element)


def _filter(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    kind = scope.type(args[0])
    return kind if isinstance(kind, Array) and scope.result(args[1], kind.element, INT) == BOOLEAN else None


def _test(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    kind = scope.type(args[0])
    return BOOLEAN if isinstance(kind, Array) and scope.result(args[1], kind.element) == BOOLEAN else None


def _aggregate(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    """The merge must give the type of the start."""
    kind, start = scope.type(args[0]), scope.type(args[1])
    if not isinstance(kind, Array) or start == UNKNOWN or scope.result(args[2], start, kind.element) != start:
        return None
    return start if len(args) == 3 else scope.result(args[3], start)


def _zip_with(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    left, right = scope.type(args[0]), scope.type(args[1])
    if not isinstance(left, Array) or not isinstance(right, Array):
        return None
    element = scope.result(args[2], left.element, right.element)
    return None if element == UNKNOWN else Array(element)


def _map_filter(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    kind = scope.type(args[0])
    return kind if isinstance(kind, Map) and scope.result(args[1], kind.key, kind.value) == BOOLEAN else None


def _transform_keys(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    kind = scope.type(args[0])
    key = scope.result(args[1], kind.key, kind.value) if isinstance(kind, Map) else UNKNOWN
    return Map(key, kind.value) if isinstance(kind, Map) and key != UNKNOWN else None


def _transform_values(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    kind = scope.type(args[0])
    value = scope.result(args[1], kind.key, kind.value) if isinstance(kind, Map) else UNKNOWN
    return Map(kind.key, value) if isinstance(kind, Map) and value != UNKNOWN else None


def _array_sort(args: Sequence[Scalar], scope: LambdaScope) -> DataType | None:
    kind = scope.type(args[0])
    if not isinstance(kind, Array):
        return None
    return kind if len(args) == 1 or scope.result(args[1], kind.element, kind.element) == INT else None


HIGHER_ORDER: Final[dict[str, tuple[HigherOrder, tuple[int, ...]]]] = {
    "transform": (_transform, (2,)),
    "filter": (_filter, (2,)),
    "exists": (_test, (2,)),
    "forall": (_test, (2,)),
    "aggregate": (_aggregate, (3, 4)),
    "reduce": (_aggregate, (3, 4)),
    "zip_with": (_zip_with, (3,)),
    "map_filter": (_map_filter, (2,)),
    "transform_keys": (_transform_keys, (2,)),
    "transform_values": (_transform_values, (2,)),
    "array_sort": (_array_sort, (1, 2)),
}
"""Rules, and the numbers of arguments they take."""
