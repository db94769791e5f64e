"""The text being bound: places for errors, literals as Spark reads them, and where to insert tie-breakers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from tidewheel.errors import Span, UserError
from tidewheel.sql.dialect import PlainSpark
from tidewheel.sql.text import escape_quotes, tokenize

_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-3][0-7]{2}|.)", re.DOTALL)
_PLAIN: Final = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END})
_FIRST_WORDS: Final[dict[type[exp.Expr], str]] = {
    exp.Select: "SELECT", exp.Subquery: "SELECT", exp.Values: "VALUES", exp.Exists: "EXISTS", exp.Any: "ANY",
    exp.If: "IF", exp.Case: "CASE", exp.TryCast: "TRY_CAST", exp.Cast: "CAST", exp.Interval: "INTERVAL",
    exp.Extract: "EXTRACT",
}  # fmt: skip


def count(number: int, noun: str) -> str:
    """As in `1 column`, `2 columns`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


HINTS: Final = {
    "alias-columns": "Give as many names as there are columns.",
    "ambiguous-column": "Put the table's name or alias before it.",
    "bad-cast": "Cast to another type, or take the value apart first.",
    "bad-frame": "Correct the frame, or leave it out.",
    "bad-lambda": "Look up what the function passes to its lambda.",
    "bad-limit": "Write a whole number.",
    "bad-literal": "Correct the constant.",
    "bad-ordinal": "Name the column instead.",
    "duplicate-cte": "Rename one of them.",
    "duplicate-window": "Rename one of them.",
    "misplaced-aggregate": "Compute it in a subquery, or filter by it with HAVING.",
    "misplaced-grouping": "Use it in SELECT, HAVING or ORDER BY of a query with GROUP BY.",
    "misplaced-subquery": "Write it as a join, or in WHERE or SELECT.",
    "misplaced-window": "Compute it in a subquery and use its column here.",
    "nested-aggregate": "Compute the inner one in a subquery.",
    "no-common-type": "Cast them to one type.",
    "not-boolean": "Compare it with a value.",
    "not-grouped": "Put it into GROUP BY, or into an aggregate.",
    "order-by-distinct": "Order by columns that are selected.",
    "set-operation-columns": "Select as many columns on both sides.",
    "sql-syntax": "Correct the SQL at this place; it is read as Spark SQL.",
    "subquery-columns": "Select one column in the subquery, or as many as it is compared with.",
    "type-mismatch": "Cast the values, or use other ones.",
    "unknown-column": "Only columns of relations in the FROM clause can be seen here.",
    "values-width": "Give every row as many values.",
    "window-order": "Add ORDER BY to its OVER clause.",
    "wrong-arguments": "Look the function up in the reference of Spark SQL.",
}
"""What to do next, by code, where an error has nothing better to say."""


class NotBoundError(Exception):
    """A construct that the algebra does not have; the view is recomputed, with this reason."""

    def __init__(self, reason: str, what: str) -> None:
        super().__init__(what)
        self.reason, self.what = reason, what


@dataclass(slots=True)
class SqlText:
    """A query's text, its place in its file, and the insertions that complete its orders."""

    sql: str
    file: str = "<query>"
    offset: int = 0
    file_text: str | None = None
    functions: frozenset[str] = frozenset()
    """Names of functions that Spark has here beside its own, in lower case."""
    insertions: list[tuple[int, str]] = field(default_factory=list)
    original: str = field(init=False)
    _tokens: list[Token] | None = None

    def __post_init__(self) -> None:
        """Doubled quotes are read as escaped ones, for all parsers agree on those; what runs is the user's own text."""
        self.original, self.sql = self.sql, escape_quotes(self.sql)

    @property
    def tokens(self) -> list[Token]:
        if self._tokens is None:
            self._tokens = tokenize(self.sql, self.file, PlainSpark)
        return self._tokens

    def span(self, node: exp.Expr | None) -> Span:
        """All of a node, within one line."""
        start, end = self.extent(node) if node is not None else (0, 0)
        line_end = self.sql.find("\n", start)
        end = end if line_end < 0 else min(end, line_end - 1)
        text = self.sql if self.file_text is None else self.file_text
        return Span.at(text, self.offset + start, end - start + 1, self.file)

    def range(self, node: exp.Expr) -> tuple[int, int]:
        marks = [n.meta for n in node.walk() if "start" in n.meta and "end" in n.meta]
        if not marks:
            return 0, 0
        return min(m["start"] for m in marks), max(m["end"] for m in marks)

    def extent(self, node: exp.Expr) -> tuple[int, int]:
        """From a node's first word to its last parenthesis: only names and constants know their place."""
        if isinstance(node, exp.WindowSpec) and node.parent is not None:  # a frame may have no name or constant in it
            node = node.parent
        start, end = self.range(node)
        tokens = self.tokens
        first = next((i for i, t in enumerate(tokens) if t.start >= start), 0)
        last = max((i for i, t in enumerate(tokens) if t.end <= end), default=first)
        if isinstance(node, exp.Anonymous) and not node.expressions and self._is(last + 1, TokenType.L_PAREN):
            last += 1
        opener = next((word for kind, word in _FIRST_WORDS.items() if isinstance(node, kind)), None)
        if opener is not None:
            first = max((i for i in range(first) if tokens[i].text.upper() == opener), default=first)
        elif isinstance(node, exp.Neg) and first:
            first -= 1
        last = self._closed(first, last)
        if (
            isinstance(node, exp.Query)
            and self._is(first - 1, TokenType.L_PAREN)
            and self._is(last + 1, TokenType.R_PAREN)
        ):
            first, last = first - 1, last + 1
        return int(tokens[first].start), int(tokens[last].end)

    def _is(self, i: int, kind: TokenType) -> bool:
        return 0 <= i < len(self.tokens) and self.tokens[i].token_type == kind

    def _closed(self, first: int, last: int) -> int:
        """The last of some tokens, or the one that closes what is still open among them."""
        kinds = [t.token_type for t in self.tokens]
        depth = sum((k in _OPENING) - (k in _CLOSING) for k in kinds[first : last + 1])
        while depth > 0 and last + 1 < len(kinds):
            last += 1
            depth += (kinds[last] in _OPENING) - (kinds[last] in _CLOSING)
        return last

    def error(self, message: str, node: exp.Expr | None, *, code: str, detail: str | None = None,
              hint: str | None = None) -> UserError:  # fmt: skip
        return UserError(message, code=code, detail=detail, hint=hint or HINTS.get(code), span=self.span(node))

    def string(self, node: exp.Literal) -> str:
        """A string literal's value by Spark's own rules: sqlglot unescapes some sequences differently."""
        raw = self.sql[node.meta["start"] : node.meta["end"] + 1] if "start" in node.meta else ""
        if len(raw) > 2 and raw[0] in "rR" and raw[1] in "'\"":
            return raw[2:-1]
        if len(raw) < 2 or raw[-1] != raw[0] or raw[0] not in "'\"":  # the second of two side by side has no place
            if "\\" in str(node.this):
                raise NotBoundError("string-literal", "a string literal that is not read as Spark reads it")
            return str(node.this)
        return _ESCAPE.sub(_unescape, raw[1:-1])

    def insert(self, position: int, text: str) -> None:
        self.insertions.append((position, text))

    def completed(self) -> str:
        """The user's text with all insertions made: positions are the same in it."""
        sql = self.original
        for position, text in sorted(set(self.insertions), reverse=True):
            sql = sql[:position] + text + sql[position:]
        return sql


def _unescape(match: re.Match[str]) -> str:
    what = match[1]
    if what[0] in "uU" and len(what) > 1:
        return chr(int(what[1:], 16))
    if len(what) == 3:
        return chr(int(what, 8))
    return _PLAIN.get(what, what)
