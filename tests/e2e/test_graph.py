"""The graph of real projects: columns, lineage, states, runs, and views that cannot be bound."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.e2e.refusals import listing
from tidewheel.ir.lineage import Origin

SOURCES = {
    "orders": {"kind": "managed", "schema": "id BIGINT, day DATE, store BIGINT, amount DECIMAL(12,2)"},
    "stores": {"kind": "managed", "schema": "id BIGINT, city STRING, open BOOLEAN"},
}
VIEWS = {
    "sales": "-- Sales in open stores.\n-- tidewheel: {tags: [money]}\n"
    "WITH o AS (SELECT * FROM orders)\n"
    "SELECT o.day, s.city, o.amount FROM o JOIN stores s ON o.store = s.id WHERE s.open",
    "daily": "SELECT day, sum(amount) AS total, count(*) AS n FROM sales GROUP BY day",
    "ranked": "SELECT day, total, max(n) OVER (PARTITION BY day) AS most FROM daily",
    "either": "SELECT city AS name FROM stores UNION SELECT city FROM sales",
}


@pytest.fixture
def project(tmp_path: Path) -> tw.Project:
    project = tw.create(tmp_path / "shop", sources=SOURCES, views=VIEWS, engine="local")
    project.ingest("stores", pa.table({"id": [1], "city": ["Oslo"], "open": [True]}))
    return project


def origins(*names: str) -> tuple[Origin, ...]:
    return tuple(Origin(*name.split(".")) for name in names)


def test_columns_and_lineage_are_known_before_anything_was_built(project: tw.Project) -> None:
    sales = project.graph().relations["sales"]
    assert [(c.name, c.type, c.values) for c in sales.columns] == [
        ("day", "DATE", origins("orders.day")),
        ("city", "STRING", origins("stores.city")),
        ("amount", "DECIMAL(12,2)", origins("orders.amount")),
    ]
    assert sales.only_by == origins("orders.store", "stores.id", "stores.open")
    assert (sales.state, sales.comment, sales.tags) == ("not built", "Sales in open stores.", ("money",))


def test_lineage_goes_through_aggregates_windows_and_unions(project: tw.Project) -> None:
    found = project.graph().relations
    daily, ranked, either = (found[name].columns for name in ("daily", "ranked", "either"))
    assert [c.values for c in daily] == [origins("sales.day"), origins("sales.amount"), ()]
    assert (ranked[2].values, ranked[2].by) == (origins("daily.n"), origins("daily.day"))
    assert either[0].values == origins("sales.city", "stores.city")


def test_a_graph_starts_no_engine_and_writes_nothing_that_counts(project: tw.Project) -> None:
    before = listing(project.root)
    project.graph().to_html()
    assert project.engines._engine is None
    assert listing(project.root) == before


def test_states_and_runs_follow_what_happens(project: tw.Project) -> None:
    project.refresh()
    daily = project.graph().relations["daily"]
    assert (daily.state, daily.rows, daily.built, [r.method for r in daily.runs]) == ("fresh", 0, 1, ["full"])
    project.ingest("orders", pa.table({"id": [1], "day": [None], "store": [1], "amount": [None]}).cast(
        pa.schema([("id", pa.int64()), ("day", pa.date32()), ("store", pa.int64()), ("amount", pa.decimal128(12, 2))])
    ))  # fmt: skip
    waiting = project.graph().relations
    assert (waiting["sales"].state, waiting["sales"].note) == ("behind", 'source "orders": 1 rows added')
    assert (waiting["daily"].state, waiting["daily"].note) == ("behind", 'view "sales" changes')
    project.refresh()
    done = project.graph().relations
    assert {done[name].state for name in VIEWS} == {"fresh"}
    assert [r.epoch for r in done["daily"].runs] == [2, 1]


def test_a_changed_definition_leaves_a_view_behind_with_its_new_columns(project: tw.Project) -> None:
    project.refresh()
    Path(project.root, "views", "ranked.sql").write_text("SELECT day AS d FROM daily")
    ranked = project.graph().relations["ranked"]
    assert (ranked.state, ranked.note) == ("behind", "definition changed")
    assert [c.name for c in ranked.columns] == ["d"]


def test_a_view_that_cannot_be_bound_is_there_with_the_reason_and_so_are_those_below(project: tw.Project) -> None:
    Path(project.root, "views", "daily.sql").write_text("SELECT dya FROM sales")
    found = project.graph().relations
    assert (found["daily"].state, found["daily"].columns) == ("broken", ())
    assert (found["daily"].unknown, found["daily"].note.endswith("(views/daily.sql:1:8)")) == (
        'column "dya" does not exist',
        True,
    )
    assert (found["ranked"].state, found["ranked"].unknown) == ("broken", 'view "daily" is broken')
    assert found["sales"].columns
    assert "columns not known" in project.graph().to_text(columns=True)


def test_a_view_that_is_only_recomputed_says_that_its_lineage_is_not_known(project: tw.Project) -> None:
    project.add_view("odd", "SELECT id FROM stores SORT BY id LIMIT 2")
    odd = project.graph().relations["odd"]
    assert odd.unknown is not None
    assert odd.state == "not built"


def test_a_source_that_cannot_be_read_is_there_with_the_reason(tmp_path: Path) -> None:
    sources = {"lake": {"kind": "delta", "path": str(tmp_path / "nowhere")}}
    project = tw.create(tmp_path / "shop", sources=sources, views={"v": "SELECT a FROM lake"}, engine="local")
    found = project.graph().relations
    assert "no Delta table" in (found["lake"].unknown or "")
    assert found["v"].columns == ()
    assert found["v"].unknown


def test_the_last_failure_is_among_the_runs(project: tw.Project) -> None:
    project.refresh()
    project.add_view("fails", "SELECT 1 / (id - id) AS x FROM stores")
    with pytest.raises(tw.ExecutionError):
        project.refresh()
    fails = project.graph().relations["fails"]
    assert [r.method for r in fails.runs] == ["failed"]
    assert fails.runs[0].error


def test_only_what_is_selected_is_drawn(project: tw.Project) -> None:
    assert set(project.graph(select="daily").relations) == {"daily"}
    assert set(project.graph(select="tag:money").relations) == {"orders", "stores", "sales"}
    assert "either" not in project.graph(exclude="either").relations


def test_a_view_that_cannot_be_read_is_there_with_what_is_known_of_it(project: tw.Project) -> None:
    project.refresh()
    Path(project.root, "views", "daily.sql").write_text("SELECT day FROM (sales")
    found = project.graph().relations
    assert [found[name].state for name in ("sales", "daily", "ranked")] == ["fresh", "broken", "broken"]
    assert [c.name for c in found["daily"].columns] == ["day", "total", "n"], "its table is still there"
    assert list(found)[-2:] == ["daily", "ranked"]


def test_views_that_read_each_other_are_drawn(project: tw.Project) -> None:
    Path(project.root, "views", "daily.sql").write_text("SELECT day, total, n FROM ranked")
    graph = project.graph()
    assert {("daily", "ranked"), ("ranked", "daily")} <= set(graph.edges())
    assert graph.relations["daily"].state == "broken"
    assert "cycle" in graph.to_html()


def test_a_broken_view_is_selected_as_others_are(project: tw.Project) -> None:
    Path(project.root, "views", "daily.sql").write_text("SELECT day FROM nowhere")
    assert set(project.graph(select="daily+").relations) == {"daily", "ranked"}
