"""Spark SQL bound to the algebra: `bind` gives a plan whose meaning is exactly what Spark makes of the text."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import TokenType

from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Opaque, Query
from tidewheel.sql.bind.catalog import Catalog, CatalogRelation
from tidewheel.sql.bind.clauses import check_clauses
from tidewheel.sql.bind.environment import Environment
from tidewheel.sql.bind.queries import bind_query
from tidewheel.sql.bind.text import NotBoundError, SqlText
from tidewheel.sql.dialect import parse
from tidewheel.sql.query import references, syntax_error
from tidewheel.sql.repair import BEYOND, beyond_parser, has_unsigned_shift, stand_in
from tidewheel.types import UNKNOWN

__all__ = ["BoundView", "Catalog", "CatalogRelation", "SqlText", "bind", "bind_view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundView:
    """A bound query, and the text that means the same to Spark: the user's own, with its orders completed."""

    query: Query
    sql: str


def bind(sql: str, catalog: Catalog) -> Query:
    """The plan of a query; of one that the algebra cannot express, an Opaque plan that says why."""
    return bind_view(SqlText(sql=sql), catalog).query


def bind_view(text: SqlText, catalog: Catalog) -> BoundView:
    tree = _parse(text)
    if isinstance(tree, NotBoundError):
        return BoundView(query=_opaque(text, catalog, stand_in(text.tokens), tree.reason, str(tree)), sql=text.original)
    env = Environment(catalog, text, bind_query)
    try:
        check_clauses(text)
        _refuse_unread(text)
        bound = env.query(tree, None)
    except (NotBoundError, RecursionError) as error:
        reason = error.reason if isinstance(error, NotBoundError) else "too-deep"
        what = str(error) if isinstance(error, NotBoundError) else "a query that is nested as deeply as this one"
        return BoundView(query=_opaque(text, catalog, tree, reason, what), sql=text.original)
    query = Query(rel=bound.rel, names=bound.names, notes=tuple(env.notes))
    return BoundView(query=query, sql=text.completed())


def _refuse_unread(text: SqlText) -> None:
    """What the parser reads as something else."""
    if any(t.token_type == TokenType.PIPE_GT for t in text.tokens):
        raise NotBoundError("pipe-syntax", "the pipe operator |>")
    if has_unsigned_shift(text.tokens, text.sql):
        raise NotBoundError("unsigned-shift", "the operator >>>")


def _parse(text: SqlText) -> exp.Expr | NotBoundError:
    """The tree of a query, or why there is none although Spark may well read it."""
    try:
        parsed = parse(text.tokens, text.sql)
    except ParseError as error:
        if (reason := beyond_parser(text.tokens)) is not None:
            return NotBoundError(reason, BEYOND[reason])
        raise syntax_error(error, text.sql, text.file) from error
    except RecursionError as error:
        hint = "Take it apart: write inner parts as views of their own."
        raise text.error("the query is nested too deeply", None, code="sql-syntax", hint=hint) from error
    if len(parsed) != 1:
        raise text.error("there must be one query", parsed[1] if parsed else None, code="sql-syntax")
    return parsed[0]


def _opaque(text: SqlText, catalog: Catalog, tree: exp.Expr, reason: str, what: str) -> Query:
    """The whole query, to be recomputed; its columns are known as far as the select list names them."""
    first = tree
    while isinstance(first, (exp.SetOperation, exp.Subquery)):
        first = first.this
    items = first.expressions if isinstance(first, exp.Select) else []
    names = [i.alias_or_name for i in items]
    known = all(names) and not any(i.is_star or isinstance(i, exp.Aliases) for i in items)
    columns = tuple(Column(n, UNKNOWN) for n in names) if known else ()
    found = references(tree, text.sql, text.file)
    reads = tuple(r.name for r in found if not r.guessed or r.name.lower() in catalog)
    note = f"recomputed each time; not supported: {what or reason}"
    rel = Opaque(sql=text.original, reads=reads, columns=columns, reason=reason)
    return Query(rel=rel, names=tuple(c.name for c in columns), notes=(note,))
