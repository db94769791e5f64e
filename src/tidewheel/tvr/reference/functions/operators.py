"""Arithmetic, comparisons and bits."""

from __future__ import annotations

import datetime as dt
import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.casts import BITS, EXACT, fit_decimal, fit_integer
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.functions.calendar import add_months, checked_date, checked_timestamp, round_half_up
from tidewheel.tvr.reference.functions.registry import Implementation, attempts, function, typed
from tidewheel.tvr.reference.values import Months, Value, as_float32, key
from tidewheel.types import DataType, Primitive
from tidewheel.types import Decimal as DecimalType

_QUOTIENT_SCALE: Final = Decimal(1).scaleb(-39)
"""Spark divides decimals to 39 digits after the point before it rounds to the scale of the result."""


def finish(kind: DataType) -> Callable[[Any], Value]:
    """Bring an exact result into its type; integers and decimals that do not fit raise."""
    match kind:
        case DecimalType():
            return lambda v: fit_decimal(v, kind)
        case Primitive("float"):
            return as_float32
        case Primitive("double"):
            return lambda v: v
        case Primitive(name) if name in BITS:
            return lambda v: fit_integer(v, name)
    raise Unsupported(f"arithmetic of {kind}")


def _numeric(signature: Signature, exact: Implementation, floating: Implementation) -> Implementation:
    """The same operation on exact numbers and on floating ones."""
    fit = finish(signature.result)
    run = floating if signature.result in {Primitive("float"), Primitive("double")} else exact
    return lambda a, b: fit(run(a, b))


@typed("+")
def add(signature: Signature) -> Implementation:
    if not _is_number(signature.result):
        return _add_times
    return _numeric(signature, lambda a, b: EXACT.add(a, b) if isinstance(a, Decimal) else a + b, operator.add)


@typed("-")
def subtract(signature: Signature) -> Implementation:
    if not _is_number(signature.result):
        return lambda a, b: _add_times(a, b) if isinstance(a, str) else _subtract_times(a, b)
    return _numeric(signature, lambda a, b: EXACT.subtract(a, b) if isinstance(a, Decimal) else a - b, operator.sub)


@typed("*")
def multiply(signature: Signature) -> Implementation:
    if not _is_number(signature.result):
        return lambda a, b: _scale(a, b) if isinstance(a, (dt.timedelta, Months)) else _scale(b, a)
    return _numeric(signature, lambda a, b: EXACT.multiply(a, b) if isinstance(a, Decimal) else a * b, operator.mul)


@typed("/")
def divide(signature: Signature) -> Implementation:
    if not _is_number(signature.result):
        return lambda a, b: _scale(a, _quotient(Decimal(1), _exact(b)))
    return _numeric(signature, _quotient, lambda a, b: a / _divisor(b) if math.isfinite(b) or not math.isnan(b) else b)


@typed("div")
def integral_divide(_: Signature) -> Implementation:
    def run(a: Any, b: Any) -> int:
        if isinstance(a, dt.timedelta):
            a, b = a // dt.timedelta(microseconds=1), b // dt.timedelta(microseconds=1)
        elif isinstance(a, Months):
            a, b = a.count, b.count
        return fit_integer(int(EXACT.divide_int(Decimal(a), Decimal(_divisor(b)))), "long")

    return run


@typed("%", "mod")
def remainder(signature: Signature) -> Implementation:
    return _numeric(signature, lambda a, b: _remainder(a, _divisor(b)), lambda a, b: _float_remainder(a, _divisor(b)))


@typed("pmod")
def positive_remainder(signature: Signature) -> Implementation:
    def exact(a: Any, b: Any) -> Any:
        rest = _remainder(a, _divisor(b))
        return _remainder(rest + b, b) if rest < 0 else rest

    def floating(a: float, b: float) -> float:
        rest = _float_remainder(a, _divisor(b))
        return _float_remainder(rest + b, b) if rest < 0 else rest

    return _numeric(signature, exact, floating)


for _name, _of in (
    ("try_add", "+"), ("try_subtract", "-"), ("try_multiply", "*"), ("try_divide", "/"), ("try_mod", "%"),
):  # fmt: skip
    attempts(_name, _of)


@typed("negative")
def negative(signature: Signature) -> Implementation:
    if not _is_number(signature.result):
        return lambda v: _scale(v, -1)
    fit = finish(signature.result)
    return lambda v: fit(EXACT.minus(v) if isinstance(v, Decimal) else -v)


@function("positive")
def positive(value: Value) -> Value:
    return value


def _is_number(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (isinstance(kind, Primitive) and kind.name in {*BITS, "float", "double"})


def _divisor(number: Any) -> Any:
    if number == 0:
        raise EvaluationError("divide-by-zero", "division by zero")
    return number


def _quotient(a: Any, b: Any) -> Decimal:
    return EXACT.divide(a, _divisor(b)).quantize(_QUOTIENT_SCALE, ROUND_HALF_UP, EXACT)


def _remainder(a: Any, b: Any) -> Any:
    """The remainder of a division towards zero: it has the sign of the dividend."""
    if isinstance(a, Decimal):
        return EXACT.remainder(a, b)
    return a - b * int(EXACT.divide_int(Decimal(a), Decimal(b)))


def _float_remainder(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b) or math.isinf(a):
        return math.nan
    return math.fmod(a, b)


def _exact(number: Any) -> Decimal:
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


# --- dates, timestamps, intervals ---


def _add_times(a: Any, b: Any) -> Value:
    if isinstance(a, (dt.timedelta, Months)) and not isinstance(b, type(a)):
        a, b = b, a
    if isinstance(a, Months):
        return Months(fit_integer(a.count + b.count, "integer"))
    if isinstance(b, Months):
        return add_months(a, b.count)
    if isinstance(b, int):
        return checked_date(lambda: a + dt.timedelta(days=b))
    return checked_timestamp(lambda: a + b)


def _subtract_times(a: Any, b: Any) -> Value:
    if isinstance(b, Months):
        return Months(a.count - b.count) if isinstance(a, Months) else add_months(a, -b.count)
    if isinstance(b, int):
        return checked_date(lambda: a - dt.timedelta(days=b))
    return checked_timestamp(lambda: a - b)


def _scale(interval: Any, by: Any) -> Value:
    """An interval times a number, rounded half up to months or microseconds."""
    if isinstance(interval, Months):
        return Months(fit_integer(round_half_up(EXACT.multiply(Decimal(interval.count), _exact(by))), "integer"))
    ticks = Decimal(interval // dt.timedelta(microseconds=1))
    return dt.timedelta(microseconds=round_half_up(EXACT.multiply(ticks, _exact(by))))


# --- comparisons ---


def _comparison(name: str, holds: Callable[[Any, Any], bool]) -> None:
    function(name)(lambda a, b: holds(key(a), key(b)))


_comparison("=", operator.eq)
_comparison("<>", operator.ne)
_comparison("<", operator.lt)
_comparison("<=", operator.le)
_comparison(">", operator.gt)
_comparison(">=", operator.ge)


@function("<=>", "equal_null", sees_nulls=True)
def equal_null(a: Value, b: Value) -> bool:
    return key(a) == key(b)


@function("not")
def negation(value: bool) -> bool:
    return not value


@function("isnull", sees_nulls=True)
def is_null(value: Value) -> bool:
    return value is None


@function("isnotnull", sees_nulls=True)
def is_not_null(value: Value) -> bool:
    return value is not None


@function("isnan", sees_nulls=True)
def is_nan(value: float | None) -> bool:
    return value is not None and math.isnan(value)


@function("nanvl")
def number_or(value: float, otherwise: float) -> float:
    return otherwise if math.isnan(value) else value


@function("greatest", sees_nulls=True)
def greatest(*values: Value) -> Value:
    return max((v for v in values if v is not None), key=key, default=None)


@function("least", sees_nulls=True)
def least(*values: Value) -> Value:
    return min((v for v in values if v is not None), key=key, default=None)


# --- bits: integers in two's complement ---

function("&")(operator.and_)
function("|")(operator.or_)
function("^")(operator.xor)
function("bit_not")(operator.invert)


def wrap(number: int, name: str) -> int:
    """The low bits of a number, as an integer of that type."""
    bits = BITS[name]
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def _shift(signature: Signature, move: Callable[[int, int, int], int]) -> Implementation:
    name = signature.result.name if isinstance(signature.result, Primitive) else "long"
    bits = BITS[name]
    return lambda value, by: wrap(move(value, by % bits, bits), name)


@typed("shiftleft", "<<")
def shift_left(signature: Signature) -> Implementation:
    return _shift(signature, lambda value, by, _: value << by)


@typed("shiftright", ">>")
def shift_right(signature: Signature) -> Implementation:
    return _shift(signature, lambda value, by, _: value >> by)


@typed("shiftrightunsigned", ">>>")
def shift_right_unsigned(signature: Signature) -> Implementation:
    return _shift(signature, lambda value, by, bits: (value & ((1 << bits) - 1)) >> by)


@function("bit_count")
def bit_count(value: int) -> int:
    return (int(value) & ((1 << 64) - 1)).bit_count()


@typed("bit_get", "getbit")
def bit_get(signature: Signature) -> Implementation:
    kind = signature.args[0]
    bits = BITS[kind.name] if isinstance(kind, Primitive) else 64

    def run(value: int, at: int) -> int:
        if not 0 <= at < bits:
            raise EvaluationError("bad-argument", f"there is no bit {at}")
        return (value >> at) & 1

    return run
