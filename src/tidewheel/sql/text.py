"""SQL as tokens: fingerprints that ignore layout, functions that have no fixed answer, and the clock.

A fingerprint is taken from tokens and not from a parsed tree: two texts that differ in anything but white space,
comments and the case of keywords and function names never share one, whatever the parser thinks they mean.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from tidewheel.errors import Span, UserError

RANDOM = frozenset(
    {
        "rand", "randn", "random", "randstr", "uniform", "uuid", "shuffle", "monotonically_increasing_id",
        "spark_partition_id", "input_file_name", "input_file_block_start", "input_file_block_length",
        "current_user", "session_user", "user", "version", "current_catalog", "current_database", "current_schema",
    }
)  # fmt: skip
CLOCK_DAY = frozenset({"current_date", "curdate"})
CLOCK_TIME = frozenset({"current_timestamp", "now", "localtimestamp", "current_time", "unix_timestamp"})
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def tokenize(text: str, file: str = "<query>") -> list[Token]:
    try:
        return list(Spark.Tokenizer().tokenize(text))
    except TokenError as error:
        raise UserError(
            "the SQL text ends inside a string, a quoted name or a comment",
            code="sql-syntax",
            detail=str(error).splitlines()[0],
            span=Span.at(text, len(text.rstrip()) - 1, 1, file),
        ) from error


def fingerprint(tokens: Sequence[Token], *settings: str) -> str:
    """Equal for texts that differ only in layout, comments or the case of keywords and function names."""
    parts = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        called = after is not None and after.token_type == TokenType.L_PAREN
        plain = token.token_type == TokenType.VAR and not called
        literal = token.token_type in {TokenType.STRING, TokenType.IDENTIFIER} or plain
        parts.append(f"{token.token_type.name}:{token.text if literal else token.text.upper()}")
    return hashlib.sha256("\x00".join([*settings, *parts]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Call:
    """A function without arguments to pin, or one that has no fixed answer, with its place in the text."""

    name: str
    start: int
    end: int


def find_calls(tokens: Sequence[Token], names: frozenset[str]) -> list[Call]:
    """Calls of the named functions. Without parentheses only those that SQL lets one call so."""
    found = []
    for i, token in enumerate(tokens):
        name = token.text.lower()
        if name not in names or token.token_type in {TokenType.STRING, TokenType.IDENTIFIER}:
            continue
        before = tokens[i - 1].token_type if i else None
        if before in {TokenType.DOT, TokenType.ALIAS}:
            continue
        after = [t.token_type for t in tokens[i + 1 : i + 3]]
        if after[:1] == [TokenType.L_PAREN]:
            closed = after == [TokenType.L_PAREN, TokenType.R_PAREN]
            if closed or name in RANDOM:
                found.append(Call(name, token.start, tokens[i + 2].end if closed else token.end))
        elif name in {"current_date", "current_timestamp", "current_user", "current_time", "localtimestamp"}:
            found.append(Call(name, token.start, token.end))
    return found


def clock_of(tokens: Sequence[Token]) -> str:
    """How often the clock changes the answer: "none", "day", or "time" (at every epoch)."""
    if find_calls(tokens, CLOCK_TIME):
        return "time"
    return "day" if find_calls(tokens, CLOCK_DAY) else "none"


def pin_clock(text: str, at: dt.datetime) -> str:
    """The text with every call of the clock replaced by the epoch's own time, a literal."""
    tokens = tokenize(text)
    for call in reversed(find_calls(tokens, CLOCK_DAY | CLOCK_TIME)):
        text = text[: call.start] + _literal(call.name, at) + text[call.end + 1 :]
    return text


def _literal(name: str, at: dt.datetime) -> str:
    moment = at.astimezone(dt.UTC)
    if name in CLOCK_DAY:
        return f"DATE '{moment.date().isoformat()}'"
    if name == "unix_timestamp":
        return f"{int(moment.timestamp())}L"
    plain = moment.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
    if name == "localtimestamp":
        return f"TIMESTAMP_NTZ '{plain}'"
    if name == "current_time":
        return f"TIME '{plain.split(' ')[1]}'"
    return f"TIMESTAMP '{plain}+00:00'"


def refuse_random(text: str, tokens: Sequence[Token], file: str, relation: str) -> None:
    """Functions without a fixed answer make a view that no refresh can check."""
    for call in find_calls(tokens, RANDOM):
        raise UserError(
            f"{call.name}() gives another answer each time",
            code="non-deterministic",
            span=Span.at(text, call.start, len(call.name), file),
            relation=relation,
            hint="Set `refresh: full` for this view if that is what you want; verify will skip it.",
        )
