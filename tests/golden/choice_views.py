"""The views over which what the first planner chose was recorded: four suites, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tests.corpus.cases import tpcds_queries, tpch_queries
from tests.corpus.large import CATALOG, large_queries
from tests.corpus.table import Table
from tests.corpus.tpcds_data import tpcds_tables
from tests.corpus.tpch_data import tpch_tables
from tests.streams.cases import CASES
from tests.streams.cases import SOURCES as SMALL
from tests.streams.graphs import GRAPHS, graph
from tidewheel.ddl import parse_schema
from tidewheel.ir.norm import normalize
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view


@dataclass(frozen=True, slots=True)
class View:
    """A view by the name of its suite and its own."""

    name: str
    query: Query


def suites() -> Iterator[tuple[str, Mapping[str, str], Mapping[str, CatalogRelation]]]:
    """Name, views, sources."""
    tpcds = _tables(tpcds_tables())
    yield "tpch", {case.name: case.sql for case in tpch_queries()}, _tables(tpch_tables())
    yield "tpcds", {case.name: case.sql for case in tpcds_queries()}, tpcds
    yield "large", large_queries(), _lower(CATALOG)
    small = {name.lower(): CatalogRelation.of(name, parse_schema(entry["schema"])) for name, entry in SMALL.items()}
    for number, case in enumerate(CASES):
        yield f"case-{number}", case.views, small
    for name in GRAPHS:
        yield f"graph-{name}", graph(name), tpcds


def views() -> Iterator[View]:
    """All of them, normalized; those of a suite may read each other."""
    for suite, texts, sources in suites():
        known = dict(sources)
        for name, sql in texts.items():
            query = normalize(bind_view(SqlText(sql=sql), known).query)
            yield View(f"{suite}/{name}", query)
            facts = zip(query.names, types_of(query.rel), nullable_of(query.rel), strict=True)
            known[name.lower()] = CatalogRelation(name=name, columns=tuple(Column(*fact) for fact in facts))


def _tables(tables: Iterable[Table]) -> dict[str, CatalogRelation]:
    return {table.name.lower(): CatalogRelation.of(table.name, table.schema) for table in tables}


def _lower(relations: Mapping[str, CatalogRelation]) -> dict[str, CatalogRelation]:
    return {name.lower(): relation for name, relation in relations.items()}
