"""The types of functions over arrays, maps and structs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidewheel.ir.coercion import (
    DATETIMES,
    cast_to,
    common_of,
    implicit_cast,
    interval_units,
    is_integral,
    tightest_type,
)  # fmt: skip
from tidewheel.ir.scalar import Lit
from tidewheel.ir.signatures import Args, Kinds, Rule, Signature, plain, returning
from tidewheel.types import BOOLEAN, FLOAT, INT, LONG, STRING, VOID, Array, DataType, Field, Map, Struct, has_map


def _array(kinds: Kinds) -> Signature | None:
    common = common_of(kinds)
    return None if common is None else Signature((common,) * len(kinds), Array(common))


def _map(kinds: Kinds) -> Signature | None:
    key, value = common_of(kinds[::2]), common_of(kinds[1::2])
    if len(kinds) % 2 or key is None or value is None or isinstance(key, Map):
        return None
    return Signature((key, value) * (len(kinds) // 2), Map(key, value))


def _named_struct(kinds: Kinds, args: Args) -> Signature | None:
    names = [s.value for s in args[::2] if isinstance(s, Lit) and s.kind == "string"]
    if not kinds or 2 * len(names) != len(kinds):
        return None
    return Signature(kinds, Struct(tuple(Field(n, k) for n, k in zip(names, kinds[1::2], strict=True))))


def _get_field(kinds: Kinds, args: Args) -> Signature | None:
    """A field of a struct, or of each struct of an array."""
    name = args[1] if len(args) == 2 else None
    if not isinstance(name, Lit):
        return None
    kind = kinds[0]
    inner = kind.element if isinstance(kind, Array) else kind
    found = [f.type for f in inner.fields if f.name.lower() == name.value.lower()] if isinstance(inner, Struct) else []
    if len(found) != 1:
        return None
    return Signature(kinds, Array(found[0]) if isinstance(kind, Array) else found[0])


def _get_item(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(element) as array, index) if index == VOID or is_integral(index):
            return Signature((array, INT if index == VOID else index), element)
        case (Map(key, value) as pairs, wanted):
            return returning((pairs, cast_to(wanted, key)), value)
    return None


def _exact(a: DataType, b: DataType) -> DataType | None:
    """The common type of elements; beside a float Spark has other rules for them, which we do not know."""
    return tightest_type(a, b) if a == b or FLOAT not in {a, b} else None


def _element_at(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(element) as array, index) if is_integral(index) and index != LONG:
            return Signature((array, INT), element)
        case (Map(key, value), wanted) if (common := _exact(key, wanted)) is not None and wanted != VOID:
            return Signature((Map(common, value), common), value)
    return None


def _get(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(element) as array, index) if is_integral(index):
            return Signature((array, index), element)
    return None


def _same_array(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(),):
            return Signature(kinds, kinds[0])
    return None


def _sorted(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(element), *rest) if not has_map(element) and rest in ([], [BOOLEAN]):
            return Signature(kinds, kinds[0])
    return None


def _size(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array() | Map(),):
            return Signature(kinds, INT)
    return None


def _array_size(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(),):
            return Signature(kinds, INT)
    return None


def _with_element(result: DataType | None) -> Rule:
    """A function of an array and a value that is compared with its elements; no result named: the array's type."""

    def rule(kinds: Kinds) -> Signature | None:
        match kinds:
            case (Array(element), value) if VOID not in {value, element}:
                common = _exact(element, value)
                return None if common is None else Signature((Array(common), common), result or Array(common))
        return None

    return plain(rule)


def _two_arrays(result: DataType | None) -> Rule:
    def rule(kinds: Kinds) -> Signature | None:
        match kinds:
            case (Array(left), Array(right)):
                common = _exact(left, right)
                both = None if common is None else Array(common)
                return returning((both, both), result or both)
        return None

    return plain(rule)


def _slice(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(), start, length):
            return returning((kinds[0], implicit_cast(start, "int"), implicit_cast(length, "int")), kinds[0])
    return None


def _flatten(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(Array() as inner),):
            return Signature(kinds, inner)
    return None


def _repeat(kinds: Kinds) -> Signature | None:
    return returning((kinds[0], implicit_cast(kinds[1], "!int")), Array(kinds[0])) if len(kinds) == 2 else None


def _array_extreme(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(element),) if not has_map(element):
            return Signature(kinds, element)
    return None


def _sequence(kinds: Kinds) -> Signature | None:
    """Integers, or dates and timestamps with an interval as the step."""
    if not 2 <= len(kinds) <= 3 or VOID in kinds:
        return None
    numbers = all(map(is_integral, kinds))
    common = common_of(kinds if numbers else kinds[:2])
    if common is None or not (numbers or (common in DATETIMES and STRING not in kinds)):
        return None
    if not numbers and len(kinds) == 3 and not interval_units(kinds[2]):
        return None
    return Signature((common, common, *([common] if numbers else kinds[2:]))[: len(kinds)], Array(common))


def _map_parts(kinds: Kinds) -> tuple[DataType, DataType] | None:
    match kinds:
        case (Map(key, value),):
            return key, value
    return None


def _map_keys(kinds: Kinds) -> Signature | None:
    parts = _map_parts(kinds)
    return None if parts is None else Signature(kinds, Array(parts[0]))


def _map_values(kinds: Kinds) -> Signature | None:
    parts = _map_parts(kinds)
    return None if parts is None else Signature(kinds, Array(parts[1]))


def _map_entries(kinds: Kinds) -> Signature | None:
    parts = _map_parts(kinds)
    entry = None if parts is None else Struct((Field("key", parts[0]), Field("value", parts[1])))
    return None if entry is None else Signature(kinds, Array(entry))


def _map_from_arrays(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(key), Array(value)) if not has_map(key):
            return Signature(kinds, Map(key, value))
    return None


def _map_from_entries(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Array(Struct((key, value))),) if not has_map(key.type):
            return Signature(kinds, Map(key.type, value.type))
    return None


def _map_concat(kinds: Kinds) -> Signature | None:
    common = common_of(kinds) if kinds and all(isinstance(k, Map) for k in kinds) else None
    return None if common is None else Signature((common,) * len(kinds), common)


def _contains_key(kinds: Kinds) -> Signature | None:
    match kinds:
        case (Map(key, value), wanted) if wanted != VOID and (common := _exact(key, wanted)) is not None:
            return Signature((Map(common, value), common), BOOLEAN)
    return None


def _str_to_map(kinds: Kinds) -> Signature | None:
    known = 1 <= len(kinds) <= 3 and all(k == STRING for k in kinds)
    return Signature(kinds, Map(STRING, STRING)) if known else None


def generated(generator: str, kinds: Sequence[DataType]) -> tuple[DataType, ...] | None:
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
        case "json_tuple", (_, *rest):
            return (STRING,) * len(rest)
    return None


NESTED_RULES: Final[dict[str, Rule]] = {
    "array": plain(_array),
    "map": plain(_map),
    "named_struct": _named_struct,
    "get_field": _get_field,
    "get_item": plain(_get_item),
    "element_at": plain(_element_at),
    "try_element_at": plain(_element_at),
    "get": plain(_get),
    "array_distinct": plain(_same_array),
    "array_compact": plain(_same_array),
    "sort_array": plain(_sorted),
    "size": plain(_size),
    "cardinality": plain(_size),
    "array_size": plain(_array_size),
    "array_contains": _with_element(BOOLEAN),
    "array_position": _with_element(LONG),
    "array_remove": _with_element(None),
    "array_append": _with_element(None),
    "array_prepend": _with_element(None),
    "array_union": _two_arrays(None),
    "array_intersect": _two_arrays(None),
    "array_except": _two_arrays(None),
    "arrays_overlap": _two_arrays(BOOLEAN),
    "array_max": plain(_array_extreme),
    "array_min": plain(_array_extreme),
    "array_repeat": plain(_repeat),
    "slice": plain(_slice),
    "flatten": plain(_flatten),
    "sequence": plain(_sequence),
    "map_keys": plain(_map_keys),
    "map_values": plain(_map_values),
    "map_entries": plain(_map_entries),
    "map_from_arrays": plain(_map_from_arrays),
    "map_from_entries": plain(_map_from_entries),
    "map_concat": plain(_map_concat),
    "map_contains_key": plain(_contains_key),
    "str_to_map": plain(_str_to_map),
}
