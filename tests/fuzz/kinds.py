"""The types that random plans use, Spark's rules for them, and small domains of values that collide often.

The rules for decimals stand here a second time, on purpose: they check those of `ir/typing`.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import random
from dataclasses import dataclass
from typing import Any, Final

from tidewheel.ir.scalar import Cast, Lit, Scalar
from tidewheel.types import DataType, Decimal, Primitive, to_sql

BOOLEAN: Final = Primitive("boolean")
TINY: Final = Primitive("byte")
SMALL: Final = Primitive("short")
INT: Final = Primitive("integer")
BIG: Final = Primitive("long")
FLOAT: Final = Primitive("float")
DOUBLE: Final = Primitive("double")
STRING: Final = Primitive("string")
DATE: Final = Primitive("date")
NTZ: Final = Primitive("timestamp_ntz")
STAMP: Final = Primitive("timestamp")

INTEGERS: Final = (TINY, SMALL, INT, BIG)
DECIMALS: Final = (Decimal(4, 1), Decimal(7, 2), Decimal(12, 2), Decimal(18, 4), Decimal(20, 0))
COLUMN_TYPES: Final[tuple[tuple[DataType, float], ...]] = (
    (INT, 6), (BIG, 2), (SMALL, 0.7), (TINY, 0.7), (STRING, 4), (BOOLEAN, 1.5), (DATE, 2), (DOUBLE, 2), (FLOAT, 0.3),
    (Decimal(4, 1), 0.7), (Decimal(7, 2), 1), (Decimal(12, 2), 1), (Decimal(18, 4), 0.7), (Decimal(20, 0), 0.5),
    (NTZ, 0.5), (STAMP, 0.5),
)  # fmt: skip
_AS_DECIMAL: Final = {TINY: Decimal(3, 0), SMALL: Decimal(5, 0), INT: Decimal(10, 0), BIG: Decimal(20, 0)}
_LIMITS: Final = {TINY: 2.0**7, SMALL: 2.0**15, INT: 2.0**31, BIG: 2.0**63}
_LITERAL_KINDS: Final = {TINY: "tinyint", SMALL: "smallint", INT: "int", BIG: "bigint"}

_WHOLE: Final = (0, 1, 1, 2, 2, 3, 3, 4, 5, -1, -2, 7)
_STRINGS: Final = ("a", "a", "b", "b", "ab", "B", "", " a", "abc", "a%b", "it's", "Zz", "10")
_DAYS: Final = ("2024-02-28", "2024-02-29", "2024-02-29", "2024-03-01", "2023-12-31", "2024-01-01", "1969-12-31")
_TIMES: Final = ("00:00:00", "12:30:15", "23:59:59.999999")
_DOUBLES: Final = (0.0, -0.0, 0.5, 0.5, 1.0, 1.0, 1.25, 2.0, -2.0, -0.25, 3.0, math.nan, math.nan, math.inf)
_FRACTIONS: Final = ("0", "1", "1", "2", "0.5", "0.5", "1.5", "-1.5", "2.25", "-0.1", "3.3333", "10.05", "99.9")


@dataclass(frozen=True, slots=True)
class Info:
    """What is known of a value: its type; whether sums of it are exact; how large it may get."""

    type: DataType
    exact: bool = True
    bound: float = 0.0


def is_numeric(kind: DataType) -> bool:
    return isinstance(kind, Decimal) or kind in {*INTEGERS, DOUBLE}


def is_dyadic(info: Info) -> bool:
    """Is a value of this kind a double whose sums are exact, once it is a double: no tenths."""
    return info.exact and not (isinstance(info.type, Decimal) and info.type.scale > 0)


def limit(kind: DataType) -> float:
    """Absolute values must stay below this, or Spark raises."""
    if isinstance(kind, Decimal):
        return 10.0 ** (kind.precision - kind.scale)
    return _LIMITS.get(kind, math.inf) if isinstance(kind, Primitive) else math.inf


def value(rng: random.Random, kind: DataType) -> Any:
    """A value of the type, never NULL, from a domain small enough for joins to match and groups to collide."""
    match kind:
        case Decimal(_, scale):
            found = decimal.Decimal(rng.choice(_FRACTIONS))
            return found.quantize(decimal.Decimal(1).scaleb(-scale), rounding=decimal.ROUND_HALF_UP)
        case Primitive("boolean"):
            return rng.random() < 0.5
        case Primitive("double" | "float"):
            return rng.choice(_DOUBLES)
        case Primitive("string"):
            return rng.choice(_STRINGS)
        case Primitive("date"):
            return dt.date.fromisoformat(rng.choice(_DAYS))
        case Primitive("timestamp_ntz"):
            return dt.datetime.fromisoformat(f"{rng.choice(_DAYS)} {rng.choice(_TIMES)}")
        case Primitive("timestamp"):
            return dt.datetime.fromisoformat(f"{rng.choice(_DAYS)} {rng.choice(_TIMES)}+00:00")
    return rng.choice(_WHOLE)


def info_of(kind: DataType) -> Info:
    """What is known of a column that holds values as `value` gives."""
    return Info(kind, exact=True, bound=100.0 if isinstance(kind, Decimal) else 8.0)


def literal(found: Any, kind: DataType) -> Scalar:
    """The value as an expression of exactly this type."""
    match kind:
        case Decimal():
            plain = Lit("decimal", f"{found:f}")
            return plain if literal_type(plain) == kind else Cast(plain, to_sql(kind))
        case Primitive("boolean"):
            return Lit("boolean", str(found).lower())
        case Primitive("double" | "float"):
            if math.isnan(found) or math.isinf(found):
                return Cast(Lit("string", {"nan": "NaN", "inf": "Infinity"}.get(str(found), "-Infinity")), to_sql(kind))
            return Lit(kind.name, repr(found))
        case Primitive("string"):
            return Lit("string", found)
        case Primitive("date"):
            return Lit("date", found.isoformat())
        case Primitive("timestamp_ntz"):
            return Lit("timestamp_ntz", str(found))
        case Primitive("timestamp"):
            return Lit("timestamp", str(found.replace(tzinfo=None)))
        case Primitive():
            return Lit(_LITERAL_KINDS[kind], str(found))
    raise ValueError(f"no literals of {kind}")


def zero(kind: DataType) -> Scalar:
    if isinstance(kind, Decimal):
        return literal(decimal.Decimal(0).quantize(decimal.Decimal(1).scaleb(-kind.scale)), kind)
    return literal(0, kind)


def literal_type(lit: Lit) -> Decimal:
    """The type of a decimal literal: 0.05 is DECIMAL(2,2), 12.5 is DECIMAL(3,1)."""
    digits = lit.value.lstrip("-")
    whole, _, fraction = digits.partition(".")
    scale = len(fraction)
    precision = max(len((whole + fraction).lstrip("0")), scale, 1)
    return Decimal(precision, scale)


# --- Spark's rules ---


def as_decimal(kind: DataType) -> Decimal:
    return kind if isinstance(kind, Decimal) else _AS_DECIMAL[kind]  # type: ignore[index]


def _adjusted(precision: int, scale: int) -> Decimal:
    if precision <= 38:
        return Decimal(precision, scale)
    return Decimal(38, max(38 - (precision - scale), min(scale, 6)))


def arithmetic(operator: str, a: DataType, b: DataType) -> DataType:
    """The type of a + b and so on, for numbers."""
    if operator == "/" and not isinstance(a, Decimal) and not isinstance(b, Decimal):
        return DOUBLE
    if DOUBLE in {a, b}:
        return DOUBLE
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=INTEGERS.index)
    x, y = as_decimal(a), as_decimal(b)
    whole_x, whole_y = x.precision - x.scale, y.precision - y.scale
    match operator:
        case "+" | "-":
            scale = max(x.scale, y.scale)
            return _adjusted(max(whole_x, whole_y) + scale + 1, scale)
        case "*":
            return _adjusted(x.precision + y.precision + 1, x.scale + y.scale)
        case "/":
            scale = max(6, x.scale + y.precision + 1)
            return _adjusted(whole_x + y.scale + scale, scale)
        case "%":
            scale = max(x.scale, y.scale)
            return _adjusted(min(whole_x, whole_y) + scale, scale)
    raise ValueError(f"no rule for {operator}")


def common(a: DataType, b: DataType) -> DataType | None:
    """The type to which CASE, coalesce, IN and UNION bring two types; None if they should not be mixed."""
    if a == b:
        return a
    if not is_numeric(a) or not is_numeric(b):
        return None
    if DOUBLE in {a, b}:
        return DOUBLE
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=INTEGERS.index)
    x, y = as_decimal(a), as_decimal(b)
    scale = max(x.scale, y.scale)
    precision = max(x.precision - x.scale, y.precision - y.scale) + scale
    return Decimal(precision, scale) if precision <= 38 else None
