"""The values of literals."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Final

from tidewheel.ir.coercion import is_year_month
from tidewheel.ir.literals import literal_type
from tidewheel.ir.scalar import Lit
from tidewheel.tvr.reference import formats
from tidewheel.tvr.reference.casts import fit_decimal
from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.values import Months, Value, as_float32
from tidewheel.types import STRING, DataType
from tidewheel.types import Decimal as DecimalType

_UNITS: Final = {
    "year": 12, "month": 1,
    "week": 604_800_000_000, "day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000,
    "second": 1_000_000, "millisecond": 1_000, "microsecond": 1,
}  # fmt: skip
_SINGLE: Final = re.compile(r"'?\s*([+-]?[\d.]+)\s*'?\s+([a-z]+)")
_RANGE: Final = re.compile(r"'\s*([+-]?)([^']*)'\s+(\w+)\s+to\s+(\w+)")
_FAMILIES: Final = (("year", "month"), ("day", "hour", "minute", "second"))


def literal(lit: Lit) -> tuple[DataType, Value]:
    """The type and the value; a bare word is a string."""
    kind = literal_type(lit)
    match lit.kind:
        case "null":
            return kind, None
        case "boolean":
            return kind, lit.value.lower() == "true"
        case "tinyint" | "smallint" | "int" | "bigint" | "decimal":
            return kind, fit_decimal(Decimal(lit.value), kind) if isinstance(kind, DecimalType) else int(lit.value)
        case "float":
            return kind, as_float32(float(lit.value))
        case "double":
            return kind, float(lit.value)
        case "binary":
            return kind, bytes.fromhex(lit.value if len(lit.value) % 2 == 0 else "0" + lit.value)
        case "date":
            return kind, formats.read_date(lit.value)
        case "timestamp":
            return kind, formats.read_timestamp(lit.value)
        case "timestamp_ntz":
            return kind, formats.read_timestamp_ntz(lit.value)
        case "interval":
            return kind, interval(lit.value, months=is_year_month(kind))
        case "word":
            return STRING, lit.value.upper()
        case _:
            return kind, lit.value


def interval(text: str, *, months: bool) -> Months | dt.timedelta:
    """What follows the word INTERVAL: '1' DAY, '-1-2' YEAR TO MONTH, '1 02:03:04.5' DAY TO SECOND, 3 WEEKS."""
    lower = text.strip().lower()
    if match := _RANGE.fullmatch(lower):
        total = _between(match[2], match[3], match[4]) * (-1 if match[1] == "-" else 1)
    else:
        parts = list(_SINGLE.finditer(lower))
        units = [p[2].removesuffix("s") for p in parts]
        if not parts or any(u not in _UNITS for u in units):
            raise Unsupported(f"INTERVAL {text}")
        total = sum((Decimal(p[1]) * _UNITS[u] for p, u in zip(parts, units, strict=True)), Decimal(0))
    return Months(int(total)) if months else dt.timedelta(microseconds=int(total))


def _between(digits: str, first: str, last: str) -> Decimal:
    """Numbers of units from the first to the last one, largest first."""
    family = next((f for f in _FAMILIES if first in f and last in f), None)
    numbers = re.findall(r"[\d.]+", digits)
    units = family[family.index(first) : family.index(last) + 1] if family else ()
    if len(numbers) != len(units):
        raise Unsupported(f"INTERVAL '{digits}' {first} TO {last}")
    return sum((Decimal(n) * _UNITS[u] for n, u in zip(numbers, units, strict=True)), Decimal(0))
