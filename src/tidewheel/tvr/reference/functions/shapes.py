"""Signatures of functions that `ir/typing` leaves to Spark: enough of their types to evaluate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from tidewheel.ir.coercion import common_of, implicit_cast, is_day_time, is_integral, is_year_month, tightest_type
from tidewheel.ir.scalar import Lit, Scalar
from tidewheel.ir.signatures import Pattern, Signature
from tidewheel.types import (
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
    VOID,
    Array,
    DataType,
    Decimal,
    Field,
    Map,
    Primitive,
    Struct,
)  # fmt: skip

Kinds: TypeAlias = Sequence[DataType]
Shape: TypeAlias = Callable[[Kinds, Sequence[Scalar]], Signature | None]

_TABLE: Final = """
startswith endswith contains: string string -> boolean
elt: int string string... -> string
overlay: string string int int? -> string
format_number: numeric int -> string
mask: string string? string? string? -> string
nanvl: double double -> double
sign signum: double -> double
decode: binary string -> string
charindex: string string int? -> int
try_to_date: string string? -> date
try_to_timestamp: string string? -> timestamp
to_timestamp_ltz: string|date|timestamp string? -> timestamp
to_timestamp_ntz: string|date|timestamp_ntz string? -> timestamp_ntz
make_timestamp make_timestamp_ltz try_make_timestamp: int int int int int decimal string? -> timestamp
make_timestamp_ntz: int int int int int decimal -> timestamp_ntz
make_dt_interval: int? int? int? decimal? -> day_second
make_ym_interval: int? int? -> year_month
convert_timezone: string string timestamp_ntz -> timestamp_ntz
str_to_map: string string? string? -> void
"""


def _pattern(line: str) -> tuple[list[str], Pattern]:
    names, _, shape = line.partition(":")
    params, _, result = shape.partition("->")
    words = params.split()
    least = sum(not w.endswith(("?", "...")) for w in words)
    plain = tuple(w.removesuffix("?").removesuffix("...") for w in words)
    return names.split(), Pattern(plain, result.strip(), least, bool(words) and words[-1].endswith("..."))


def _by_pattern(pattern: Pattern) -> Shape:
    return lambda kinds, _scalars: pattern.match(kinds)


_RULES: Final[dict[str, Shape]] = {n: _by_pattern(p) for names, p in map(_pattern, _TABLE.strip().splitlines())
                                   for n in names}  # fmt: skip


def resolve(name: str, kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    rule = _RULES.get(name)
    return None if rule is None or not kinds else rule(kinds, scalars)


def shape(*names: str) -> Callable[[Shape], Shape]:
    def register(rule: Shape) -> Shape:
        _RULES.update(dict.fromkeys(names, rule))
        return rule

    return register


@shape("equal_null")
def _equal_null(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    common = common_of(kinds)
    return None if common is None else Signature((common, common), BOOLEAN)


@shape("lpad", "rpad")
def _padded(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    """Binaries are padded with binaries; everything else is a string."""
    rest = tuple(INT if i == 0 else kinds[0] if kinds[0] == BINARY else STRING for i in range(len(kinds) - 1))
    if BINARY in kinds and kinds[0] != BINARY:
        return None
    return Signature((BINARY if kinds[0] == BINARY else STRING, *rest), BINARY if kinds[0] == BINARY else STRING)


@shape("str_to_map")
def _str_to_map(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    return Signature((STRING,) * len(kinds), Map(STRING, STRING))


@shape("ceil", "ceiling", "floor")
def _whole(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    """With a number of digits, integers and doubles are decimals too."""
    widths = {BYTE: 3, SHORT: 5, INT: 10, LONG: 20}
    kind = Decimal(widths[kinds[0]], 0) if kinds[0] in widths else None
    kind = Decimal(14, 7) if kinds[0] == FLOAT else Decimal(30, 15) if kinds[0] == DOUBLE else kind
    digits = scalars[1] if len(scalars) == 2 else None
    if kind is None or not isinstance(digits, Lit):
        return None
    scale = int(digits.value)
    kept = max(min(kind.scale, scale), 0)
    whole = max(kind.precision - kind.scale + 1, -scale + 1)
    return Signature((kind, INT), Decimal(min(whole + kept, 38), kept))


_MOVABLE: Final = (DATE, TIMESTAMP, TIMESTAMP_NTZ, STRING)


@shape("dateadd", "timestampadd")
def _moved(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    if len(kinds) == 2:
        return Signature((DATE, INT), DATE)
    moment = kinds[2] if kinds[2] == TIMESTAMP_NTZ else TIMESTAMP
    return Signature((STRING, LONG, moment), moment) if kinds[2] in _MOVABLE else None


@shape("timestampdiff")
def _apart(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    return Signature((STRING, TIMESTAMP, TIMESTAMP), LONG) if len(kinds) == 3 else None


@shape("extract", "date_part", "datepart")
def _extract(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    """Fields under their short names, and fields of intervals."""
    field = scalars[0]
    if not isinstance(field, Lit):
        return None
    seconds = field.value.upper() in {"S", "SEC", "SECOND", "SECONDS", "SECS"}
    if is_year_month(kinds[1]):
        return Signature((STRING, kinds[1]), BYTE if field.value.upper().startswith("MON") else INT)
    if is_day_time(kinds[1]):
        small = field.value.upper() in {"HOUR", "HOURS", "MINUTE", "MINUTES"}
        return Signature((STRING, kinds[1]), Decimal(8, 6) if seconds else BYTE if small else INT)
    moment = TIMESTAMP if kinds[1] == STRING else kinds[1]
    return Signature((STRING, moment), Decimal(8, 6) if seconds else INT) if moment in _MOVABLE else None


# --- arrays ---


@shape("reverse")
def _reverse(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    kind = kinds[0] if isinstance(kinds[0], Array) else STRING
    return Signature((kind,), kind)


@shape("array_compact", "sort_array", "array_sort")
def _same_array(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    return Signature((kinds[0], *(BOOLEAN for _ in kinds[1:])), kinds[0]) if isinstance(kinds[0], Array) else None


@shape("array_append", "array_prepend", "array_remove", "array_position")
def _with_element(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(element), value) if (kind := tightest_type(element, value)) is not None:
            return Signature((Array(kind), kind), Array(kind))
    return None


@shape("array_position")
def _position(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    found = _with_element(kinds, scalars)
    return None if found is None else Signature(found.args, LONG)


@shape("array_insert")
def _insert(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(element), _, value) if (kind := tightest_type(element, value)) is not None:
            return Signature((Array(kind), INT, kind), Array(kind))
    return None


@shape("array_union", "array_intersect", "array_except")
def _two_arrays(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(a), Array(b)) if (kind := tightest_type(a, b)) is not None:
            return Signature((Array(kind), Array(kind)), Array(kind))
    return None


@shape("arrays_overlap")
def _overlap(kinds: Kinds, scalars: Sequence[Scalar]) -> Signature | None:
    found = _two_arrays(kinds, scalars)
    return None if found is None else Signature(found.args, BOOLEAN)


@shape("array_join")
def _join(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    return Signature((Array(STRING), *(STRING for _ in kinds[1:])), STRING) if isinstance(kinds[0], Array) else None


@shape("array_repeat")
def _repeat(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    return Signature((kinds[0], INT), Array(kinds[0]))


@shape("arrays_zip")
def _zip(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    """Names of the fields do not matter here; positions do."""
    fields = tuple(Field(str(i), k.element) for i, k in enumerate(kinds) if isinstance(k, Array))
    return Signature(tuple(kinds), Array(Struct(fields))) if len(fields) == len(kinds) else None


@shape("element_at", "try_element_at", "get", "get_item")
def _element(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(element), at) if is_integral(at) or at == VOID:
            return Signature((kinds[0], INT), element)
        case (Map(k, v), wanted) if (kind := tightest_type(k, wanted)) is not None:
            return Signature((Map(kind, v), kind), v)
    return None


@shape("flatten")
def _flatten(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(Array() as inner),):
            return Signature(tuple(kinds), inner)
    return None


@shape("slice")
def _slice(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    return Signature((kinds[0], INT, INT), kinds[0]) if isinstance(kinds[0], Array) else None


@shape("sequence")
def _sequence(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    ends = common_of(kinds[:2])
    if ends is None or not (is_integral(ends) or ends in {DATE, TIMESTAMP, TIMESTAMP_NTZ}):
        return None
    step = (ends if is_integral(ends) else kinds[2],) if len(kinds) == 3 else ()
    return Signature((ends, ends, *step), Array(ends))


# --- maps and structs ---


@shape("map_concat")
def _map_concat(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    kind = common_of(kinds)
    return Signature((kind,) * len(kinds), kind) if isinstance(kind, Map) else None


@shape("map_contains_key")
def _map_contains_key(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Map(k, v), wanted) if (kind := tightest_type(k, wanted)) is not None:
            return Signature((Map(kind, v), kind), BOOLEAN)
    return None


@shape("map_entries")
def _map_entries(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Map(k, v),):
            return Signature(tuple(kinds), Array(Struct((Field("key", k), Field("value", v)))))
    return None


@shape("map_from_arrays")
def _map_from_arrays(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(k), Array(v)):
            return Signature(tuple(kinds), Map(k, v))
    return None


@shape("map_from_entries")
def _map_from_entries(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    match kinds:
        case (Array(Struct((a, b))),):
            return Signature(tuple(kinds), Map(a.type, b.type))
    return None


@shape("shiftleft", "shiftright", "shiftrightunsigned", "<<", ">>", ">>>")
def _shifted(kinds: Kinds, _: Sequence[Scalar]) -> Signature | None:
    kind = kinds[0] if kinds[0] == LONG else implicit_cast(kinds[0], "int")
    return None if not isinstance(kind, Primitive) else Signature((kind, INT), kind)
