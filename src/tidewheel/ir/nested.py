"""The types of functions over arrays, maps and structs, and of those that take lambdas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

from tidewheel.ir.coercion import common_of, implicit_cast, tightest_type
from tidewheel.ir.scalar import Lambda, Lit, Scalar
from tidewheel.ir.signatures import Rule, Signature
from tidewheel.types import BOOLEAN, INT, Array, DataType, Field, Map, Struct

Kinds = tuple[DataType, ...]


class TypeOf(Protocol):
    def __call__(self, scalar: Scalar, inputs: Sequence[DataType], params: Mapping[int, DataType]) -> DataType: ...


HigherOrder: TypeAlias = Callable[
    [Sequence[Scalar], Sequence[DataType], Mapping[int, DataType], TypeOf], DataType | None
]


def _array(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    common = common_of(kinds) if kinds else None
    return None if common is None else Signature((common,) * len(kinds), Array(common))


def _map(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    key, value = common_of(kinds[::2]), common_of(kinds[1::2])
    if not kinds or len(kinds) % 2 or key is None or value is None:
        return None
    return Signature((key, value) * (len(kinds) // 2), Map(key, value))


def _named_struct(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    names = [s.value if isinstance(s, Lit) and s.kind == "string" else None for s in scalars[::2]]
    if not kinds or len(kinds) % 2 or len(scalars) != len(kinds):
        return None
    fields = [Field(n, k) for n, k in zip(names, kinds[1::2], strict=True) if n is not None]
    return Signature(kinds, Struct(tuple(fields))) if len(fields) == len(names) else None


def _get_field(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    name = scalars[1] if len(scalars) == 2 else None
    if not isinstance(name, Lit) or not kinds:
        return None
    kind = kinds[0]
    inner = kind.element if isinstance(kind, Array) else kind
    if not isinstance(inner, Struct):
        return None
    found = [f.type for f in inner.fields if f.name.lower() == name.value.lower()]
    if len(found) != 1:
        return None
    return Signature(kinds, Array(found[0]) if isinstance(kind, Array) else found[0])


def _get_item(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(element), index) if implicit_cast(index, "integral") is not None:
            return Signature((kinds[0], implicit_cast(index, "integral") or INT), element)
        case (Map(key, value), wanted) if wanted == key:
            return Signature(kinds, value)
    return None


def _keeps(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    return Signature(kinds, kinds[0]) if len(kinds) == 1 and isinstance(kinds[0], Array) else None


def _size(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    return Signature(kinds, INT) if len(kinds) == 1 and isinstance(kinds[0], Array | Map) else None


def _contains(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(element), value) if (common := tightest_type(element, value)) is not None:
            return Signature((Array(common), common), BOOLEAN)
    return None


def _extreme(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(element),):
            return Signature(kinds, element)
    return None


def _map_keys(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Map(key, _),):
            return Signature(kinds, Array(key))
    return None


def _map_values(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Map(_, value),):
            return Signature(kinds, Array(value))
    return None


def _transform(
    args: Sequence[Scalar], inputs: Sequence[DataType], params: Mapping[int, DataType], type_of: TypeOf
) -> DataType | None:
    kind, body = type_of(args[0], inputs, params), args[1]
    if not isinstance(kind, Array) or not isinstance(body, Lambda):
        return None
    known = {**params, **dict(zip((p.number for p in body.params), (kind.element, INT), strict=False))}
    return Array(type_of(body.body, inputs, known))


NESTED_RULES: Final[dict[str, Rule]] = {
    "array": _array,
    "map": _map,
    "named_struct": _named_struct,
    "get_field": _get_field,
    "get_item": _get_item,
    "array_distinct": _keeps,
    "size": _size,
    "cardinality": _size,
    "array_contains": _contains,
    "array_max": _extreme,
    "array_min": _extreme,
    "map_keys": _map_keys,
    "map_values": _map_values,
}
HIGHER_ORDER: Final[dict[str, HigherOrder]] = {"transform": _transform}


def generated(generator: str, kinds: Sequence[DataType], args: Sequence[Scalar]) -> tuple[DataType, ...] | None:
    """The types of the columns that a generator makes; None if we do not know."""
    match generator.removesuffix("_outer"), tuple(kinds):
        case "explode", (Array(element),):
            return (element,)
        case "explode", (Map(key, value),):
            return (key, value)
        case "posexplode", (Array(element),):
            return (INT, element)
        case "posexplode", (Map(key, value),):
            return (INT, key, value)
        case "inline", (Array(Struct(fields)),):
            return tuple(f.type for f in fields)
    return None
