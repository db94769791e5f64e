"""Rule: compute what has only constants in it."""

from __future__ import annotations

import datetime as dt
import decimal
import functools
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tidewheel.ir.norm.expressions import with_scalars
from tidewheel.ir.norm.guards import WHOLE, has_decimals, is_null, null_of
from tidewheel.ir.rel import Rel
from tidewheel.ir.scalar import FALSE, TRUE, Call, Case, Cast, Col, Lit, Param, Scalar, children, rebuild, walk
from tidewheel.ir.typing import type_of
from tidewheel.types import UNKNOWN, DataType

_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq, "<=>": operator.eq, "<>": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ARITHMETIC: Final[dict[str, Callable[[int, int], int]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
}  # fmt: skip
_STRICT: Final = frozenset({*_ARITHMETIC, "/", "%", "div", "=", "<>", "<", "<=", ">", ">=", "not", "negative"})
"""Operators that give NULL for a NULL, whatever the other argument is."""
_BITS: Final = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_NAMES: Final = {"TINYINT": "tinyint", "SMALLINT": "smallint", "INT": "int", "BIGINT": "bigint"}
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def fold_constants(rel: Rel) -> Iterator[Rel]:
    """1 + 1 = 2, 'a' < 'b' = TRUE, x = NULL is NULL, CASE WHEN TRUE THEN a ... END = a.

    Only what is certainly the same in Spark: whole numbers within their range, comparisons within one family, no
    floating point, nothing that raises. A result keeps its type: NULL becomes a cast one, and beside decimals numbers
    are left alone, for the digits of a product depend on whether a factor is a literal:

        SELECT price * (1 + 1)   -- wrong as price * 2: DECIMAL(12,2) * INT and * 2 are different decimals
        SELECT 2147483647 + 1    -- wrong as anything: this raises
    """
    new = with_scalars(rel, _folded, _concerns)
    if new is not rel:
        yield new


@functools.lru_cache(maxsize=10_000)
def _concerns(scalar: Scalar) -> bool:
    """Is there anything to begin with: only literals below something, a NULL, or a constant condition."""
    for part in walk(scalar):
        below = children(part)
        if isinstance(part, Case):
            if any(isinstance(condition, Lit) or is_null(condition) for condition, _ in part.branches):
                return True
        elif below and (all(isinstance(b, Lit) for b in below) or any(map(is_null, below))):
            return True
    return False


def _folded(scalar: Scalar, types: Sequence[DataType]) -> Scalar:
    if isinstance(scalar, (Col, Lit, Param)):
        return scalar
    new = _fold(scalar, types, numbers=True)
    if new is not scalar and not isinstance(new, Lit) and has_decimals(scalar, types):
        new = _fold(scalar, types, numbers=False)
    return new


def _fold(scalar: Scalar, types: Sequence[DataType], *, numbers: bool) -> Scalar:
    before = children(scalar)
    if not before:
        return scalar
    after = [_fold(child, types, numbers=numbers) for child in before]
    same = all(a is b for a, b in zip(after, before, strict=True))
    current = scalar if same else rebuild(scalar, after)
    match current:
        case Call(name, args):
            return _call(current, name, args, types, numbers=numbers) or current
        case Case():
            return _case(current, types) or current
        case Cast(Lit() as arg, to):
            return (_cast(arg, to) if numbers else None) or current
    return current


def _call(
    call: Call, name: str, args: tuple[Scalar, ...], types: Sequence[DataType], *, numbers: bool
) -> Scalar | None:
    if name in _STRICT and any(map(is_null, args)):
        kind = type_of(call, types)
        return None if kind == UNKNOWN else null_of(kind)
    if name in {"isnull", "isnotnull"} and (isinstance(args[0], Lit) or is_null(args[0])):
        return _boolean(is_null(args[0]) == (name == "isnull"))
    if name == "<=>" and any(map(is_null, args)):
        other = args[1] if is_null(args[0]) else args[0]
        return TRUE if is_null(other) else Call("isnull", (other,))
    if not all(isinstance(a, Lit) for a in args):
        return None
    literals = [a for a in args if isinstance(a, Lit)]
    if name in _COMPARISONS and (pair := _comparable(literals)):
        return _boolean(_COMPARISONS[name](*pair))
    if name == "in" and (values := _comparable(literals)):
        return _boolean(values[0] in values[1:])
    if numbers and name in _ARITHMETIC and all(a.kind in WHOLE for a in literals):
        return _whole(_ARITHMETIC[name](int(literals[0].value), int(literals[1].value)), literals)
    if numbers and name == "negative" and literals[0].kind in WHOLE:
        return _whole(-int(literals[0].value), literals)
    return None


def _boolean(value: bool) -> Lit:
    return TRUE if value else FALSE


def _whole(value: int, operands: Sequence[Lit]) -> Lit | None:
    """A result of the widest operand's type; beyond its range Spark raises, so we leave it to Spark."""
    kind = max((o.kind for o in operands), key=lambda k: _BITS[k])
    half = 1 << (_BITS[kind] - 1)
    return Lit(kind, str(value)) if -half <= value < half else None


def _comparable(literals: Sequence[Lit]) -> list[Any] | None:
    """The values, if all are of one family that Python compares as Spark does."""
    found = [_value(lit) for lit in literals]
    families = {f[0] for f in found if f is not None}
    return [f[1] for f in found if f] if None not in found and len(families) == 1 else None


def _value(lit: Lit) -> tuple[str, Any] | None:
    if lit.kind in WHOLE or lit.kind == "decimal":
        return "number", decimal.Decimal(lit.value)
    if lit.kind == "string":
        return "string", lit.value.encode()
    if lit.kind == "boolean":
        return "boolean", lit == TRUE
    if lit.kind == "date" and (day := _day(lit.value)):
        return "date", day
    return None


def _day(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _case(case: Case, types: Sequence[DataType]) -> Scalar | None:
    """Without branches that are never taken, and without all that follows one that always is."""
    kept: list[tuple[Scalar, Scalar]] = []
    otherwise = case.otherwise
    for condition, value in case.branches:
        if condition == TRUE:
            otherwise = value
            break
        if condition != FALSE and not is_null(condition):
            kept.append((condition, value))
    if len(kept) == len(case.branches):
        return None
    kind = type_of(case, types)
    new = Case(tuple(kept), otherwise) if kept else otherwise if otherwise is not None else null_of(kind)
    return new if new is not None and kind != UNKNOWN and type_of(new, types) == kind else None


def _cast(arg: Lit, to: str) -> Lit | None:
    """Casts that cannot be read in two ways: to a wider whole number, of a full date, to its own type."""
    if arg.kind in WHOLE and to in _NAMES:
        return _whole(int(arg.value), [Lit(_NAMES[to], "0")])
    if (arg.kind, to) in {("string", "STRING"), ("date", "DATE"), ("boolean", "BOOLEAN")}:
        return arg
    if arg.kind == "string" and to == "DATE" and _day(arg.value):
        return Lit("date", arg.value)
    return None
