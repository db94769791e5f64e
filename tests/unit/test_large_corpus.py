"""The large queries are as large as promised, and all of them have a plan in the algebra."""

from __future__ import annotations

import pytest
from sqlglot import exp

from tests.corpus.large import CATALOG, SOURCES, large_queries
from tidewheel.ir.rel import Opaque
from tidewheel.ir.tree import nodes
from tidewheel.sql.bind import SqlText, bind_view
from tidewheel.sql.dialect import parse


def ctes(sql: str) -> int:
    text = SqlText(sql=sql)
    (tree,) = parse(text.tokens, text.sql)
    return sum(1 for _ in tree.find_all(exp.CTE))


def test_there_are_many_and_of_all_sizes() -> None:
    sizes = sorted(ctes(sql) for sql in large_queries().values())
    assert len(sizes) >= 14
    assert sizes[0] >= 12
    assert 40 <= sizes[-1] <= 60


def test_every_source_is_read() -> None:
    text = " ".join(large_queries().values())
    assert {name for name in SOURCES if name not in text} == set()


@pytest.mark.parametrize("name", large_queries())
def test_a_large_query_binds(name: str) -> None:
    query = bind_view(SqlText(sql=large_queries()[name]), CATALOG).query
    assert not any(isinstance(node, Opaque) for node in nodes(query.rel))
    assert len(set(query.names)) == len(query.names)
