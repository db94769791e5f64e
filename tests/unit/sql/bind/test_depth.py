"""Queries that are nested very deeply: an error or a reason, never a crash."""

from __future__ import annotations

import pytest

from tests.unit.sql.bind.catalogs import catalog
from tidewheel.errors import UserError
from tidewheel.ir.rel import Filter, Opaque
from tidewheel.ir.tree import nodes
from tidewheel.sql.bind import bind


def test_a_text_that_the_parser_cannot_follow_is_refused() -> None:
    with pytest.raises(UserError) as error:
        bind(f"SELECT {'(' * 5000}a{')' * 5000} AS x FROM t1", catalog("queries"))
    assert error.value.code == "sql-syntax"


def test_a_sum_that_is_too_long_to_bind_is_recomputed() -> None:
    query = bind(f"SELECT {' + '.join(['a'] * 5000)} AS x FROM t1", catalog("queries"))
    assert isinstance(query.rel, Opaque)
    assert query.rel.reason == "too-deep"


def test_a_long_condition_is_bound() -> None:
    query = bind(f"SELECT a FROM t1 WHERE {' OR '.join(f'a = {i}' for i in range(2000))}", catalog("queries"))
    assert [node for node in nodes(query.rel) if isinstance(node, Filter)]
