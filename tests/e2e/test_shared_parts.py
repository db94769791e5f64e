"""Rows of a relation that several views need are read once in a run."""

from __future__ import annotations

import os
import time
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.stored import StoredHistory
from tidewheel.errors import ExecutionError
from tidewheel.optimize.arms import Learned
from tidewheel.refresh import sharing
from tidewheel.refresh.changing import Changing
from tidewheel.refresh.parts import Part
from tidewheel.refresh.pricing import Pricing
from tidewheel.store import learnt
from tidewheel.store.warehouse import Warehouse

SOURCES = {
    "orders": {"kind": "managed", "schema": "o BIGINT, day BIGINT, who STRING", "key": ["o"]},
    "lines": {"kind": "managed", "schema": "o BIGINT, n BIGINT, price BIGINT, tax BIGINT", "key": ["o", "n"]},
}
VIEWS = {
    "days": "SELECT day, sum(price) AS total FROM orders JOIN lines ON orders.o = lines.o GROUP BY day",
    "people": "SELECT who, sum(tax) AS taxes, count(*) AS n FROM orders JOIN lines ON orders.o = lines.o GROUP BY who",
    "alone": "SELECT day, count(*) AS n FROM orders GROUP BY day",
}


def orders(start: int, count: int) -> pa.Table:
    ids = list(range(start, start + count))
    return pa.table({"o": ids, "day": [i % 7 for i in ids], "who": [f"p{i % 5}" for i in ids]})


def lines(start: int, count: int) -> pa.Table:
    pairs = [(o, n) for o in range(start, start + count) for n in range(3)]
    return pa.table(
        {
            "o": [o for o, _ in pairs],
            "n": [n for _, n in pairs],
            "price": [o * 7 % 100 for o, _ in pairs],
            "tax": [n for _, n in pairs],
        }
    )


@pytest.fixture(autouse=True)
def _whatever_it_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "LEAST", -1e9)
    monkeypatch.setattr(sharing, "FEW", 0)


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("orders", orders(0, 200))
    made.ingest("lines", lines(0, 200))
    made.refresh()
    made.ingest("orders", orders(190, 8), mode="delete")
    made.ingest("orders", orders(200, 10))
    return made


def total(project: tw.Project, view: str, column: str) -> int:
    return int(sum(project.snapshot().to_arrow(view)[column].to_pylist()))


def test_what_two_views_need_is_read_once(project: tw.Project) -> None:
    plan = project.plan()
    of_lines = [s for s in plan.shared if s.relation == "lines"]
    assert {s.views for s in of_lines} == {("days", "people")}
    assert of_lines[0].part.columns() == {"o"}
    assert set(of_lines[0].columns) == {"o", "price", "tax"}
    run = project.refresh()
    read = {name: [r for r in view.read if r.relation == "lines"] for name, view in run.views.items()}
    assert sum(r.rows for r in read["days"] + read["people"]) < 2 * 600, "all lines once, and those that matter twice"
    assert total(project, "days", "total") == sum(o * 7 % 100 * 3 for o in [*range(190), *range(198, 200)])
    assert total(project, "people", "n") == 3 * 192
    assert project.verify().differences == {}


def test_the_plan_says_so(project: tw.Project) -> None:
    body = project.plan().to_dict()
    found = next(s for s in body["shared"] if s["relation"] == "lines")
    assert found["views"] == ["days", "people"]
    assert found["by"] == ["o"]
    assert "rows of lines by o: read once for days, people" in str(project.plan())


def test_how_many_rows_it_has_is_learned(project: tw.Project) -> None:
    estimate = next(s for s in project.plan().shared if s.relation == "lines").estimate
    project.refresh()
    learned = Learned.from_dict(learnt.read(Warehouse(project.definition().warehouse)))
    assert learned.overlaps["lines by o"] == pytest.approx((24 + 1) / (estimate + 1)), "lines of the orders that went"


def test_nothing_is_left_of_it(project: tw.Project) -> None:
    project.refresh()
    scratch = Warehouse(project.definition().warehouse).scratch
    assert not [name for name in os.listdir(scratch) if name.startswith("parts-")]


def test_one_that_cannot_be_made_is_read_by_each(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = Changing._run

    def failing(changing: Changing, size: int, made: Any, *, only_in_driver: bool = False) -> None:
        if "_make." in made.__qualname__:
            asked.append(changing.view.name)
            raise ExecutionError("no", code="query-failed")
        run(changing, size, made, only_in_driver=only_in_driver)

    monkeypatch.setattr(Changing, "_run", failing)
    found = project.refresh()
    assert {found.views[v].method for v in VIEWS} == {"merge"}
    assert len(asked) == len(found.plan.shared)
    assert project.verify().differences == {}


def test_what_it_took_is_borne_by_all_its_readers(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    make = Changing._make

    def slow(changing: Changing, part: Part) -> Any:
        time.sleep(0.4)
        return make(changing, part)

    monkeypatch.setattr(Changing, "_make", slow)
    run = project.refresh()
    parts = len(run.plan.shared)
    for view in ("days", "people"):
        assert run.views[view].seconds >= 0.2 * parts
    assert run.views["days"].seconds + run.views["people"].seconds < 0.4 * parts + run.seconds


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("seed", [3, 5, 8, 13, 15, 20])
def test_views_equal_their_queries(
    seed: int, together: bool, make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever can be shared is; and what is of the same files is read together."""
    monkeypatch.setattr(sharing, "TWICE", 1)
    if together:
        monkeypatch.setattr(Pricing, "alone", lambda _, uses: 1e6 * len(uses) ** 2)
    StoredHistory(make_project, generate_history(seed)).play()


def test_scans_by_different_keys_are_one(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pricing, "alone", lambda _, uses: 1e6 * len(uses) ** 2)
    sources = {"t": {"kind": "managed", "schema": "id BIGINT, a BIGINT, b BIGINT, v BIGINT", "key": ["id"]}}
    views = {
        "by_a": "SELECT DISTINCT t.id, u.v FROM t JOIN t AS u ON t.a = u.a",
        "by_b": "SELECT t.id, max(u.v) AS v FROM t JOIN t AS u ON t.b = u.b GROUP BY t.id",
    }
    project = make_project(sources, views)
    rows = {"id": list(range(60)), "a": [i % 20 for i in range(60)], "b": [i // 4 for i in range(60)]}
    project.ingest("t", pa.table({**rows, "v": list(range(60))}))
    project.refresh()
    project.ingest("t", pa.table({"id": [60, 61], "a": [3, 70], "b": [70, 9], "v": [5, 6]}))
    shared = [s for s in project.plan().shared if s.part.of.startswith("t_since_")]
    assert [(s.views, sorted(s.part.columns())) for s in shared] == [(("by_a", "by_b"), ["a", "b"])]
    run = project.refresh()
    assert {view.method for view in run.views.values()}.isdisjoint({"full", "failed"})
    assert project.verify().differences == {}


def test_nulls_are_kept_where_they_match(make_project: MakeProject) -> None:
    sources = {
        "a": {"kind": "managed", "schema": "k BIGINT, x BIGINT"},
        "b": {"kind": "managed", "schema": "k BIGINT, y BIGINT"},
    }
    views = {
        "same": "SELECT a.x, b.y FROM a JOIN b ON a.k <=> b.k",
        "sums": "SELECT b.y, sum(a.x) AS x FROM a JOIN b ON a.k <=> b.k GROUP BY b.y",
    }
    project = make_project(sources, views)
    project.ingest("a", pa.table({"k": [1, None, 3], "x": [10, 20, 30]}))
    project.ingest("b", pa.table({"k": [1, None, 2], "y": [1, 2, 3]}))
    project.refresh()
    project.ingest("a", pa.table({"k": pa.array([None, 2], pa.int64()), "x": [40, 50]}))
    assert project.plan().shared
    project.refresh()
    pairs = project.snapshot().to_arrow("same").to_pylist()
    assert sorted((r["x"], r["y"]) for r in pairs) == [(10, 1), (20, 2), (40, 2), (50, 3)]
    assert project.verify().differences == {}
