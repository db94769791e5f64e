"""A project knows its warehouse: one that is gone, or another one in its place, is said and not begun anew."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import tidewheel as tw
from tests.e2e.refusals import refused

Make = Callable[..., tw.Project]
SOURCES = {"orders": {"kind": "managed", "schema": "x BIGINT"}}
VIEWS = {"total": "SELECT sum(x) AS n FROM orders"}
ROWS = pa.table({"x": [1]})


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("orders", ROWS)
    made.refresh()
    return made


def warehouse(project: tw.Project) -> Path:
    return Path(project.root, "warehouse")


COMMANDS: dict[str, Callable[[tw.Project], Any]] = {
    "refresh": lambda p: p.refresh(),
    "ingest": lambda p: p.ingest("orders", ROWS),
    "plan": lambda p: p.plan(),
    "verify": lambda p: p.verify(),
    "vacuum": lambda p: p.vacuum(),
    "drop": lambda p: p.drop("total"),
    "to_arrow": lambda p: p.to_arrow("total"),
    "query": lambda p: p.query("SELECT * FROM total"),
    "epoch": lambda p: p.epoch(),
    "history": lambda p: p.history(),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("is_mount_point", [True, False], ids=["unmounted", "deleted"])
def test_a_warehouse_that_is_gone_is_not_begun_anew(project: tw.Project, command: str, is_mount_point: bool) -> None:
    shutil.rmtree(warehouse(project))
    if is_mount_point:
        warehouse(project).mkdir()
    with refused(project.root, "warehouse-gone") as caught:
        COMMANDS[command](project)
    assert "--force" in (caught.value.hint or "")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("command", COMMANDS)
def test_another_warehouse_in_its_place_is_refused(project: tw.Project, make_project: Make, command: str) -> None:
    other = make_project(SOURCES, VIEWS, name="other")
    other.refresh()
    shutil.rmtree(warehouse(project))
    shutil.copytree(warehouse(other), warehouse(project))
    with refused(project.root, "warehouse-changed"):
        COMMANDS[command](project)


def test_force_begins_anew_once(project: tw.Project) -> None:
    shutil.rmtree(warehouse(project))
    assert project.refresh(force=True).epoch == 1
    assert project.to_arrow("total").to_pylist() == [{"n": None}]
    project.ingest("orders", ROWS)
    assert project.refresh().epoch == 2


def test_an_ingest_begins_anew_by_force(project: tw.Project) -> None:
    shutil.rmtree(warehouse(project))
    assert project.ingest("orders", ROWS, force=True).version == 0
    assert project.refresh().epoch == 1


def test_force_does_no_harm_to_the_warehouse_that_is_there(project: tw.Project) -> None:
    project.ingest("orders", ROWS, force=True)
    assert project.refresh(force=True).epoch == 2
    assert project.to_arrow("total").to_pylist() == [{"n": 2}]


def test_a_clone_has_no_note_and_refuses_nothing(project: tw.Project, tmp_path: Path) -> None:
    """What version control takes along is what git would add."""
    clone = tmp_path / "clone"
    (Path(project.root) / ".gitignore").write_text("/warehouse\n")
    for command in (["init", "-q"], ["add", "-A"], ["checkout-index", "-a", f"--prefix={clone}/"]):
        subprocess.run(["git", *command], cwd=project.root, check=True)
    assert not (clone / ".tidewheel").exists()
    assert tw.open(clone, engine="local").refresh().epoch == 1


def test_a_moved_warehouse_is_found_where_it_is_configured(project: tw.Project) -> None:
    os.rename(warehouse(project), Path(project.root, "elsewhere"))
    with refused(project.root, "warehouse-gone"):
        project.refresh()
    configure(project, warehouse="./elsewhere")
    project.ingest("orders", ROWS)
    assert project.refresh().epoch == 2


def test_an_empty_place_is_no_warehouse_to_move_to(project: tw.Project) -> None:
    configure(project, warehouse="./elsewher")
    with refused(project.root, "warehouse-gone") as caught:
        project.refresh()
    assert "It was at ./warehouse before." in (caught.value.detail or "")


def test_targets_have_warehouses_of_their_own(project: tw.Project) -> None:
    configure(project, targets={"prod/eu": {"warehouse": "./prod"}})
    prod = tw.open(project.root, target="prod/eu", engine="local")
    assert prod.refresh().epoch == 1
    shutil.rmtree(Path(project.root, "prod"))
    with refused(project.root, "warehouse-gone"):
        prod.refresh()
    assert project.refresh().epoch == 1


def test_a_warehouse_of_an_earlier_release_gets_its_id(project: tw.Project) -> None:
    (warehouse(project) / "_tidewheel" / "id.json").unlink()
    shutil.rmtree(Path(project.root, ".tidewheel"))
    assert project.to_arrow("total").to_pylist() == [{"n": 1}]
    project.refresh()
    shutil.rmtree(warehouse(project))
    with refused(project.root, "warehouse-gone"):
        project.refresh()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"id": 1}'])
def test_a_damaged_id_is_named(project: tw.Project, text: str) -> None:
    (warehouse(project) / "_tidewheel" / "id.json").write_text(text)
    with refused(project.root, "corrupt-record") as caught:
        project.refresh()
    assert "id.json" in (caught.value.detail or "")


def test_a_damaged_note_is_no_note(project: tw.Project) -> None:
    Path(project.root, ".tidewheel", "default.json").write_text("{")
    project.ingest("orders", ROWS)
    assert project.refresh().epoch == 2


def configure(project: tw.Project, **options: Any) -> None:
    file = Path(project.root, "tidewheel.yml")
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **options}))
