"""What it means for keys and dependencies that values of some types are equal."""

from __future__ import annotations

from typing import Final

from tidewheel.types import UNKNOWN, Array, DataType, Decimal, Map, Primitive, Struct

_INTEGERS: Final = {"byte": 3, "short": 5, "integer": 10, "long": 20}
"""Digits of the decimal that Spark makes of an integer."""


def is_plain(kind: DataType) -> bool:
    """Are equal values of this type the same value in every respect.

    Not so for floating point: 0.0 = -0.0, yet CAST(x AS STRING) tells them apart; nor for maps, whose order shows.
    What is computed from a column is therefore determined by it only if its type is plain.
    """
    match kind:
        case Primitive(name):
            return name not in {"float", "double", UNKNOWN.name}
        case Decimal():
            return True
        case Array(element):
            return is_plain(element)
        case Map():
            return False
        case Struct(fields):
            return all(is_plain(f.type) for f in fields)


def compares_exactly(a: DataType, b: DataType) -> bool:
    """Does `a = b` compare without losing anything, so that a value of one type equals at most one of the other.

    Wrong otherwise: two different BIGINTs equal the same DOUBLE, and '5' = 5 is as true as '05' = 5.
    """
    if a == b:
        return a != UNKNOWN
    digits = [_digits(a), _digits(b)]
    if None in digits:
        return False
    (whole_a, scale_a), (whole_b, scale_b) = ((d or (0, 0)) for d in digits)
    return max(whole_a, whole_b) + max(scale_a, scale_b) <= 38


def _digits(kind: DataType) -> tuple[int, int] | None:
    match kind:
        case Decimal(precision, scale):
            return precision - scale, scale
        case Primitive(name) if name in _INTEGERS:
            return _INTEGERS[name], 0
    return None
