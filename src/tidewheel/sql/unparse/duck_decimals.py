"""Exact decimals in DuckDB: its own operators cap products at 18 digits and divide in doubles."""

from __future__ import annotations

from typing import Final

from tidewheel.sql.unparse.duck_casts import duck_type, not_local
from tidewheel.sql.unparse.texts import Text, made_of
from tidewheel.types import LONG, Decimal

_SMALL: Final = 18


def decimal_arithmetic(name: str, left: Text, right: Text, result: Decimal) -> Text:
    """`+ - * / %` of two decimals as Spark computes them, in its result type."""
    a, b = left.type, right.type
    if not isinstance(a, Decimal) or not isinstance(b, Decimal):
        raise TypeError(f"{name} of {a} and {b} is not decimal arithmetic")
    match name:
        case "+" | "-":
            # Where Spark drops digits of the sum, they are added first: up to 38 of them, or DuckDB raises.
            scale = max(a.scale, b.scale)
            wide = result if result.scale == scale else Decimal(38, scale)
            sql = f"{_wide(left, wide)} {name} {_wide(right, wide)}"
        case "*":
            if (lost := a.scale + b.scale - result.scale) > 0:
                digits = f"{_digits(left, a)} * {_digits(right, b)}"
                return rounded_quotient(digits, "1", -lost, result, [left, right])
            first = left.sql if a.precision + b.precision <= _SMALL else f"CAST({left.sql} AS DECIMAL(38,{a.scale}))"
            sql = f"{first} * {_operand(right)}" if first != left.sql else f"{_operand(left)} * {_operand(right)}"
        case "/":
            return _quotient(left, right, a, b, result)
        case "%":
            wide = Decimal(38, max(a.scale, b.scale))
            sql = f"tw_remainder({_wide(left, wide)}, {_wide(right, wide)})"
        case _:
            raise not_local(f"{name} of decimals")
    return made_of(f"CAST({sql} AS {duck_type(result)})", [left, right], kind=result, fragile=name == "%")


def _operand(text: Text) -> str:
    return text.sql if text.level == max(type(text.level)) else f"({text.sql})"


def _wide(text: Text, kind: Decimal) -> str:
    return _operand(text) if text.type == kind else f"CAST({text.sql} AS {duck_type(kind)})"


def _quotient(left: Text, right: Text, a: Decimal, b: Decimal, result: Decimal) -> Text:
    shift = result.scale - a.scale + b.scale
    return rounded_quotient(_digits(left, a), _digits(right, b), shift, result, [left, right])


def _digits(text: Text, kind: Decimal) -> str:
    return f"CAST({text.sql} AS HUGEINT)" if kind.scale == 0 else f"tw_digits({text.sql})"


def rounded_quotient(numerator: str, divisor: str, shift: int, result: Decimal, parts: list[Text]) -> Text:
    """The quotient of two whole numbers times ten to the power of `shift`, half up, in the result's last digit."""
    factor = f"CAST('{10 ** abs(shift)}' AS HUGEINT)"
    above = f"{numerator} * {factor}" if shift > 0 else numerator
    below = f"{divisor} * {factor}" if shift < 0 else divisor
    return made_of(unit_decimal(f"tw_half_up({above}, {below})", result), parts, kind=result, fragile=True)


def unit_decimal(digits: str, result: Decimal) -> str:
    """The decimal that has these digits, given as a whole number."""
    if result.scale == 0:
        return f"CAST({digits} AS {duck_type(result)})"
    unit = f"CAST('0.{'0' * (result.scale - 1)}1' AS DECIMAL({result.scale},{result.scale}))"
    return f"CAST(CAST({digits} AS DECIMAL(38,0)) * {unit} AS {duck_type(result)})"


def decimal_average(total: str, count: str, kind: Decimal, result: Decimal, parts: list[Text]) -> Text:
    """Spark divides the exact sum by the count, and rounds to four more digits."""
    numerator = f"tw_digits({total})" if kind.scale else f"CAST({total} AS HUGEINT)"
    divisor = f"nullif(CAST({count} AS HUGEINT), 0)"
    return rounded_quotient(numerator, divisor, result.scale - kind.scale, result, parts)


def whole_quotient(left: Text, right: Text) -> Text:
    """`div`: of integers or decimals, cut off after the point, as BIGINT."""
    a, b = left.type, right.type
    if not isinstance(a, Decimal) or not isinstance(b, Decimal):
        sql = f"tw_quotient({left.sql}, {right.sql})"
    else:
        factor = f"CAST('{10 ** abs(b.scale - a.scale)}' AS HUGEINT)"
        above, below = _digits(left, a), _digits(right, b)
        above = f"{above} * {factor}" if b.scale > a.scale else above
        below = f"{below} * {factor}" if b.scale < a.scale else below
        sql = f"tw_quotient({above}, {below})"
    return made_of(f"CAST({sql} AS BIGINT)", [left, right], kind=LONG, fragile=True)
