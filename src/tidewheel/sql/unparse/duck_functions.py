"""Functions and operators on which DuckDB and Spark were shown to agree, and how DuckDB writes them.

The arguments come in the types to which Spark casts them; what is written has exactly the type that Spark gives.
Each name has cases in tests/spark/test_duckdb_functions.py, which run on both. Anything else is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from tidewheel.ir.coercion import is_integral, is_numeric
from tidewheel.ir.scalar import Call, Lit
from tidewheel.ir.signatures import Signature
from tidewheel.names import literal, quote_double
from tidewheel.sql.unparse.duck_casts import convert, duck_type, family, not_local
from tidewheel.sql.unparse.duck_dates import DATE_FUNCTIONS, shifted
from tidewheel.sql.unparse.duck_decimals import decimal_arithmetic, whole_quotient
from tidewheel.sql.unparse.texts import LEVELS, Level, Text, function, infix, made_of
from tidewheel.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    Array,
    Decimal,
    Map,
    Struct,
)

Writer: TypeAlias = Callable[[Call, Sequence[Text], Signature], Text]
_COMPARABLE: Final = frozenset(
    {"int", "float", "double", "decimal", "string", "boolean", "date", "timestamp", "timestamp_ntz"}
)


def form(template: str, *, level: Level = Level.ATOM, cast: bool = False, fragile: bool = False) -> Writer:
    """A text with the arguments in their places; `cast` where DuckDB's own type is another one."""

    def write(_: Call, args: Sequence[Text], signature: Signature) -> Text:
        inside = [a.sql if level == Level.ATOM else a.at(Level(level + 1)) for a in args]
        sql = template.format(*inside)
        sql = f"CAST({sql} AS {duck_type(signature.result)})" if cast else sql
        return made_of(sql, args, level=Level.ATOM if cast else level, kind=signature.result, fragile=fragile)

    return write


def _compare(operator: str) -> Writer:
    def write(_: Call, args: Sequence[Text], signature: Signature) -> Text:
        if {family(k) for k in signature.args} - _COMPARABLE - {"void"}:
            raise not_local(f"{operator} of such values")
        return infix(operator, args, Level.COMPARE, BOOLEAN)

    return write


def _logic(operator: str) -> Writer:
    """DuckDB computes both sides for all rows, so a side that may raise is asked only where it matters."""

    def write(_: Call, args: Sequence[Text], __: Signature) -> Text:
        return connect(operator, args)

    return write


def connect(operator: str, parts: Sequence[Text]) -> Text:
    """AND or OR of conditions."""
    if not any(p.fragile for p in parts[1:]):
        return infix(operator, parts, LEVELS[operator.lower()], BOOLEAN)
    whole = parts[0]
    for part in parts[1:]:
        whole = function(f"tw_{operator.lower()}", [whole, part], BOOLEAN)
    return whole


def _arithmetic(call: Call, args: Sequence[Text], signature: Signature) -> Text:
    left, right = args
    result = signature.result
    if isinstance(left.type, Decimal) and isinstance(right.type, Decimal) and isinstance(result, Decimal):
        return decimal_arithmetic("%" if call.name == "mod" else call.name, left, right, result)
    if result in {DATE, TIMESTAMP, TIMESTAMP_NTZ}:
        return shifted(call, left, right, result)
    if not is_numeric(result) or left.type != right.type:
        raise not_local(f"{call.name} of such values")
    if call.name in {"/", "%", "mod"}:
        name = "tw_divide" if call.name == "/" else "tw_remainder"
        made = function(name, args, result)
        return made_of(made.sql, args, kind=result, fragile=True)
    if result == FLOAT:
        raise not_local(f"{call.name} of FLOAT")
    return infix(call.name, args, LEVELS[call.name], result)


def _div(_: Call, args: Sequence[Text], __: Signature) -> Text:
    if not all(is_integral(a.type) or isinstance(a.type, Decimal) for a in args):
        raise not_local("DIV of such values")
    return whole_quotient(*args)


def _negative(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    if not is_numeric(signature.result):
        raise not_local("- of such a value")
    if signature.result in {FLOAT, DOUBLE}:
        # DuckDB turns -x >= NaN into x <= NaN, which every number is.
        minus = f"{args[0].at(Level(LEVELS['*'] + 1))} * CAST(-1 AS {duck_type(signature.result)})"
        return made_of(minus, args, level=LEVELS["*"], kind=signature.result)
    return made_of(f"-{args[0].at(Level.ATOM)}", args, level=Level.UNARY, kind=signature.result)


def _in(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    if {family(k) for k in signature.args} - _COMPARABLE - {"void"}:
        raise not_local("IN of such values")
    choices = ", ".join(a.sql for a in args[1:])
    return made_of(f"{args[0].at(Level.OTHER)} IN ({choices})", args, level=Level.COMPARE, kind=BOOLEAN)


def _like(word: str) -> Writer:
    """Only patterns that can be read here: Spark refuses an escape before an ordinary character."""

    def write(call: Call, args: Sequence[Text], _: Signature) -> Text:
        pattern = call.args[1]
        escape = call.args[2] if len(call.args) > 2 else Lit("string", "\\")
        if not isinstance(pattern, Lit) or not isinstance(escape, Lit) or pattern.kind != "string":
            raise not_local(f"{word} with a pattern that is computed")
        mark = re.escape(escape.value)
        if len(escape.value) != 1 or not re.fullmatch(rf"(?:[^{mark}]|{mark}[%_{mark}])*", pattern.value, re.DOTALL):
            raise not_local(f"{word} with an escape before an ordinary character")
        suffix = f" ESCAPE {literal(escape.value)}" if escape.value in pattern.value else ""
        text = f"{args[0].at(Level.OTHER)} {word} {args[1].at(Level.OTHER)}{suffix}"
        return made_of(text, args, level=Level.COMPARE, kind=BOOLEAN)

    return write


def _round(call: Call, args: Sequence[Text], signature: Signature) -> Text:
    """Half up by the decimal digits, also of doubles."""
    places = call.args[1] if len(call.args) > 1 else Lit("int", "0")
    if not isinstance(places, Lit) or not places.value.isdecimal() or int(places.value) > 15:
        raise not_local("round() to such a number of places")
    value, result = args[0], signature.result
    if is_integral(value.type):
        return value
    if isinstance(value.type, Decimal) and isinstance(result, Decimal):
        return made_of(f"CAST({value.sql} AS {duck_type(result)})", args[:1], kind=result)
    if value.type != DOUBLE:
        raise not_local("round() of FLOAT")
    digits = f"CAST(CAST({value.sql} AS VARCHAR) AS DECIMAL(38,{places.value}))"
    sql = f"CASE WHEN abs({value.sql}) < 1e18 THEN CAST(CAST({digits} AS VARCHAR) AS DOUBLE) ELSE {value.sql} END"
    return made_of(sql, args[:1], kind=DOUBLE)


def _joined(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    if signature.result != STRING:
        raise not_local("|| of such values")
    return args[0] if len(args) == 1 else infix("||", args, Level.OTHER, STRING)


def _trimmed(name: str, *, chars_first: bool) -> Writer:
    """Spark trims spaces only, unless told which characters."""

    def write(_: Call, args: Sequence[Text], __: Signature) -> Text:
        chars = "' '"
        text = args[0]
        if len(args) > 1:
            first, second = args
            text, chars = (second, first.sql) if chars_first else (first, second.sql)
        return made_of(f"{name}({text.sql}, {chars})", args, kind=STRING)

    return write


def _get_field(call: Call, args: Sequence[Text], signature: Signature) -> Text:
    field = call.args[1]
    if not isinstance(args[0].type, Struct) or not isinstance(field, Lit):
        raise not_local("a field of such a value")
    return made_of(f"({args[0].sql}).{quote_double(field.value)}", args[:1], kind=signature.result)


def _get_item(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    match args[0].type:
        case Array():
            return made_of(f"tw_item({args[0].sql}, {args[1].sql})", args, kind=signature.result, fragile=True)
        case Map():
            return made_of(f"({args[0].sql})[{args[1].sql}]", args, kind=signature.result)
    raise not_local("[] of such a value")


def _array(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    return made_of(
        f"CAST([{', '.join(a.sql for a in args)}] AS {duck_type(signature.result)})", args, kind=signature.result
    )


def _size(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    name = "cardinality" if isinstance(args[0].type, Map) else "len"
    return made_of(f"CAST({name}({args[0].sql}) AS INTEGER)", args, kind=signature.result)


def _as_cast(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    return convert(args[0], signature.result)


def _floor(name: str) -> Writer:
    def write(_: Call, args: Sequence[Text], signature: Signature) -> Text:
        value, result = args[0], signature.result
        if len(args) > 1:
            raise not_local(f"{name}() to a number of places")
        if is_integral(value.type):
            return convert(value, result)
        fragile = not isinstance(value.type, Decimal)
        return made_of(f"CAST({name}({value.sql}) AS {duck_type(result)})", args, kind=result, fragile=fragile)

    return write


def _chosen(name: str) -> Writer:
    """The first or largest of its arguments: DuckDB needs a type where all are NULL."""

    def write(_: Call, args: Sequence[Text], signature: Signature) -> Text:
        if signature.result == VOID:
            raise not_local(f"{name}() of nothing but NULL")
        return function(name, args, signature.result)

    return write


def _extreme(name: str) -> Writer:
    """Two at a time: DuckDB fails to copy a plan that has least(2, a, a). Of arrays and structs, see `sort`."""

    def write(call: Call, args: Sequence[Text], signature: Signature) -> Text:
        if family(signature.result) == "nested":
            raise not_local(f"{name}() of arrays or structs")
        pairs = _chosen(name)
        whole = args[0]
        for arg in args[1:]:
            whole = pairs(call, [whole, arg], signature)
        return whole

    return write


def _nvl2(_: Call, args: Sequence[Text], signature: Signature) -> Text:
    yes, no = (convert(a, signature.result) for a in args[1:])
    text = f"CASE WHEN {args[0].at(Level.OTHER)} IS NOT NULL THEN {yes.sql} ELSE {no.sql} END"
    return made_of(text, args, kind=signature.result)


def _shift(operator: str) -> Writer:
    def write(call: Call, args: Sequence[Text], signature: Signature) -> Text:
        by = call.args[1]
        if not isinstance(by, Lit) or not by.value.isdecimal() or int(by.value) > 31:
            raise not_local(f"{call.name}() by such a number")
        sql = f"CAST({args[0].at(Level.UNARY)} {operator} {by.value} AS {duck_type(signature.result)})"
        return made_of(sql, args, kind=signature.result)

    return write


FUNCTIONS: Final[dict[str, Writer]] = {
    **{o: _compare(o) for o in ("=", "<>", "<", "<=", ">", ">=")},
    "<=>": _compare("IS NOT DISTINCT FROM"),
    "and": _logic("AND"),
    "or": _logic("OR"),
    "not": form("NOT {0}", level=Level.NOT),
    "isnull": form("{0} IS NULL", level=Level.COMPARE),
    "isnotnull": form("{0} IS NOT NULL", level=Level.COMPARE),
    "in": _in,
    "like": _like("LIKE"),
    **dict.fromkeys(("+", "-", "*", "/", "%", "mod"), _arithmetic),
    "pmod": form("tw_pmod({0}, {1})", fragile=True, cast=True),
    "div": _div,
    "&": form("{0} & {1}", level=Level.OTHER),
    "|": form("{0} | {1}", level=Level.OTHER),
    "^": form("xor({0}, {1})"),
    "bit_not": form("~({0})"),
    "shiftright": _shift(">>"),
    "negative": _negative,
    "positive": lambda _, args, __: args[0],
    "abs": form("abs({0})", cast=True),
    **dict.fromkeys(("sign", "signum"), form("tw_sign({0})")),
    "round": _round,
    **dict.fromkeys(("floor",), _floor("floor")),
    **dict.fromkeys(("ceil", "ceiling"), _floor("ceil")),
    "sqrt": form("tw_sqrt({0})"),
    "exp": form("exp({0})"),
    "ln": form("tw_log({0})"),
    **dict.fromkeys(("power", "pow"), form("pow({0}, {1})")),
    "isnan": form("coalesce(isnan({0}), FALSE)"),
    "coalesce": _chosen("coalesce"),
    **dict.fromkeys(("ifnull", "nvl"), _chosen("coalesce")),
    "nvl2": _nvl2,
    "nullif": form("nullif({0}, {1})", cast=True),
    "greatest": _extreme("greatest"),
    "least": _extreme("least"),
    **dict.fromkeys(("length", "len", "char_length", "character_length"), form("length({0})", cast=True)),
    **dict.fromkeys(("upper", "ucase"), form("tw_upper({0})", fragile=True)),
    **dict.fromkeys(("lower", "lcase"), form("tw_lower({0})", fragile=True)),
    **dict.fromkeys(("||", "concat"), _joined),
    "concat_ws": lambda _, args, sig: function("concat_ws", args, sig.result),
    "trim": _trimmed("trim", chars_first=True),
    "btrim": _trimmed("trim", chars_first=False),
    "ltrim": _trimmed("ltrim", chars_first=True),
    "rtrim": _trimmed("rtrim", chars_first=True),
    **dict.fromkeys(
        ("substring", "substr"),
        lambda _, args, sig: function("tw_substring", [*args, *[Text(sql="2147483647")][len(args) - 2 :]], sig.result),
    ),
    "left": form("tw_substring({0}, 1, {1})"),
    "right": form("tw_right({0}, {1})"),
    "replace": lambda _, args, sig: function("replace", [*args, *[Text(sql="''")][len(args) - 2 :]], sig.result),
    "lpad": lambda _, args, sig: function("tw_lpad", [*args, *[Text(sql="' '")][len(args) - 2 :]], sig.result),
    "rpad": lambda _, args, sig: function("tw_rpad", [*args, *[Text(sql="' '")][len(args) - 2 :]], sig.result),
    "instr": form("instr({0}, {1})", cast=True),
    "startswith": form("starts_with({0}, {1})"),
    "endswith": form("ends_with({0}, {1})"),
    "contains": form("contains({0}, {1})"),
    "repeat": form("repeat({0}, {1})"),
    "array_repeat": form("repeat([{0}], {1})"),
    "get_field": _get_field,
    "get_item": _get_item,
    "array": _array,
    **dict.fromkeys(("size", "cardinality", "array_size"), _size),
    **dict.fromkeys(
        ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "date", "decimal"), _as_cast
    ),
    **DATE_FUNCTIONS,
}
"""Our name of a function, and how DuckDB writes it."""
