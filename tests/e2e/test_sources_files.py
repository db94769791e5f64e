"""Files sources: each file that lands is taken once and whole; if one is wrong it is named and nothing is taken."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.e2e.foreign import Rows
from tests.e2e.landed import AFTER, CHANGES, LONG_AGO, VIEWS, assert_holds, land, set_option, settle

Make = Callable[..., tw.Project]


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    (tmp_path / "landing").mkdir()
    return tmp_path / "landing"


@pytest.fixture
def project(make_project: Make, landing: Path) -> tw.Project:
    return make_project({"s": {"kind": "files", "path": str(landing)}}, VIEWS)


def test_new_files_of_every_format_are_taken_once(project: tw.Project, landing: Path) -> None:
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    project.refresh()
    assert_holds(project, (1, "x"))
    land(landing, "deep/two.csv", 'a,b\n2,"y, z"\n,""\n')
    land(landing, "three.jsonl", '{"a": 3, "b": "\\u00e9"}\n{"b": null}\n')
    land(landing, "_hidden.parquet", [{"a": 99, "b": None}])
    land(landing, ".part.csv", "a,b\n99,no\n")
    land(landing, "notes.txt", "not data")
    plan = project.plan()
    assert plan.to_dict()["landing"] == {"s": {"new": 2, "changed": 0, "gone": 0}}
    assert plan.step("v").method == "append"
    project.refresh()
    assert_holds(project, (1, "x"), (2, "y, z"), (None, ""), (3, "é"), (None, None))
    assert not project.refresh().published
    assert project.plan().landing == {}


def test_a_declared_schema_types_text_files(make_project: Make, landing: Path) -> None:
    schema = "n DECIMAL(38,10), d DATE, t TIMESTAMP_NTZ, ok BOOLEAN, x DOUBLE, i SMALLINT"
    project = make_project({"s": {"kind": "files", "path": str(landing), "schema": schema}}, {})
    project.refresh()
    assert project.to_arrow("s").num_rows == 0, "a declared source is empty before its first file"
    text = "n,d,t,ok,x,i\n12345678901234567890.0000000001,2024-02-29,2024-01-01T01:02:03.000004,true,1e3,7\n,,,,,\n"
    land(landing, "a.csv", text)
    project.refresh()
    found = project.to_arrow("s")
    assert found.schema.field("n").type == pa.decimal128(38, 10)
    assert [str(value) for value in found.to_pylist()[0].values()] == [
        "12345678901234567890.0000000001", "2024-02-29", "2024-01-01 01:02:03.000004", "True", "1000.0", "7"
    ]  # fmt: skip
    assert set(found.to_pylist()[1].values()) == {None}


def test_timestamps_of_nanoseconds_are_converted_to_what_spark_can_read(make_project: Make, landing: Path) -> None:
    moment = pd.Timestamp("2024-01-01 00:00:00.000001")
    pd.DataFrame({"t": [moment], "u": [moment.tz_localize("UTC")]}).to_parquet(landing / "a.parquet")
    assert pq.read_schema(settle(landing / "a.parquet")).field("t").type.unit == "ns"
    project = make_project({"s": {"kind": "files", "path": str(landing)}}, {"v": "SELECT t, u FROM s"})
    project.refresh()
    file = next((Path(project.root) / "warehouse" / "s" / "_data").rglob("*.parquet"))
    assert [field.type.unit for field in pq.read_schema(file)] == ["us", "us"]
    assert project.to_arrow("v")["t"].to_pylist() == [dt.datetime.fromisoformat("2024-01-01T00:00:00.000001")]


@pytest.mark.parametrize("what", CHANGES)
def test_a_file_touched_after_it_was_taken_is_refused_or_followed_by_policy(
    project: tw.Project, landing: Path, what: str
) -> None:
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    land(landing, "two.csv", "a,b\n2,y\n")
    project.refresh()
    CHANGES[what](landing)
    for command in (project.refresh, project.plan):
        with pytest.raises(tw.UserError) as caught:
            command()
        assert caught.value.code == "file-changed"
        assert "reload" in (caught.value.hint or "")
    assert project.epoch().number == 1
    set_option(project, on_file_change="reload")
    assert project.refresh().published
    assert_holds(project, *AFTER[what])
    assert project.verify().differences == {}
    assert not project.refresh().published


def test_an_older_epoch_keeps_the_rows_of_a_file_that_was_written_over(make_project: Make, landing: Path) -> None:
    """A hard link would show the new rows under the old version."""
    project = make_project({"s": {"kind": "files", "path": str(landing), "on_file_change": "reload"}}, VIEWS)
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    project.refresh()
    land(landing, "one.parquet", [{"a": 5, "b": "new"}], at=LONG_AGO + 5)
    project.refresh()
    assert project.to_arrow("s", epoch=1).to_pylist() == [{"a": 1, "b": "x"}]
    assert project.to_arrow("s", epoch=2).to_pylist() == [{"a": 5, "b": "new"}]


WRONG: dict[str, tuple[str, bytes | str | Rows, str]] = {
    "half-written": ("bad.parquet", b"PAR1 and then the writer died", "corrupt-file"),
    "empty parquet": ("bad.parquet", b"", "corrupt-file"),
    "empty csv": ("bad.csv", b"", "empty-file"),
    "empty json": ("bad.json", b"", "empty-file"),
    "not csv": ("bad.csv", b"a,b\n1,2,3\n", "malformed-row"),
    "not json": ("bad.json", b'{"a": 1,\n', "malformed-row"),
    "wrong type": ("bad.csv", "a,b\none,x\n", "type-mismatch"),
    "missing column": ("bad.csv", "a\n1\n", "schema-changed"),
    "extra column": ("bad.csv", "a,b,c\n1,x,y\n", "schema-changed"),
    "extra field": ("bad.json", '{"a": 1, "b": "x", "c": 1}\n', "schema-changed"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("first", [True, False], ids=["first", "later"])
def test_a_file_that_does_not_fit_is_named_and_nothing_is_taken_until_it_is_repaired(
    project: tw.Project, landing: Path, wrong: tuple[str, bytes | str | Rows, str], *, first: bool
) -> None:
    name, content, code = wrong
    set_option(project, schema="a BIGINT, b STRING")
    if not first:
        land(landing, "one.parquet", [{"a": 1, "b": "x"}])
        project.refresh()
    land(landing, "good.parquet", [{"a": 2, "b": "y"}])
    bad = land(landing, name, content)
    with pytest.raises(tw.UserError) as caught:
        project.refresh()
    assert name in caught.value.message
    assert caught.value.code == code
    assert caught.value.hint
    taken = list((Path(project.root) / "warehouse" / "s" / "_data").rglob("*.parquet"))
    assert len(taken) == (0 if first else 1)
    assert project.epoch().number == (0 if first else 1)
    bad.unlink()
    land(landing, "bad.parquet", [{"a": 3, "b": "z"}])
    assert len(project.plan().landing["s"].new) == 2
    project.refresh()
    assert_holds(project, *([] if first else [(1, "x")]), (2, "y"), (3, "z"))


def test_a_broken_first_file_does_not_hide_the_next(project: tw.Project, landing: Path) -> None:
    """Without a declared schema the first file gives it: a failed attempt leaves nothing that looks like a table."""
    bad = land(landing, "a.parquet", b"PAR1 half")
    with pytest.raises(tw.UserError, match="cannot be read"):
        project.refresh()
    bad.unlink()
    land(landing, "a.parquet", [{"a": 1, "b": "x"}])
    assert len(project.plan().landing["s"].new) == 1
    project.refresh()
    assert_holds(project, (1, "x"))


def test_parquet_of_another_type_or_column_is_refused(project: tw.Project, landing: Path) -> None:
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    project.refresh()
    for table in (
        pa.table({"a": ["1"], "b": ["x"]}),
        pa.table({"a": [1]}),
        pa.table({"a": [1], "b": ["x"], "c": [1]}),
        pa.table({"a": pa.array([1], pa.int32()), "b": ["x"]}),
    ):
        pq.write_table(table, landing / "two.parquet")
        settle(landing / "two.parquet")
        with pytest.raises(tw.UserError, match=r"two\.parquet") as caught:
            project.refresh()
        assert caught.value.code == "schema-changed"
    assert_holds(project, (1, "x"))


def test_a_link_to_nothing_is_named(project: tw.Project, landing: Path) -> None:
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    (landing / "two.parquet").symlink_to(landing / "nowhere")
    with pytest.raises(tw.UserError, match="link to nothing") as caught:
        project.refresh()
    assert caught.value.code == "missing-file"


def test_files_without_rows_are_taken_and_add_none(project: tw.Project, landing: Path) -> None:
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    land(landing, "zero.parquet", [])
    land(landing, "zero.csv", "a,b\n")
    project.refresh()
    assert_holds(project, (1, "x"))
    assert not project.refresh().published


def test_a_file_that_is_still_being_written_waits(project: tw.Project, landing: Path) -> None:
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    project.refresh()
    growing = land(landing, "two.csv", "a,b\n2,")
    hold = growing.stat().st_size
    before = os.stat

    def stat(path: Any, *args: Any, **options: Any) -> os.stat_result:
        """Each look at the file finds it a little longer."""
        if str(path) == str(growing):
            with growing.open("a") as file:
                file.write("y")
        return before(path, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "stat", stat)
        assert not project.refresh().published
    assert growing.stat().st_size > hold
    land(landing, "two.csv", "a,b\n2,y\n")
    project.refresh()
    assert_holds(project, (1, "x"), (2, "y"))


def test_a_folder_that_is_gone_is_named(make_project: Make, tmp_path: Path) -> None:
    project = make_project({"s": {"kind": "files", "path": str(tmp_path / "nowhere")}}, {"v": "SELECT 1 AS x FROM s"})
    for command in (project.refresh, project.plan):
        with pytest.raises(tw.UserError, match="does not exist") as caught:
            command()
        assert caught.value.code == "missing-file"
        assert caught.value.hint


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_timestamps_without_a_zone_are_in_the_projects(make_project: MakeProject, tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "landing"
    folder.mkdir()
    texts = {"csv": "id,at\n1,2026-07-01 12:00:00\n", "json": '{"id": 1, "at": "2026-07-01 12:00:00"}\n'}
    (folder / f"a.{ending}").write_text(texts[ending])
    sources = {"t": {"kind": "files", "path": str(folder), "schema": "id BIGINT, at TIMESTAMP"}}
    project = make_project(sources, {"v": "SELECT id, at FROM t"}, timezone="Europe/Berlin")
    project.refresh()
    [row] = project.to_arrow("v").to_pylist()
    assert row["at"] == dt.datetime(2026, 7, 1, 10, tzinfo=dt.UTC)


def test_only_an_empty_field_of_a_csv_is_null(make_project: MakeProject, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('id,s\n1,NA\n2,NULL\n3,\n4,""\n')
    project = make_project({"t": {"kind": "managed", "schema": "id BIGINT, s STRING"}}, {"v": "SELECT id, s FROM t"})
    project.ingest("t", str(file))
    project.refresh()
    found = {row["id"]: row["s"] for row in project.to_arrow("v").to_pylist()}
    assert found == {1: "NA", 2: "NULL", 3: None, 4: ""}


def test_a_plan_counts_new_rows_and_not_those_carried_over(make_project: MakeProject) -> None:
    project = make_project(
        {"t": {"kind": "managed", "schema": "id BIGINT, v BIGINT", "key": ["id"]}}, {"w": "SELECT id, v FROM t"}
    )
    project.ingest("t", pa.table({"id": [1, 2, 3], "v": [1, 2, 3]}))
    project.refresh()
    project.ingest("t", pa.table({"id": [3, 4], "v": [30, 40]}), mode="upsert")
    change = project.plan().sources["t"].change
    assert (change.added, change.removed) == (2, 1)
