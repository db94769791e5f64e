"""What Spark's plain functions take and give: the types to which it casts the arguments, and the type of the result.

A line names functions, what they take, and what they give; several lines for one name are tried in turn. `a|b` takes
either as it is and casts anything else to the first it can; `?` may be left out, `...` stands for any number of the
last; `!` takes nothing else but NULL. `$1` gives the type of the first argument after its cast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tidewheel.ir.coercion import implicit_cast, named_type
from tidewheel.ir.scalar import Scalar
from tidewheel.types import DataType


@dataclass(frozen=True, slots=True)
class Signature:
    """The types to which the arguments are cast without being asked, and the type of the result.

    A bare word (DAY in datediff(DAY, a, b)) has no type: UNKNOWN stands in its place.
    """

    args: tuple[DataType, ...]
    result: DataType


Kinds: TypeAlias = tuple[DataType, ...]
Args: TypeAlias = Sequence[Scalar]
Rule: TypeAlias = Callable[[Kinds, Args], Signature | None]


def plain(rule: Callable[[Kinds], Signature | None]) -> Rule:
    """A rule for which the types of the arguments are enough."""
    return lambda kinds, _: rule(kinds)


def returning(args: Sequence[DataType | None], result: DataType | None) -> Signature | None:
    """The signature, if everything in it is known."""
    known = tuple(a for a in args if a is not None)
    return Signature(known, result) if result is not None and len(known) == len(args) else None


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of the table."""

    params: tuple[str, ...]
    result: str
    least: int
    repeats: bool

    def takes(self, count: int) -> bool:
        return self.least <= count and (self.repeats or count <= len(self.params))

    def match(self, kinds: Sequence[DataType]) -> Signature | None:
        if not self.takes(len(kinds)):
            return None
        last = len(self.params) - 1
        args = [implicit_cast(kind, self.params[min(i, last)]) for i, kind in enumerate(kinds)]
        return returning(args, args[int(self.result[1:]) - 1] if self.result[0] == "$" else named_type(self.result))


_TABLE: Final = """
upper lower ucase lcase initcap quote url_encode url_decode try_url_decode: string -> string
trim ltrim rtrim btrim: string string? -> string
length len char_length character_length octet_length bit_length: string|binary -> int
ascii: string -> int
soundex: !string -> string
replace: string string string? -> string
split: string string int? -> strings
instr: string string -> int
locate position: string string int? -> int
left substring substr: string|binary int -> $1
right: string int -> string
substring substr: string|binary int int -> $1
substring_index: string string int -> string
like ilike: string string string? -> boolean
rlike regexp regexp_like: string string -> boolean
regexp_replace: string string string int? -> string
regexp_extract: string string int? -> string
regexp_extract_all: string string int? -> strings
regexp_count: string string -> int
regexp_instr: string string int? -> int
regexp_substr: string string -> string
repeat: string int -> string
concat_ws: string string|strings... -> string
format_string printf: string any... -> string
translate: string string string -> string
levenshtein: string string int? -> int
space: int -> string
char chr: bigint -> string
base64: binary -> string
unbase64 unhex: string -> binary
hex: bigint|binary|string -> string
md5 sha sha1: binary -> string
sha2: binary int -> string
crc32: binary -> bigint
hash: any any... -> int
xxhash64: any any... -> bigint
split_part: string string int -> string
find_in_set: string string -> int
encode: string string -> binary
luhn_check: string -> boolean
bin: bigint -> string
conv: string|bigint int int -> string
get_json_object: string string -> string
json_array_length: !string -> int
json_object_keys: !string -> strings
array_join: strings string string? -> string
typeof: any -> string
uuid current_user user session_user current_database current_schema current_catalog current_timezone version: -> string
sqrt exp ln log10 log2 log1p expm1 cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh: double -> double
cot csc sec degrees radians rint: double -> double
sign signum: double|year_months|day_time -> double
power pow atan2 hypot: double double -> double
log: double double? -> double
pi e: -> double
rand random randn: -> double
factorial: int -> bigint
bit_count: !integral|boolean -> int
bit_get getbit: integral int -> tinyint
shiftleft shiftright shiftrightunsigned: int|bigint int -> $1
width_bucket: double double double bigint -> bigint
isnan: double|float -> boolean
isnull isnotnull: any -> boolean
not: boolean -> boolean
hour minute second: timestamps -> int
months_between: timestamp timestamp boolean? -> double
date_trunc: string timestamp -> timestamp
date_format: timestamp string -> string
to_date try_to_date: string|date|timestamp|timestamp_ntz string? -> date
to_timestamp try_to_timestamp to_timestamp_ltz: string|date|timestamp|timestamp_ntz|numeric string? -> timestamp
to_timestamp_ntz: string|date|timestamp|timestamp_ntz|numeric string? -> timestamp_ntz
unix_timestamp to_unix_timestamp: !string|date|timestamp|timestamp_ntz string? -> bigint
unix_timestamp: -> bigint
from_unixtime: bigint string? -> string
make_date: int int int -> date
timestamp_seconds: !numeric -> timestamp
timestamp_millis timestamp_micros: integral -> timestamp
unix_seconds unix_millis unix_micros: !timestamp -> bigint
unix_date: !date -> int
date_from_unix_date: int -> date
from_utc_timestamp to_utc_timestamp: timestamp string -> timestamp
convert_timezone: string string timestamp_ntz -> timestamp_ntz
make_timestamp make_timestamp_ltz: int int int int int decimal(16,6) string? -> timestamp
make_timestamp_ntz: int int int int int decimal(16,6) -> timestamp_ntz
current_date curdate: -> date
current_timestamp now: -> timestamp
localtimestamp: -> timestamp_ntz
boolean: any -> boolean
tinyint: any -> tinyint
smallint: any -> smallint
int: any -> int
bigint: any -> bigint
float: any -> float
double: any -> double
string: any -> string
binary: any -> binary
date: any -> date
timestamp: any -> timestamp
decimal: any -> decimal(10,0)
"""


def _read_table(text: str) -> dict[str, tuple[Pattern, ...]]:
    found: dict[str, tuple[Pattern, ...]] = {}
    for line in text.strip().splitlines():
        names, _, shape = line.partition(":")
        params, _, result = shape.partition("->")
        words = params.split()
        least = sum(not w.endswith(("?", "...")) for w in words)
        bare = tuple(w.removesuffix("?").removesuffix("...") for w in words)
        pattern = Pattern(bare, result.strip(), least, bool(words) and words[-1].endswith("..."))
        for name in names.split():
            found[name] = (*found.get(name, ()), pattern)
    return found


PATTERNS: Final = _read_table(_TABLE)


def match_pattern(name: str, kinds: Sequence[DataType]) -> Signature | None:
    """The signature of a plain function for these arguments."""
    for pattern in PATTERNS.get(name, ()):
        if (found := pattern.match(kinds)) is not None:
            return found
    return None


def fixed_result(name: str, count: int) -> DataType | None:
    """The result of a plain function where it does not depend on what the arguments are."""
    results = {p.result for p in PATTERNS.get(name, ()) if p.takes(count)}
    if len(results) != 1 or any(r[0] == "$" for r in results):
        return None
    return named_type(results.pop())
