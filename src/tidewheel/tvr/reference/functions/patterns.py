"""LIKE and regular expressions.

Java's and Python's regular expressions agree on most things; what they write differently (named groups, classes by
name) is translated or refused.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.functions.registry import function

_POSIX: Final = {
    r"\p{Alpha}": "[a-zA-Z]", r"\p{Digit}": "[0-9]", r"\p{Alnum}": "[a-zA-Z0-9]", r"\p{Upper}": "[A-Z]",
    r"\p{Lower}": "[a-z]", r"\p{Punct}": r"[!-/:-@\[-`{-~]", r"\p{Space}": r"[ \t\n\x0B\f\r]",
    r"\p{L}": r"[^\W\d_]",
}  # fmt: skip


@functools.lru_cache(maxsize=512)
def java_pattern(pattern: str) -> re.Pattern[str]:
    """A Java regular expression, compiled by Python: classes are of ASCII characters unless (?U) is given."""
    text = pattern
    for java, python in _POSIX.items():
        text = text.replace(java, python)
    text = re.sub(r"\(\?<(?![=!])", "(?P<", text)
    if r"\p{" in text or r"\P{" in text or "&&" in text:
        raise Unsupported(f"the regular expression {pattern}")
    try:
        return re.compile(text, re.ASCII)
    except re.error:
        raise EvaluationError("bad-argument", f"{pattern!r} is no regular expression") from None


def _matcher(pattern: str, text: str) -> re.Pattern[str]:
    """Java splits a character beyond U+FFFF into two where a pattern matches nothing; Python has no such halves."""
    compiled = java_pattern(pattern)
    if compiled.match("") and any(ord(c) > 0xFFFF for c in text):
        raise Unsupported(f"the regular expression {pattern} on {text!r}")
    return compiled


@functools.lru_cache(maxsize=512)
def like_pattern(pattern: str, escape: str) -> re.Pattern[str]:
    parts, characters = [], iter(pattern)
    for c in characters:
        if c == escape:
            following = next(characters, None)
            if following is None or following not in {"%", "_", escape}:
                raise EvaluationError("bad-argument", f"{pattern!r} escapes what needs no escape")
            parts.append(re.escape(following))
        else:
            parts.append(".*" if c == "%" else "." if c == "_" else re.escape(c))
    return re.compile("".join(parts), re.DOTALL)


def matches_like(text: str, pattern: str, escape: str = "\\") -> bool:
    return like_pattern(pattern, escape).fullmatch(text) is not None


function("like")(matches_like)


@function("ilike")
def ilike(text: str, pattern: str, escape: str = "\\") -> bool:
    return matches_like(text.lower(), pattern.lower(), escape)


@function("rlike", "regexp", "regexp_like")
def rlike(text: str, pattern: str) -> bool:
    return java_pattern(pattern).search(text) is not None


@function("regexp_replace")
def regexp_replace(text: str, pattern: str, by: str, position: int = 1) -> str:
    """Every match from a position on; $1 in the replacement is a group, a backslash takes the next one as it is."""
    if position < 1:
        raise EvaluationError("bad-argument", "a position is positive")
    if position - 1 > len(text) or (position > 1 and position - 1 >= len(text)):
        return text

    def replacement(match: re.Match[str]) -> str:
        return _expand(by, match)

    return text[: position - 1] + _matcher(pattern, text).sub(replacement, text[position - 1 :])


def _expand(template: str, match: re.Match[str]) -> str:
    found, i = [], 0
    while i < len(template):
        c = template[i]
        if c == "\\":
            found.append(template[i + 1 : i + 2])
            i += 2
        elif c == "$":
            number = re.compile(r"\d").match(template, i + 1)
            if number is None or int(number[0]) > match.re.groups:
                raise EvaluationError("bad-argument", f"{template!r} names no group")
            end = i + 2
            while template[end : end + 1].isdigit() and int(template[i + 1 : end + 1]) <= match.re.groups:
                end += 1
            found.append(match[int(template[i + 1 : end])] or "")
            i = end
        else:
            found.append(c)
            i += 1
    return "".join(found)


def _group(pattern: re.Pattern[str], number: int) -> int:
    if not 0 <= number <= pattern.groups:
        raise EvaluationError("bad-argument", f"there is no group {number}")
    return number


@function("regexp_extract")
def regexp_extract(text: str, pattern: str, group: int = 1) -> str:
    """The group of the first match; an empty text if there is no match or the group took no part."""
    compiled = java_pattern(pattern)
    match = compiled.search(text)
    return "" if match is None else match[_group(compiled, group)] or ""


@function("regexp_extract_all")
def regexp_extract_all(text: str, pattern: str, group: int = 1) -> tuple[str, ...]:
    compiled = java_pattern(pattern)
    return tuple(m[_group(compiled, group)] or "" for m in compiled.finditer(text))


@function("regexp_substr")
def regexp_substr(text: str, pattern: str) -> str | None:
    match = java_pattern(pattern).search(text)
    return None if match is None or not match[0] else match[0]


@function("regexp_count")
def regexp_count(text: str, pattern: str) -> int:
    return sum(1 for _ in java_pattern(pattern).finditer(text))


@function("regexp_instr")
def regexp_instr(text: str, pattern: str, _group_number: int = 0) -> int:
    match = java_pattern(pattern).search(text)
    return 0 if match is None else match.start() + 1


@function("split")
def split(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    """Java's split: every empty part counts, and an empty match at the beginning makes none."""
    if not pattern:
        parts = list(text) if limit <= 0 or limit >= len(text) else [*text[: limit - 1], text[limit - 1 :]]
        return tuple(parts) if parts else ("",)
    found: list[str] = []
    start = 0
    for match in _matcher(pattern, text).finditer(text):
        if (0 < limit == len(found) + 1) or match.end() == 0:
            continue
        found.append(text[start : match.start()])
        start = match.end()
    return (*found, text[start:])
