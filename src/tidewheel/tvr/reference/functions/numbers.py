"""Functions of numbers: rounding, roots, logarithms, trigonometry, bases."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, Final

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.casts import BITS, EXACT, fit_decimal, fit_integer
from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.functions.operators import finish, wrap
from tidewheel.tvr.reference.functions.registry import Implementation, function, typed
from tidewheel.tvr.reference.values import as_float32
from tidewheel.types import Decimal as DecimalType
from tidewheel.types import Primitive


@typed("abs")
def absolute(signature: Signature) -> Implementation:
    if isinstance(signature.result, Primitive) and signature.result.name.startswith("interval"):
        return abs
    fit = finish(signature.result)
    return lambda v: fit(v.copy_abs() if isinstance(v, Decimal) else abs(v))


@typed("sign", "signum")
def sign(signature: Signature) -> Implementation:
    fit = finish(signature.result)

    def run(v: Any) -> Any:
        if isinstance(v, float) and (math.isnan(v) or v == 0):
            return v
        one = 1 if v > 0 else -1 if v < 0 else 0
        return fit(type(v)(one))

    return run


def _round(signature: Signature, rounding: str) -> Implementation:
    """To so many digits after the point; before it, if there are fewer than none."""
    result = signature.result

    def run(value: Any, digits: int = 0) -> Any:
        if isinstance(value, float):
            if not math.isfinite(value):
                return value
            rounded = float(_quantize(Decimal(repr(value)), digits, rounding))
            return as_float32(rounded) if result == Primitive("float") else rounded
        if isinstance(result, DecimalType):
            return fit_decimal(_quantize(Decimal(value), digits, rounding), result)
        return fit_integer(int(_quantize(Decimal(value), digits, rounding)), getattr(result, "name", "long"))

    return run


def _quantize(value: Decimal, digits: int, rounding: str) -> Decimal:
    """Digits that are already fewer stay as they are."""
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -exponent <= digits:
        return value
    return value.quantize(Decimal(1).scaleb(-digits), rounding, EXACT)


@typed("round")
def round_half_up(signature: Signature) -> Implementation:
    return _round(signature, ROUND_HALF_UP)


@typed("bround")
def round_half_even(signature: Signature) -> Implementation:
    return _round(signature, ROUND_HALF_EVEN)


def _whole(signature: Signature, rounding: str, floating: Callable[[float], int]) -> Implementation:
    result = signature.result
    if len(signature.args) == 2:
        return _round(signature, rounding)
    if isinstance(result, DecimalType):
        return lambda v: fit_decimal(_quantize(v, 0, rounding), result)

    def run(value: float) -> int:
        """NaN is 0, as Java converts it; an infinity raises."""
        if math.isinf(value):
            raise EvaluationError("overflow", f"{value} is no integer")
        return 0 if math.isnan(value) else fit_integer(floating(value), "long")

    return run


@typed("ceil", "ceiling")
def ceil(signature: Signature) -> Implementation:
    return _whole(signature, ROUND_CEILING, math.ceil)


@typed("floor")
def floor(signature: Signature) -> Implementation:
    return _whole(signature, ROUND_FLOOR, math.floor)


@function("rint")
def rint(value: float) -> float:
    return math.copysign(float(round(value)), value) if math.isfinite(value) else value


# --- of one double ---


def _real(name: str, compute: Callable[[float], float]) -> None:
    """A function of the reals; outside of its domain it is NaN."""

    def run(value: float) -> float:
        if math.isnan(value):
            return math.nan
        try:
            return compute(value)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    function(name)(run)


def _signed_overflow(compute: Callable[[float], float]) -> Callable[[float], float]:
    def run(value: float) -> float:
        try:
            return compute(value)
        except OverflowError:
            return math.copysign(math.inf, value)

    return run


def _atanh(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x)


for _name, _compute in {
    "sqrt": math.sqrt, "exp": math.exp, "expm1": math.expm1, "cbrt": math.cbrt,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": _signed_overflow(math.sinh), "cosh": math.cosh, "tanh": math.tanh,
    "asinh": math.asinh, "acosh": math.acosh, "atanh": _atanh,
    "sec": lambda x: 1 / math.cos(x),
    "degrees": math.degrees, "radians": math.radians,
}.items():  # fmt: skip
    _real(_name, _compute)


@function("cot")
def cot(value: float) -> float:
    return 1 / math.tan(value) if value else math.copysign(math.inf, value)


@function("csc")
def csc(value: float) -> float:
    return 1 / math.sin(value) if value else math.copysign(math.inf, value)


def _logarithm(names: tuple[str, ...], compute: Callable[[float], float], pole: float) -> None:
    """NULL at the pole and below."""

    @function(*names)
    def run(value: float) -> float | None:
        if value <= pole:
            return None
        return compute(value) if math.isfinite(value) else value


_logarithm(("ln",), math.log, 0)
_logarithm(("log10",), math.log10, 0)
_logarithm(("log2",), math.log2, 0)
_logarithm(("log1p",), math.log1p, -1)


@function("log")
def log(first: float, second: float | None = None) -> float | None:
    """Of (x), the natural logarithm; or of (base, x)."""
    if second is None:
        return None if first <= 0 else math.log(first)
    if first <= 0 or second <= 0:
        return None
    below, above = math.log(first), math.log(second)
    if below == 0:
        return math.nan if above == 0 or math.isnan(above) else math.copysign(math.inf, above)
    return above / below


@function("pow", "power")
def power(base: float, exponent: float) -> float:
    if exponent == 0:
        return 1.0
    if math.isnan(base) or math.isnan(exponent) or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    try:
        return math.pow(base, exponent)
    except ValueError:
        return math.inf if base == 0 else math.nan
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf


@function("atan2")
def atan2(y: float, x: float) -> float:
    return math.atan2(y + 0.0, x + 0.0)


@function("hypot")
def hypot(a: float, b: float) -> float:
    return math.hypot(a, b)


@function("e")
def euler() -> float:
    return math.e


@function("pi")
def pi() -> float:
    return math.pi


@function("factorial")
def factorial(n: int) -> int | None:
    return math.factorial(n) if 0 <= n <= 20 else None


# --- bases ---


@function("bin")
def binary(value: int) -> str:
    return f"{value & ((1 << 64) - 1):b}"


@function("hex")
def hexadecimal(value: int | str | bytes) -> str:
    if isinstance(value, int):
        return f"{value & ((1 << 64) - 1):X}"
    return (value.encode() if isinstance(value, str) else value).hex().upper()


@function("unhex")
def unhex(text: str) -> bytes | None:
    if not re.fullmatch("[0-9a-fA-F]*", text):
        return None
    return bytes.fromhex(text if len(text) % 2 == 0 else "0" + text)


_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@function("conv")
def conv(text: str, source: int, target: int) -> str | None:
    """Digits of one base in another; a negative target base gives a signed number; reading stops at a bad digit."""
    if not 2 <= source <= 36 or not 2 <= abs(target) <= 36 or not text.strip(" "):
        return None
    digits = text.strip(" ").upper()
    negative = digits.startswith("-")
    number = 0
    for c in digits[negative:]:
        at = _DIGITS.find(c)
        if at < 0 or at >= source:
            break
        number = number * source + at
    if number >= 1 << 64:
        raise EvaluationError("overflow", f"{text!r} has more than 64 bits")
    if negative and target > 0:
        number = (-number) & ((1 << 64) - 1)
    elif target < 0 and not negative:
        signed = wrap(number, "long")
        negative, number = signed < 0, abs(signed)
    return ("-" if negative and target < 0 else "") + _in_base(number, abs(target))


def _in_base(number: int, base: int) -> str:
    found = ""
    while number:
        number, rest = divmod(number, base)
        found = _DIGITS[rest] + found
    return found or "0"


@function("width_bucket")
def width_bucket(value: float, low: float, high: float, count: int) -> int | None:
    """The bucket of an equal-width histogram; 0 and count + 1 are those outside of it."""
    bad = count <= 0 or low == high or not math.isfinite(low) or not math.isfinite(high) or math.isnan(value)
    if bad or count == (1 << (BITS["long"] - 1)) - 1:
        return None
    lower, upper = min(low, high), max(low, high)
    if low < high:
        if value < lower:
            return 0
        return count + 1 if value >= upper else int(count * (value - lower) / (upper - lower)) + 1
    if value > upper:
        return 0
    return count + 1 if value <= lower else int(count * (upper - value) / (upper - lower)) + 1
