"""Spark SQL that sqlglot's parser does not take, in words that it does; what is beyond that is at least understood.

    GROUP BY window(ts, '1 hour')    `window` is a function here, not the clause
    TABLE t                          SELECT * FROM t
    FROM t AS values                 a name
    a >>> 1                          read as a >> 1; whoever binds it sees the text, and says that it cannot

Of queries with other syntax of which the parser knows nothing (some pipe operators, paths into VARIANT, TRANSFORM with
a script) the relations that they read are found among the words: those that stand where a relation must, and any other
that has a relation's name. One too many costs a refresh; one too few would show old rows. Spark runs them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

_NAMES: Final = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_BEFORE_QUERY: Final = frozenset(
    {TokenType.L_PAREN, TokenType.ALIAS, TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.ALL}
)
_NESTED_TYPES: Final = frozenset({TokenType.ARRAY, TokenType.MAP, TokenType.STRUCT})
BEYOND: Final = {
    "pipe-syntax": "the pipe operator |>",
    "transform": "TRANSFORM with a script",
    "variant-path": "a path into a VARIANT",
}
"""Syntax of which the parser knows nothing, or not all."""
_OTHER_LISTS: Final = frozenset(
    {"SELECT", "WHERE", "GROUP", "ORDER", "BY", "HAVING", "ON", "USING", "VIEW", "MAP", "REDUCE", "|>"}
)
"""What commas stand in, besides FROM."""
GUESSED: Final = "guessed"
"""Marks a table that is read only if there is one of that name."""
_WITH_FROM: Final = frozenset({"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY"})
"""Functions with FROM between their arguments."""


def repaired(tokens: Sequence[Token]) -> list[Token]:
    """Tokens that the parser reads as Spark reads the text."""
    found: list[Token] = []
    types = 0  # that are open: ARRAY<MAP<STRING,
    for i, token in enumerate(tokens):
        before, after = tokens[i - 1] if i else None, tokens[i + 1 : i + 3]
        match token.token_type:
            case TokenType.WINDOW if not _is_clause(after):
                found.append(_as(token, TokenType.VAR, token.text))
            case TokenType.VALUES if _is_name(before, after):
                found.append(_as(token, TokenType.VAR, token.text))
            case TokenType.TABLE if _is_query(before, after):
                words = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))
                found += [_as(token, kind, text) for kind, text in words]
            case TokenType.GT if not types and _is_unsigned_shift(tokens[max(i - 2, 0) : i + 1]):
                continue
            case _:
                found.append(token)
                types = max(types + _opens_type(before, token) - (token.token_type == TokenType.GT), 0)
    return found


def _opens_type(before: Token | None, token: Token) -> bool:
    return token.token_type == TokenType.LT and before is not None and before.token_type in _NESTED_TYPES


def _is_clause(after: Sequence[Token]) -> bool:
    """Does WINDOW begin a clause: WINDOW w AS (...)."""
    is_name = bool(after) and after[0].token_type in {*_NAMES, TokenType.WINDOW}
    return is_name and len(after) == 2 and after[1].token_type == TokenType.ALIAS


def _is_name(before: Token | None, after: Sequence[Token]) -> bool:
    """Is VALUES somebody's name: `FROM t AS values`, `values.a`."""
    kind = after[0].token_type if after else None
    is_alias = before is not None and before.token_type == TokenType.ALIAS
    starts_row = kind in {TokenType.L_PAREN, TokenType.NUMBER, TokenType.STRING}
    return kind == TokenType.DOT or (is_alias and not starts_row)


def _is_query(before: Token | None, after: Sequence[Token]) -> bool:
    starts = before is None or before.token_type in _BEFORE_QUERY
    is_call = len(after) == 2 and after[1].token_type == TokenType.L_PAREN
    return starts and bool(after) and after[0].token_type in _NAMES and not is_call


def _is_unsigned_shift(tokens: Sequence[Token]) -> bool:
    """Are three tokens side by side `>>>`."""
    kinds = [t.token_type for t in tokens]
    return kinds == [TokenType.GT] * 3 and tokens[2].start == tokens[0].start + 2


def has_unsigned_shift(tokens: Sequence[Token], text: str) -> bool:
    """Was one among repaired tokens: the last sign of `>>>` is no token any more."""
    signs = {t.start for t in tokens if t.token_type == TokenType.GT}
    return any(text.startswith(">>>", start) and start + 2 not in signs for start in signs)


def _as(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, [])


def beyond_parser(tokens: Sequence[Token]) -> str | None:
    """What there is in a query that Spark reads and the parser does not; None if there is nothing of the kind."""
    if any(t.token_type == TokenType.PIPE_GT for t in tokens):
        reason = "pipe-syntax"
    elif any(t.text.upper() == "TRANSFORM" and _is_script(tokens[i + 1 :]) for i, t in enumerate(tokens)):
        reason = "transform"
    elif has_path(tokens):
        reason = "variant-path"
    else:
        return None
    return reason


def _is_script(tokens: Sequence[Token]) -> bool:
    """Does USING follow what stands in parentheses."""
    depth = 0
    for token in tokens:
        if depth == 0 and token.token_type != TokenType.L_PAREN:
            return token.text.upper() == "USING"
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
    return False


def has_path(tokens: Sequence[Token]) -> bool:
    return any(map(_is_path, tokens, tokens[1:], tokens[2:]))


def _is_path(value: Token, colon: Token, step: Token) -> bool:
    """Is it `value:step`, and not a field of a struct and its type, nor a parameter."""
    joined = value.end + 1 == colon.start and colon.end + 1 == step.start
    is_value = value.token_type in {*_NAMES, TokenType.R_PAREN, TokenType.R_BRACKET}
    return joined and is_value and colon.token_type == TokenType.COLON and step.token_type in _NAMES


def stand_in(tokens: Sequence[Token]) -> exp.Expr:
    """A query that reads what the tokens read, for whoever asks what that is."""
    tables = [_table(token) for token in _read(tokens)]
    tables += [_table(token, GUESSED) for token in _words(tokens)]
    select = exp.Select(expressions=[exp.Star()])
    if tables:
        select.set("from_", exp.From(this=tables[0]))
        select.set("joins", [exp.Join(this=table, kind="CROSS") for table in tables[1:]])
    return select


def _table(token: Token, *marks: str) -> exp.Table:
    name = exp.to_identifier(token.text, quoted=token.token_type == TokenType.IDENTIFIER)
    name.meta.update({"start": token.start, "end": token.end})
    table = exp.Table(this=name)
    table.meta.update(dict.fromkeys(marks, True))
    return table


def _read(tokens: Sequence[Token]) -> Iterator[Token]:
    """Names after FROM and JOIN, and after commas between them, but for those of CTEs and functions."""
    own = {a.text.lower() for a, b, c in zip(tokens, tokens[1:], tokens[2:], strict=False) if _is_cte(a, b, c)}
    calls: list[str] = []
    expected = {0: False}
    for i, token in enumerate(tokens):
        depth = len(calls)
        before = tokens[i - 1].text.upper() if i else ""
        if token.token_type == TokenType.L_PAREN:
            calls.append(before)
            expected[depth + 1] = expected[depth]
        elif token.token_type == TokenType.R_PAREN and calls:
            calls.pop()
        elif token.text.upper() == "FROM":
            expected[depth] = before != "DISTINCT" and not (calls and calls[-1] in _WITH_FROM)
            continue
        elif token.token_type in {TokenType.JOIN, TokenType.TABLE}:
            expected[depth] = True
            continue
        elif expected[depth] and token.token_type in _NAMES and not (_is_call(tokens, i) or token.text.lower() in own):
            yield token
        expected[depth] = token.token_type == TokenType.COMMA and _lists_tables(tokens, i)


def _words(tokens: Sequence[Token]) -> Iterator[Token]:
    """Every word that may be a relation's name: what is read but not found would never be refreshed."""
    for i, token in enumerate(tokens):
        is_name = token.token_type in _NAMES or (token.text.isidentifier() and "STRING" not in token.token_type.name)
        is_part = i > 0 and tokens[i - 1].token_type in {TokenType.DOT, TokenType.ALIAS}
        if is_name and not is_part and not _is_call(tokens, i):
            yield token


def _is_cte(name: Token, alias: Token, opening: Token) -> bool:
    return name.token_type in _NAMES and alias.token_type == TokenType.ALIAS and opening.token_type == TokenType.L_PAREN


def _is_call(tokens: Sequence[Token], i: int) -> bool:
    """Is the name one of a function."""
    return i + 1 < len(tokens) and tokens[i + 1].token_type == TokenType.L_PAREN


def _lists_tables(tokens: Sequence[Token], at: int) -> bool:
    """Does a comma surely stand between tables: is the last clause before it, at its own depth, FROM."""
    depth = 0
    for token in reversed(tokens[:at]):
        depth += (token.token_type == TokenType.R_PAREN) - (token.token_type == TokenType.L_PAREN)
        if depth < 0 or (depth == 0 and token.text.upper() in _OTHER_LISTS):
            return False
        if depth == 0 and token.text.upper() == "FROM":
            return True
    return False
