"""The streams themselves: the same rounds for the same seed, and rounds that change what the views show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from tests.corpus.large import KEYS as SAAS_KEYS
from tests.corpus.large import large_queries
from tests.streams.graphs import GRAPHS, graph, levels
from tests.streams.rounds import Stream
from tests.streams.saas import LASTING, SaasStream
from tests.streams.shadow import Shadow
from tests.streams.tpcds import FACTS, TpcdsStream
from tests.streams.tpcds import VIEWS as TPCDS_VIEWS
from tests.streams.tpch import KEYS, TpchStream
from tests.streams.tpch import VIEWS as TPCH_VIEWS

STREAMS: dict[str, Callable[[], Stream]] = {
    "tpch": lambda: TpchStream(seed=1),
    "tpch-spread": lambda: TpchStream(seed=1, spread=True),
    "tpcds": lambda: TpcdsStream(seed=1),
    "saas": lambda: SaasStream(seed=1),
}


def states(stream: Stream, views: Mapping[str, str], rounds: int) -> list[dict[str, pa.Table]]:
    """Every relation at first and after each round."""
    shadow = Shadow(stream.sources, views)
    found = []
    for number in range(rounds + 1):
        for batch in stream.round() if number else stream.load():
            shadow.apply(batch)
        shadow.compute()
        found.append({name: shadow.rows(name) for name in shadow.catalog})
    return found


def bag(table: pa.Table) -> Counter[Any]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


@pytest.mark.parametrize("name", STREAMS)
def test_a_seed_gives_the_same_rounds(name: str) -> None:
    one, other = STREAMS[name](), STREAMS[name]()
    for _ in range(3):
        pairs = list(zip(one.round(), other.round(), strict=True))
        assert all((a.source, a.mode) == (b.source, b.mode) and a.rows.equals(b.rows) for a, b in pairs)


def test_tpch_keys_are_keys_and_nothing_dangles() -> None:
    last = states(STREAMS["tpch-spread"](), {}, 6)[-1]
    for name, key in KEYS.items():
        assert last[name].select(key).group_by(list(key)).aggregate([]).num_rows == last[name].num_rows
    lines, orders = last["lineitem"]["l_orderkey"].to_pylist(), last["orders"]["o_orderkey"].to_pylist()
    assert set(lines) == set(orders)
    offers = {tuple(row.values()) for row in last["partsupp"].select(KEYS["partsupp"]).to_pylist()}
    assert {tuple(row.values()) for row in last["lineitem"].select(["l_partkey", "l_suppkey"]).to_pylist()} <= offers


def test_tpch_orders_come_and_go_at_the_ends_or_anywhere() -> None:
    for name, inside in (("tpch", False), ("tpch-spread", True)):
        stream = STREAMS[name]()
        first = {batch.source: batch.rows for batch in stream.load()}["orders"]["o_orderkey"].to_pylist()
        gone, _, new, *_ = (batch.rows.column(0).to_pylist() for batch in stream.round())
        assert (min(new) < max(first)) is inside
        assert (gone != first[: len(gone)]) is inside
        assert len(new) == len(gone) == len(first) // 100


def test_tpcds_facts_hold_duplicates_and_nulls_and_dimensions_hold_keys() -> None:
    last = states(TpcdsStream(seed=1), {}, 8)[-1]
    for name in FACTS:
        assert any(column.null_count for column in last[name].columns), name
    assert any(max(bag(last[name]).values()) > 1 for name in FACTS)
    for name in last.keys() - set(FACTS):
        keys = last[name].column(0).to_pylist()
        assert len(set(keys)) == len(keys), name


def test_saas_sources_keep_their_keys_and_the_others_hold_duplicates_and_all_hold_nulls() -> None:
    first, *_, last = states(SaasStream(seed=1), {}, 8)
    for name, key in SAAS_KEYS.items():
        if key:
            assert last[name].select(key).group_by(list(key)).aggregate([]).num_rows == last[name].num_rows, name
        else:
            assert max(bag(last[name]).values()) > 1, name
    assert {name for name in first if not any(column.null_count for column in first[name].columns)} == LASTING


def test_large_queries_have_rows_and_change() -> None:
    found = states(SaasStream(seed=1), large_queries(), 6)
    assert {name for name in large_queries() if not all(state[name].num_rows for state in found)} == set()
    assert large_queries().keys() - changed(found, large_queries()) == set()


def changed(found: list[dict[str, pa.Table]], views: Mapping[str, str]) -> set[str]:
    return {name for before, after in pairwise(found) for name in views if bag(before[name]) != bag(after[name])}


def test_tpch_views_have_rows_and_change() -> None:
    found = states(STREAMS["tpch"](), TPCH_VIEWS, 12)
    assert {name for name in TPCH_VIEWS if not any(state[name].num_rows for state in found)} == set()
    assert TPCH_VIEWS.keys() - changed(found, TPCH_VIEWS) == set()


@pytest.mark.long
def test_tpcds_views_have_rows_and_most_change() -> None:
    found = states(TpcdsStream(seed=2), TPCDS_VIEWS, 12)
    assert {name for name in TPCDS_VIEWS if not any(state[name].num_rows for state in found)} == set()
    assert len(TPCDS_VIEWS.keys() - changed(found, TPCDS_VIEWS)) <= 15


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_large_and_deep_and_its_views_change(name: str) -> None:
    views = graph(name)
    assert len(views) >= 15
    assert max(levels(name).values()) >= 4
    assert views.keys() - changed(states(TpcdsStream(seed=5), views, 10), views) == set()
