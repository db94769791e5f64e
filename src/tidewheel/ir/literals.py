"""The types of literals."""

from __future__ import annotations

import decimal
from typing import Final

from tidewheel.decimals import MAX_PRECISION  # fmt: skip
from tidewheel.ir.coercion import interval_of
from tidewheel.ir.scalar import Lit
from tidewheel.types import (  # fmt: skip
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    VOID,
    DataType,
    Decimal,
)

_PLAIN: Final[dict[str, DataType]] = {
    "null": VOID, "boolean": BOOLEAN, "tinyint": BYTE, "smallint": SHORT, "bigint": LONG, "float": FLOAT,
    "double": DOUBLE, "string": STRING, "binary": BINARY, "date": DATE, "timestamp": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ,
}  # fmt: skip


def literal_type(lit: Lit) -> DataType:
    """An integer is the first of INT, BIGINT and DECIMAL that holds it; a decimal has the digits that are written."""
    match lit.kind:
        case "int":
            value = int(lit.value)
            if -(2**31) <= value < 2**31:
                return INT
            return LONG if -(2**63) <= value < 2**63 else digits_type(lit.value) or UNKNOWN
        case "decimal":
            return digits_type(lit.value) or UNKNOWN
        case "interval":
            return interval_of(lit.value) or UNKNOWN
    return _PLAIN.get(lit.kind, UNKNOWN)


def digits_type(text: str) -> Decimal | None:
    """The narrowest decimal that holds exactly these digits, zeros after the point included."""
    _, digits, exponent = decimal.Decimal(text).as_tuple()
    if not isinstance(exponent, int):
        return None
    scale = max(-exponent, 0)
    precision = len(digits) + (max(exponent, 0) if any(digits) else 0)
    return Decimal(max(precision, scale), scale) if max(precision, scale) <= MAX_PRECISION else None


def integer_decimal(lit: Lit) -> Decimal | None:
    """What an integer literal becomes beside a decimal: 2S, 2 and 2L are one digit, 2Y is any TINYINT."""
    return digits_type(lit.value) if lit.kind in {"smallint", "int", "bigint"} else None
