"""Arguments of the wrong type or value, given to the Python API: refused by name, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.e2e.refusals import refused

SOURCES = {"t": {"kind": "managed", "schema": "id BIGINT, v BIGINT"}}
VIEWS = {"daily": "SELECT v, count(*) AS n FROM t GROUP BY v"}
Call = Callable[[Any], object]
CALLS: dict[str, tuple[Call, str]] = {
    "an id that is a number": (lambda p: p.ingest("t", [{"id": 1, "v": 1}], id=5), "`id`"),
    "a retention that is a number": (lambda p: p.vacuum(retention=5), "`retention`"),
    "an empty retention": (lambda p: p.vacuum(retention=""), "7 days"),
    "an age that is a number": (lambda p: p.vacuum(abandoned=5), "`abandoned`"),
    "an epoch that is a text": (lambda p: p.to_arrow("daily", epoch="x"), "`epoch`"),
    "an epoch below zero": (lambda p: p.epoch(-1), "`epoch`"),
    "an epoch that is a flag": (lambda p: p.snapshot(epoch=True), "`epoch`"),
    "a relation that is a number": (lambda p: p.to_arrow(5), "`name`"),
    "a limit of the history below zero": (lambda p: p.history(limit=-1), "`limit`"),
    "a limit of the epochs below zero": (lambda p: p.epochs(limit=-1), "`limit`"),
    "a limit of a query below zero": (lambda p: p.query("SELECT 1 AS x", limit=-5), "`limit`"),
    "no query": (lambda p: p.query(None), "`sql`"),
    "no query for a view": (lambda p: p.add_view("zz", None), "`sql`"),
    "a view by a number": (lambda p: p.add_view(5, "SELECT 1 AS x"), "`name`"),
    "nothing explained": (lambda p: p.explain(None), "`view`"),
    "nothing to ingest into": (lambda p: p.ingest(None, []), "`source`"),
    "an unknown engine": (lambda p: tw.open(p.root, engine="x"), "spark, local"),  # type: ignore[arg-type]
    "an unknown placement": (lambda p: tw.open(p.root, placement="x"), "auto, spark, driver"),  # type: ignore[arg-type]
}


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.refresh()
    return made


@pytest.mark.parametrize(("call", "said"), CALLS.values(), ids=CALLS)
def test_a_wrong_argument_is_refused(project: tw.Project, call: Call, said: str) -> None:
    with refused(project.root, "bad-option") as caught:
        call(project)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "given", [{"views": {"v": 5}}, {"views": ["v"]}, {"sources": [1]}, {"sources": {"t": 1}}], ids=str
)
def test_a_project_of_wrong_arguments_is_not_written(tmp_path: Path, given: dict[str, Any]) -> None:
    with refused(tmp_path, "bad-option"):
        tw.create(tmp_path / "new", **given)


def test_a_run_says_that_views_failed_though_nothing_was_published(project: tw.Project) -> None:
    Path(project.root, "views", "bad.sql").write_text("SELECT nope FROM t")
    run = project.refresh()
    assert (run.published, list(run.failed)) == (False, ["bad"])
    assert "1 failed" in repr(run)


def test_an_error_of_a_query_has_a_place_in_it(project: tw.Project) -> None:
    with refused(project.root, "unknown-relation", place="<query>:1:26"):
        project.query("SELECT * FROM daily JOIN nope")


def test_a_misspelt_call_is_no_operator(project: tw.Project) -> None:
    with refused(project.root, "unknown-function") as caught:
        project.query("SELECT nop() AS x")
    assert 'Did you mean "now"?' in str(caught.value)


def test_a_stale_view_is_read_by_show(project: tw.Project) -> None:
    project.ingest("t", [{"id": 1, "v": 1}])
    project.add_view("other", "SELECT id FROM t")
    project.refresh(select="other")
    with refused(project.root, "stale-view", place="<query>:1:15") as caught:
        project.query("SELECT * FROM daily")
    assert "`tidewheel show daily`" in str(caught.value)
    assert "--epoch 1" in str(caught.value)


@pytest.mark.parametrize("declared", [{}, {"schema": "id BIGINT, v BIGINT"}], ids=["no schema", "schema"])
def test_another_delimiter_in_a_landed_file_is_named(
    make_project: MakeProject, tmp_path: Path, declared: dict[str, str]
) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing" / "a.csv").write_text("id;v\n1;2\n")
    source = {"kind": "files", "path": str(tmp_path / "landing"), **declared}
    made = make_project({"s": source}, {"w": "SELECT * FROM s"})
    made.warehouse()
    with refused(made.root, "wrong-delimiter") as caught:
        made.refresh()
    assert "`delimiter:` of a files source" in str(caught.value)


def test_a_name_that_is_taken_is_shown_where_it_is_taken_again(project: tw.Project) -> None:
    views = Path(project.root, "views")
    (views / "two.sql").write_text("CREATE MATERIALIZED VIEW daily AS SELECT 1 AS x")
    (views / "t.sql").write_text("SELECT 1 AS x")
    errors = [view.error for view in project.check().views.values() if view.error and view.error.span]
    assert sorted((e.code, e.span.place) for e in errors if e.span) == [
        ("duplicate-view", "views/two.sql:1:35"),
        ("name-clash", "views/t.sql:1:1"),
    ]
