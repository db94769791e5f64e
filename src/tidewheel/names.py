"""Names: which ones relations may have, which are ours, and how they are quoted."""

from __future__ import annotations

import re

from tidewheel.errors import Span, UserError

RESERVED_PREFIX = "_tw_"
WEIGHT = "_tw_weight"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def quote(name: str) -> str:
    """A name as a Spark SQL identifier, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def quote_double(name: str) -> str:
    """A name as a DuckDB identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as a SQL string literal for DuckDB."""
    return "'" + text.replace("'", "''") + "'"


def check_relation_name(name: str, *, span: Span | None = None) -> None:
    """Names become folders and SQL identifiers: letters, digits and underscores, beginning with a letter."""
    if not _PLAIN.fullmatch(name):
        reserved = name.lower().startswith("_")
        raise UserError(
            f'relation name "{name}" is {"reserved" if reserved else "not a plain name"}',
            code="reserved-name" if reserved else "bad-name",
            span=span,
            hint="Use letters, digits and underscores, beginning with a letter.",
        )


def check_column_name(name: str, seen: set[str], *, span: Span | None = None, relation: str | None = None) -> None:
    """Refuse our own prefix, and a name that stands in `seen` (lower case) already."""
    if name.lower().startswith(RESERVED_PREFIX):
        raise UserError(
            f'column name "{name}" is reserved',
            code="reserved-name",
            span=span,
            relation=relation,
            hint=f"Names that begin with {RESERVED_PREFIX} are Tidewheel's own.",
        )
    if name.lower() in seen:
        raise UserError(
            f'output column "{name}" appears twice',
            code="duplicate-column",
            span=span,
            relation=relation,
            hint="Give each output column its own name with AS.",
        )
