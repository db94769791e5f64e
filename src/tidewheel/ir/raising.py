"""Whether an expression may raise an error on some row (ANSI mode); True where we are not sure."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final

from tidewheel.decimals import decimal_of  # fmt: skip
from tidewheel.ir.builtins import names
from tidewheel.ir.coercion import INTEGRAL, is_integral, is_numeric
from tidewheel.ir.literals import integer_decimal
from tidewheel.ir.resolve import cast_type, resolve, type_of
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar
from tidewheel.types import (  # fmt: skip
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    VOID,
    DataType,
    Decimal,
)

_SAFE: Final = names(
    """
    = <=> <> < <= > >= and or not isnull isnotnull in equal_null & | ^ bit_not
    coalesce nvl ifnull nvl2 nullif if greatest least nanvl zeroifnull nullifzero
    concat || concat_ws upper lower ucase lcase initcap trim ltrim rtrim btrim reverse translate replace
    length len char_length character_length octet_length bit_length ascii instr locate position
    substring substr left right contains startswith endswith soundex
    md5 sha sha1 crc32 hex typeof
    year month day dayofmonth quarter dayofweek weekday dayofyear weekofyear hour minute second
    unix_date dayname monthname extract
    sqrt exp ln log log10 log2 log1p expm1 cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh atan2
    cot csc sec degrees radians rint power pow hypot sign signum isnan bit_count pi e
    shiftleft shiftright shiftrightunsigned
    try_add try_subtract try_multiply try_divide try_mod
    array named_struct get_field size cardinality array_size map_keys map_values map_entries array_distinct
    array_contains array_position array_max array_min array_compact arrays_overlap map_contains_key
    current_date curdate current_timestamp now localtimestamp
    """
)
"""Functions that give a value, or NULL, for all arguments of their types."""

_JAVA_DIGITS: Final = 34
"""Spark negates decimals in 128 bits: with more digits -x is rounded, and may no longer fit its type."""
_DIVISIONS: Final = frozenset({"/", "%", "div", "mod", "pmod"})
_NUMBER: Final = re.compile(r"[+-]?\d{1,18}")
_FRACTION: Final = re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?")
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2}(\.\d{1,6})?)?")


def can_raise(scalar: Scalar, types: Sequence[DataType]) -> bool:
    """May the scalar raise on some row of these types."""
    match scalar:
        case Col() | Lit() | Param():
            return False
        case Cast(arg, to, lenient):
            return can_raise(arg, types) or not (lenient or _casts(arg, type_of(arg, types), cast_type(to)))
        case Case(branches, otherwise):
            values = [v for _, v in branches] + ([] if otherwise is None else [otherwise])
            kind = type_of(scalar, types)
            if any(can_raise(s, types) for s in (*(c for c, _ in branches), *values)):
                return True
            conditions = all(type_of(c, types) in {BOOLEAN, VOID} for c, _ in branches)
            return not conditions or not all(_casts(v, type_of(v, types), kind) for v in values)
        case Lambda():
            return True
        case Call(name, args):
            return any(can_raise(a, types) for a in args) or _call_raises(name, args, types)


def _call_raises(name: str, args: Sequence[Scalar], types: Sequence[DataType]) -> bool:
    kinds = [type_of(a, types) for a in args]
    found = resolve(name, kinds, args)
    if found is None or not all(map(_casts, args, kinds, found.args)):
        return True
    if name in {"like", "ilike"}:
        return not _is_plain_pattern(args)
    if name == "nullif":
        compared = resolve("=", kinds, args)
        return compared is None or not all(map(_casts, args, kinds, compared.args))
    return name not in _SAFE and not _computes(name, args, found.args, found.result)


def _computes(name: str, args: Sequence[Scalar], kinds: Sequence[DataType], result: DataType) -> bool:
    """Does arithmetic of these types always have a result."""
    if name in {"abs", "negative", "positive"}:
        exact = isinstance(result, Decimal) and result.precision <= _JAVA_DIGITS
        return name == "positive" or result in {FLOAT, DOUBLE} or exact
    if name in {"round", "bround", "ceil", "ceiling", "floor"}:
        kind = kinds[0]
        if not isinstance(kind, Decimal) or not isinstance(result, Decimal):
            return kind in {FLOAT, DOUBLE} and name in {"round", "bround"}
        return result == kind or _whole(result) > _whole(kind)
    if name in {"+", "-", "*"}:
        return _cannot_overflow(name, kinds, result)
    return name in _DIVISIONS and _divides(name, args, kinds, result)


def _whole(kind: Decimal) -> int:
    return kind.precision - kind.scale


def _cannot_overflow(name: str, kinds: Sequence[DataType], result: DataType) -> bool:
    left, right = kinds
    if not isinstance(left, Decimal) or not isinstance(right, Decimal) or not isinstance(result, Decimal):
        return result in {FLOAT, DOUBLE}
    needed = _whole(left) + _whole(right) if name == "*" else max(_whole(left), _whole(right)) + 1
    return _whole(result) > needed or (_whole(result) == needed and result.precision < 38)


def _divides(name: str, args: Sequence[Scalar], kinds: Sequence[DataType], result: DataType) -> bool:
    """By a literal that is neither zero nor -1, whose quotient always fits."""
    divisor = args[1]
    if not isinstance(divisor, Lit) or not re.search(r"[1-9]", divisor.value.lower().partition("e")[0]):
        return False
    if divisor.kind in {"null", "string"} or divisor.value.startswith("-"):
        return False
    left, right = kinds
    if not isinstance(left, Decimal) or not isinstance(right, Decimal):
        return True
    if name != "/" or not isinstance(result, Decimal):
        return isinstance(result, Decimal) and result.precision < 38
    return result.precision < 38 and _whole(result) >= _whole(left) + right.scale


def _is_plain_pattern(args: Sequence[Scalar]) -> bool:
    """A literal pattern without the escape character, which raises where nothing to escape follows."""
    pattern = args[1]
    return len(args) == 2 and isinstance(pattern, Lit) and pattern.kind == "string" and "\\" not in pattern.value


def _casts(arg: Scalar, source: DataType, target: DataType) -> bool:
    """Does an implicit cast of this argument always succeed; of a literal we look at the value."""
    if isinstance(arg, Lit):
        if arg.kind == "word":
            return True
        if isinstance(target, Decimal) and (exact := integer_decimal(arg)) is not None:
            return cast_is_safe(exact, target)
        if arg.kind == "string" and target != STRING:
            return _reads(arg.value, target)
    return cast_is_safe(source, target)


def _reads(text: str, target: DataType) -> bool:
    """Is the text surely a value of the type."""
    if target == LONG:
        return _NUMBER.fullmatch(text) is not None
    if target == DOUBLE:
        return _FRACTION.fullmatch(text) is not None
    if target not in {DATE, TIMESTAMP, TIMESTAMP_NTZ} or _MOMENT.fullmatch(text) is None:
        return False
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def cast_is_safe(source: DataType, target: DataType) -> bool:
    """Does a strict cast give a value for every value of the source type."""
    if UNKNOWN in {source, target}:
        return False
    if source in {target, VOID}:
        return True
    if target == STRING:
        return is_numeric(source) or source in {BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, BINARY}
    if target in {FLOAT, DOUBLE}:
        return is_numeric(source) or source == BOOLEAN
    if is_integral(target):
        return source == BOOLEAN or (is_integral(source) and _rank(source) <= _rank(target))
    if isinstance(target, Decimal):
        held = decimal_of(source)
        return held is not None and (_whole(target) > _whole(held) or _exactly_wider(held, target))
    return (source == TIMESTAMP and target == DATE) or (target == BOOLEAN and is_numeric(source))


def _rank(kind: DataType) -> int:
    return next(i for i, k in enumerate(INTEGRAL) if k == kind)


def _exactly_wider(held: Decimal, target: Decimal) -> bool:
    """No digit is lost, so that rounding cannot carry into one digit too many."""
    return _whole(target) == _whole(held) and target.scale >= held.scale
