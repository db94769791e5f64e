"""One SELECT as far as a project needs to know it: which relations it reads and what it calls its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token

from tidewheel.errors import Span, UserError
from tidewheel.names import check_column_name
from tidewheel.sql.text import tokenize

_MANY_COLUMNS = (exp.Star, exp.Inline, exp.Aliases)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A relation's name where a query reads it."""

    name: str
    span: Span


def parse_statements(text: str, file: str) -> list[exp.Expr]:
    """Parse a text; a syntax error points into it."""
    return parse_tokens(tokenize(text, file), text, file)


def parse_tokens(tokens: Sequence[Token], text: str, file: str) -> list[exp.Expr]:
    """Parse tokens of a file; the positions of nodes and errors are the file's."""
    try:
        parsed = Spark().parser().parse(list(tokens), text)
    except ParseError as error:
        raise _syntax_error(error, text, file) from error
    return [statement for statement in parsed if statement is not None]


def _syntax_error(error: ParseError, text: str, file: str) -> UserError:
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
        message = f'syntax error at or near "{highlight}"' if highlight else "syntax error"
        return UserError(message, code="sql-syntax", detail=f"{what}." if what else None, span=span)
    return UserError(message, code="sql-syntax", detail=str(error).splitlines()[0], span=span)


def references(query: exp.Expr, text: str, file: str) -> list[Reference]:
    """The relations a query reads, in order of appearance; names of CTEs are not among them."""
    found: dict[str, Reference] = {}
    for table in _tables(query, frozenset()):
        if table.args.get("db") or table.args.get("catalog"):
            raise UserError(
                f'relation "{table.sql(dialect="spark")}" does not exist',
                code="unknown-relation",
                span=span_of(table, text, file),
                detail="Sources and views have plain names, without a catalog or schema.",
                hint="Declare the table as a source in tidewheel.yml and use the source's name.",
            )
        found.setdefault(table.name.lower(), Reference(name=table.name, span=span_of(table, text, file)))
    return list(found.values())


def _tables(node: exp.Expr, hidden: frozenset[str]) -> Iterator[exp.Table]:
    """Tables below a node, minding which CTE names are visible where."""
    with_ = node.args.get("with_") or node.args.get("with")
    if isinstance(with_, exp.With):
        for cte in with_.expressions:
            inside = hidden | {cte.alias.lower()} if with_.recursive else hidden
            yield from _tables(cte.this, inside)
            hidden |= {cte.alias.lower()}
    if isinstance(node, exp.Table):
        is_name = isinstance(node.this, exp.Identifier)
        if is_name and (node.args.get("db") or node.name.lower() not in hidden):
            yield node
    for key, value in node.args.items():
        if key in {"with_", "with"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, exp.Expr):
                yield from _tables(child, hidden)


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
    for position, column in enumerate(_outputs(query), start=1):
        name = column.alias_or_name if isinstance(column, (exp.Alias, exp.Column, exp.Dot)) else ""
        if isinstance(column, _MANY_COLUMNS) or column.is_star:
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


def _outputs(query: exp.Expr) -> list[exp.Expr]:
    node: exp.Expr | None = query
    while isinstance(node, (exp.SetOperation, exp.Subquery)):
        node = node.this
    return list(node.expressions) if isinstance(node, exp.Select) else []


def is_query(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Select, exp.SetOperation, exp.Subquery, exp.Values))
