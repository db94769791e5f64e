"""CAST and TRY_CAST between Spark's types, by ANSI rules: what does not fit raises.

`caster(source, target)` gives a function over values that are not NULL; its result may still be NULL in the one case
where Spark's is (NaN to DECIMAL).
"""

from __future__ import annotations

import datetime as dt
import functools
import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final, TypeAlias

from tidewheel.ir.coercion import interval_units
from tidewheel.tvr.reference import formats
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.values import EPOCH, UTC, Value, as_float32, micros
from tidewheel.types import Array, DataType, Map, Primitive, Struct, to_sql
from tidewheel.types import Decimal as DecimalType

Caster: TypeAlias = Callable[[Value], Value]

BITS: Final = {"byte": 8, "short": 16, "integer": 32, "long": 64}
INTEGRAL: Final = frozenset(BITS)
FRACTIONAL: Final = frozenset({"float", "double"})
EXACT: Final = Context(prec=200)


def fit_integer(number: int, name: str) -> int:
    """The number, if the integer type of that name holds it."""
    bound = 1 << (BITS[name] - 1)
    if not -bound <= number < bound:
        raise EvaluationError("overflow", f"{number} is out of the range of {to_sql(Primitive(name))}")
    return number


def fit_decimal(number: Decimal, kind: DecimalType, rounding: str = ROUND_HALF_UP) -> Decimal:
    """The number at the scale of the type, if its digits fit."""
    whole = kind.precision - kind.scale
    rounded = number.quantize(Decimal(1).scaleb(-kind.scale), rounding, EXACT) if number.adjusted() <= whole else None
    if rounded is None or (rounded.adjusted() >= whole and rounded != 0):
        raise EvaluationError("overflow", f"{number} is out of the range of {to_sql(kind)}")
    return rounded.copy_abs() if rounded == 0 else rounded


def exact_decimal(number: float) -> Decimal | None:
    """A double as the decimal its shortest text is; none of NaN and the infinities."""
    return Decimal(repr(number)) if math.isfinite(number) else None


def cast(value: Value, source: DataType, target: DataType, *, lenient: bool = False) -> Value:
    return None if value is None else caster(source, target, lenient=lenient)(value)


@functools.cache
def caster(source: DataType, target: DataType, *, lenient: bool = False) -> Caster:
    """How values that are not NULL are converted; a lenient one gives NULL, also inside arrays, where it fails."""
    if source == target or source == Primitive("void"):
        return _same
    one = functools.partial(cast, lenient=lenient)
    match source, target:
        case Primitive(name), Primitive("string") if name.startswith("interval"):
            raise Unsupported(f"CAST from {to_sql(source)} to {to_sql(target)}")
        case _, Primitive("string"):
            return lambda v: formats.write(v, source)
        case Array(inner), Array(outer):
            return lambda v: tuple(one(e, inner, outer) for e in v)
        case Map(keys, values), Map(new_keys, new_values):
            return lambda v: tuple((one(k, keys, new_keys), one(e, values, new_values)) for k, e in v)
        case Struct(fields), Struct(new) if len(fields) == len(new):
            pairs = [(a.type, b.type) for a, b in zip(fields, new, strict=True)]
            return lambda v: tuple(one(e, a, b) for e, (a, b) in zip(v, pairs, strict=True))
        case Primitive("string"), _:
            return _leniently(_from_string(target)) if lenient else _from_string(target)
        case ((Primitive() | DecimalType()), (Primitive() | DecimalType())):
            return _leniently(_between(source, target)) if lenient else _between(source, target)
    raise Unsupported(f"CAST from {to_sql(source)} to {to_sql(target)}")


def _same(value: Value) -> Value:
    return value


def _leniently(strict: Caster) -> Caster:
    def convert(value: Value) -> Value:
        try:
            return strict(value)
        except EvaluationError:
            return None

    return convert


def _from_string(target: DataType) -> Caster:
    def strictly(read: Caster) -> Caster:
        def convert(text: str) -> Value:
            value = read(text)
            if value is None:
                raise EvaluationError("bad-cast", f"{text!r} is no {to_sql(target)}")
            return value

        return convert

    match target:
        case Primitive(name) if name in INTEGRAL:
            return strictly(lambda t: _only_if_fits(formats.read_integer(t), name))
        case Primitive("double"):
            return strictly(formats.read_double)
        case Primitive("float"):
            return strictly(lambda t: None if (x := formats.read_double(t)) is None else as_float32(x))
        case DecimalType():
            read = strictly(formats.read_decimal)
            return lambda t: fit_decimal(read(t), target)
        case Primitive("boolean"):
            return strictly(formats.read_boolean)
        case Primitive("date"):
            return strictly(formats.read_date)
        case Primitive("timestamp"):
            return strictly(formats.read_timestamp)
        case Primitive("timestamp_ntz"):
            return strictly(formats.read_timestamp_ntz)
        case Primitive("binary"):
            return lambda t: t.encode("utf-8")
    raise Unsupported(f"CAST from STRING to {to_sql(target)}")


def _only_if_fits(number: int | None, name: str) -> int | None:
    """Text of a number that is too large is malformed text."""
    if number is None or not -(1 << (BITS[name] - 1)) <= number < 1 << (BITS[name] - 1):
        return None
    return number


def _between(source: DataType, target: DataType) -> Caster:
    match source, target:
        case ((DecimalType() | Primitive("boolean" | "byte" | "short" | "integer" | "long")), _) if is_numeric(target):
            return _from_exact(target)
        case Primitive("float" | "double"), _ if is_numeric(target):
            return _from_double(target)
        case _, Primitive("boolean") if is_numeric(source):
            return lambda v: v != 0
        case Primitive("date"), Primitive("timestamp"):
            return lambda d: dt.datetime(d.year, d.month, d.day, tzinfo=UTC)
        case Primitive("date"), Primitive("timestamp_ntz"):
            return lambda d: dt.datetime(d.year, d.month, d.day)  # noqa: DTZ001
        case Primitive("timestamp" | "timestamp_ntz"), Primitive("date"):
            return lambda t: t.date()
        case Primitive("timestamp"), Primitive("timestamp_ntz"):
            return lambda t: t.replace(tzinfo=None)
        case Primitive("timestamp_ntz"), Primitive("timestamp"):
            return lambda t: t.replace(tzinfo=UTC)
        case _, Primitive("timestamp") if is_numeric(source) or source == Primitive("boolean"):
            return _to_timestamp
        case Primitive("timestamp"), _ if is_numeric(target):
            return _from_timestamp(target)
        case _ if interval_units(source) and set(interval_units(source)) <= set(interval_units(target)):
            return _same
    raise Unsupported(f"CAST from {to_sql(source)} to {to_sql(target)}")


def is_numeric(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (isinstance(kind, Primitive) and kind.name in INTEGRAL | FRACTIONAL)


def _from_exact(target: DataType) -> Caster:
    """From a boolean, an integer or a decimal: towards zero where the target has no fraction."""
    match target:
        case DecimalType():
            return lambda v: fit_decimal(Decimal(v), target)
        case Primitive("double"):
            return float
        case Primitive("float"):
            return lambda v: as_float32(float(v))
        case Primitive(name):
            return lambda v: fit_integer(int(v), name)
    raise Unsupported(f"CAST to {to_sql(target)}")


def _from_double(target: DataType) -> Caster:
    match target:
        case DecimalType():

            def to_decimal(number: float) -> Decimal | None:
                exact = exact_decimal(number)
                return None if exact is None else fit_decimal(exact, target)

            return to_decimal
        case Primitive("double"):
            return _same
        case Primitive("float"):
            return as_float32
        case Primitive(name):
            return lambda v: fit_integer(_whole(v), name)
    raise Unsupported(f"CAST to {to_sql(target)}")


def _whole(number: float) -> int:
    if not math.isfinite(number):
        raise EvaluationError("overflow", f"{number} is no integer")
    return int(number)


def _to_timestamp(number: float | Decimal) -> dt.datetime:
    """So many seconds since the epoch; what is finer than a microsecond is dropped."""
    if isinstance(number, float) and not math.isfinite(number):
        raise EvaluationError("bad-cast", f"{number} is no TIMESTAMP")
    exact = isinstance(number, Decimal)
    ticks = EXACT.multiply(number, Decimal(1_000_000)) if exact else min(number * 1_000_000, 1e300)  # type: ignore[arg-type]
    return moment_of(int(ticks))


def moment_of(ticks: int) -> dt.datetime:
    """The timestamp so many microseconds after the epoch; Spark's calendar goes further than Python's."""
    try:
        return EPOCH + dt.timedelta(microseconds=ticks)
    except OverflowError:
        raise Unsupported("timestamps after the year 9999 or before the year 1") from None


def _from_timestamp(target: DataType) -> Caster:
    match target:
        case DecimalType():
            return lambda t: fit_decimal(Decimal(micros(t)).scaleb(-6, EXACT), target)
        case Primitive("double"):
            return lambda t: micros(t) / 1_000_000
        case Primitive("float"):
            return lambda t: as_float32(micros(t) / 1_000_000)
        case Primitive(name):
            return lambda t: fit_integer(micros(t) // 1_000_000, name)
    raise Unsupported(f"CAST from TIMESTAMP to {to_sql(target)}")
