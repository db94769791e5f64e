"""Names that are given to the API and the command line: one text is one name, and an error says what a name is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.e2e.refusals import refused

SOURCES = {"t": {"kind": "managed", "schema": "id BIGINT, v BIGINT"}}
NUMBERS: Any = [1]
VIEWS = {"daily": "SELECT v, count(*) AS n FROM t GROUP BY v", "d": "SELECT id FROM t", "gone": "SELECT v FROM t"}


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("t", pa.table({"id": [1, 2], "v": [10, 20]}))
    return made


def test_one_text_selects_one_view(project: tw.Project) -> None:
    assert {s.view for s in project.plan(select="daily").to_build} == {"daily"}


def test_one_text_excludes_one_view(project: tw.Project) -> None:
    assert {s.view for s in project.plan(exclude="daily").to_build} == {"d", "gone"}


def test_one_text_is_refreshed_and_verified(project: tw.Project) -> None:
    assert project.refresh(select="daily").views["d"].method == "stale"
    assert list(project.verify(select="daily").views) == ["daily"]


def test_names_may_come_from_a_generator(project: tw.Project) -> None:
    assert {s.view for s in project.plan(select=(n for n in ["daily"])).to_build} == {"daily"}


def test_a_view_is_found_in_any_case(project: tw.Project) -> None:
    assert project.plan().step("DAILY").view == "daily"
    assert project.ingest("T", pa.table({"id": [3], "v": [30]})).rows == 1


REFUSED: dict[str, tuple[Callable[[tw.Project], Any], str, str]] = {
    "step of no view": (lambda p: p.plan().step("nope"), "unknown-relation", '"nope" does not exist'),
    "step of a source": (lambda p: p.plan().step("t"), "wrong-kind", '"t" is a source, not a view'),
    "select a source": (lambda p: p.plan(select="t"), "wrong-kind", '"t" is a source, not a view'),
    "exclude a source": (lambda p: p.refresh(exclude=["t"]), "wrong-kind", '"t" is a source, not a view'),
    "select a number": (lambda p: p.plan(select=NUMBERS), "bad-option", "takes texts, not int"),
    "select a single number": (lambda p: p.plan(select=NUMBERS[0]), "bad-option", "takes texts, not int"),
    "suppose numbers": (lambda p: p.plan(what_if=NUMBERS), "bad-option", "takes texts, not int"),
    "suppose a view": (lambda p: p.plan(what_if="daily=+1%"), "wrong-kind", '"daily" is a view, not a source'),
    "ingest a view": (lambda p: p.ingest("daily", pa.table({"v": [1]})), "wrong-kind", "is a view, not a source"),
    "ingest nothing": (lambda p: p.ingest("tt", pa.table({"v": [1]})), "unknown-relation", '"tt" does not exist'),
    "drop the view of a source": (lambda p: p.drop_view("t"), "wrong-kind", '"t" is a source, not a view'),
}


@pytest.mark.parametrize(("call", "code", "says"), REFUSED.values(), ids=REFUSED)
def test_a_name_of_another_kind_is_said_to_be_one(
    project: tw.Project, call: Callable[[tw.Project], Any], code: str, says: str
) -> None:
    with refused(project.root, code) as caught:
        call(project)
    assert says in caught.value.message


def test_an_orphan_is_said_to_be_one(project: tw.Project) -> None:
    project.refresh()
    project.drop_view("gone")
    with refused(project.root, "wrong-kind") as caught:
        project.drop_view("gone")
    assert "orphan" in caught.value.message
