"""The types of operators: arithmetic, comparison, intervals, rounding, and functions that choose one of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidewheel.ir.coercion import (
    CALENDAR,
    DAY_SECOND,
    YEAR_MONTH,
    common_of,
    common_type,
    implicit_cast,
    interval,
    interval_units,
    is_day_time,
    is_integral,
    is_numeric,
    is_year_month,
    promote_string,
    tightest_type,
    wider_type,
)  # fmt: skip
from tidewheel.ir.literals import integer_decimal
from tidewheel.ir.scalar import Lit, Scalar
from tidewheel.ir.signatures import Rule, Signature
from tidewheel.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    Array,
    DataType,
    Decimal,
    decimal_of,
    decimal_result,
    widest_decimal,
)  # fmt: skip

Kinds = tuple[DataType, ...]
ARITHMETIC: Final = {
    "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "div": "div", "mod": "%", "pmod": "%",
    "try_add": "+", "try_subtract": "-", "try_multiply": "*", "try_divide": "/", "try_mod": "%",
}  # fmt: skip
COMPARISONS: Final = frozenset({"=", "<=>", "<>", "<", "<=", ">", ">="})


def _with_decimals(kinds: Kinds, scalars: Sequence[Scalar]) -> Kinds:
    """Both sides of an operator that has a decimal on one: integers become decimals, an integer literal the narrowest.

    With a float on the other side, the decimal becomes a double.
    """
    left, right = kinds
    if left == right or not (isinstance(left, Decimal) or isinstance(right, Decimal)):
        return kinds
    if {left, right} & {FLOAT, DOUBLE}:
        return (DOUBLE, DOUBLE)
    result = []
    for place, kind in enumerate(kinds):
        scalar = scalars[place] if place < len(scalars) else None
        narrow = integer_decimal(scalar) if isinstance(scalar, Lit) and is_integral(kind) else None
        result.append(narrow or decimal_of(kind) or kind)
    return tuple(result)


def _promoted(kinds: Kinds) -> Kinds:
    promoted = promote_string(*kinds)
    return kinds if promoted is None else (promoted, promoted)


def arithmetic(name: str) -> Rule:
    operator = ARITHMETIC[name]

    def rule(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
        if len(kinds) != 2:
            return None
        if (found := _time_arithmetic(operator, *kinds)) is not None:
            return found
        left, right = _with_decimals(_promoted(kinds), scalars)
        if isinstance(left, Decimal) and isinstance(right, Decimal):
            return Signature((left, right), LONG if operator == "div" else decimal_result(operator, left, right))
        common = tightest_type(left, right)
        if common is None or not is_numeric(common):
            return None
        if operator == "/" and not isinstance(common, Decimal):
            return Signature((DOUBLE, DOUBLE), DOUBLE)
        if operator == "div":
            return Signature((LONG, LONG), LONG) if is_integral(common) else None
        if isinstance(common, Decimal):
            return Signature((common, common), decimal_result(operator, common, common))
        return Signature((common, common), common)

    return rule


def _time_arithmetic(operator: str, left: DataType, right: DataType) -> Signature | None:
    """Dates, timestamps and intervals; None for everything else."""
    match operator:
        case "+":
            found = _moved(left, right)
            if found is None and (turned := _moved(right, left)) is not None:
                return Signature((turned.args[1], turned.args[0]), turned.result)
            return found or _intervals(left, right)
        case "-":
            return _moved(left, right) or _apart(left, right) or _intervals(left, right)
        case "*" | "/":
            return _scaled(operator, left, right)
        case "div":
            same = (is_year_month(left) and is_year_month(right)) or (is_day_time(left) and is_day_time(right))
            common = tightest_type(left, right) if same else None
            return None if common is None else Signature((common, common), LONG)
    return None


def _moved(moment: DataType, by: DataType) -> Signature | None:
    """A date or timestamp moved by an interval, or a date by a number of days."""
    if moment == DATE:
        if by == interval("day") or is_year_month(by) or by in _DAYS:
            return Signature((DATE, by), DATE)
        return Signature((TIMESTAMP, by), TIMESTAMP) if is_day_time(by) else None
    if moment in {TIMESTAMP, TIMESTAMP_NTZ} and (is_day_time(by) or is_year_month(by)):
        return Signature((moment, by), moment)
    return None


def _apart(left: DataType, right: DataType) -> Signature | None:
    moments = {TIMESTAMP, TIMESTAMP_NTZ}
    if {left, right} & moments and {left, right} <= {*moments, DATE, STRING}:
        common = common_type(left, right)
        return None if common is None else Signature((common, common), DAY_SECOND)
    if right == DATE and left in {DATE, STRING}:
        return Signature((DATE, DATE), interval("day"))
    return None


def _intervals(left: DataType, right: DataType) -> Signature | None:
    if not interval_units(left) and not interval_units(right):
        return None
    common = tightest_type(left, right)
    return None if common is None or CALENDAR in {left, right} else Signature((common, common), common)


def _scaled(operator: str, left: DataType, right: DataType) -> Signature | None:
    if operator == "*" and interval_units(right):
        found = _scaled("/", right, left)
        return None if found is None else Signature((found.args[1], found.args[0]), found.result)
    if not interval_units(left) or interval_units(right):
        return None
    factor = implicit_cast(right, "numeric")
    return None if factor is None else Signature((left, factor), YEAR_MONTH if is_year_month(left) else DAY_SECOND)


def comparison(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    if len(kinds) != 2:
        return None
    left, right = _with_decimals(_promoted(kinds), scalars)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        left = right = widest_decimal(left, right)
    common = tightest_type(left, right)
    return None if common is None else Signature((common, common), BOOLEAN)


def bitwise(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    if len(kinds) != 2:
        return None
    common = tightest_type(*_promoted(kinds))
    return Signature((common, common), common) if common is not None and is_integral(common) else None


def connective(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    return Signature((BOOLEAN,) * len(kinds), BOOLEAN) if all(k in {BOOLEAN, STRING, VOID} for k in kinds) else None


def signed(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    """Abs, negative and positive keep the type of numbers and intervals; a string becomes a double."""
    kind = DOUBLE if kinds == (STRING,) else kinds[0] if len(kinds) == 1 else VOID
    return Signature((kind,), kind) if is_numeric(kind) or interval_units(kind) else None


def bit_not(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    return Signature(kinds, kinds[0]) if len(kinds) == 1 and is_integral(kinds[0]) else None


def member(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    common = common_of(kinds) if len(kinds) > 1 else None
    return None if common is None else Signature((common,) * len(kinds), BOOLEAN)


def one_of(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    """Coalesce and its kind."""
    common = common_of(kinds) if kinds else None
    return None if common is None else Signature((common,) * len(kinds), common)


def extreme(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    common = common_of(kinds, wider_type) if len(kinds) > 1 else None
    return None if common is None else Signature((common,) * len(kinds), common)


def null_if(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    """The first argument as it is; the two are compared as `=` compares them."""
    return Signature(kinds, kinds[0]) if comparison(kinds, scalars) is not None and kinds[0] != VOID else None


def nvl2(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    common = common_type(*kinds[1:]) if len(kinds) == 3 else None
    return None if common is None else Signature((kinds[0], common, common), common)


def concat(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    if kinds and all(isinstance(k, Array) for k in kinds):
        return one_of(kinds, scalars)
    if kinds and all(k == BINARY for k in kinds):
        return Signature(kinds, BINARY)
    if not kinds or any(implicit_cast(k, "string") is None for k in kinds):
        return None
    return Signature((STRING,) * len(kinds), STRING)


def rounded(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    """Round and bround: of decimals, the type that holds the result; other numbers keep their type."""
    if not 1 <= len(kinds) <= 2:
        return None
    kind = DOUBLE if kinds[0] == STRING else kinds[0]
    rest = (INT,) * (len(kinds) - 1)
    if not isinstance(kind, Decimal):
        return Signature((kind, *rest), kind) if is_numeric(kind) else None
    scale = _digits(scalars)
    return None if scale is None else Signature((kind, *rest), _rounded_decimal(kind, scale))


def _digits(scalars: Sequence[Scalar]) -> int | None:
    if len(scalars) < 2:
        return 0
    found = scalars[1]
    return int(found.value) if isinstance(found, Lit) and found.kind in {"int", "tinyint", "smallint"} else None


def _rounded_decimal(kind: Decimal, scale: int) -> Decimal:
    whole = kind.precision - kind.scale + 1
    if scale < 0:
        return Decimal(min(max(whole, -scale + 1), MAX_PRECISION), 0)
    kept = min(kind.scale, scale)
    return Decimal(min(whole + kept, MAX_PRECISION), kept)


def whole_number(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    """Ceil and floor: a decimal without fraction, else a bigint; with a scale they round as decimals do."""
    if len(kinds) == 2:
        kind = kinds[0] if isinstance(kinds[0], Decimal) else implicit_cast(kinds[0], "decimal")
        scale = _digits(scalars)
        known = isinstance(kind, Decimal) and scale is not None and isinstance(kinds[0], Decimal)
        return Signature((kind, INT), _rounded_decimal(kind, scale)) if known else None  # type: ignore[arg-type]
    if len(kinds) != 1:
        return None
    kind = kinds[0]
    if isinstance(kind, Decimal):
        return Signature((kind,), Decimal(min(kind.precision - kind.scale + 1, MAX_PRECISION), 0))
    if kind == LONG:
        return Signature((LONG,), LONG)
    return Signature((DOUBLE,), LONG) if is_numeric(kind) or kind == STRING else None


_DAYS: Final = (INT, *(k for k in ()))


def choose_rules() -> dict[str, Rule]:
    rules: dict[str, Rule] = {name: arithmetic(name) for name in ARITHMETIC}
    rules |= dict.fromkeys(COMPARISONS, comparison) | dict.fromkeys(("&", "|", "^"), bitwise)
    rules |= dict.fromkeys(("and", "or"), connective) | dict.fromkeys(("abs", "negative", "positive"), signed)
    rules |= dict.fromkeys(("coalesce", "nvl", "ifnull"), one_of) | dict.fromkeys(("greatest", "least"), extreme)
    rules |= dict.fromkeys(("concat", "||"), concat) | dict.fromkeys(("round", "bround"), rounded)
    rules |= dict.fromkeys(("ceil", "ceiling", "floor"), whole_number)
    return rules | {"bit_not": bit_not, "in": member, "nullif": null_if, "nvl2": nvl2}


OPERATORS: Final = choose_rules()
