"""A build in full writes the states of a view first, and makes the view from them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.errors import ExecutionError
from tidewheel.run.building.changing import Changing
from tidewheel.run.building.staged_change import RowsMissing

SOURCES = {"t": {"kind": "managed", "schema": "id BIGINT, g BIGINT, v BIGINT", "key": ["id"]}}
GROUPS = "SELECT g, sum(v) AS s FROM t GROUP BY g"
VIEWS = {
    "large": f"{GROUPS} HAVING sum(v) > 10",
    "first": f"SELECT g, s FROM ({GROUPS}) ORDER BY s DESC LIMIT 3",
    "above": f"SELECT g FROM ({GROUPS}) WHERE s > (SELECT avg(s) FROM ({GROUPS}))",
}


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    ids = range(40)
    made.ingest("t", pa.table({"id": list(ids), "g": [i % 8 for i in ids], "v": [i % 5 for i in ids]}))
    made.refresh()
    return made


def test_what_is_kept_is_what_the_view_is_made_of(project: tw.Project) -> None:
    assert project.verify(deep=True).differences == {}
    project.refresh(full_refresh=True)
    assert project.verify(deep=True).differences == {}


@pytest.mark.parametrize("error", [RowsMissing("t"), ExecutionError("no", code="out-of-memory")])
def test_a_build_after_a_change_that_failed_reads_the_new_states(
    error: Exception, project: tw.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change has read the old ones in the same session."""
    project.ingest("t", pa.table({"id": list(range(100, 120)), "g": [i % 4 for i in range(20)], "v": [50] * 20}))

    def fail(changing: Changing, staged: Any) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Changing, "_apply", fail)
        run = project.refresh()
    assert {view.method for view in run.views.values()} == {"full"}
    assert project.verify(deep=True).differences == {}
    project.ingest("t", pa.table({"id": [0, 1], "g": [5, 6], "v": [900, 1]}), mode="upsert")
    project.refresh()
    assert project.verify(deep=True).differences == {}
