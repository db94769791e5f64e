"""Constants as Spark types them."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from sqlglot import exp

from tidewheel.ir.scalar import Cast, Lit, Scalar
from tidewheel.sql.bind.text import NotBoundError, SqlText

_RANGES: Final = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}
_PRECISION: Final = 38
_TIME_UNITS: Final = frozenset(
    {"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"}
)
_SPANS: Final = frozenset({
    "YEAR TO MONTH", "DAY TO HOUR", "DAY TO MINUTE", "DAY TO SECOND", "HOUR TO MINUTE", "HOUR TO SECOND",
    "MINUTE TO SECOND",
})  # fmt: skip


def number(text: str) -> Lit:
    """A number without a suffix: a double by its exponent, a decimal by its point, else the narrowest that holds it."""
    if re.search(r"[eE]", text):
        return Lit("double", text.lower())
    if "." in text:
        whole, _, fraction = text.partition(".")
        sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
        if len(digits.lstrip("0")) + len(fraction) > _PRECISION:
            raise NotBoundError("long-number", f"the number {text}")
        return Lit("decimal", f"{sign}{digits.lstrip('0') or '0'}.{fraction}" if fraction else f"{sign}{digits}")
    value = int(text)
    if -(2**31) <= value < 2**31:
        return Lit("int", str(value))
    if -(2**63) <= value < 2**63:
        return Lit("bigint", str(value))
    if len(str(abs(value))) > _PRECISION:
        raise NotBoundError("long-number", f"the number {text}")
    return Lit("decimal", str(value))


def has_suffix(node: exp.Expr) -> bool:
    """Is this the number of `2L`, which sqlglot reads as a cast? Then the token is longer than its digits."""
    if not isinstance(node, exp.Literal) or node.is_string:
        return False
    return bool(node.meta.get("end", 0) - node.meta.get("start", 0) >= len(str(node.this)))


def typed(value: Scalar, kind: str, *, lenient: bool, suffix: bool = False) -> Scalar:
    """A cast; of a constant that surely fits, the constant of that type, as `2L` and `DATE '2026-01-31'` are.

    CAST(2 AS BIGINT) stays a cast: beside a decimal it counts as any BIGINT, while 2L counts as one digit.
    """
    if isinstance(value, Lit) and not lenient:
        bits = _RANGES.get(kind)
        if suffix and value.kind in {"int", "bigint"} and bits is not None and -(2**bits) <= int(value.value) < 2**bits:
            return Lit(kind.lower(), value.value)
        if value.kind == "string" and kind == "DATE" and _is_date(value.value):
            return Lit("date", value.value)
    return Cast(value, kind, lenient)


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and bool(dt.date.fromisoformat(text))
    except ValueError:
        return False


def interval(node: exp.Expr, text: SqlText) -> Lit:
    """INTERVAL '3' DAY, with the unit in the singular; what stands between must be a constant."""
    value, unit = node.this, node.args.get("unit")
    if not isinstance(value, exp.Literal) or unit is None:
        raise NotBoundError("interval", f"an interval: {node.sql(dialect='spark')}")
    words = [unit.this.name, unit.expression.name] if isinstance(unit, exp.IntervalSpan) else [unit.name]
    singular = [re.sub(r"S$", "", w.upper()) for w in words]
    if unknown := next((w for w, one in zip(words, singular, strict=True) if one not in _TIME_UNITS), None):
        raise text.error(f'"{unknown}" is not a unit of time', node, code="bad-literal")
    if len(words) > 1 and (span := " TO ".join(words).upper()) not in _SPANS:
        raise text.error(f"no interval is of {span}", node, code="bad-literal")
    quantity = str(value.this)
    if not re.fullmatch(r"[-+]?[\d .:-]+", quantity):
        raise text.error(f"'{quantity}' is not an amount of time", node, code="sql-syntax")
    return Lit("interval", f"'{quantity}' {' TO '.join(singular)}")
