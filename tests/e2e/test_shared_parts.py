"""Rows of a relation that several views need are read once in a run."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

import tidewheel as tw
from tests.conftest import MakeProject
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.stored import StoredHistory
from tests.planners import ALL_SHARED, BY_COST
from tidewheel.errors import ExecutionError
from tidewheel.optimize.learning import Learned, WayRecord
from tidewheel.plan import choice
from tidewheel.plan.binding.parts import RelationPart, Sharing
from tidewheel.plan.pricing import sharing
from tidewheel.plan.pricing.pricing import Pricing
from tidewheel.run.building.changing import Changing
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


pytestmark = ALL_SHARED


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
    (factor,) = (factor for name, factor in learned.overlaps.items() if name.startswith("lines by o in "))
    assert factor == pytest.approx((24 + 1) / (estimate + 1)), "lines of the orders that went"


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

    def slow(changing: Changing, part: RelationPart) -> Any:
        time.sleep(0.4)
        return make(changing, part)

    monkeypatch.setattr(Changing, "_make", slow)
    run = project.refresh()
    parts = len(run.plan.shared)
    for view in ("days", "people"):
        assert run.views[view].seconds >= 0.2 * parts
    assert run.views["days"].seconds + run.views["people"].seconds < 0.4 * parts + run.seconds


@pytest.mark.planner(share_scans=1)
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("seed", [3, 5, 8, 13, 15, 20])
def test_views_equal_their_queries(
    seed: int, together: bool, make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever can be shared is; and by as few parts as can be."""
    if together:
        monkeypatch.setattr(Pricing, "alone", lambda _, uses: 1e6 * len(uses) ** 2)
    StoredHistory(make_project, generate_history(seed)).play()


def test_who_asks_for_less_is_served_too(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pricing, "alone", lambda _, uses: 1e6 * len(uses) ** 2)
    sources = {
        "t": {"kind": "managed", "schema": "id BIGINT, a BIGINT, b BIGINT", "key": ["id"]},
        "u": {"kind": "managed", "schema": "a BIGINT, b BIGINT, v BIGINT"},
    }
    views = {
        "by_a": "SELECT t.id, sum(u.v) AS v FROM t JOIN u ON t.a = u.a GROUP BY t.id",
        "by_both": "SELECT t.id, max(u.v) AS v FROM t JOIN u ON t.a = u.a AND t.b = u.b GROUP BY t.id",
    }
    project = make_project(sources, views)
    ids = list(range(60))
    project.ingest("t", pa.table({"id": ids, "a": [i % 20 for i in ids], "b": [i // 4 for i in ids]}))
    project.ingest("u", pa.table({"a": [i % 20 for i in ids], "b": [i // 5 for i in ids], "v": ids}))
    project.refresh()
    project.ingest("t", pa.table({"id": [60, 61, 62], "a": [3, 70, 4], "b": [70, 9, 0]}))
    shared = [s for s in project.plan().shared if s.relation == "u"]
    assert [(s.views, sorted(s.part.columns()), len(s.serves)) for s in shared] == [(("by_a", "by_both"), ["a"], 2)]
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


def test_views_at_other_versions_have_parts_of_their_own(make_project: MakeProject) -> None:
    """One has seen the new lines, the other has not: what both call the lines that are there now is not the same."""
    views = {name: VIEWS[name] for name in ("days", "people")}
    project = make_project(SOURCES, views)
    project.ingest("orders", orders(0, 50))
    project.ingest("lines", lines(0, 40))
    project.refresh()
    project.ingest("lines", lines(40, 20))
    project.refresh(select=["people"])
    project.ingest("orders", orders(50, 8))
    project.refresh()
    assert project.verify().differences == {}
    project.ingest("lines", lines(60, 9))
    project.refresh(select=["days"])
    project.ingest("lines", lines(70, 9))
    project.ingest("orders", orders(58, 20))
    project.refresh()
    assert project.verify().differences == {}


@BY_COST
def test_what_is_recomputed_shares_nothing(project: tw.Project) -> None:
    warehouse = Warehouse(project.definition().warehouse)
    learned = Learned.from_dict(learnt.read(warehouse))
    slow = {"people": {"changes": WayRecord(times=3, costs={"0": 50.0}), "full": WayRecord(times=3, costs={"0": 0.02})}}
    learnt.write(warehouse, replace(learned, views={**learned.views, **slow}).to_dict())
    plan = project.plan()
    assert plan.step("people").method == "full"
    assert not plan.shared
    days = plan.step("days").predicted
    assert days is not None
    assert days.shared == 0.0
    project.refresh()
    assert project.verify().differences == {}


@pytest.mark.parametrize("parted", [["s"], ["d", "s"]])
def test_columns_that_are_in_no_file(
    parted: list[str], make_project: MakeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a foreign table by its partitions; what came since is too little to share."""
    facts = tmp_path / "facts"

    def write(start: int, count: int) -> None:
        ids = range(start, start + count)
        rows = {"d": [i % 3 for i in ids], "s": [f"s{i % 4}" for i in ids], "v": list(ids)}
        write_deltalake(str(facts), pa.table(rows), partition_by=parted, mode="append")

    write(0, 60)
    sources = {
        "f": {"kind": "delta", "path": str(facts)},
        "k": {"kind": "managed", "schema": "s STRING, w BIGINT"},
    }
    views = {
        "one": "SELECT k.w, count(*) AS n FROM k JOIN f ON k.s = f.s GROUP BY k.w",
        "two": "SELECT k.w, k.s, count(*) AS n FROM k JOIN f ON k.s = f.s GROUP BY k.w, k.s",
    }
    project = make_project(sources, views)
    project.ingest("k", pa.table({"s": ["s1", "s2"], "w": [1, 2]}))
    project.refresh()
    write(60, 20)
    project.ingest("k", pa.table({"s": ["s1", "s3"], "w": [3, 4]}))
    found = sharing.worth_sharing

    def only_what_was_there(pricing: Pricing, candidates: Any) -> list[Sharing]:
        return [s for s in found(pricing, candidates) if s.part.of.startswith("_tw_since_")]

    monkeypatch.setattr(choice, "worth_sharing", only_what_was_there)
    assert project.plan().shared
    run = project.refresh()
    assert {view.method for view in run.views.values()} == {"merge"}
    assert project.verify().differences == {}


def test_keys_that_are_no_numbers_and_both_zeros(make_project: MakeProject) -> None:
    nan = float("nan")
    sources = {
        "a": {"kind": "managed", "schema": "k DOUBLE, x BIGINT"},
        "b": {"kind": "managed", "schema": "k DOUBLE, y BIGINT"},
    }
    views = {
        "same": "SELECT a.x, b.y FROM a JOIN b ON a.k = b.k",
        "sums": "SELECT b.y, sum(a.x) AS x FROM a JOIN b ON a.k = b.k GROUP BY b.y",
    }
    project = make_project(sources, views)
    project.ingest("a", pa.table({"k": [1.0, 0.5], "x": [10, 20]}))
    project.ingest("b", pa.table({"k": [nan, -0.0, 0.0, None, 2.0], "y": [1, 2, 3, 4, 5]}))
    project.refresh()
    project.ingest("a", pa.table({"k": pa.array([nan, 0.0, -0.0, None], pa.float64()), "x": [30, 40, 50, 60]}))
    assert project.plan().shared
    project.refresh()
    pairs = project.snapshot().to_arrow("same").to_pylist()
    assert sorted((r["x"], r["y"]) for r in pairs) == [(30, 1), (40, 2), (40, 3), (50, 2), (50, 3)]
    assert project.verify().differences == {}
