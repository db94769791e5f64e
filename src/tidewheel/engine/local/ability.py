"""What the local engine can run with Spark's answer, as DuckDB SQL."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tidewheel.engine.local import duck
from tidewheel.errors import TidewheelError, UserError
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.ir.zones import depends_on_zone
from tidewheel.project.config import ANSWER_SETTINGS
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view
from tidewheel.sql.unparse import to_duckdb

if TYPE_CHECKING:
    from tidewheel.project.graph import View


@functools.lru_cache(maxsize=1024)
def in_duckdb(
    sql: str, relations: tuple[CatalogRelation, ...], view: str | None, *, in_utc: bool
) -> tuple[str, tuple[Column, ...]]:
    """Bind and write out again; the same texts come back at every refresh."""
    return planned(bind_view(SqlText(sql=sql), {r.name.lower(): r for r in relations}).query, view, in_utc=in_utc)


def planned(query: Query, view: str | None, *, in_utc: bool) -> tuple[str, tuple[Column, ...]]:
    """A plan in DuckDB's words, and its columns."""
    if not in_utc and depends_on_zone(query.rel):
        raise not_local("a query that needs the calendar of another time zone than UTC", view)
    try:
        text = to_duckdb(query)
    except UserError as error:
        error.relation = view
        raise
    types, nullable = types_of(query.rel), nullable_of(query.rel)
    return text, tuple(Column(n, t, null) for n, t, null in zip(query.names, types, nullable, strict=True))


def runs_here(query: Query, settings: Mapping[str, str]) -> bool:
    """Does the local engine give Spark's answer to a query."""
    return why_not_here(query, settings) is None


def why_not_here(query: Query, settings: Mapping[str, str]) -> str | None:
    """Why the local engine does not run a query; None if it does."""
    try:
        require_here(query, settings, None)
    except UserError as error:
        return error.message
    return None


def require_here(query: Query, settings: Mapping[str, str], view: str | None) -> None:
    """Refuse a query that the local engine does not run."""
    require_rules(settings, view)
    try:
        planned(query, view, in_utc=is_utc(settings))
    except RecursionError:
        raise not_local("expressions so deep", view) from None


def require_rules(settings: Mapping[str, str], view: str | None) -> None:
    for key, value in ANSWER_SETTINGS.items():
        if settings.get(key, value) != value:
            raise not_local(f"queries with {key} = {settings[key]}", view)


def is_utc(settings: Mapping[str, str]) -> bool:
    return settings.get("spark.sql.session.timeZone", "UTC") == "UTC"


def not_local(what: str, view: str | None) -> UserError:
    return UserError(
        f"the local engine does not run {what}",
        code="not-local",
        relation=view,
        detail="It runs only what was shown to give the same answers as Spark.",
        hint="Use the Spark engine: leave out `engine: local`.",
    )


@contextmanager
def translated(view: View | None) -> Iterator[None]:
    import duckdb  # noqa: PLC0415

    what = f'view "{view.name}"' if view else "the query"
    try:
        yield
    except TidewheelError:
        raise
    except duckdb.Error as error:
        relation = view.name if view else None
        raise duck.write_error(error, "") or duck.failure(error, what, relation) from error
