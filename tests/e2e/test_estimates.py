"""How many rows are predicted, and how many there are: joins by keys, changes, and changes that have not happened."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.streams.rounds import Stream
from tests.streams.tpcds import TpcdsStream
from tests.streams.tpch import TpchStream
from tidewheel.optimize.priced import PricedWay
from tidewheel.plan.binding.inputs import Cuts, Inputs
from tidewheel.plan.defined.bound import bound_view
from tidewheel.plan.pricing.pricing import pricing_of
from tidewheel.plan.request import RefreshRequest
from tidewheel.store.epochs import Epoch

FACTOR = 2.0

TPCH = {
    "one_key": "SELECT l_orderkey, l_linenumber, o_custkey FROM lineitem JOIN orders ON l_orderkey = o_orderkey",
    "two_columns": """
        SELECT l_orderkey, l_linenumber, ps_supplycost FROM lineitem
        JOIN partsupp ON l_partkey = ps_partkey AND l_suppkey = ps_suppkey""",
    "a_chain": """
        SELECT l_orderkey, l_linenumber, n_name FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nationkey = n_nationkey
        JOIN region ON n_regionkey = r_regionkey""",
    "some_orders": """
        SELECT l_orderkey, l_linenumber FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        WHERE o_orderdate >= DATE '1995-01-01'""",
    "one_region": """
        SELECT c_custkey FROM customer JOIN nation ON c_nationkey = n_nationkey
        JOIN region ON n_regionkey = r_regionkey WHERE r_name = 'ASIA'""",
    "an_outer_join": "SELECT l_orderkey, o_custkey FROM lineitem LEFT JOIN orders ON l_orderkey = o_orderkey",
    "by_groups": """
        SELECT l_orderkey, l_linenumber, n FROM lineitem
        JOIN (SELECT l_orderkey AS k, count(*) AS n FROM lineitem GROUP BY l_orderkey) AS counts ON l_orderkey = k""",
}
TPCDS = {
    "items": "SELECT ss_item_sk, i_brand FROM store_sales JOIN item ON ss_item_sk = i_item_sk",
    "a_star": """
        SELECT ss_item_sk, s_store_name, d_year FROM store_sales JOIN item ON ss_item_sk = i_item_sk
        JOIN store ON ss_store_sk = s_store_sk JOIN date_dim ON ss_sold_date_sk = d_date_sk""",
    "a_snowflake": """
        SELECT ws_item_sk, ca_state FROM web_sales JOIN customer ON ws_bill_customer_sk = c_customer_sk
        JOIN customer_address ON c_current_addr_sk = ca_address_sk""",
}


def built(make_project: MakeProject, stream: Stream, views: dict[str, str]) -> tw.Project:
    project = make_project(stream.sources, views)
    for batch in stream.load():
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    project.refresh()
    return project


def estimates(project: tw.Project) -> dict[str, float]:
    """What each view is estimated to hold, from nothing but its sources."""
    definition, warehouse = project.definition(), project.warehouse()
    inputs = Inputs(Cuts(definition=definition, warehouse=warehouse, plan=project.plan(), last=project.epoch()))
    pricing = pricing_of(warehouse, RefreshRequest(selected=frozenset()), definition.config)
    names = definition.config.sources
    schemas = {name: inputs.now(name).schema for name in names}
    estimator = pricing.estimator(names, inputs.now)
    views = definition.graph.views.values()
    return {v.name: estimator.rows(bound_view(definition.config, warehouse, v, schemas).query.rel) for v in views}


def far_off(predicted: dict[str, float], real: dict[str, int]) -> dict[str, tuple[float, int]]:
    return {
        name: (predicted[name], rows)
        for name, rows in real.items()
        if not rows / FACTOR <= predicted[name] <= rows * FACTOR
    }


def sizes(project: tw.Project, views: dict[str, str]) -> dict[str, int]:
    return {name: project.to_arrow(name).num_rows for name in views}


def test_joins_by_keys_of_tpch_are_estimated_as_such(make_project: MakeProject) -> None:
    project = built(make_project, TpchStream(seed=1), TPCH)
    assert far_off(estimates(project), sizes(project, TPCH)) == {}


def test_joins_by_keys_of_tpcds_are_estimated_as_such(make_project: MakeProject) -> None:
    project = built(make_project, TpcdsStream(seed=1), TPCDS)
    assert far_off(estimates(project), sizes(project, TPCDS)) == {}


def test_changes_of_joins_by_keys_are_predicted(make_project: MakeProject) -> None:
    """Of inner joins: what comes and goes again within the change of an outer join or of a group is not foreseen."""
    views = {name: sql for name, sql in TPCH.items() if name not in {"an_outer_join", "by_groups", "one_region"}}
    stream = TpchStream(seed=1, updates=False)
    project = built(make_project, stream, views)
    for batch in stream.round():
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    plan = project.plan()
    predicted = {step.view: changes_of(plan.step(step.view).ways).rows for step in plan.steps if step.ways}
    run = project.refresh()
    changed = {name: run.views[name].changed or 0 for name in predicted}
    assert predicted.keys() == views.keys()
    assert far_off(predicted, changed) == {}


def changes_of(arms: tuple[PricedWay, ...]) -> PricedWay:
    return next(arm for arm in arms if arm.name == "changes")


def full_of(arms: tuple[PricedWay, ...]) -> PricedWay:
    return next(arm for arm in arms if arm.name == "full")


TEXT_KEYS = {
    "people": {"kind": "managed", "schema": "name STRING, town STRING", "key": ["name"]},
    "visits": {"kind": "managed", "schema": "id BIGINT, name STRING", "key": ["id"]},
}


@pytest.fixture
def visits(make_project: MakeProject) -> tw.Project:
    """A few people, who come often; nothing but the declaration says that names of people are unique."""
    views = {
        "named": "SELECT id, town FROM visits JOIN people ON visits.name = people.name",
        "towns": "SELECT town, count(*) AS n FROM named GROUP BY town",
    }
    project = make_project(TEXT_KEYS, views)
    project.ingest("people", pa.table({"name": [f"p{i}" for i in range(20)], "town": [f"t{i % 4}" for i in range(20)]}))
    ids = list(range(10_000))
    project.ingest("visits", pa.table({"id": ids, "name": [f"p{i % 20}" for i in ids]}))
    project.refresh()
    return project


def test_a_changed_row_of_a_dimension_changes_its_share_of_the_facts(visits: tw.Project) -> None:
    visits.ingest("people", pa.table({"name": ["p3"], "town": ["t9"]}), mode="upsert")
    predicted = {"named": changes_of(visits.plan().step("named").ways).rows}
    assert far_off(predicted, {"named": visits.refresh().views["named"].changed or 0}) == {}


# --- changes that have not happened ---


def test_full_is_priced_at_the_size_after_the_change(visits: tw.Project) -> None:
    small, large = (visits.plan(what_if=[f"visits=+{size}%"]) for size in (1, 5000))
    assert full_of(small.step("named").ways).rows == pytest.approx(10_100, rel=0.01)
    assert full_of(large.step("named").ways).rows == pytest.approx(510_000, rel=0.01)
    before, after = (full_of(plan.step("named").ways) for plan in (small, large))
    assert after.work.rows > 20 * before.work.rows
    assert after.read > 20 * before.read
    assert after.work.written > 20 * before.work.written
    assert after.seconds > before.seconds


def test_so_are_views_on_views(visits: tw.Project) -> None:
    small, large = (full_of(visits.plan(what_if=[f"visits=+{n}%"]).step("towns").ways) for n in (1, 5000))
    assert large.work.rows > 20 * small.work.rows
    assert large.rows == pytest.approx(4), "there are no more towns"


@pytest.mark.parametrize("supposed", ["visits=-5000%", "visits=5000%", "visits=-20000", "people=5000%"])
def test_no_more_rows_go_than_there_are(visits: tw.Project, supposed: str) -> None:
    plan = visits.plan(what_if=[supposed])
    source = plan.sources[supposed.split("=", maxsplit=1)[0]]
    there = {"visits": 10_000, "people": 20}[source.name]
    assert source.change.removed == there
    for step in plan.steps:
        arm = changes_of(step.ways)
        rows = sizes(visits, {step.view: ""})[step.view]
        assert arm.rows <= rows + full_of(step.ways).rows + 1


def test_after_all_rows_went_nothing_is_left_to_read(visits: tw.Project) -> None:
    full = full_of(visits.plan(what_if=["visits=-100%"]).step("named").ways)
    assert full.rows <= 1


@pytest.mark.parametrize("supposed", ["visits=+1%", "visits=+5000%", "visits=10%", "people=+5000%"])
def test_no_more_rows_change_than_there_were_and_will_be(visits: tw.Project, supposed: str) -> None:
    for step in visits.plan(what_if=[supposed]).steps:
        before = visits.to_arrow(step.view).num_rows
        assert changes_of(step.ways).rows <= before + full_of(step.ways).rows + 1


def test_nor_do_they_after_a_refresh_that_taught_otherwise(visits: tw.Project) -> None:
    """A view whose changes were far more than predicted is corrected, up to what it holds."""
    visits.ingest("people", pa.table({"name": [f"p{i}" for i in range(20)], "town": ["t0"] * 20}), mode="upsert")
    visits.refresh()
    visits.ingest("people", pa.table({"name": [f"p{i}" for i in range(20)], "town": ["t1"] * 20}), mode="upsert")
    for step in visits.plan().steps:
        rows = visits.to_arrow(step.view).num_rows
        assert changes_of(step.ways).rows <= rows + full_of(step.ways).rows + 1


def test_an_empty_source_may_be_supposed_to_fill(make_project: MakeProject) -> None:
    project = make_project(TEXT_KEYS, {"names": "SELECT id, name FROM visits"})
    project.ingest("visits", pa.table({"id": [1], "name": ["x"]}))
    project.ingest("visits", pa.table({"id": [1]}), mode="delete")
    project.refresh()
    plan = project.plan(what_if=["visits=+5000"])
    assert full_of(plan.step("names").ways).rows == pytest.approx(5000)


def test_epochs_are_not_touched(visits: tw.Project) -> None:
    before: Epoch = visits.epoch()
    visits.plan(what_if=["visits=+5000%"])
    assert visits.epoch() == before
