"""One SELECT as far as a project needs to know it: which relations it reads and what it calls its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token

from tidewheel.errors import Span, UserError
from tidewheel.names import check_column_name
from tidewheel.sql.dialect import parse
from tidewheel.sql.repair import GUESSED, beyond_parser, stand_in
from tidewheel.sql.text import tokenize

_SYNTAX_HINT = "Correct the SQL at this place; it is read as Spark SQL."
_DYNAMIC = frozenset({"identifier", "stream"})
_MANY_COLUMNS = (exp.Star, exp.Aliases)
_INLINE = frozenset({"inline", "inline_outer"})
_BEGINNINGS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "(", "MAP", "REDUCE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A relation's name where a query reads it; one that is `guessed` is none if there is no such relation."""

    name: str
    span: Span
    guessed: bool = False


def parse_statements(text: str, file: str) -> list[exp.Expr]:
    """Parse a text; a syntax error points into it. What does not begin as a query is none."""
    tokens = tokenize(text, file)
    return parse_tokens(tokens, text, file) if begins_query(tokens) else []


def parse_tokens(tokens: Sequence[Token], text: str, file: str) -> list[exp.Expr]:
    """Parse tokens of a file; the positions of nodes and errors are the file's."""
    try:
        return parse(tokens, text)
    except ParseError as error:
        if beyond_parser(tokens) is None:
            raise syntax_error(error, text, file) from error
        return [stand_in(tokens)]
    except RecursionError as error:
        raise UserError(
            "the query is nested too deeply",
            code="sql-syntax",
            hint="Take it apart: write inner parts as views of their own.",
            span=Span.at(text, tokens[0].start, len(tokens[0].text), file),
        ) from error


def syntax_error(error: ParseError, text: str, file: str) -> UserError:
    span = None
    message = "the SQL text cannot be parsed"
    if error.errors:
        first = error.errors[0]
        highlight = str(first.get("highlight") or "")
        lines = text.splitlines(keepends=True)
        line, end = int(first.get("line") or 1), int(first.get("col") or 1)
        column = max(1, end - len(highlight) + 1)
        start = sum(len(part) for part in lines[: line - 1]) + column - 1
        span = Span.at(text, start, len(highlight.splitlines()[0]) if highlight else 1, file)
        what = str(first.get("description") or "").split(" but got ")[0].rstrip(".")
        what = "Something is missing here" if "<class" in what else what
        message = f'syntax error at or near "{highlight}"' if highlight else "syntax error"
        return UserError(message, code="sql-syntax", detail=f"{what}." if what else None, span=span, hint=_SYNTAX_HINT)
    return UserError(message, code="sql-syntax", detail=str(error).splitlines()[0], span=span, hint=_SYNTAX_HINT)


def references(query: exp.Expr, text: str, file: str) -> list[Reference]:
    """The relations a query reads, in order of appearance; names of CTEs are not among them."""
    found: dict[str, Reference] = {}
    if (marker := query.find(exp.Placeholder, exp.Parameter)) is not None:
        raise UserError(
            "parameters are not supported",
            code="unsupported-statement",
            span=span_of(marker, text, file),
            hint="Write the value itself: there is nobody to ask for it.",
        )
    for table in _tables(query):
        if isinstance(table.this, exp.Anonymous):
            raise UserError(
                f"{table.this.name.upper()}() is not supported",
                code="unsupported-statement",
                span=span_of(table, text, file),
                detail="A view's inputs are found by reading its SQL.",
                hint="Write the relation's own name.",
            )
        if table.args.get("db") or table.args.get("catalog"):
            raise UserError(
                f'relation "{table.sql(dialect="spark")}" does not exist',
                code="unknown-relation",
                span=span_of(table, text, file),
                detail="Sources and views have plain names, without a catalog or schema.",
                hint="Declare the table as a source in tidewheel.yml and use the source's name.",
            )
        reference = Reference(name=table.name, span=span_of(table, text, file), guessed=GUESSED in table.meta)
        found.setdefault(table.name.lower(), reference)
    return list(found.values())


def _tables(query: exp.Expr) -> Iterator[exp.Table]:
    """Tables of a query, minding which CTE names are visible where; without recursion, for long sums are deep trees."""
    todo: list[tuple[exp.Expr, frozenset[str]]] = [(query, frozenset())]
    while todo:
        node, hidden = todo.pop()
        below: list[tuple[exp.Expr, frozenset[str]]] = []
        with_ = node.args.get("with_") or node.args.get("with")
        if isinstance(with_, exp.With):
            for cte in with_.expressions:
                below.append((cte.this, hidden | {cte.alias.lower()} if with_.recursive else hidden))
                hidden |= {cte.alias.lower()}
        if isinstance(node, exp.Table) and _is_input(node, hidden):
            yield node
        for key, value in node.args.items():
            if key not in {"with_", "with"}:
                children = value if isinstance(value, list) else [value]
                below += [(child, hidden) for child in children if isinstance(child, exp.Expr)]
        todo += reversed(below)


def _is_input(table: exp.Table, hidden: frozenset[str]) -> bool:
    if isinstance(table.this, exp.Anonymous):
        return table.this.name.lower() in _DYNAMIC
    is_name = isinstance(table.this, exp.Identifier)
    return is_name and bool(table.args.get("db") or table.name.lower() not in hidden)


def span_of(node: exp.Expr, text: str, file: str) -> Span:
    """Where a node stands: from the first to the last position known below it."""
    marks = [n.meta for n in node.walk() if "start" in n.meta and "end" in n.meta]
    if not marks:
        return Span.at(text, 0, 1, file)
    start, end = min(m["start"] for m in marks), max(m["end"] for m in marks)
    line_end = text.find("\n", start)
    end = end if line_end < 0 else min(end, line_end - 1)
    return Span.at(text, start, end - start + 1, file)


def check_outputs(query: exp.Expr, text: str, file: str) -> None:
    """Every output column has a name, no two the same, none of ours."""
    seen: set[str] = set()
    first = _first_query(query)
    if not isinstance(first, exp.Select):
        return
    if not first.expressions:
        where = span_of(first, text, file)
        raise UserError(
            "the query selects nothing", code="sql-syntax", span=where, hint="Name its columns after SELECT."
        )
    for position, column in enumerate(first.expressions, start=1):
        name = column.alias_or_name if isinstance(column, (exp.Alias, exp.Column, exp.Dot)) else ""
        is_inline = isinstance(column, exp.Anonymous) and column.name.lower() in _INLINE
        if isinstance(column, _MANY_COLUMNS) or column.is_star or is_inline:
            continue
        where = span_of(column, text, file)
        if not name:
            raise UserError(
                f"output column {position} has no name",
                code="unnamed-column",
                span=where,
                hint="Give the expression a name with AS.",
            )
        check_column_name(name, seen, span=where)
        seen.add(name.lower())


def _first_query(query: exp.Expr) -> exp.Expr:
    """The part of a query that names its columns: of a union, the first."""
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    return query


def begins_query(tokens: Sequence[Token]) -> bool:
    """May a statement be a query, by its first word; what is none need not be read, nor warned of by the parser."""
    return bool(tokens) and tokens[0].text.upper() in _BEGINNINGS


def is_query(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Select, exp.SetOperation, exp.Subquery, exp.Values))
