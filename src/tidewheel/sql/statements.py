"""A view file taken apart: a bare SELECT, or CREATE MATERIALIZED VIEW statements as in Spark Declarative Pipelines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from tidewheel.errors import Span, UserError
from tidewheel.sql.text import tokenize

_OPTIONS = re.compile(r"^\s*--\s*tidewheel:\s*(.*)$", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*--(?![ \t]*tidewheel:) ?(.*)$", re.MULTILINE)
_NAME = re.compile(r"\bCREATE\b[\w\s]*?\bMATERIALIZED\s+VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?(`[^`]+`|\w+)", re.IGNORECASE)
_REFUSED = (
    ("STREAMING", "streaming tables"),
    ("FLOW", "flows"),
    ("FUNCTION", "functions of your own"),
    ("TEMPORARY", "temporary views"),
    ("TEMP", "temporary views"),
)
"""Words after CREATE that say what is meant, the most telling first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewStatement:
    """One view as its file spells it. `query` is the user's own text, to the letter; `start` its offset in the file.

    `comment` is what COMMENT says, and below it the `--` lines before the statement.
    """

    name: str | None
    query: str
    start: int
    tokens: tuple[Token, ...]
    options: str | None
    options_start: int
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadStatement:
    """A statement that is none of a view's; its name, if that can be told all the same."""

    name: str | None
    start: int
    error: UserError


def split_statements(text: str, file: str) -> list[ViewStatement | BadStatement]:
    """The statements of a file; one that is wrong leaves the others as they are."""
    groups: list[list[Token]] = [[]]
    for token in tokenize(text, file):
        if token.token_type == TokenType.SEMICOLON:
            groups.append([])
        else:
            groups[-1].append(token)
    found: list[ViewStatement | BadStatement] = []
    begin = 0
    for group in filter(None, groups):
        try:
            found.append(_statement(text, file, group, begin))
        except UserError as error:
            found.append(BadStatement(name=next(iter(names_in(text, begin)), None), start=group[0].start, error=error))
        begin = group[-1].end + 1
    return found


def names_in(text: str, begin: int = 0) -> list[str]:
    """The names of the views that a text creates, told without reading it as SQL: it may not be any."""
    return [match[1].strip("`") for match in _NAME.finditer(text, begin)]


def _statement(text: str, file: str, tokens: list[Token], begin: int) -> ViewStatement:
    comment = _OPTIONS.search(text, begin, tokens[0].start)
    name, said, first = None, "", tokens[0]
    if tokens[0].text.upper() == "CREATE":
        name, said, first = _create_head(text, file, tokens)
    above = "\n".join(line[1].rstrip() for line in _COMMENT.finditer(text, begin, tokens[0].start))
    return ViewStatement(
        name=name,
        query=text[first.start : tokens[-1].end + 1],
        start=first.start,
        tokens=tuple(t for t in tokens if t.start >= first.start),
        options=comment[1] if comment else None,
        options_start=comment.start(1) if comment else 0,
        comment="\n".join(part for part in (said, above.strip("\n")) if part),
    )


def _create_head(text: str, file: str, tokens: list[Token]) -> tuple[str, str, Token]:
    """CREATE [OR REPLACE] MATERIALIZED VIEW [IF NOT EXISTS] name [COMMENT 'text'] AS query: name, comment, query."""
    words = [t.text.upper() for t in tokens]
    at = 3 if words[1:3] in (["OR", "REPLACE"], ["OR", "REFRESH"]) else 1
    if words[at : at + 2] != ["MATERIALIZED", "VIEW"]:
        meant = next((kind for word, kind in _REFUSED if word in words[at : at + 3]), None)
        message = f"{meant} are not supported" if meant else "only CREATE MATERIALIZED VIEW is supported"
        raise _refused(text, file, tokens[at if meant else 0], message)
    at += 2
    if words[at : at + 3] == ["IF", "NOT", "EXISTS"]:
        at += 3
    if at >= len(tokens):
        raise _refused(text, file, tokens[-1], "the view has no name")
    name = tokens[at].text
    at += 1
    comment = ""
    if words[at : at + 1] == ["COMMENT"] and at + 1 < len(tokens):
        if tokens[at + 1].token_type != TokenType.STRING:
            raise _refused(text, file, tokens[at + 1], f'expected a text in quotes after COMMENT of view "{name}"')
        comment = tokens[at + 1].text
        at += 2
    if words[at : at + 1] != ["AS"] or at + 1 >= len(tokens):
        where = tokens[min(at, len(tokens) - 1)]
        raise _refused(text, file, where, f'expected AS and a query after the name of view "{name}"')
    return name, comment, tokens[at + 1]


def _refused(text: str, file: str, token: Token, message: str) -> UserError:
    return UserError(
        message,
        code="unsupported-statement",
        span=Span.at(text, token.start, token.end - token.start + 1, file),
        hint="A view file holds one SELECT, or CREATE MATERIALIZED VIEW name AS SELECT ... statements.",
    )
