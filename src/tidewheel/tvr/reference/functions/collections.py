"""Arrays, maps and structs: arrays are tuples, maps tuples of pairs in order of insertion, structs tuples of fields."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, Final

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.functions.calendar import add_months
from tidewheel.tvr.reference.functions.patterns import split
from tidewheel.tvr.reference.functions.registry import Implementation, function, typed
from tidewheel.tvr.reference.values import Key, Months, Value, key
from tidewheel.types import Map

Items = tuple[Value, ...]
Pairs = tuple[tuple[Value, Value], ...]
_LONGEST: Final = (1 << 31) - 16


@function("array", sees_nulls=True)
def array(*values: Value) -> Items:
    return values


@function("struct", sees_nulls=True)
def struct(*values: Value) -> Items:
    return values


@function("named_struct", sees_nulls=True)
def named_struct(*names_and_values: Value) -> Items:
    return names_and_values[1::2]


@function("size", "cardinality")
def size(items: Items) -> int:
    return len(items)


@function("array_size", "map_size")
def array_size(items: Items) -> int:
    return len(items)


def unique(items: Iterable[Value]) -> Items:
    """The first of equal values; NULL equals NULL."""
    found: dict[Key, Value] = {}
    for item in items:
        found.setdefault(key(item), item)
    return tuple(found.values())


# --- access ---


@typed("element_at")
def element_at(signature: Signature) -> Implementation:
    """An array's element, counted from 1 or from the end, or an error; a map's value, or NULL."""
    if isinstance(signature.args[0], Map):
        return lookup

    def run(items: Items, at: int) -> Value:
        if at == 0:
            raise EvaluationError("bad-argument", "elements are counted from 1")
        if abs(at) > len(items):
            raise EvaluationError("out-of-bounds", f"there is no element {at} of {len(items)}")
        return items[at - 1 if at > 0 else at]

    return run


@typed("get_item")
def get_item(signature: Signature) -> Implementation:
    """The [] operator: an array's element, counted from 0, or an error; a map's value, or NULL."""
    if isinstance(signature.args[0], Map):
        return lookup

    def run(items: Items, at: int) -> Value:
        if not 0 <= at < len(items):
            raise EvaluationError("out-of-bounds", f"there is no element {at} of {len(items)}")
        return items[at]

    return run


@typed("try_element_at")
def try_element_at(signature: Signature) -> Implementation:
    run = element_at(signature)

    def attempt(items: Items, at: Any) -> Value:
        try:
            return run(items, at)
        except EvaluationError as error:
            if error.code == "out-of-bounds":
                return None
            raise

    return attempt


@function("get")
def get(items: Items, at: int) -> Value:
    return items[at] if 0 <= at < len(items) else None


def lookup(pairs: Pairs, wanted: Value) -> Value:
    return next((v for k, v in pairs if key(k) == key(wanted)), None)


# --- arrays ---


@function("array_contains")
def array_contains(items: Items, wanted: Value) -> bool | None:
    """NULL if it is not there but a NULL is."""
    if any(v is not None and key(v) == key(wanted) for v in items):
        return True
    return None if any(v is None for v in items) else False


@function("array_position")
def array_position(items: Items, wanted: Value) -> int:
    return next((i for i, v in enumerate(items, 1) if v is not None and key(v) == key(wanted)), 0)


@function("array_remove")
def array_remove(items: Items, unwanted: Value) -> Items:
    return tuple(v for v in items if v is None or key(v) != key(unwanted))


@function("array_compact")
def array_compact(items: Items) -> Items:
    return tuple(v for v in items if v is not None)


@function("array_append", sees_nulls=True)
def array_append(items: Items | None, item: Value) -> Items | None:
    return None if items is None else (*items, item)


@function("array_prepend", sees_nulls=True)
def array_prepend(items: Items | None, item: Value) -> Items | None:
    return None if items is None else (item, *items)


@function("array_insert", sees_nulls=True)
def array_insert(items: Items | None, at: int | None, item: Value) -> Items | None:
    """Before the position, counted from 1, or after it counted from the end; gaps are filled with NULL."""
    if items is None or at is None:
        return None
    if at == 0:
        raise EvaluationError("bad-argument", "elements are counted from 1")
    if at > 0:
        padded = items + (None,) * (at - 1 - len(items))
        return (*padded[: at - 1], item, *padded[at - 1 :])
    place = len(items) + at + 1
    if place >= 0:
        return (*items[:place], item, *items[place:])
    return (item, *(None,) * -place, *items)


function("array_distinct")(unique)


@function("array_union")
def array_union(a: Items, b: Items) -> Items:
    return unique((*a, *b))


@function("array_intersect")
def array_intersect(a: Items, b: Items) -> Items:
    there = {key(v) for v in b}
    return unique(v for v in a if key(v) in there)


@function("array_except")
def array_except(a: Items, b: Items) -> Items:
    there = {key(v) for v in b}
    return unique(v for v in a if key(v) not in there)


@function("arrays_overlap")
def arrays_overlap(a: Items, b: Items) -> bool | None:
    """NULL if they have no common element, neither is empty, and one contains NULL."""
    if {key(v) for v in a if v is not None} & {key(v) for v in b if v is not None}:
        return True
    return None if a and b and (None in a or None in b) else False


@function("arrays_zip")
def arrays_zip(*arrays: Items) -> Items:
    longest = max((len(a) for a in arrays), default=0)
    return tuple(tuple(a[i] if i < len(a) else None for a in arrays) for i in range(longest))


@function("array_join")
def array_join(items: Items, separator: str, null_text: str | None = None) -> str:
    return separator.join(
        v if v is not None else null_text or "" for v in items if v is not None or null_text is not None
    )


@function("array_max")
def array_max(items: Items) -> Value:
    return max((v for v in items if v is not None), key=key, default=None)


@function("array_min")
def array_min(items: Items) -> Value:
    return min((v for v in items if v is not None), key=key, default=None)


@function("array_repeat", sees_nulls=True)
def array_repeat(item: Value, times: int | None) -> Items | None:
    return None if times is None else (item,) * max(times, 0)


@function("sort_array")
def sort_array(items: Items, ascending: bool = True) -> Items:
    """NULLs first if ascending, last if not."""
    return tuple(sorted(items, key=key, reverse=not ascending))


@function("flatten")
def flatten(arrays: tuple[Items | None, ...]) -> Items | None:
    return None if None in arrays else tuple(v for a in arrays if a is not None for v in a)


@function("slice")
def slice_(items: Items, start: int, length: int) -> Items:
    if start == 0 or length < 0:
        raise EvaluationError("bad-argument", f"no slice starts at {start} with {length} elements")
    first = start - 1 if start > 0 else len(items) + start
    return items[first : first + length] if first >= 0 else ()


@typed("sequence")
def sequence(signature: Signature) -> Implementation:
    """From start to stop, both included; the default step is one, or one day, towards the stop."""
    del signature

    def run(start: Any, stop: Any, step: Any = None) -> Items:
        if step is None:
            one = 1 if isinstance(start, int) else dt.timedelta(days=1)
            step = one if start <= stop else -one
        return tuple(_steps(start, stop, step))

    return run


def _steps(start: Any, stop: Any, step: Any) -> Iterable[Value]:
    size = step.count if isinstance(step, Months) else step // dt.timedelta(microseconds=1) if isinstance(
        step, dt.timedelta) else step  # fmt: skip
    if (size > 0 and start > stop) or (size < 0 and start < stop) or (size == 0 and start != stop):
        raise EvaluationError("bad-argument", f"no sequence goes from {start} to {stop} by {step}")
    if size == 0:
        yield start
        return
    i = 0
    while True:
        value = add_months(start, i * step.count) if isinstance(step, Months) else start + i * step
        if (value > stop) if size > 0 else (value < stop):
            return
        yield value
        i += 1


# --- maps ---


def make_map(pairs: Iterable[tuple[Value, Value]]) -> Pairs:
    """A map has no NULL key and no key twice."""
    found: dict[Key, tuple[Value, Value]] = {}
    for k, v in pairs:
        if k is None:
            raise EvaluationError("null-map-key", "a map has no NULL key")
        if key(k) in found:
            raise EvaluationError("duplicate-map-key", f"a map has the key {k!r} twice")
        found[key(k)] = (k, v)
    return tuple(found.values())


@function("map", sees_nulls=True)
def map_(*keys_and_values: Value) -> Pairs:
    return make_map(zip(keys_and_values[::2], keys_and_values[1::2], strict=True))


@function("map_from_arrays")
def map_from_arrays(keys: Items, values: Items) -> Pairs:
    if len(keys) != len(values):
        raise EvaluationError("bad-argument", "there are as many keys as values")
    return make_map(zip(keys, values, strict=True))


@function("map_from_entries")
def map_from_entries(entries: tuple[tuple[Value, Value] | None, ...]) -> Pairs | None:
    return None if None in entries else make_map(e for e in entries if e is not None)


@function("map_concat")
def map_concat(*maps: Pairs) -> Pairs:
    return make_map(pair for m in maps for pair in m)


@function("map_keys")
def map_keys(pairs: Pairs) -> Items:
    return tuple(k for k, _ in pairs)


@function("map_values")
def map_values(pairs: Pairs) -> Items:
    return tuple(v for _, v in pairs)


@function("map_entries")
def map_entries(pairs: Pairs) -> Pairs:
    return pairs


@function("map_contains_key")
def map_contains_key(pairs: Pairs, wanted: Value) -> bool:
    return any(key(k) == key(wanted) for k, _ in pairs)


@function("str_to_map")
def str_to_map(text: str, between_pairs: str = ",", in_pair: str = ":") -> Pairs:
    """Delimiters are regular expressions; a part without one has no value."""
    parts = (split(part, in_pair, 2) for part in split(text, between_pairs))
    return make_map((p[0], p[1] if len(p) > 1 else None) for p in parts)
