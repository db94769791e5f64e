"""Functions of strings; positions count characters from 1, negative ones from the end."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference import formats
from tidewheel.tvr.reference.casts import EXACT
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.functions.registry import Implementation, function, typed
from tidewheel.tvr.reference.values import Value
from tidewheel.types import DataType, Primitive

_MAX: Final = (1 << 31) - 1


function("upper", "ucase")(str.upper)
function("lower", "lcase")(str.lower)
function("length", "len", "char_length", "character_length")(len)
function("startswith")(lambda s, prefix: s.startswith(prefix))
function("endswith")(lambda s, suffix: s.endswith(suffix))
function("contains")(lambda s, part: part in s)


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


@function("octet_length")
def octet_length(value: str | bytes) -> int:
    return len(_bytes(value))


@function("bit_length")
def bit_length(value: str | bytes) -> int:
    return 8 * len(_bytes(value))


@function("initcap")
def initcap(text: str) -> str:
    """Each word, between blanks, with its first letter large and the others small."""
    return " ".join(word[:1].title() + word[1:] for word in text.lower().split(" "))


@function("substring", "substr")
def substring(text: str | bytes, position: int, length: int = _MAX) -> str | bytes:
    """Position 0 is 1. A negative position before the beginning uses up some of the length."""
    start = position - 1 if position > 0 else len(text) + position if position < 0 else 0
    return text[max(start, 0) : max(min(start + length, _MAX), 0)] if length > 0 else text[:0]


@function("left")
def left(text: str | bytes, length: int) -> str | bytes:
    return text[: max(length, 0)]


@function("right")
def right(text: str, length: int) -> str:
    return text[-length:] if length > 0 else ""


@function("||", "concat")
def concat(*parts: Value) -> Value:
    """Strings, binaries or arrays, one after the other."""
    if parts and isinstance(parts[0], tuple):
        return tuple(v for part in parts for v in part)
    return b"".join(parts) if parts and isinstance(parts[0], bytes) else "".join(parts)


@function("concat_ws", sees_nulls=True)
def concat_ws(separator: str | None, *parts: Value) -> str | None:
    """The parts, and the elements of parts that are arrays, that are not NULL."""
    if separator is None:
        return None
    flat = [e for part in parts for e in (part if isinstance(part, tuple) else (part,))]
    return separator.join(e for e in flat if e is not None)


def _pad(text: Value, length: int, pad: Value) -> Value:
    """As much padding as is needed to reach a length."""
    missing = max(length - len(text), 0)
    return (pad * (missing // len(pad) + 1))[:missing] if pad else pad


@function("lpad")
def lpad(text: Value, length: int, pad: Value = None) -> Value:
    filler = (b"\0" if isinstance(text, bytes) else " ") if pad is None else pad
    return (_pad(text, length, filler) + text[: max(length, 0)]) if length > len(text) else text[: max(length, 0)]


@function("rpad")
def rpad(text: Value, length: int, pad: Value = None) -> Value:
    filler = (b"\0" if isinstance(text, bytes) else " ") if pad is None else pad
    return (text + _pad(text, length, filler)) if length > len(text) else text[: max(length, 0)]


@function("repeat")
def repeat(text: str, times: int) -> str:
    return text * max(times, 0)


@function("space")
def space(times: int) -> str:
    return " " * max(times, 0)


@function("reverse")
def reverse(value: Value) -> Value:
    return value[::-1]


@function("replace")
def replace(text: str, search: str, by: str = "") -> str:
    return text.replace(search, by) if search else text


@function("translate")
def translate(text: str, source: str, target: str) -> str:
    """Characters by position; those without a partner go; the first of equal ones counts."""
    table: dict[int, str | None] = {}
    for i, character in enumerate(source):
        table.setdefault(ord(character), target[i] if i < len(target) else None)
    return text.translate(table)


@function("trim")
def trim(text: str) -> str:
    return text.strip(" ")


@function("btrim")
def btrim(text: str, characters: str = " ") -> str:
    return text.strip(characters) if characters else text


@function("ltrim")
def ltrim(first: str, second: str | None = None) -> str:
    """Of (text), its blanks; or of (characters, text)."""
    return first.lstrip(" ") if second is None else second.lstrip(first) if first else second


@function("rtrim")
def rtrim(first: str, second: str | None = None) -> str:
    return first.rstrip(" ") if second is None else second.rstrip(first) if first else second


@function("instr")
def instr(text: str, part: str) -> int:
    return text.find(part) + 1


@function("locate", "position", "charindex", sees_nulls=True)
def locate(part: str | None, text: str | None, start: int | None = 1) -> int | None:
    """Where the part first stands, not before `start`; 0 if nowhere, and if `start` is NULL or not positive.

    An empty part stands at 1, whatever the start.
    """
    if start is None:
        return 0
    if part is None or text is None:
        return None
    if start < 1:
        return 0
    return text.find(part, start - 1) + 1 if part else 1


@function("substring_index")
def substring_index(text: str, delimiter: str, count: int) -> str:
    """What stands before the count-th delimiter, or, for a negative count, after it counted from the end."""
    if count == 0 or not delimiter:
        return ""
    if count > 0:
        at = -1
        for _ in range(count):
            at = text.find(delimiter, at + 1)
            if at < 0:
                return text
        return text[:at]
    at = len(text)
    for _ in range(-count):
        at = text.rfind(delimiter, 0, max(at - 1 + len(delimiter), 0)) if at else -1
        if at < 0:
            return text
    return text[at + len(delimiter) :]


@function("split_part")
def split_part(text: str, delimiter: str, part: int) -> str:
    if part == 0:
        raise EvaluationError("bad-argument", "parts are counted from 1")
    parts = text.split(delimiter) if delimiter else [text]
    at = part - 1 if part > 0 else len(parts) + part
    return parts[at] if 0 <= at < len(parts) else ""


@function("ascii")
def ascii_code(text: str) -> int:
    return ord(text[0]) if text else 0


@function("chr", "char")
def character(code: int) -> str:
    return "" if code < 0 else chr(code & 0xFF)


@function("overlay")
def overlay(text: Value, by: Value, position: int, length: int = -1) -> Value:
    """Replace as many characters as `by` has, or `length` of them, from a position on."""
    covered = length if length >= 0 else len(by)
    return substring(text, 1, position - 1) + by + substring(text, position + covered)


@function("elt", sees_nulls=True)
def elt(at: int | None, *values: Value) -> Value:
    if at is None:
        return None
    if not 1 <= at <= len(values):
        raise EvaluationError("out-of-bounds", f"there is no argument {at}")
    return values[at - 1]


@function("find_in_set")
def find_in_set(text: str, listed: str) -> int:
    items = listed.split(",")
    return items.index(text) + 1 if "," not in text and text in items else 0


@function("levenshtein")
def levenshtein(a: str, b: str, threshold: int | None = None) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1] if threshold is None or row[-1] <= threshold else -1


_SOUNDS: Final = {c: d for cs, d in (("BFPV", "1"), ("CGJKQSXZ", "2"), ("DT", "3"), ("L", "4"), ("MN", "5"), ("R", "6"))
                  for c in cs}  # fmt: skip


@function("soundex")
def soundex(text: str) -> str:
    """The first letter and three digits of what follows; text that starts otherwise is given back."""
    if not text or not ("A" <= text[0].upper() <= "Z" and text[0].isascii()):
        return text
    large = re.sub("[a-z]", lambda m: m[0].upper(), text)
    found, last = large[0], _SOUNDS.get(large[0], "0")
    for c in large[1:]:
        if not "A" <= c <= "Z":
            last = "0"
            continue
        digit = _SOUNDS.get(c, "7" if c in "HW" else "0")
        if digit not in {"0", "7"} and digit != last:
            found += digit
        if digit != "7":
            last = digit
        if len(found) == 4:
            break
    return found.ljust(4, "0")


@typed("format_number")
def format_number(signature: Signature) -> Implementation:
    """With commas between thousands and so many digits, rounded half to even; a NULL result for a negative number."""
    if signature.args[1] == Primitive("string"):
        raise EvaluationError("bad-argument", "only a number of digits is understood")

    def run(number: float | Decimal, digits: int) -> str | None:
        if digits < 0:
            return None
        if isinstance(number, float) and not math.isfinite(number):
            return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"
        exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
        return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN, EXACT):,f}"

    return run


_DIRECTIVE: Final = re.compile(r"%(?:(%)|(-?0?,?\d*)(?:\.(\d+))?([sdfxX]))")


@typed("format_string", "printf", sees_nulls=True)
def format_string(signature: Signature) -> Implementation:
    """Java's %s, %d, %f and %x with widths; NULL prints as null."""

    def run(template: str | None, *values: Value) -> str | None:
        if template is None:
            return None
        given = iter(zip(values, signature.args[1:], strict=True))
        if "%" in _DIRECTIVE.sub("", template):
            raise Unsupported(f"the format {template!r}")
        return _DIRECTIVE.sub(lambda m: "%" if m[1] else _directive(m, *next(given)), template)

    return run


def _directive(match: re.Match[str], value: Value, kind: DataType) -> str:
    width, digits, letter = match[2], match[3], match[4]
    if value is None or letter == "s":
        text = "null" if value is None else formats.write(value, kind)
        size = int(width.lstrip("-0,") or 0)
        return text.ljust(size) if width.startswith("-") else text.rjust(size)
    if letter == "f":
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        value = exact.quantize(Decimal(1).scaleb(-int(digits or 6)), ROUND_HALF_UP, EXACT)
    elif letter in "xX" and value < 0:
        raise Unsupported("hexadecimal digits of a negative number")
    aligned = width.replace(",", "").replace("-", "<")
    return format(value, f"{aligned}{',' if ',' in width else ''}{letter}")


@function("mask")
def mask(text: str, upper: str = "X", lower: str = "x", digit: str = "n") -> str:
    return "".join(upper if c.isupper() else lower if c.islower() else digit if c.isdigit() else c for c in text)
