"""`verify` where Spark may give another answer each time: what may differ is allowed and named, the rest is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.store.epochs import view_record

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g INT, x INT", "key": ["id"]}}
VIEWS = {
    "lists": "SELECT g, collect_list(x) AS xs, count(*) AS n FROM s GROUP BY g",
    "firsts": "SELECT g, first(x) AS one, sum(x) AS total FROM s GROUP BY g",
    "lengths": "SELECT g, size(xs) AS many FROM lists",
    "of_firsts": "SELECT g, one + 1 AS next FROM firsts",
    "chosen": "SELECT g FROM firsts WHERE one > 15",
}
Edit = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    project = make_project(SOURCES, VIEWS)
    table = {"id": [1, 2, 3, 4, 5], "g": [1, 1, 1, 2, 2], "x": [10, 20, 20, 30, 30]}
    project.ingest("s", pa.table(table))
    assert not project.refresh().failed
    assert project.verify().differences == {}
    return project


def edit(project: tw.Project, view: str, change: Edit) -> None:
    """Change the rows of a view's only file in place; the log learns its new size."""
    [stored] = view_record(project.warehouse(), project.epoch(), view).files
    file = Path(project.warehouse().table(view), stored.path)
    size = file.stat().st_size
    table = pq.read_table(file, partitioning=None)
    pq.write_table(pa.Table.from_pylist([change(r) for r in table.to_pylist()], schema=table.schema), file)
    for commit in Path(project.warehouse().table(view), "_delta_log").glob("*.json"):
        commit.write_text(commit.read_text().replace(f'"size":{size},', f'"size":{file.stat().st_size},'))


def test_collected_arrays_are_compared_as_bags(project: tw.Project) -> None:
    edit(project, "lists", lambda row: {**row, "xs": row["xs"][::-1]})
    found = project.verify()
    assert found.exit_code == 0
    assert found.views["lists"].notes == ('array "xs" compared as a bag: its order depends on the order of rows',)
    assert found.views["lists"].note == found.views["lists"].to_dict()["notes"][0]


def test_other_elements_are_found(project: tw.Project) -> None:
    edit(project, "lists", lambda row: {**row, "xs": [*row["xs"][:-1], 99]})
    assert list(project.verify().differences) == ["lists"]


def test_a_lost_element_is_found(project: tw.Project) -> None:
    edit(project, "lists", lambda row: {**row, "xs": row["xs"][1:]})
    assert list(project.verify().differences) == ["lists"]


def test_other_columns_beside_an_array_are_compared(project: tw.Project) -> None:
    edit(project, "lists", lambda row: {**row, "n": row["n"] + 1})
    found = project.verify().differences["lists"]
    assert found.missing == found.unexpected == 2


def test_what_any_row_decides_is_left_out_and_named(project: tw.Project) -> None:
    edit(project, "firsts", lambda row: {**row, "one": 20})
    verdict = project.verify().views["firsts"]
    assert verdict.equal
    assert verdict.note == 'compared without column "one": its value depends on the order of rows'


def test_other_columns_beside_it_are_compared(project: tw.Project) -> None:
    edit(project, "firsts", lambda row: {**row, "total": row["total"] + 1})
    verdict = project.verify().differences["firsts"]
    assert "one" not in dict(verdict.examples[0].row)


def test_rows_that_are_gone_are_found_where_nothing_else_can_be_compared(make_project: MakeProject) -> None:
    project = make_project(SOURCES, {"any": "SELECT first(x) AS x FROM s GROUP BY g"})
    project.ingest("s", pa.table({"id": [1, 2], "g": [1, 2], "x": [1, 2]}))
    project.refresh()
    assert project.verify().views["any"].rows == 2
    path = view_record(project.warehouse(), project.epoch(), "any").files[0].path
    file = Path(project.warehouse().table("any"), path)
    size = file.stat().st_size
    pq.write_table(pq.read_table(file, partitioning=None).slice(0, 1), file)
    for commit in Path(project.warehouse().table("any"), "_delta_log").glob("*.json"):
        commit.write_text(commit.read_text().replace(f'"size":{size},', f'"size":{file.stat().st_size},'))
    assert list(project.verify().differences) == ["any"]


def test_what_forgets_the_order_is_compared_exactly(project: tw.Project) -> None:
    assert project.verify().views["lengths"].notes == ()
    edit(project, "lengths", lambda row: {**row, "many": row["many"] + 1})
    assert list(project.verify().differences) == ["lengths"]


def test_views_above_pass_it_on(project: tw.Project) -> None:
    edit(project, "of_firsts", lambda row: {**row, "next": row["next"] + 1})
    verdict = project.verify().views["of_firsts"]
    assert verdict.equal
    assert '"next"' in verdict.note


def test_what_is_the_same_to_the_letter_needs_no_allowance(project: tw.Project) -> None:
    assert {view.note for view in project.verify().views.values()} == {""}


def test_where_it_decides_which_rows_there_are_a_difference_says_that_it_may_be_chance(project: tw.Project) -> None:
    edit(project, "chosen", lambda row: {**row, "g": row["g"] + 5})
    verdict = project.verify().views["chosen"]
    assert (verdict.equal, verdict.missing, verdict.unexpected) == (False, 1, 1)
    assert "may differ by chance" in verdict.note


def test_a_view_below_one_that_was_edited_is_skipped(project: tw.Project) -> None:
    Path(project.root, "views", "firsts.sql").write_text(
        "SELECT g, max(x) AS one, sum(x) + 1 AS total FROM s GROUP BY g"
    )
    found = project.verify()
    assert found.exit_code == 0
    assert 'view "firsts"' in (found.views["of_firsts"].skipped or "")


def test_deep_compares_the_same_way(project: tw.Project) -> None:
    edit(project, "lists", lambda row: {**row, "xs": row["xs"][::-1]})
    assert project.verify(deep=True).differences == {}


def test_after_changes_too(project: tw.Project) -> None:
    project.ingest("s", pa.table({"id": [2, 6], "g": [1, 2], "x": [7, 8]}), mode="upsert")
    project.refresh()
    assert project.verify(exclude="chosen", deep=True).differences == {}
