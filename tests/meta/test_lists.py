"""Lists in the documentation are those of the code: methods, states, events, and the fields of every JSON document."""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.meta.test_docs import DOCS, ROOT, calls, section
from tidewheel.methods import BUILDING
from tidewheel.run.standing import STATES
from tidewheel.snapshot import ProjectSnapshot

PYTHON = (DOCS / "python.md").read_text("utf-8")
INTERNAL = {"definition", "warehouse", "warehouse_to_read", "engine", "contents", "frame"}
"""Of use to our own modules and tests; users have no promise on them."""


# --- the Python API ---


@pytest.mark.parametrize(("prefix", "kind"), [("project", tw.Project), ("s", ProjectSnapshot)], ids=["project", "s"])
def test_every_method_is_documented_and_every_documented_one_exists(prefix: str, kind: type) -> None:
    names = {name for name in dir(kind) if not name.startswith("_")} - INTERNAL
    given = set(inspect.signature(kind).parameters)
    shown = set(re.findall(rf"(?<![\w.]){prefix}\.(\w+)", PYTHON))
    assert names - shown - set(re.findall(r"\bto_\w+", PYTHON)) == set(), "not documented"
    assert shown - names - given == set(), "documented, and not there"


def test_every_parameter_of_a_refresh_is_documented() -> None:
    for method in (tw.Project.plan, tw.Project.refresh):
        parameters = set(inspect.signature(method).parameters) - {"self"}
        assert {p for p in parameters if not re.search(rf"\b{p}\b", PYTHON)} == set(), method.__name__


# --- names in tables and sentences ---


def rows(text: str) -> list[str]:
    """The first cells of a table, without their marks."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def test_the_states_of_views_are_documented() -> None:
    assert rows(section(DOCS / "cli.md", "tidewheel status")) == list(STATES)
    line = next(line for line in PYTHON.splitlines() if ".state" in line and '"fresh"' in line)
    assert re.findall(r'"([a-z ]+)"', line)[1:] == list(STATES)


def test_the_methods_of_a_refresh_are_documented() -> None:
    assert set(rows(section(DOCS / "incremental.md", "Methods"))) == BUILDING | {"none"}


def test_the_events_of_the_log_are_documented() -> None:
    given = {a.value for c in calls({"event"}) for a in c.args[:1] if isinstance(a, ast.Constant)}
    line = next(r for r in section(DOCS / "cli.md", "Environment variables").splitlines() if "`TIDEWHEEL_LOG`" in r)
    assert set(re.findall(r"`([a-z-]+\.[a-z-]+)`", line)) == given


def test_the_events_that_a_listener_hears_are_documented() -> None:
    given = {a.value for c in calls({"listener"}) for a in c.args[:1] if isinstance(a, ast.Constant)}
    text = re.search(r"events are (.*?) With", PYTHON, re.DOTALL)
    assert text is not None
    assert set(re.findall(r"`([a-z]+)`", text[1])) - {"view"} == given


# --- JSON ---


def example(heading: str) -> Any:
    """The JSON document that a section shows."""
    found = re.search(r"^```json\n(.*?)^```$", section(DOCS / "cli.md", heading), re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return json.loads(found[1])


def fields(body: Any) -> set[str]:
    assert isinstance(body, dict)
    return set(body)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tw.Project:
    """Refreshed twice; a row is pending."""
    made = tw.create(
        tmp_path_factory.mktemp("lists") / "p",
        sources={"t": {"kind": "managed", "schema": "id BIGINT, v BIGINT", "key": ["id"]}},
        views={"daily": "SELECT v, count(*) AS n FROM t GROUP BY v"},
        engine="local",
    )
    made.ingest("t", pa.table({"id": range(1000), "v": range(1000)}))
    made.refresh()
    made.ingest("t", pa.table({"id": [5000], "v": [3]}))
    made.refresh()
    made.ingest("t", pa.table({"id": [5001], "v": [3]}))
    return made


def test_the_fields_of_an_error() -> None:
    error = tw.UserError("x", code="no-project").to_dict()
    assert fields(example("JSON")["error"]) == fields(error)


def test_the_fields_of_a_plan(project: tw.Project) -> None:
    shown, real = example("tidewheel plan"), project.plan().to_dict()
    assert fields(shown) == fields(real)
    assert fields(shown["views"][0]) == fields(real["views"][0])
    assert fields(shown["views"][0]["predicted"]) == fields(real["views"][0]["predicted"])


def test_the_fields_of_a_run(project: tw.Project) -> None:
    shown, real = example("tidewheel refresh"), project.history()[0]
    assert fields(shown) == fields(real)
    assert fields(shown["views"]["daily_revenue"]) == fields(real["views"]["daily"])
    assert fields(shown["views"]["daily_revenue"]["read"][0]) == fields(real["views"]["daily"]["read"][0])


def test_the_fields_of_a_status(project: tw.Project) -> None:
    shown, real = example("tidewheel status"), project.status().to_dict()
    assert fields(shown) == fields(real)
    assert fields(shown["sources"]["orders"]) == fields(real["sources"]["t"])
    view = shown["views"]["daily_revenue"]
    assert fields(view) == fields(real["views"]["daily"])
    assert fields(view["pending"]) == fields(real["views"]["daily"]["pending"])


def test_the_fields_of_an_ingest(make_project: MakeProject) -> None:
    made = make_project({"t": {"kind": "managed", "schema": "id BIGINT"}}, {})
    assert fields(example("tidewheel ingest")) == fields(made.ingest("t", pa.table({"id": [1]})).to_dict())


NAMED = {"tidewheel explain": "explain", "tidewheel verify": "verify", "tidewheel vacuum": "vacuum"}


@pytest.mark.parametrize("heading", NAMED)
def test_fields_that_are_named_in_a_sentence(project: tw.Project, heading: str) -> None:
    bodies = {
        "explain": lambda: project.explain("daily"),
        "verify": lambda: project.verify().to_dict(),
        "vacuum": lambda: project.vacuum(dry_run=True).to_dict(),
    }
    text = section(DOCS / "cli.md", heading)
    body = bodies[NAMED[heading]]()
    assert {name for name in body if not re.search(rf'[`"]{name}[`":]', text)} == set()


def test_no_page_names_a_file_that_is_gone() -> None:
    """Paths of our own sources, written as code."""
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
        for path in re.findall(r"`(src/tidewheel/[\w/]+\.py)`", page.read_text("utf-8")):
            assert Path(ROOT, path).exists(), f"{page.name}: {path}"
