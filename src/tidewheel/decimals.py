"""Decimals: the types of results, with spark.sql.decimalOperations.allowPrecisionLoss=true, the default."""

from __future__ import annotations

from tidewheel.types import BYTE, INT, LONG, SHORT, DataType, Decimal, Primitive

MAX_PRECISION = 38


_KEPT_SCALE = 6


_DIGITS = {BYTE: 3, SHORT: 5, INT: 10, LONG: 20}


def decimal_of(kind: DataType) -> Decimal | None:
    """The decimal that holds every value of an integer type, or the decimal itself."""
    if isinstance(kind, Decimal):
        return kind
    return Decimal(_DIGITS[kind], 0) if isinstance(kind, Primitive) and kind in _DIGITS else None


def widest_decimal(a: Decimal, b: Decimal) -> Decimal:
    """What both are cast to when compared or united; digits before the point go before those after it."""
    scale, whole = max(a.scale, b.scale), max(a.precision - a.scale, b.precision - b.scale)
    return Decimal(min(whole + scale, MAX_PRECISION), min(scale, MAX_PRECISION - whole))


def decimal_result(operator: str, a: Decimal, b: Decimal) -> Decimal:
    """The type of a + b, a - b, a * b, a / b or a % b."""
    scale, whole = max(a.scale, b.scale), a.precision - a.scale
    match operator:
        case "+" | "-":
            precision = max(whole, b.precision - b.scale) + scale + 1
        case "*":
            precision, scale = a.precision + b.precision + 1, a.scale + b.scale
        case "/":
            scale = max(_KEPT_SCALE, a.scale + b.precision + 1)
            precision = whole + b.scale + scale
        case "%":
            precision = min(whole, b.precision - b.scale) + scale
        case _:
            raise ValueError(f"{operator} has no decimal rule")
    if precision <= MAX_PRECISION:
        return Decimal(precision, scale)
    return Decimal(MAX_PRECISION, max(MAX_PRECISION - (precision - scale), min(scale, _KEPT_SCALE)))


def decimal_sum(a: Decimal) -> Decimal:
    return Decimal(min(a.precision + 10, MAX_PRECISION), a.scale)


def decimal_avg(a: Decimal) -> Decimal:
    return Decimal(min(a.precision + 4, MAX_PRECISION), min(a.scale + 4, MAX_PRECISION))
