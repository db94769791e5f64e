"""What a notebook and a prompt show: short, escaped, cheap, and never an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tidewheel.markup import ROWS_SHOWN, html_table

NASTY = "</td><script>alert('1')</script> & \"x\""
VIEWS = {"v": f"-- {NASTY}\nSELECT n FROM s", "w": "SELECT 1 / n AS x FROM v"}


@pytest.fixture
def project(tmp_path: Path) -> tw.Project:
    source = {"kind": "managed", "schema": "n BIGINT"}
    project = tw.create(tmp_path / "shop", sources={"s": source}, views=VIEWS, engine="local")
    project.ingest("s", pa.table({"n": [1, 2]}))
    return project


THINGS: dict[str, Callable[[tw.Project], Any]] = {
    "project": lambda project: project,
    "plan": lambda project: project.plan(),
    "run": lambda project: project.refresh(),
    "status": lambda project: project.status(),
    "verification": lambda project: (project.refresh(), project.verify())[1],
    "snapshot": lambda project: (project.refresh(), project.snapshot())[1],
    "check": lambda project: project.check(),
    "answer": lambda project: project.answer("SELECT 'w' AS a, 'w' AS a FROM s"),
    "graph": lambda project: project.graph(),
}


@pytest.mark.parametrize("name", THINGS)
def test_a_prompt_shows_one_short_line(project: tw.Project, name: str) -> None:
    text = repr(THINGS[name](project))
    assert text.startswith("<")
    assert "\n" not in text
    assert len(text) < 200 + len(project.root)


@pytest.mark.parametrize("name", [name for name in THINGS if name != "graph"])
def test_a_notebook_shows_a_table_that_names_every_view(project: tw.Project, name: str) -> None:
    text = THINGS[name](project)._repr_html_()
    assert text.count("<table>") >= 1
    assert '<td style="text-align:left">w</td>' in text


EXPECTED = {
    "project": "<Project shop: 1 sources, 2 views, epoch 0, ",
    "plan": "<Plan of project shop: epoch 0 -> 1, 2 of 2 views to build>",
    "status": "<Status of project shop: epoch 0, 2 not built>",
    "verification": "<Verification of epoch 1, 2 views on local: no difference>",
    "snapshot": "<ProjectSnapshot of shop: epoch 1, 3 relations>",
    "check": "<Check of project shop: 2 sound>",
    "answer": "<Answer of 2 rows of 2 columns, on driver>",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_line_says_what_matters(project: tw.Project, name: str) -> None:
    assert repr(THINGS[name](project)).startswith(EXPECTED[name])


def test_a_run_says_what_it_did_and_what_failed(project: tw.Project) -> None:
    assert "epoch 1 published, 2 views built" in repr(project.refresh())
    assert "nothing published" in repr(project.refresh())
    project.ingest("s", pa.table({"n": [0]}))
    run = project.refresh()
    assert "1 views built, 1 failed" in repr(run)
    assert "failed</td>" in run._repr_html_()


def test_what_users_wrote_stays_text(project: tw.Project) -> None:
    text = project._repr_html_() or ""
    assert "<script>" not in text
    assert "&lt;script&gt;alert(&#x27;1&#x27;)" in text


def test_showing_a_project_reads_no_epoch_and_starts_no_engine(
    project: tw.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.refresh()
    project.close()
    monkeypatch.setattr("tidewheel.store.epochs.Epoch.from_dict", None)
    assert "epoch 1" in repr(project)
    assert "epoch 1" in (project._repr_html_() or "")
    assert project.engines._engine is None


def test_a_project_that_cannot_be_read_is_shown_all_the_same(project: tw.Project) -> None:
    Path(project.root, "tidewheel.yml").write_text("name: [")
    assert repr(project).startswith(f"<Project {project.root}: ")
    assert project._repr_html_() is None


def test_a_long_table_is_cut_and_says_so() -> None:
    text = html_table("many", ["n"], [(i,) for i in range(ROWS_SHOWN + 5)])
    assert text.count("<tr>") == ROWS_SHOWN + 1
    assert "and 5 more" in text


def test_a_long_answer_is_cut_and_says_so(project: tw.Project) -> None:
    project.ingest("s", pa.table({"n": range(ROWS_SHOWN + 3)}))
    answer = project.answer("SELECT n FROM s")
    assert answer._repr_html_().count("<tr>") == ROWS_SHOWN + 1
    assert "and 5 more" in answer._repr_html_()


def test_a_check_says_what_is_wrong_and_where(project: tw.Project) -> None:
    Path(project.root, "views", "w.sql").write_text("SELECT m FROM v")
    assert "1 sound, 1 broken" in repr(project.check())
    assert "views/w.sql:1:8</td>" in project.check()._repr_html_()


def test_an_epoch_does_not_print_all_its_files(project: tw.Project) -> None:
    project.refresh()
    assert repr(project.epoch()).endswith(": 1 sources, 2 views>")
