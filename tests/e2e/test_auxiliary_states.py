"""Auxiliary states in real projects: kept where they are small, found again at each refresh, shown by explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.planners import ALL_AIDS, FROM_CHANGES
from tidewheel.engine.base import Output
from tidewheel.engine.local.engine import LocalRun
from tidewheel.errors import ExecutionError
from tidewheel.ir.rel import Join
from tidewheel.ir.tree import nodes
from tidewheel.project.graph import View
from tidewheel.store.epochs import Kept, view_record
from tidewheel.types import Schema

SOURCES = {
    "parts": {"kind": "managed", "schema": "part BIGINT, brand STRING", "key": ["part"]},
    "lines": {"kind": "managed", "schema": "l BIGINT, part BIGINT, n BIGINT", "key": ["l"]},
    "offers": {"kind": "managed", "schema": "part BIGINT, s BIGINT"},
}
AVERAGE = """
    SELECT sum(l.n) AS n FROM lines AS l JOIN parts AS p ON l.part = p.part
    WHERE p.brand = 'a' AND l.n < (SELECT avg(m.n) FROM lines AS m WHERE m.part = p.part)"""
ROLLED = """
    SELECT q.part, q.l, q.n FROM (SELECT part, l, sum(n) AS n FROM lines GROUP BY ROLLUP (part, l)) AS q
    WHERE q.part IN (SELECT o.s FROM offers AS o JOIN parts AS p ON o.part = p.part)"""


def filled(project: tw.Project) -> tw.Project:
    parts = pa.table({"part": list(range(40)), "brand": ["abcd"[i % 4] for i in range(40)]})
    project.ingest("parts", parts)
    project.ingest("lines", lines(0, 200))
    project.ingest("offers", pa.table({"part": [i % 40 for i in range(80)], "s": [i % 7 for i in range(80)]}))
    return project


def lines(start: int, many: int) -> pa.Table:
    ids = range(start, start + many)
    return pa.table({"l": list(ids), "part": [i * 7 % 40 for i in ids], "n": [i * 11 % 23 for i in ids]})


def kept(project: tw.Project, view: str) -> Kept:
    found = view_record(project.warehouse(), project.epoch(), view).kept
    assert found is not None
    return found


@ALL_AIDS
def test_states_are_found_again_also_those_that_are_no_part_of_the_plan(make_project: MakeProject) -> None:
    """Sums by each set of a ROLLUP are kept; the plan has only the ROLLUP."""
    views = {"average": AVERAGE, "rolled": f"-- tidewheel: {{refresh: strict}}\n{ROLLED}"}
    project = filled(make_project(SOURCES, views))
    project.refresh()
    assert kept(project, "average").aids
    assert kept(project, "rolled").aids
    for number in range(3):
        project.ingest("lines", lines(200 + 5 * number, 5))
        project.ingest("lines", lines(20 * number, 5), mode="delete")
        run = tw.open(project.root).refresh()
        assert {name: view.method for name, view in run.views.items()} == {"average": "merge", "rolled": "rows"}
    assert project.verify(deep=True).differences == {}


def test_no_state_is_kept_because_of_small_tables(make_project: MakeProject) -> None:
    project = filled(make_project(SOURCES, {"average": AVERAGE}))
    project.refresh()
    assert kept(project, "average").aids == ()


@pytest.mark.planner(aid_rows=100, aid_share=0.4)
def test_what_is_kept_is_decided_by_estimates_when_a_view_is_built(make_project: MakeProject) -> None:
    some = AVERAGE.replace("p.brand = 'a'", "p.brand <> 'a'")
    project = filled(make_project(SOURCES, {"few": AVERAGE, "many": some}))
    project.refresh()
    assert len(kept(project, "few").aids) == 1
    assert kept(project, "many").aids == ()
    project.planner = replace(FROM_CHANGES, aid_rows=10_000, aid_share=0.4)
    project.ingest("lines", lines(200, 5))
    assert {v.method for v in project.refresh().views.values()} == {"merge"}
    assert len(kept(project, "few").aids) == 1
    project.refresh(full_refresh=True)
    assert kept(project, "few").aids == ()


@ALL_AIDS
def test_explain_shows_the_plan_that_is_maintained(make_project: MakeProject) -> None:
    project = filled(make_project(SOURCES, {"average": AVERAGE}))
    assert "semi" not in project.explain("average")["plan"]
    project.refresh()
    body = project.explain("average")
    assert "join semi" in body["plan"]
    assert len(body["upkeep"]["stored"]) == 3
    top, *_ = [line for line in body["plan"].splitlines() if "join inner" in line]
    assert "change by join-terms" in top


@ALL_AIDS
def test_a_view_whose_auxiliary_states_cannot_be_built_is_built_without(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LocalRun.run

    def failing(self: LocalRun, view: View, outputs: Sequence[Output]) -> list[Schema]:
        if any(isinstance(n, Join) and n.kind == "semi" for output in outputs for n in nodes(output.query.rel)):
            raise ExecutionError("it does not work", code="query-failed")
        return run(self, view, outputs)

    monkeypatch.setattr(LocalRun, "run", failing)
    project = filled(make_project(SOURCES, {"average": AVERAGE}))
    project.refresh()
    assert kept(project, "average").aids == ()
    assert project.verify().differences == {}
