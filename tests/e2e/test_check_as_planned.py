"""`check` finds what `plan` would: sources that are not as declared, and views that the engine never runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import tidewheel as tw

Make = Callable[..., tw.Project]


def declare(project: tw.Project, schema: str) -> tw.Project:
    path = Path(project.root, "tidewheel.yml")
    body = yaml.safe_load(path.read_text())
    body["sources"]["o"]["schema"] = schema
    path.write_text(yaml.safe_dump(body))
    return tw.open(project.root, engine="local")


@pytest.fixture
def managed(make_project: Make) -> tw.Project:
    sources = {
        "o": {"kind": "managed", "schema": "k BIGINT, amt DECIMAL(10,2)"},
        "t": {"kind": "managed", "schema": "k BIGINT"},
    }
    views = {"v": "SELECT k, amt FROM o", "w": "SELECT k FROM v", "x": "SELECT k FROM t"}
    made = make_project(sources, views)
    made.ingest("o", [{"k": 1, "amt": 2}])
    return made


@pytest.mark.parametrize("refreshed", [True, False])
@pytest.mark.parametrize("schema", ["k BIGINT, amt DECIMAL(12,2)", "k BIGINT, amt DECIMAL(10,2), d INT NOT NULL"])
def test_a_source_that_is_not_as_declared_breaks_what_reads_it(
    managed: tw.Project, schema: str, *, refreshed: bool
) -> None:
    if refreshed:
        managed.refresh()
    found = declare(managed, schema).check()
    assert [found.views[name].state for name in "vwx"] == ["broken", "broken", "sound"]
    assert [error.code for error in found.errors] == ["schema-changed"]


def test_a_column_added_to_a_files_source_is_found(make_project: Make, tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    landing.mkdir()
    (landing / "a.csv").write_text("k\n1\n")
    made = make_project({"o": {"kind": "files", "path": str(landing), "schema": "k BIGINT"}}, {"v": "SELECT k FROM o"})
    made.refresh()
    error = declare(made, "k BIGINT, d INT").check().views["v"].error
    assert error is not None
    assert error.code == "schema-changed"


def test_an_added_column_that_is_not_null_is_told_as_such(managed: tw.Project) -> None:
    error = declare(managed, "k BIGINT, amt DECIMAL(10,2), d INT NOT NULL").check().views["v"].error
    assert error is not None
    assert 'column "d" is new and NOT NULL' in error.message


def test_a_table_that_is_not_there_yet_is_no_mistake_and_the_note_says_so(make_project: Make, tmp_path: Path) -> None:
    made = make_project({"o": {"kind": "delta", "path": str(tmp_path / "none")}}, {"v": "SELECT * FROM o"})
    found = made.check()
    assert found.exit_code == 0
    assert found.views["v"].state == "first-build"
    assert "has no Delta table at its path" in found.views["v"].note


def test_a_view_that_the_local_engine_never_runs_is_broken(make_project: Make) -> None:
    views = {"v": "SELECT chr(CAST(k AS INT)) AS c FROM o", "w": "SELECT k FROM o"}
    made = make_project({"o": {"kind": "managed", "schema": "k BIGINT"}}, views)
    found = made.check()
    assert [error.code for error in found.errors] == ["not-local"]
    assert found.views["w"].state == "sound"
    assert made.plan().step("v").method == "broken"
    assert made.plan().step("w").builds
