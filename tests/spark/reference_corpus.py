"""Whole queries on Spark and on the reference: bound, evaluated in plain Python, compared with Spark on the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests import corpus
from tests.spark.reference import rows_of, same_rows, spark_types
from tidewheel.ir.norm import normalize
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Opaque, Query
from tidewheel.sql.bind import Catalog, CatalogRelation, SqlText, bind_view
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.evaluate import Result, Table, compute
from tidewheel.types import to_sql


@dataclass(frozen=True, slots=True)
class Skipped:
    """The query is opaque, or uses what the reference has no rule for."""

    reason: str


def catalog_of(tables: Iterable[corpus.Table]) -> Catalog:
    return {t.name.lower(): CatalogRelation.of(t.name, t.schema) for t in tables}


def tables_of(tables: Iterable[corpus.Table]) -> dict[str, Table]:
    return {t.name: Table(tuple(Column(f.name, f.type, f.nullable) for f in t.schema), t.rows) for t in tables}


@dataclass(frozen=True, slots=True)
class Answer:
    """The completed text, and what the reference gives for its bound plan: rows, or the error that it raises."""

    sql: str
    query: Query
    ours: Result | str

    @property
    def parts(self) -> tuple[object, ...]:
        """What a comparison with Spark hangs on."""
        ours = self.ours if isinstance(self.ours, str) else (self.ours.types, sorted(map(repr, self.ours.rows)))
        return self.sql, self.query.rel.fingerprint(), ours


def answer(sql: str, catalog: Catalog, tables: dict[str, Table], *, normalized: bool = False) -> Answer | Skipped:
    """The reference on the bound plan.

    A join of many tables that is written with commas is a cross product until it is normalized, and too large.
    """
    bound = bind_view(SqlText(sql=sql), catalog)
    if isinstance(bound.query.rel, Opaque):
        return Skipped(f"opaque: {bound.query.rel.reason}")
    try:
        ours = compute(normalize(bound.query.rel) if normalized else bound.query.rel, tables)
    except Unsupported as missing:
        return Skipped(str(missing))
    except EvaluationError as error:
        return Answer(bound.sql, bound.query, str(error))
    return Answer(bound.sql, bound.query, ours)


def difference(session: Any, found: Answer) -> str | None:
    """How Spark on the completed text differs; None if both sides agree."""
    if isinstance(found.ours, str):
        return _both_raise(session, found.sql, found.ours)
    frame = session.sql(found.sql)
    kinds = spark_types(frame)
    theirs = rows_of(frame.toArrow(), kinds)
    if found.ours.types != tuple(kinds):
        return f"Spark gives {[to_sql(k) for k in kinds]}, the reference {[to_sql(k) for k in found.ours.types]}"
    same = same_rows(found.ours, theirs)
    return None if same else first_difference(found.query, found.ours.rows, theirs, who="Spark")


def _both_raise(session: Any, sql: str, error: str) -> str | None:
    try:
        session.sql(sql).collect()
    except Exception:  # noqa: BLE001  that it raises is what is compared
        return None
    return f"only the reference raises: {error}"


def first_difference(query: Query, ours: list[Any], theirs: list[Any], *, who: str) -> str:
    only_ours = [r for r in ours if r not in theirs][:3]
    only_theirs = [r for r in theirs if r not in ours][:3]
    return f"{len(theirs)} rows and {len(ours)} of {query.names}: only {who} {only_theirs}, only ours {only_ours}"


__all__ = ["Answer", "Skipped", "answer", "catalog_of", "difference", "first_difference", "tables_of"]
