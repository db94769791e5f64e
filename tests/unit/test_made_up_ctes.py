"""The made-up large queries: of the size asked for, the same each time, and over few rows they give few rows."""

from __future__ import annotations

import pytest

from tests.corpus.large import CATALOG, SOURCES
from tests.fuzz.ctes import FAMILIES, MOST_DEPTH, large_query, made
from tests.streams.saas import SaasStream
from tests.streams.shadow import Shadow
from tests.unit.test_large_corpus import ctes
from tidewheel.ir.rel import Opaque
from tidewheel.ir.tree import nodes
from tidewheel.sql.bind import SqlText, bind_view

SIZES = (10, 20, 40, 60, 100)


def test_a_seed_gives_the_same_text_and_another_one_another() -> None:
    assert large_query("mixed", 30, 5) == large_query("mixed", 30, 5)
    assert len({large_query("mixed", 30, seed) for seed in range(10)}) == 10


@pytest.mark.parametrize("family", FAMILIES)
def test_a_query_has_as_many_ctes_as_asked_for_and_none_lies_too_deep(family: str) -> None:
    for size in SIZES:
        text = made(family, size, 3)
        assert ctes(text.finish()) == size
        assert max(text.depths.values()) <= MOST_DEPTH


def test_a_chain_is_as_deep_as_may_be() -> None:
    assert max(made("chain", 100, 1).depths.values()) > 30


@pytest.mark.parametrize("family", FAMILIES)
def test_a_query_binds_and_no_cte_is_lost(family: str) -> None:
    for size in SIZES[:3]:
        query = bind_view(SqlText(sql=large_query(family, size, 4)), CATALOG).query
        assert not any(isinstance(node, Opaque) for node in nodes(query.rel))
        assert len(list(nodes(query.rel))) > size


@pytest.mark.parametrize("family", FAMILIES)
def test_few_rows_stay_few_with_an_id_each(family: str) -> None:
    for size, seed in ((20, 1), (60, 2), (100, 3)):
        shadow = Shadow(SOURCES, {"v": large_query(family, size, seed)})
        for batch in SaasStream(seed).load():
            shadow.apply(batch)
        shadow.compute()
        found = shadow.rows("v")["id"].to_pylist()
        assert 1 <= len(found) <= 300, size
        assert None not in found, size
        assert len(set(found)) == len(found), size
