"""Constants that Spark refuses to read."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Final

from sqlglot import exp

from tidewheel.ir.scalar import Cast, Scalar
from tidewheel.sql.bind.text import SqlText

_MOST_DIGITS: Final = 38
_SUFFIXES: Final = {"TINYINT": "y", "SMALLINT": "s", "BIGINT": "l"}
_SPECIAL: Final = frozenset({"epoch", "now", "today", "tomorrow", "yesterday"})
_DATE: Final = re.compile(r"[+-]?(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?")
_MOMENT: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(?:\D.*)?")
_TYPED: Final = re.compile(r"\b(DATE|TIMESTAMP|TIMESTAMP_NTZ|TIMESTAMP_LTZ)\s*$", re.IGNORECASE)
_DECIMAL: Final = re.compile(r"DEC(?:IMAL)?\((\d+)(?:,\s*(\d+))?\)|NUMERIC\((\d+)(?:,\s*(\d+))?\)", re.IGNORECASE)
_NEEDS_LENGTH: Final = frozenset({"VARCHAR", "CHAR", "CHARACTER"})
_TYPES: Final = _NEEDS_LENGTH | {
    "BOOLEAN", "TINYINT", "BYTE", "SMALLINT", "SHORT", "INT", "INTEGER", "BIGINT", "LONG", "FLOAT", "REAL", "DOUBLE",
    "DECIMAL", "DEC", "NUMERIC", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "STRING", "BINARY",
    "VOID", "INTERVAL", "ARRAY", "MAP", "STRUCT", "VARIANT", "GEOMETRY", "GEOGRAPHY", "L", "S", "Y", "D", "F", "BD",
}  # fmt: skip
"""The first words of types, and the suffixes of numbers, which are read as casts."""
_FOREIGN: Final = re.compile(r"^STRING \(|^TIMESTAMP WITH |^DOUBLE PRECISION|\[")


def check_number(text: SqlText, digits: str, node: exp.Expr) -> None:
    """A number without a suffix: at most 38 digits, or a double that is finite."""
    if re.search(r"[eE]", digits):
        too_big = math.isinf(float(digits))
    else:
        whole, _, fraction = digits.partition(".")
        too_big = len(whole.lstrip("0")) + len(fraction) > _MOST_DIGITS
    if too_big:
        raise text.error("the number is too large", node, code="bad-literal", detail="A decimal has at most 38 digits.")


def check_decimal(text: SqlText, node: exp.Expr) -> None:
    """DECIMAL(p, s) has p up to 38, and s up to p."""
    if node.find(exp.DataTypeParam) is None:
        return
    for match in _DECIMAL.finditer(node.sql(dialect="spark")):
        precision, scale = (int(match[1] or match[3]), int(match[2] or match[4] or 0))
        if precision > _MOST_DIGITS or scale > precision:
            raise text.error(
                f"there is no type {match[0].upper()}", node, code="bad-cast",
                detail="A decimal has at most 38 digits, and not more of them after the point.",
            )  # fmt: skip


def check_type(text: SqlText, node: exp.Expr) -> None:
    """Refuse types that Spark SQL does not have, though other dialects do."""
    for kind in node.find_all(exp.DataType):
        spelled = kind.meta.get("spelled", "").upper()
        if spelled in _NEEDS_LENGTH:
            raise text.error(f"{spelled} needs a length", node, code="bad-cast", hint="Use STRING.")
        if spelled and (spelled.split()[0] not in _TYPES or _FOREIGN.search(spelled)):
            raise text.error(f"Spark SQL has no type {spelled}", node, code="bad-cast", hint="Use a type of Spark SQL.")


def check_typed_literal(text: SqlText, node: exp.Expr, value: Scalar) -> None:
    """DATE '2024-13-45' and 1000Y are refused where they are read; CAST('2024-13-45' AS DATE) only when it runs."""
    inner = node.this
    if not isinstance(value, Cast) or not isinstance(inner, exp.Literal) or "start" not in inner.meta:
        return
    start, end = inner.meta["start"], inner.meta["end"]
    if not inner.is_string:
        suffix = _SUFFIXES.get(value.to)
        if suffix is not None and text.sql[start : end + 1].lower().endswith(suffix):
            raise text.error(f"the number does not fit into {value.to}", node, code="bad-literal")
        return
    typed = _TYPED.search(text.sql, max(0, start - 20), start)
    if typed is None or not value.to.startswith(("DATE", "TIMESTAMP")):
        return
    written = text.string(inner).strip()
    if not (_is_date(written) if value.to == "DATE" else _may_be_moment(written)):
        raise text.error(f"'{written}' is not a {value.to.lower()}", node, code="bad-literal")


def _is_date(written: str) -> bool:
    if _is_special(written):
        return True
    match = _DATE.fullmatch(written)
    if match is None:
        return False
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    return _is_day(year, month, day)


def _may_be_moment(written: str) -> bool:
    """Times and zones have many forms; only what is surely wrong is refused."""
    if not any(c.isdigit() for c in written):
        return _is_special(written)
    match = _MOMENT.fullmatch(written)
    if match is None:
        return True
    year, month, day, hour, minute, second = (int(g or 0) for g in match.groups())
    return _is_day(year, month, day) and hour < 24 and minute < 60 and second < 60


def _is_special(written: str) -> bool:
    """A word like `today`, which a time zone may follow."""
    word, _, zone = written.partition(" ")
    plain = zone.isalpha() and zone.islower() and zone not in {"utc", "gmt", "ut", "z"}
    return re.sub(r"[^a-z].*", "", word.lower()) in _SPECIAL and not plain


def _is_day(year: int, month: int, day: int) -> bool:
    """Every four hundred years the calendar is the same."""
    try:
        dt.date(2000 + year % 400, month, day)
    except ValueError:
        return False
    return True
