"""SQL as tokens: fingerprints that ignore layout, functions that have no fixed answer, and the clock.

A fingerprint is taken from tokens and not from a parsed tree: two texts that differ in anything but white space,
comments and the case of keywords and function names never share one, whatever the parser thinks they mean.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from tidewheel.errors import Span, UserError
from tidewheel.sql.repair import repaired

RANDOM = frozenset(
    {
        "rand", "randn", "random", "randstr", "uniform", "uuid", "shuffle", "monotonically_increasing_id",
        "spark_partition_id", "input_file_name", "input_file_block_start", "input_file_block_length",
        "current_user", "session_user", "user", "version", "current_catalog", "current_database", "current_schema",
    }
)  # fmt: skip
CLOCK_DAY = frozenset({"current_date", "curdate"})
CLOCK_TIME = frozenset({"current_timestamp", "now", "localtimestamp", "current_time", "unix_timestamp"})
_WITHOUT_PARENTHESES = frozenset(
    {"current_date", "current_timestamp", "current_user", "current_time", "localtimestamp"}
)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_TEXTS = frozenset(
    {
        TokenType.STRING, TokenType.IDENTIFIER, TokenType.RAW_STRING, TokenType.BIT_STRING, TokenType.HEX_STRING,
        TokenType.BYTE_STRING, TokenType.NATIONAL_STRING, TokenType.UNICODE_STRING, TokenType.HEREDOC_STRING,
    }
)  # fmt: skip
_LAST_WORDS = frozenset(
    {TokenType.END, TokenType.ASC, TokenType.DESC, TokenType.NULL, TokenType.TRUE, TokenType.FALSE, TokenType.FIRST}
)
_MOVING_TEXT = re.compile(r"(now|today|tomorrow|yesterday)(\s+\S+)?", re.IGNORECASE)
_TIME_TYPES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"})


def tokenize(text: str, file: str = "<query>", dialect: type[Spark] = Spark) -> list[Token]:
    try:
        return repaired(dialect().tokenize(text))
    except TokenError as error:
        raise UserError(
            "the SQL text ends inside a string, a quoted name or a comment",
            code="sql-syntax",
            detail=str(error).splitlines()[0],
            hint="Close it: a quote, a backtick or */ is missing.",
            span=Span.at(text, len(text.rstrip()) - 1, 1, file),
        ) from error


def fingerprint(tokens: Sequence[Token], *settings: str) -> str:
    """Equal for texts that differ only in layout, comments or the case of keywords and function names."""
    parts = []
    casts = [False]  # for each open parenthesis: is it CAST's?
    for i, token in enumerate(tokens):
        text = token.text if _keeps_case(tokens, i, in_cast=casts[-1]) else token.text.upper()
        parts.append(f"{token.token_type.name}:{'+' if _is_glued(tokens, i) else ''}{text}")
        if token.token_type == TokenType.L_PAREN:
            casts.append(i > 0 and tokens[i - 1].text.upper() in {"CAST", "TRY_CAST"})
        elif token.token_type == TokenType.R_PAREN and len(casts) > 1:
            casts.pop()
    return hashlib.sha256("\x00".join([*settings, *parts]).encode()).hexdigest()


def _keeps_case(tokens: Sequence[Token], i: int, *, in_cast: bool) -> bool:
    """Texts and names: `AS Date` names a column `Date`, though DATE is a keyword elsewhere."""
    kind = tokens[i].token_type
    before = tokens[i - 1].token_type if i else None
    after = tokens[i + 1].token_type if i + 1 < len(tokens) else None
    if kind in _TEXTS or after == TokenType.L_PAREN:
        return kind in _TEXTS
    if kind in _NAMES or before == TokenType.DOT:
        return True
    if before == TokenType.ALIAS:
        return not in_cast and tokens[i].text.upper() not in {"SELECT", "WITH", "VALUES"}
    ends = after in {None, TokenType.COMMA, TokenType.FROM} and kind not in _LAST_WORDS
    return ends and kind in Spark.Parser.ID_VAR_TOKENS


def _is_glued(tokens: Sequence[Token], i: int) -> bool:
    """Whether a string touches the one before it: 'it''s' is one text with a quote in it, 'it' 's' is `its`."""
    pair = tokens[max(0, i - 1) : i + 1]
    return [t.token_type for t in pair] == [TokenType.STRING] * 2 and pair[0].end + 1 == pair[1].start


def escape_quotes(text: str) -> str:
    """The text with each doubled quote inside a string written with a backslash, which every parser reads the same."""
    if "''" not in text and '""' not in text:
        return text
    tokens = tokenize(text)
    for i in range(len(tokens) - 1, 0, -1):
        if _is_glued(tokens, i) and text[tokens[i - 1].end] == text[tokens[i].start]:
            text = f"{text[: tokens[i - 1].end]}\\{text[tokens[i].start :]}"
    return text


@dataclass(frozen=True, slots=True)
class CallSite:
    """A function without arguments to pin, or one that has no fixed answer, with its place in the text."""

    name: str
    start: int
    end: int


def find_calls(tokens: Sequence[Token], names: frozenset[str]) -> list[CallSite]:
    """Calls of the named functions. Without parentheses only those that SQL lets one call so."""
    found = []
    for i, token in enumerate(tokens):
        name = token.text.lower()
        before = tokens[i - 1].token_type if i else None
        if name not in names or token.token_type == TokenType.STRING or before in {TokenType.DOT, TokenType.ALIAS}:
            continue
        after = [t.token_type for t in tokens[i + 1 : i + 3]]
        if after[:1] == [TokenType.L_PAREN]:
            closed = after == [TokenType.L_PAREN, TokenType.R_PAREN]
            if closed or name in RANDOM:
                found.append(CallSite(name, token.start, tokens[i + 2].end if closed else token.end))
        elif name in _WITHOUT_PARENTHESES and token.token_type != TokenType.IDENTIFIER:
            found.append(CallSite(name, token.start, token.end))
    return found


def find_moving(tokens: Sequence[Token]) -> list[CallSite]:
    """What has no fixed answer: RANDOM functions, samples, and texts that Spark reads as a time: DATE 'today'."""
    found = find_calls(tokens, RANDOM)
    for i, token in enumerate(tokens):
        if token.token_type == TokenType.TABLE_SAMPLE:
            found.append(CallSite("TABLESAMPLE", token.start, token.end))
        if token.token_type != TokenType.STRING or not _MOVING_TEXT.fullmatch(token.text.strip()):
            continue
        before = [t.text.upper() for t in tokens[max(0, i - 2) : i]]
        if (before[-1:] and before[-1] in _TIME_TYPES) or before in (["CAST", "("], ["TRY_CAST", "("]):
            found.append(CallSite(f"'{token.text}'", token.start, token.end))
    return found


def clock_of(tokens: Sequence[Token]) -> str:
    """How often the clock changes the answer: "none", "day", or "time" (at every epoch)."""
    if find_calls(tokens, CLOCK_TIME):
        return "time"
    return "day" if find_calls(tokens, CLOCK_DAY) else "none"


def day_of(at: dt.datetime, timezone: str) -> str:
    """The date that current_date() gives at a moment: it depends on where one stands."""
    return at.astimezone(ZoneInfo(timezone)).date().isoformat()


def pin_clock(text: str, at: dt.datetime, timezone: str = "UTC") -> str:
    """The text with every call of the clock replaced by the epoch's own time, a literal."""
    tokens = tokenize(text)
    for call in reversed(find_calls(tokens, CLOCK_DAY | CLOCK_TIME)):
        text = text[: call.start] + _literal(call.name, at, timezone) + text[call.end + 1 :]
    return text


def _literal(name: str, at: dt.datetime, timezone: str) -> str:
    moment = at.astimezone(dt.UTC)
    if name in CLOCK_DAY:
        return f"DATE '{day_of(at, timezone)}'"
    if name == "unix_timestamp":
        return f"{int(moment.timestamp())}L"
    here = _plain(at.astimezone(ZoneInfo(timezone)))
    if name == "localtimestamp":
        return f"TIMESTAMP_NTZ '{here}'"
    if name == "current_time":
        return f"TIME '{here.split(' ')[1]}'"
    return f"TIMESTAMP '{_plain(moment)}+00:00'"


def _plain(moment: dt.datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")


def refuse_random(text: str, tokens: Sequence[Token], file: str, relation: str) -> None:
    """Functions without a fixed answer make a view that no refresh can check."""
    for call in find_moving(tokens):
        raise UserError(
            f"{call.name}{'()' if call.name in RANDOM else ''} gives another answer each time",
            code="non-deterministic",
            span=Span.at(text, call.start, len(call.name), file),
            relation=relation,
            hint="Set `refresh: full` for this view if that is what you want; verify will skip it.",
        )
