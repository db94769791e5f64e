"""How a project stands: what is fresh, what is pending and since when, what failed last."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.e2e.refusals import listing
from tidewheel.run.past import summed
from tidewheel.run.standing import STATES

SOURCES = {
    "t": {"kind": "managed", "schema": "id BIGINT, v BIGINT", "key": ["id"]},
    "u": {"kind": "managed", "schema": "x BIGINT"},
}
VIEWS = {
    "totals": "SELECT v, count(*) AS n FROM t GROUP BY v",
    "below": "SELECT n FROM totals WHERE n > 0",
    "other": "SELECT x FROM u",
}


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("t", pa.table({"id": [1, 2], "v": [10, 20]}))
    made.refresh()
    return made


def states(project: tw.Project) -> dict[str, str]:
    return {name: view.state for name, view in project.status().views.items()}


def test_a_view_is_fresh_when_nothing_is_pending(project: tw.Project) -> None:
    status = project.status()
    assert states(project) == dict.fromkeys(VIEWS, "fresh")
    assert [(v.pending.rows, v.lag) for v in status.views.values()] == [(0, 0.0)] * 3
    assert all(v.age is not None and v.age >= 0 for v in status.views.values())


def test_a_view_whose_source_has_newer_rows_is_behind_and_so_are_those_below(project: tw.Project) -> None:
    project.ingest("t", pa.table({"id": [3, 4, 5], "v": [1, 2, 3]}))
    assert states(project) == {"totals": "behind", "below": "behind", "other": "fresh"}
    view = project.status().views["below"]
    assert (view.pending.rows, view.pending.sources) == (3, ("t",))
    assert view.lag is not None
    assert view.lag >= 0
    assert view.note


def test_rows_that_went_are_pending_too(project: tw.Project) -> None:
    project.ingest("t", pa.table({"id": [1], "v": [11]}), mode="upsert")
    assert project.status().views["totals"].pending.rows == 2, "one came, one went"


def test_pending_rows_of_a_stale_view_count_from_the_cut_that_it_reflects(project: tw.Project) -> None:
    project.ingest("t", pa.table({"id": [3], "v": [1]}))
    project.refresh(exclude="below")
    project.ingest("t", pa.table({"id": [4], "v": [1]}))
    views = project.status().views
    assert (views["totals"].state, views["totals"].pending.rows) == ("behind", 1)
    assert (views["below"].state, views["below"].pending.rows) == ("stale", 2)


def test_a_view_with_another_definition_is_behind(project: tw.Project) -> None:
    Path(project.root, "views", "totals.sql").write_text("SELECT v, count(*) + 1 AS n FROM t GROUP BY v")
    assert states(project) == {"totals": "behind", "below": "behind", "other": "fresh"}
    assert project.status().views["totals"].note == "definition changed"


def test_landed_files_are_pending(make_project: MakeProject, tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    landing.mkdir()
    (landing / "a.csv").write_text("x\n1\n")
    source = {"kind": "files", "path": str(landing), "format": "csv"}
    project = make_project({"f": source}, {"v": "SELECT x FROM f"})
    assert project.status().sources["f"].files == 1, "also before its first refresh"
    project.refresh()
    assert states(project) == {"v": "fresh"}
    (landing / "b.csv").write_text("x\n2\n")
    view = project.status().views["v"]
    assert (view.state, view.pending.files, view.pending.sources) == ("behind", 1, ("f",))


def test_a_source_that_cannot_be_read_leaves_only_its_views_unknown(project: tw.Project) -> None:
    log = os.path.join(project.warehouse().table("t"), "_delta_log")
    os.rename(log, log + ".gone")
    assert states(project) == {"totals": "unknown", "below": "unknown", "other": "fresh"}
    assert "is gone" in project.status().views["below"].note


def test_status_writes_nothing(project: tw.Project) -> None:
    before = listing(project.root)
    project.status()
    assert listing(project.root) == before


def test_status_as_data_is_what_the_command_prints(project: tw.Project) -> None:
    body = project.status().to_dict()
    assert set(body) == {"project", "epoch", "time", "applied", "failure", "sources", "views"}
    assert body["views"]["totals"]["state"] in STATES
    assert "totals: fresh" in str(project.status())


def test_changes_that_took_longer_than_full_builds_count_against_them() -> None:
    view = {"method": "merge", "reason": {"code": "input-changed"}, "instead": 1.0, "seconds": 3.0}
    run = {"run": "r", "started": "", "published": True, "views": {"v": view}}
    assert summed([run]).views["v"].saved == -2.0


def test_a_difference_that_was_chosen_is_no_refresh_from_changes() -> None:
    view = {"method": "difference", "reason": {"code": "cheaper"}, "instead": 1.0, "seconds": 3.0}
    run = {"run": "r", "started": "", "published": True, "views": {"v": view}}
    assert (summed([run]).views["v"].refreshes, summed([run]).views["v"].from_changes) == (1, 0)


# --- failures ---

BAD = "SELECT 1 DIV (v - 10) AS n FROM t"


@pytest.fixture
def failing(make_project: MakeProject) -> tw.Project:
    """A view that was built once, and fails since a row came."""
    made = make_project(SOURCES, {"bad": BAD, "below": "SELECT n FROM bad"})
    made.ingest("t", pa.table({"id": [1], "v": [20]}))
    made.refresh()
    made.ingest("t", pa.table({"id": [2], "v": [10]}))
    with pytest.raises(tw.ExecutionError):
        made.refresh()
    return made


def test_status_shows_the_last_failure_of_a_view_and_of_the_run(failing: tw.Project) -> None:
    status = failing.status()
    assert status.views["bad"].state == "behind"
    assert status.failure is not None
    assert status.views["bad"].past.failure == status.failure
    assert "zero" in status.failure.text.lower()
    below = status.views["below"].past.failure
    assert below is not None
    assert 'view "bad" failed' in below.message


def test_a_failure_is_over_when_the_view_is_built_again(failing: tw.Project) -> None:
    failing.ingest("t", pa.table({"id": [2], "v": [30]}), mode="upsert")
    failing.refresh()
    status = failing.status()
    assert (status.failure, status.views["bad"].past.failure) == (None, None)


def test_a_failure_is_over_when_there_is_nothing_to_do_any_more(project: tw.Project) -> None:
    log = os.path.join(project.warehouse().table("t"), "_delta_log")
    os.rename(log, log + ".gone")
    with contextlib.suppress(tw.StoreError):
        project.refresh()
    assert project.status().failure is not None
    os.rename(log + ".gone", log)
    assert not project.refresh().published
    assert project.status().failure is None


def test_explain_keeps_the_figures_of_the_good_epoch_and_shows_the_failure(failing: tw.Project) -> None:
    body = failing.explain("bad")
    assert body["last"]["epoch"] == 1
    assert body["last"]["run"]["rows_written"] == 1
    assert body["failure"]["code"]


def test_a_run_that_dies_while_planning_is_in_the_history(project: tw.Project) -> None:
    log = os.path.join(project.warehouse().table("t"), "_delta_log")
    os.rename(log, log + ".gone")
    with pytest.raises(tw.StoreError) as caught:
        project.refresh()
    run = project.history()[0]
    assert (run["published"], run["epoch"], run["views"]) == (False, 1, {})
    assert run["error"]["code"] == caught.value.code


def test_a_run_that_is_interrupted_is_in_the_history(project: tw.Project) -> None:
    project.ingest("t", pa.table({"id": [3], "v": [1]}))

    def interrupt(event: str, view: str, result: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.refresh(listener=interrupt)
    assert project.history()[0]["error"]["code"] == "interrupted"
    failure = project.status().failure
    assert failure is not None
    assert failure.code == "interrupted"


def test_a_run_that_dies_of_a_bug_is_in_the_history(project: tw.Project) -> None:
    project.ingest("t", pa.table({"id": [3], "v": [1]}))

    def broken(event: str, view: str, result: object) -> None:
        raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError):
        project.refresh(listener=broken)
    assert project.history()[0]["error"]["message"] == "ZeroDivisionError: ours"


def test_the_history_is_read_from_its_end(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        project.refresh(full_refresh=True)
    whole = project.history()
    monkeypatch.setattr("tidewheel.store.history.BLOCK", 7)
    assert project.history() == whole
    assert [run["epoch"] for run in whole] == [4, 3, 2, 1]
