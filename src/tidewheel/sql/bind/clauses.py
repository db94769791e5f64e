"""Clauses in an order that Spark does not read, though the parser does: seen in the tokens."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tidewheel.errors import Span, UserError
from tidewheel.sql.bind.text import SqlText

_RANKS: Final = {
    TokenType.WHERE: 1, TokenType.GROUP_BY: 2, TokenType.HAVING: 3, TokenType.ORDER_BY: 4, TokenType.LIMIT: 5,
}  # fmt: skip
_ANEW: Final = frozenset({
    TokenType.SELECT, TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT, TokenType.PIPE_GT, TokenType.SEMICOLON,
    TokenType.FROM,
})  # fmt: skip
_NAMES: Final = frozenset({TokenType.DOT, TokenType.ALIAS, TokenType.COMMA})


def check_clauses(text: SqlText) -> None:
    """WHERE, GROUP BY, HAVING, ORDER BY and LIMIT come in this order; no comma stands before FROM."""
    ranks = [0]
    tokens = text.tokens
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        kind = token.token_type
        if kind == TokenType.L_PAREN:
            ranks.append(0)
        elif kind == TokenType.R_PAREN and len(ranks) > 1:
            ranks.pop()
        elif kind in _ANEW:
            ranks[-1] = 0
            if kind == TokenType.FROM and before is not None and before.token_type == TokenType.COMMA:
                _refuse_comma(text, before, after)
        elif kind in _RANKS and (before is None or before.token_type not in _NAMES) and _is_clause(kind, after):
            if _RANKS[kind] < ranks[-1]:
                raise _error(text, token, f"{token.text.upper()} stands too late", "Clauses have one order.")
            ranks[-1] = _RANKS[kind]


def _is_clause(kind: TokenType, after: Token | None) -> bool:
    """LIMIT and WHERE are names too; LIMIT is a clause before a number."""
    if kind == TokenType.LIMIT:
        return after is not None and after.token_type == TokenType.NUMBER
    return after is not None and after.token_type not in {TokenType.COMMA, TokenType.DOT, TokenType.R_PAREN}


def _refuse_comma(text: SqlText, comma: Token, after: Token | None) -> None:
    """`SELECT a, from FROM t` has a column of this name."""
    if after is not None and after.token_type in {TokenType.VAR, TokenType.L_PAREN, TokenType.IDENTIFIER}:
        raise _error(text, comma, "a comma stands before FROM", "Remove it.")


def _error(text: SqlText, token: Token, message: str, hint: str) -> UserError:
    whole = text.sql if text.file_text is None else text.file_text
    span = Span.at(whole, text.offset + token.start, token.end - token.start + 1, text.file)
    return UserError(message, code="sql-syntax", hint=hint, span=span)
