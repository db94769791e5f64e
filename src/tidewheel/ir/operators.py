"""The types of operators, of rounding, and of functions that choose one of their arguments."""

from __future__ import annotations

from typing import Final

from tidewheel.decimals import MAX_PRECISION, decimal_of, decimal_result, widest_decimal  # fmt: skip
from tidewheel.ir.coercion import (
    NUMBERS,
    common_of,
    common_type,
    implicit_cast,
    interval_units,
    is_integral,
    is_numeric,
    promote_string,
    tightest_type,
    wider_type,
)  # fmt: skip
from tidewheel.ir.intervals import time_arithmetic
from tidewheel.ir.literals import integer_decimal
from tidewheel.ir.scalar import Lit
from tidewheel.ir.signatures import Args, Kinds, Rule, Signature, plain, returning
from tidewheel.types import (  # fmt: skip
    BINARY,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    VOID,
    Array,
    DataType,
    Decimal,
    has_map,
)

ARITHMETIC: Final = {
    "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "div": "div", "mod": "%", "pmod": "%",
    "try_add": "+", "try_subtract": "-", "try_multiply": "*", "try_divide": "/", "try_mod": "%",
}  # fmt: skip
COMPARISONS: Final = frozenset({"=", "<=>", "<>", "<", "<=", ">", ">=", "equal_null"})


def _with_decimals(kinds: Kinds, args: Args) -> Kinds:
    """Both sides of an operator that has a decimal on one: integers become decimals, an integer literal the narrowest.

    With a float on the other side, the decimal becomes a double.
    """
    left, right = kinds
    if left == right or not (isinstance(left, Decimal) or isinstance(right, Decimal)):
        return kinds
    if {left, right} & {FLOAT, DOUBLE}:
        return (DOUBLE, DOUBLE)
    result: list[DataType] = []
    for place, kind in enumerate(kinds):
        arg = args[place] if place < len(args) else None
        narrow = integer_decimal(arg) if isinstance(arg, Lit) and is_integral(kind) else None
        result.append(narrow or decimal_of(kind) or kind)
    return tuple(result)


def _promoted(kinds: Kinds) -> Kinds:
    promoted = promote_string(*kinds)
    return kinds if promoted is None else (promoted, promoted)


def arithmetic(operator: str) -> Rule:
    """The rule of one of + - * / % div."""

    def rule(kinds: Kinds, args: Args) -> Signature | None:
        if len(kinds) != 2:
            return None
        if (found := time_arithmetic(operator, *kinds)) is not None:
            return found
        left, right = _with_decimals(_promoted(kinds), args)
        if operator == "/" and left == VOID:
            return Signature((DOUBLE, DOUBLE), DOUBLE) if right == VOID or is_numeric(right) else None
        if isinstance(left, Decimal) and isinstance(right, Decimal):
            return Signature((left, right), LONG if operator == "div" else decimal_result(operator, left, right))
        return _same_numbers(operator, tightest_type(left, right))

    return rule


def _same_numbers(operator: str, kind: DataType | None) -> Signature | None:
    """Arithmetic of two numbers of one type; two bare NULLs are taken for doubles."""
    kind = DOUBLE if kind == VOID and operator != "div" else kind
    if isinstance(kind, Decimal):
        return Signature((kind, kind), LONG if operator == "div" else decimal_result(operator, kind, kind))
    if kind not in NUMBERS:
        return None
    if operator == "/":
        return Signature((DOUBLE, DOUBLE), DOUBLE)
    if operator == "div":
        return Signature((LONG, LONG), LONG) if is_integral(kind) else None
    return Signature((kind, kind), kind)


def comparison(kinds: Kinds, args: Args) -> Signature | None:
    if len(kinds) != 2:
        return None
    left, right = _with_decimals(_promoted(kinds), args)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        left = right = widest_decimal(left, right)
    common = tightest_type(left, right)
    return None if common is None or has_map(common) else Signature((common, common), BOOLEAN)


def _bitwise(kinds: Kinds) -> Signature | None:
    common = tightest_type(*_promoted(kinds)) if len(kinds) == 2 else None
    return Signature((common, common), common) if common is not None and is_integral(common) else None


def _connective(kinds: Kinds) -> Signature | None:
    known = all(k in {BOOLEAN, STRING, VOID} for k in kinds) and BOOLEAN in kinds
    return Signature((BOOLEAN,) * len(kinds), BOOLEAN) if known else None


def _signed(kinds: Kinds) -> Signature | None:
    """Abs, negative and positive keep the type of numbers and intervals; a string becomes a double."""
    if len(kinds) != 1:
        return None
    kind = DOUBLE if kinds[0] in {STRING, VOID} else kinds[0]
    return Signature((kind,), kind) if is_numeric(kind) or interval_units(kind) else None


def _bit_not(kinds: Kinds) -> Signature | None:
    return Signature(kinds, kinds[0]) if len(kinds) == 1 and is_integral(kinds[0]) else None


def _member(kinds: Kinds) -> Signature | None:
    common = common_of(kinds) if len(kinds) > 1 else None
    return None if common is None or has_map(common) else Signature((common,) * len(kinds), BOOLEAN)


def _one_of(kinds: Kinds) -> Signature | None:
    """Coalesce and its kind."""
    common = common_of(kinds) if kinds else None
    return None if common is None else Signature((common,) * len(kinds), common)


def _either(kinds: Kinds) -> Signature | None:
    return _one_of(kinds) if len(kinds) == 2 else None


def _extreme(kinds: Kinds) -> Signature | None:
    common = common_of(kinds, wider_type) if len(kinds) > 1 else None
    return None if common is None or has_map(common) else Signature((common,) * len(kinds), common)


def _null_if(kinds: Kinds, args: Args) -> Signature | None:
    """The first argument as it is; the two are compared as `=` compares them."""
    return None if comparison(kinds, args) is None else Signature(kinds, kinds[0])


def _nvl2(kinds: Kinds) -> Signature | None:
    common = common_type(*kinds[1:]) if len(kinds) == 3 else None
    return None if common is None else Signature((kinds[0], common, common), common)


def _if(kinds: Kinds) -> Signature | None:
    common = common_type(*kinds[1:]) if len(kinds) == 3 else None
    return returning((implicit_cast(kinds[0], "boolean"), common, common), common) if kinds else None


def _zero_if_null(kinds: Kinds) -> Signature | None:
    common = common_type(kinds[0], INT) if len(kinds) == 1 else None
    return None if common is None else Signature((common,), common)


def _null_if_zero(kinds: Kinds) -> Signature | None:
    return Signature(kinds, kinds[0]) if len(kinds) == 1 and is_numeric(kinds[0]) else None


def _nan_or(kinds: Kinds) -> Signature | None:
    if len(kinds) != 2:
        return None
    left = implicit_cast(kinds[0], "double|float")
    right = left if kinds[1] == VOID else implicit_cast(kinds[1], "double|float")
    common = left if left == right else DOUBLE
    return None if left is None or right is None else Signature((common or DOUBLE,) * 2, common or DOUBLE)


def _concat(kinds: Kinds) -> Signature | None:
    if kinds and all(isinstance(k, Array) for k in kinds):
        return _one_of(kinds)
    if kinds and all(k == BINARY for k in kinds):
        return Signature(kinds, BINARY)
    return returning([implicit_cast(k, "string") for k in kinds], STRING)


def _padded(kinds: Kinds) -> Signature | None:
    if len(kinds) == 2 or (len(kinds) == 3 and kinds[0] == kinds[2] == BINARY):
        kind = implicit_cast(kinds[0], "string|binary")
        return returning((kind, implicit_cast(kinds[1], "int"), *kinds[2:]), kind)
    if len(kinds) != 3:
        return None
    return returning([implicit_cast(k, e) for k, e in zip(kinds, ("string", "int", "string"), strict=True)], STRING)


def _both_texts(kinds: Kinds) -> Signature | None:
    """Contains, startswith and endswith, of two strings or two binaries."""
    if kinds == (BINARY, BINARY):
        return Signature(kinds, BOOLEAN)
    return returning([implicit_cast(k, "string") for k in kinds], BOOLEAN) if len(kinds) == 2 else None


def _reversed(kinds: Kinds) -> Signature | None:
    if len(kinds) != 1:
        return None
    kind = kinds[0] if isinstance(kinds[0], Array) else implicit_cast(kinds[0], "string|binary")
    return returning((kind,), kind)


def _overlaid(kinds: Kinds) -> Signature | None:
    if not 3 <= len(kinds) <= 4 or (BINARY in kinds[:2] and kinds[0] != kinds[1]):
        return None
    texts = [implicit_cast(k, "string|binary") for k in kinds[:2]]
    return returning([*texts, *(implicit_cast(k, "int") for k in kinds[2:])], texts[0])


def _decoded(kinds: Kinds) -> Signature | None:
    """Of two arguments: bytes to text. With more it is a CASE, which the binder sees as such."""
    known = len(kinds) == 2 and kinds[0] in {BINARY, STRING}
    return returning((BINARY, implicit_cast(kinds[1], "string")), STRING) if known else None


def _rounded(kinds: Kinds, args: Args) -> Signature | None:
    """Round and bround: of decimals, the type that holds the result; other numbers keep their type."""
    if not 1 <= len(kinds) <= 2:
        return None
    kind = DOUBLE if kinds[0] in {STRING, VOID} else kinds[0]
    rest = (INT,) * (len(kinds) - 1)
    scale = _scale(args) if len(kinds) == 2 else 0
    if scale is None or not is_numeric(kind):
        return None
    return Signature((kind, *rest), _rounded_decimal(kind, scale) if isinstance(kind, Decimal) else kind)


def _scale(args: Args) -> int | None:
    """The digits that a call of round names as a literal."""
    found = args[1] if len(args) == 2 else None
    return int(found.value) if isinstance(found, Lit) and found.kind in {"int", "tinyint", "smallint"} else None


def _rounded_decimal(kind: Decimal, scale: int) -> Decimal:
    whole = kind.precision - kind.scale + 1
    if scale < 0:
        return Decimal(min(max(whole, 1 - scale), MAX_PRECISION), 0)
    kept = min(kind.scale, scale)
    return Decimal(min(whole + kept, MAX_PRECISION), kept)


def _whole(kinds: Kinds, args: Args) -> Signature | None:
    """Ceil and floor: a decimal without fraction, else a bigint; with a scale they round decimals."""
    if len(kinds) == 2:
        scale = _scale(args)
        known = scale is not None and isinstance(kinds[0], Decimal)
        return _rounded(kinds, args) if known else None
    if len(kinds) != 1:
        return None
    kind = implicit_cast(kinds[0], "double|decimal|bigint")
    if isinstance(kind, Decimal):
        return Signature((kind,), _rounded_decimal(kind, 0) if kind.scale else kind)
    return returning((kind,), LONG)


OPERATORS: Final[dict[str, Rule]] = {
    **{name: arithmetic(operator) for name, operator in ARITHMETIC.items()},
    **dict.fromkeys(COMPARISONS, comparison),
    **dict.fromkeys(("&", "|", "^"), plain(_bitwise)),
    **dict.fromkeys(("and", "or"), plain(_connective)),
    **dict.fromkeys(("abs", "negative", "positive"), plain(_signed)),
    **dict.fromkeys(("nvl", "ifnull"), plain(_either)),
    **dict.fromkeys(("greatest", "least"), plain(_extreme)),
    **dict.fromkeys(("concat", "||"), plain(_concat)),
    **dict.fromkeys(("lpad", "rpad"), plain(_padded)),
    **dict.fromkeys(("contains", "startswith", "endswith"), plain(_both_texts)),
    **dict.fromkeys(("round", "bround"), _rounded),
    **dict.fromkeys(("ceil", "ceiling", "floor"), _whole),
    "coalesce": plain(_one_of),
    "bit_not": plain(_bit_not),
    "in": plain(_member),
    "nullif": _null_if,
    "nvl2": plain(_nvl2),
    "if": plain(_if),
    "zeroifnull": plain(_zero_if_null),
    "nullifzero": plain(_null_if_zero),
    "nanvl": plain(_nan_or),
    "reverse": plain(_reversed),
    "overlay": plain(_overlaid),
    "decode": plain(_decoded),
}
