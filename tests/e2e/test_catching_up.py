"""A view that lags behind catches up from the changes since, over several epochs, also after a vacuum."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.plan.plan import Reason

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g INT, x INT", "key": ["id"]}}
VIEWS = {
    "totals": "SELECT g, sum(x) AS total, max(x) AS most FROM s GROUP BY g",
    "late": "SELECT count(*) AS n, sum(total) AS total FROM totals WHERE most > 5",
    "later": "SELECT s.id, t.total FROM s JOIN totals t ON s.g = t.g",
}


def rows(*values: tuple[int, int, int]) -> pa.Table:
    schema = pa.schema({"id": pa.int64(), "g": pa.int32(), "x": pa.int32()})
    return pa.table([list(column) for column in zip(*values, strict=True)], schema=schema)


@pytest.mark.parametrize("vacuum", [False, True])
def test_a_view_that_was_not_selected_catches_up_over_several_epochs(make_project: MakeProject, vacuum: bool) -> None:
    project = make_project(SOURCES, VIEWS, retention="0 seconds")
    project.ingest("s", rows((1, 1, 10), (2, 1, 20), (3, 2, 3)))
    project.refresh()
    for step in range(4):
        project.ingest("s", rows((10 + step, step % 3, 7 * step), (2, 1, 20 + step)), mode="upsert")
        run = project.refresh(select=["totals"])
        assert run.views["totals"].method == "merge"
        assert run.views["late"].method == "stale"
        if vacuum:
            project.vacuum()
    run = project.refresh()
    methods = {name: view.method for name, view in run.views.items()}
    assert methods == {"totals": "none", "late": "merge", "later": "rows"}
    assert project.verify(deep=True).differences == {}


def test_an_input_that_was_rebuilt_meanwhile_means_a_rebuild(make_project: MakeProject) -> None:
    project = make_project(SOURCES, VIEWS)
    project.ingest("s", rows((1, 1, 10), (3, 2, 3)))
    project.refresh()
    project.ingest("s", rows((4, 2, 30)))
    project.refresh(select=["totals"], full_refresh=True)
    run = project.refresh()
    assert (run.views["late"].method, run.views["late"].reason.code) == ("full", "input-rebuilt")
    assert project.verify(deep=True).differences == {}
    project.ingest("s", rows((5, 2, 31)))
    assert {v.method for v in project.refresh().views.values()} == {"merge", "rows"}
    assert project.verify(deep=True).differences == {}


def test_a_failed_view_keeps_its_rows_and_catches_up(make_project: MakeProject) -> None:
    views = {**VIEWS, "ratio": "SELECT g, 100 / total AS r FROM totals"}
    project = make_project(SOURCES, views)
    project.ingest("s", rows((1, 1, 10), (3, 2, 3)))
    project.refresh()
    project.ingest("s", rows((4, 2, -3)))
    run = project.refresh()
    assert run.views["ratio"].method == "failed"
    project.ingest("s", rows((5, 2, 50)))
    run = project.refresh()
    assert run.views["ratio"].method == "rows"
    assert project.verify(deep=True).differences == {}


def test_a_phantom_row_raises_nothing(make_project: MakeProject) -> None:
    """A row that came and went between two epochs is in neither: dividing by it is nobody's business."""
    project = make_project(SOURCES, {"v": "SELECT id, 100 / x AS r FROM s"})
    project.ingest("s", rows((1, 1, 10)))
    project.refresh()
    project.ingest("s", rows((2, 1, 0)))
    project.ingest("s", pa.table({"id": pa.array([2], pa.int64())}), mode="delete")
    assert project.refresh().views["v"].method == "none"
    assert project.verify().differences == {}


def test_a_change_that_cannot_be_computed_is_no_failure_of_the_view(make_project: MakeProject) -> None:
    """Joined with what was there before, a new row divides by zero; with what is there now it does not."""
    sources = {**SOURCES, "d": {"kind": "managed", "schema": "g INT, y INT", "key": ["g"]}}
    project = make_project(sources, {"v": "SELECT s.id, s.x / (d.y - s.x) AS r FROM s JOIN d ON s.g = d.g"})
    project.ingest("s", rows((1, 1, 10)))
    project.ingest("d", pa.table({"g": pa.array([1], pa.int32()), "y": pa.array([20], pa.int32())}))
    project.refresh()
    project.ingest("s", rows((1, 1, 30)), mode="upsert")
    project.ingest("d", pa.table({"g": pa.array([1], pa.int32()), "y": pa.array([10], pa.int32())}), mode="upsert")
    run = project.refresh()
    assert (run.views["v"].method, run.views["v"].reason.code) == ("full", "change-failed")
    assert project.verify().differences == {}


def test_reading_projects_from_before_there_were_layouts(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tidewheel.plan.defined.maintenance import NotMaintained  # noqa: PLC0415

    project = make_project(SOURCES, VIEWS)
    project.ingest("s", rows((1, 1, 10)))
    none = NotMaintained(Reason("configured", "as before"))
    with monkeypatch.context() as patched:
        patched.setattr("tidewheel.run.building.build.upkeep_to_build", lambda *_: none)
        project.refresh()
    project.ingest("s", rows((2, 1, 10)))
    run = project.refresh()
    assert run.views["totals"].method == "full"
    assert tw.open(project.root).plan().is_empty
    project.ingest("s", rows((3, 1, 10)))
    assert project.refresh().views["totals"].method == "merge"
