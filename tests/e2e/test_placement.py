"""Where views run: asked for by `placement`, done so, and said. Spark is a stand-in here that counts its starts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.e2e.fake_spark import FakeSpark
from tests.e2e.refusals import refused
from tidewheel.engine.local.engine import LocalEngine, LocalRun
from tidewheel.errors import ExecutionError
from tidewheel.plan import placement

SOURCES = {"orders": {"kind": "managed", "schema": "id BIGINT, day DATE, amount BIGINT", "key": ["id"]}}
VIEWS = {
    "daily": "SELECT day, sum(amount) AS total, count(*) AS n FROM orders GROUP BY day",
    "best": "SELECT max(total) AS total FROM daily",
}


def orders(first: int, count: int) -> pa.Table:
    ids = list(range(first, first + count))
    days = pa.array([18000 + i % 3 for i in ids], pa.int32()).cast(pa.date32())
    return pa.table({"id": pa.array(ids, pa.int64()), "day": days, "amount": pa.array(ids, pa.int64())})


@pytest.fixture
def project(tmp_path: Path, starts: Any) -> tw.Project:
    made = tw.create(tmp_path / "shop", sources=SOURCES, views=VIEWS)
    made.ingest("orders", orders(0, 30))
    return made


def places(run: Any) -> dict[str, str | None]:
    return {name: view.place for name, view in run.views.items()}


def test_full_builds_are_for_spark_and_small_changes_for_the_driver(project: tw.Project, starts: Any) -> None:
    first = project.refresh()
    assert places(first) == {"daily": "spark", "best": "spark"}
    assert (first.engine, first.places, starts()) == ("spark", ("spark",), 1)
    project.ingest("orders", orders(30, 5))
    second = project.refresh()
    assert places(second) == {"daily": "driver", "best": "driver"}
    assert (second.engine, second.places, starts()) == ("driver", ("driver",), 1)


def test_placement_driver_builds_in_the_driver_what_it_can(project: tw.Project, starts: Any) -> None:
    run = project.refresh(placement="driver")
    assert places(run) == {"daily": "driver", "best": "driver"}
    assert (run.engine, starts()) == ("driver", 0)
    assert {view.on_spark for view in run.views.values()} == {None}
    assert project.to_arrow("best").to_pylist() == [{"total": 155}]


def test_what_was_built_in_the_driver_is_maintained_from_changes(project: tw.Project, starts: Any) -> None:
    project.refresh(placement="driver")
    project.ingest("orders", orders(25, 10), mode="upsert")
    run = project.refresh()
    assert "full" not in {view.method for view in run.views.values()}
    assert starts() == 0


def test_placement_spark_runs_also_small_changes_on_spark(project: tw.Project) -> None:
    project.refresh(placement="spark")
    project.ingest("orders", orders(30, 5))
    run = project.refresh(placement="spark")
    assert places(run) == {"daily": "spark", "best": "spark"}
    assert {view.on_spark.code for view in run.views.values() if view.on_spark} == {"placement"}


def test_placement_is_an_option_of_the_project_and_of_targets(tmp_path: Path, starts: Any) -> None:
    options = {"placement": "driver", "targets": {"prod": {"placement": "spark"}}}
    project = tw.create(tmp_path / "p", sources=SOURCES, views=VIEWS, options=options)
    assert places(project.refresh()) == {"daily": "driver", "best": "driver"}
    assert tw.open(project.root, target="prod").engines.placement().mode == "spark"
    assert tw.open(project.root, target="prod", placement="auto").engines.placement().mode == "auto"
    assert starts() == 0


def failing(code: str) -> Any:
    """The driver's session, which does not manage what it is asked for in that way."""

    def write(self: LocalRun, view: Any, *_: object) -> Any:
        raise ExecutionError(f'view "{view.name}" went wrong', code=code)

    return write


@pytest.mark.parametrize("code", ["out-of-memory", "not-local", "query-failed"])
def test_what_the_driver_does_not_manage_goes_to_spark_and_it_is_said_why(
    project: tw.Project, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    own = LocalRun.run
    monkeypatch.setattr(FakeSpark, "session", lambda self, settings: _Other(LocalEngine(10**9, self.folder), settings))
    monkeypatch.setattr(LocalRun, "run", failing(code))
    monkeypatch.setattr(_Other, "run", own, raising=False)
    run = project.refresh(placement="driver", select=["daily"])
    assert places(run)["daily"] == "spark"
    why = run.views["daily"].on_spark
    assert why is not None
    assert (why.code, why.text) == ("beyond-driver", 'view "daily" went wrong')
    assert run.to_dict()["views"]["daily"]["on_spark"]["code"] == "beyond-driver"
    assert project.query("SELECT count(*) AS n FROM daily").to_pylist() == [{"n": 3}]


class _Other(LocalRun):
    """A session that is not the driver's."""

    def __init__(self, engine: LocalEngine, settings: dict[str, str]) -> None:
        found = engine.session(settings)
        super().__init__(found.connection, in_utc=found.in_utc)


def test_what_is_too_large_for_the_driver_goes_to_spark(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "ON_DRIVER", 1)
    run = project.refresh(placement="driver")
    assert places(run) == {"daily": "spark", "best": "spark"}
    assert {view.on_spark.code for view in run.views.values() if view.on_spark} == {"too-large"}


def test_without_a_spark_only_the_views_that_need_one_fail(
    project: tw.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: object) -> Any:
        raise ExecutionError("Java is not installed", code="no-java", hint="Install one.")

    monkeypatch.setattr(FakeSpark, "session", unavailable)
    project.add_view("coded", "SELECT day, soundex(CAST(day AS STRING)) AS code FROM daily")
    run = project.refresh(placement="driver")
    assert run.published
    assert {name: view.method for name, view in run.views.items() if view.error} == {"coded": "failed"}
    assert places(run)["daily"] == "driver"


def test_plan_says_where_views_will_run_and_whether_spark_starts(project: tw.Project, starts: Any) -> None:
    auto, driver = project.plan(), project.plan(placement="driver")
    assert auto.starts_spark
    assert {step.place for step in auto.steps} == {"spark"}
    assert not driver.starts_spark
    assert {step.place for step in driver.steps} == {"driver"}
    assert starts() == 0
    project.refresh(placement="driver")
    project.ingest("orders", orders(30, 5))
    assert not project.plan().starts_spark
    assert project.plan(placement="spark").starts_spark


def test_plan_names_the_function_for_which_a_view_goes_to_spark(project: tw.Project) -> None:
    project.add_view("coded", "SELECT id, soundex(CAST(id AS STRING)) AS code FROM orders")
    step = project.plan(placement="driver").step("coded")
    assert step.place == "spark"
    assert step.on_spark is not None
    assert step.on_spark.code == "beyond-driver"
    assert "soundex" in step.on_spark.text


def test_plan_prices_first_builds_and_rebuilds(project: tw.Project) -> None:
    first = {step.view: step.ways[0] for step in project.plan().steps}
    assert all(0 < arm.seconds < math.inf for arm in first.values())
    assert (first["daily"].method, first["daily"].place) == ("full", "cluster")
    assert first["daily"].rows <= 30
    assert project.plan(placement="driver").step("daily").ways[0].seconds < first["daily"].seconds
    project.refresh(placement="driver")
    again = project.plan(full_refresh=True)
    assert all(step.ways for step in again.steps)


def test_a_run_that_only_moves_sources_names_no_engine(tmp_path: Path, starts: Any) -> None:
    project = tw.create(tmp_path / "p", sources=SOURCES, views={})
    project.ingest("orders", orders(0, 3))
    run = project.refresh()
    assert (run.published, run.engine, run.places, starts()) == (True, "none", (), 0)


def test_a_placement_that_does_not_exist_is_refused(project: tw.Project) -> None:
    wrong: Any = "cluster"
    with refused(project.root, "bad-option"):
        project.refresh(placement=wrong)
    with refused(project.root, "bad-option"):
        project.plan(placement=wrong)


def test_the_local_engine_has_no_spark_to_run_on(project: tw.Project) -> None:
    local = tw.open(project.root, engine="local")
    with refused(project.root, "bad-option"):
        local.refresh(placement="spark")


def test_an_unknown_placement_in_the_configuration_is_shown_at_its_line(project: tw.Project) -> None:
    file = Path(project.root) / "tidewheel.yml"
    file.write_text(f"placement: cluster\n{file.read_text()}")
    with refused(project.root, "bad-option", place="tidewheel.yml:1:1"):
        tw.open(project.root)
