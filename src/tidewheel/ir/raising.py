"""Whether an expression may raise an error on some row (ANSI mode); True where we are not sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidewheel.ir.coercion import INTEGRAL, is_integral, is_numeric
from tidewheel.ir.resolve import cast_type, resolve, type_of
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar, children
from tidewheel.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    VOID,
    DataType,
    Decimal,
    decimal_of,
)

_SAFE: Final = frozenset(
    [
        "=",
        "<=>",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "and",
        "or",
        "not",
        "isnull",
        "isnotnull",
        "in",
        "coalesce",
        "nvl",
        "ifnull",
        "nvl2",
        "nullif",
        "greatest",
        "least",
        "concat",
        "||",
        "upper",
        "lower",
        "ucase",
        "lcase",
        "initcap",
        "trim",
        "ltrim",
        "rtrim",
        "btrim",
        "length",
        "len",
        "char_length",
        "character_length",
        "instr",
        "replace",
        "substring",
        "substr",
        "year",
        "month",
        "day",
        "dayofmonth",
        "quarter",
        "dayofweek",
        "weekday",
        "dayofyear",
        "weekofyear",
        "sqrt",
        "exp",
        "ln",
        "log10",
        "log2",
        "power",
        "pow",
        "sin",
        "cos",
        "tan",
        "sign",
        "signum",
        "isnan",
        "&",
        "|",
        "^",
        "bit_not",
    ]
)
"""Functions that give a value, or NULL, for all arguments of their types."""


def can_raise(scalar: Scalar, types: Sequence[DataType]) -> bool:
    """May the scalar raise on some row of these types."""
    match scalar:
        case Col() | Lit() | Param():
            return False
        case Cast(arg, to, lenient):
            return can_raise(arg, types) or not (lenient or cast_is_safe(type_of(arg, types), cast_type(to)))
        case Case():
            kind = type_of(scalar, types)
            values = [v for _, v in scalar.branches] + ([] if scalar.otherwise is None else [scalar.otherwise])
            return any(can_raise(c, types) for c in children(scalar)) or not all(
                cast_is_safe(type_of(v, types), kind) for v in values
            )
        case Lambda():
            return True
        case Call(name, args):
            return any(can_raise(a, types) for a in args) or _call_raises(name, args, types)


def _call_raises(name: str, args: Sequence[Scalar], types: Sequence[DataType]) -> bool:
    kinds = [type_of(a, types) for a in args]
    found = resolve(name, kinds, args)
    if found is None or not all(cast_is_safe(k, to) for k, to in zip(kinds, found.args, strict=True)):
        return True
    if name in _SAFE:
        return False
    if name in {"+", "-", "*"}:
        return not _cannot_overflow(name, found.args, found.result)
    return True


def _cannot_overflow(name: str, args: Sequence[DataType], result: DataType) -> bool:
    if result in {FLOAT, DOUBLE}:
        return True
    left, right = args
    if not isinstance(left, Decimal) or not isinstance(right, Decimal) or not isinstance(result, Decimal):
        return False
    whole = max(left.precision - left.scale, right.precision - right.scale) + 1
    if name == "*":
        whole = left.precision - left.scale + right.precision - right.scale
    return result.precision - result.scale >= whole


def cast_is_safe(source: DataType, target: DataType) -> bool:
    """Does a strict cast give a value for every value of the source type."""
    if source in {target, VOID} and target != UNKNOWN:
        return True
    if UNKNOWN in {source, target}:
        return False
    if target == STRING:
        return is_numeric(source) or source in {BOOLEAN, DATE, TIMESTAMP}
    if target in {FLOAT, DOUBLE}:
        return is_numeric(source) or source == BOOLEAN
    if is_integral(target):
        return source == BOOLEAN or (is_integral(source) and INTEGRAL.index(source) <= INTEGRAL.index(target))
    if isinstance(target, Decimal):
        held = decimal_of(source)
        return held is not None and target.precision - target.scale >= held.precision - held.scale
    return (source, target) == (TIMESTAMP, DATE) or (target == BOOLEAN and is_numeric(source))
