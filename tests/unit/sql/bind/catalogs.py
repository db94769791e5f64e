"""The queries of the corpus, each with the catalog it is bound against."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator

from tests import corpus
from tests.corpus import Case, Table
from tidewheel.errors import UserError
from tidewheel.sql.bind import BoundView, Catalog, CatalogRelation, SqlText, bind_view

SUITES: dict[str, Callable[[], tuple[Case, ...]]] = {
    "tpch": corpus.tpch_queries,
    "tpcds": corpus.tpcds_queries,
    "queries": corpus.queries,
}
TABLES: dict[str, Callable[[], tuple[Table, ...]]] = {
    "tpch": corpus.tpch_tables,
    "tpcds": corpus.tpcds_tables,
    "queries": corpus.catalog,
}


def to_catalog(tables: Iterable[Table]) -> Catalog:
    return {t.name.lower(): CatalogRelation.of(t.name, t.schema) for t in tables}


@functools.cache
def catalog(suite: str) -> Catalog:
    return to_catalog(TABLES[suite]())


@functools.cache
def bound(suite: str, sql: str) -> BoundView:
    return bind_view(SqlText(sql=sql), catalog(suite))


def cases() -> Iterator[tuple[str, Case]]:
    """Every query of the corpus that can be read."""
    for suite, queries in SUITES.items():
        for case in queries():
            try:
                bound(suite, case.sql)
            except UserError:
                continue
            yield suite, case
