"""The clock is a source: each epoch has one time, and the day is the day of the project's own time zone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

import tidewheel as tw

Make = Callable[..., tw.Project]
SOURCES = {"s": {"kind": "managed", "schema": "a BIGINT"}}


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Niue"])
def test_today_is_todays_date_in_the_projects_time_zone(make_project: Make, zone: str) -> None:
    """Somewhere between Niue and Kiritimati the date is always another than in UTC."""
    project = make_project(SOURCES, {"v": "SELECT a, current_date() AS today FROM s"}, timezone=zone)
    project.ingest("s", pa.table({"a": [1]}))
    run = project.refresh()
    today = run.plan.time.astimezone(ZoneInfo(zone)).date()
    assert project.to_arrow("v").to_pylist() == [{"a": 1, "today": today}]
    assert project.epoch().views["v"].clock == today.isoformat()
    assert project.verify().differences == {}
    assert not project.refresh().published


def test_a_view_of_the_day_is_rebuilt_when_the_day_changes(make_project: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project(SOURCES, {"v": "SELECT current_date AS d", "w": "SELECT a FROM s"})
    first = project.refresh()
    tomorrow = first.plan.time + dt.timedelta(days=1)
    monkeypatch.setattr("tidewheel.plan.planner.dt", _Frozen(tomorrow))
    run = project.refresh()
    assert (run.views["v"].method, run.views["v"].reason.code) == ("full", "clock")
    assert run.views["w"].method == "none"
    assert project.to_arrow("v").to_pylist() == [{"d": tomorrow.date()}]


def test_the_local_engine_refuses_calendars_of_other_time_zones(make_project: Make) -> None:
    views = {"v": "SELECT CAST(at AS DATE) AS d FROM s"}
    project = make_project({"s": {"kind": "managed", "schema": "at TIMESTAMP"}}, views, timezone="Europe/Berlin")
    project.ingest("s", pa.table({"at": [dt.datetime(2026, 7, 1, 23, tzinfo=dt.UTC)]}))
    error = project.refresh().views["v"].error
    assert error is not None
    assert error.code == "not-local"
    assert "time zone" in error.message


class _Frozen:
    """The datetime module with a clock that stands still."""

    UTC = dt.UTC

    def __init__(self, now: dt.datetime) -> None:
        self.datetime = self
        self._now = now

    def now(self, zone: dt.tzinfo) -> dt.datetime:
        return self._now.astimezone(zone)
