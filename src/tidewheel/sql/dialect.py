"""Spark SQL as we read it: sqlglot's parser, but functions keep their names.

Sqlglot has its own idea of some 700 functions and rewrites them to what it takes for the same (`log` to `ln`,
`date_add` to an addition, `1.5BD` to a cast that loses the fraction). Here every call stays as the user wrote it, and
only what has a syntax of its own (CAST, EXTRACT, TRIM ... FROM) is parsed by special rules.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token

from tidewheel.sql.repair import has_path

logging.getLogger("sqlglot").addHandler(logging.NullHandler())  # or its warnings reach standard error

_WITH_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "POSITION", "SUBSTRING", "SUBSTR", "OVERLAY")


class PlainSpark(Spark):
    """Register once, use by class."""

    class Tokenizer(Spark.Tokenizer):
        # 1.5BD would become CAST(1.5 AS DECIMAL), which is 2; with no such type it stays one token.
        NUMERIC_LITERALS: ClassVar = {**Spark.Tokenizer.NUMERIC_LITERALS, "BD": "MONEY"}

    class Parser(SparkParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
        FUNCTION_PARSERS: ClassVar = {k: v for k, v in SparkParser.FUNCTION_PARSERS.items() if k in _WITH_SYNTAX}
        NO_PAREN_FUNCTION_PARSERS: ClassVar = {
            k: v for k, v in SparkParser.NO_PAREN_FUNCTION_PARSERS.items() if k in {"ANY", "CASE", "IF"}
        }

        def _parse_types(self, *args: Any, **options: Any) -> exp.Expr | None:
            """A type keeps its spelling: to sqlglot TEXT is STRING, to Spark it is nothing."""
            first = self._index
            found = super()._parse_types(*args, **options)
            if isinstance(found, exp.DataType):
                found.meta["spelled"] = " ".join(token.text for token in self._tokens[first : self._index])
            return found

        def _parse_star_op(self, *words: str) -> Any:
            """EXCLUDE for EXCEPT is not Spark's."""
            return super()._parse_star_op(*(word for word in words if word != "EXCLUDE"))

        def _warn_unsupported(self) -> None:
            """What it takes for a command is none of a view's, and the user is told so in our words."""


def parse(tokens: Sequence[Token], text: str) -> list[exp.Expr]:
    """The statements of a text; whatever the parser stumbles over is an error of the text, but too deep a nesting."""
    try:
        parsed = PlainSpark().parser().parse(list(tokens), text)
    except (ParseError, RecursionError):
        raise
    except Exception as error:
        raise ParseError("It is not understood.") from error
    found = [s for s in parsed if s is not None and not isinstance(s, exp.Semicolon)]  # a comment behind the last one
    if has_path(tokens) and any(statement.find(exp.Placeholder) for statement in found):
        raise ParseError("It is not understood.")  # `v:a` was read as `v` and a parameter
    for statement in found:
        for call in statement.find_all(exp.Anonymous):
            _unquote(call)
    return found


def _unquote(call: exp.Anonymous) -> None:
    """A function is the same by a quoted name."""
    if isinstance(call.this, exp.Identifier):
        call.meta.update(call.this.meta)
        call.set("this", call.this.name)
