"""Landed files that change, go, are packed or lie in folders of partitions: taken once, and the plan says the truth."""

from __future__ import annotations

import datetime as dt
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tidewheel as tw
from tests.e2e.foreign import bag
from tests.e2e.landed import AFTER, CHANGES, LONG_AGO, VIEWS, assert_holds, land, set_option, settle
from tests.e2e.refusals import refused
from tidewheel.ingest.takeover import take_over

Make = Callable[..., tw.Project]


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    (tmp_path / "landing").mkdir()
    return tmp_path / "landing"


@pytest.fixture
def project(make_project: Make, landing: Path) -> tw.Project:
    return make_project({"s": {"kind": "files", "path": str(landing)}}, VIEWS)


@pytest.mark.parametrize("what", CHANGES)
def test_rows_of_files_that_changed_or_went_are_a_change_like_any_other_and_the_plan_says_so(
    make_project: Make, landing: Path, what: str
) -> None:
    project = make_project({"s": {"kind": "files", "path": str(landing), "on_file_change": "reload"}}, VIEWS)
    land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    land(landing, "two.csv", "a,b\n2,y\n")
    project.refresh()
    CHANGES[what](landing)
    plan = project.plan()
    counts = {"changed": (0, 1, 0), "changed text": (0, 1, 0), "removed": (0, 0, 1), "renamed": (1, 0, 1)}[what]
    assert tuple(plan.to_dict()["landing"]["s"].values()) == counts
    words = {"removed": "1 file gone", "renamed": "1 new file, 1 file gone"}.get(what, "1 file changed")
    assert plan.step("v").reason.text == f'source "s": {words}'
    planned = {view: plan.step(view).method for view in VIEWS}
    assert "full" not in planned.values()
    run = project.refresh()
    happened = {view: run.views[view].method for view in VIEWS}
    assert happened == (planned if what != "renamed" else dict.fromkeys(VIEWS, "none")), "rows under another name"
    assert run.plan.sources["s"].change.removed == 1
    assert_holds(project, *AFTER[what])
    assert project.verify().differences == {}


def test_a_linked_file_that_was_written_over_in_place_is_full_and_the_plan_says_so(
    project: tw.Project, landing: Path
) -> None:
    """Its copy in the table is the same file: the rows that were there are nowhere."""
    path = land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    project.refresh()
    new = land(landing, "_new.parquet", [{"a": 5, "b": "new"}]).read_bytes()
    with path.open("r+b") as file:
        file.write(new)
        file.truncate()
    settle(path, LONG_AGO + 5)
    set_option(project, on_file_change="reload")
    step = project.plan().step("v")
    assert step.method == "full"
    assert step.full is not None
    assert step.full.code == "file-replaced"
    assert project.refresh().views["v"].method == "full"
    assert_holds(project, (5, "new"))


def test_rows_of_files_that_were_moved_away_stay_if_they_are_to_be_kept(project: tw.Project, landing: Path) -> None:
    set_option(project, on_file_change="keep")
    one = land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    two = land(landing, "two.csv", "a,b\n2,y\n")
    project.refresh()
    one.rename(landing.parent / "one.parquet")
    two.unlink()
    assert project.plan().is_empty
    assert not project.refresh().published
    land(landing, "three.csv", "a,b\n3,z\n")
    assert project.refresh().views["v"].method == "append"
    (landing.parent / "one.parquet").rename(one)
    assert not project.refresh().published, "a file that comes back has been taken before"
    assert_holds(project, (1, "x"), (2, "y"), (3, "z"))
    land(landing, "one.parquet", [{"a": 9, "b": "other"}], at=LONG_AGO + 5)
    with refused(project.root, "file-changed"):
        project.refresh()


def test_packed_text_files_with_a_delimiter_of_their_own_are_taken_once(make_project: Make, landing: Path) -> None:
    options = {"schema": "a BIGINT, b STRING", "delimiter": ";"}
    project = make_project({"s": {"kind": "files", "path": str(landing), **options}}, VIEWS)
    land(landing, "one.csv.gz", gzip.compress(b"a;b\n1;x,y\n"))
    land(landing, "two.jsonl.gz", gzip.compress(b'{"a": 2, "b": "z"}\n'))
    land(landing, "three.csv", "a;b\n3;w\n")
    project.refresh()
    assert_holds(project, (1, "x,y"), (2, "z"), (3, "w"))
    assert not project.refresh().published


def test_the_first_file_gives_the_schema_by_the_delimiter_too(make_project: Make, landing: Path) -> None:
    project = make_project({"s": {"kind": "files", "path": str(landing), "delimiter": "\t"}}, VIEWS)
    land(landing, "one.csv", "a\tb\n1\tx\n")
    project.refresh()
    assert_holds(project, (1, "x"))


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "é"])
def test_a_delimiter_that_is_none_is_refused(project: tw.Project, delimiter: str) -> None:
    set_option(project, delimiter=delimiter)
    with refused(project.root, "bad-option") as caught:
        project.refresh()
    assert "delimiter" in caught.value.message


def by_day(
    make_project: Make, landing: Path, schema: str = "a BIGINT, b STRING, day DATE, n INT NOT NULL"
) -> tw.Project:
    source = {"kind": "files", "path": str(landing), "schema": schema, "on_file_change": "reload"}
    return make_project({"s": source}, {"v": "SELECT day, n, sum(a) AS a, max(b) AS b FROM s GROUP BY day, n"})


def test_folders_of_partitions_are_columns_of_the_declared_types(make_project: Make, landing: Path) -> None:
    project = by_day(make_project, landing)
    land(landing, "day=2026-01-01/n=7/one.parquet", [{"a": 1, "b": "x"}])
    land(landing, "Day=2026-01-02/N=8/two.csv", "a,b\n2,y\n")
    land(landing, "day=__HIVE_DEFAULT_PARTITION__/n=9/three.json", '{"a": 3, "b": "z"}\n')
    land(landing, "day=2026-01-04/own.csv", "a,b,day,n\n4,w,2026-01-05,1\n")
    land(landing, "day=2026-01-04/own.json", '{"a": 5, "b": "w", "day": "2026-01-06", "n": 2}\n')
    project.refresh()
    day = dt.date(2026, 1, 1)
    wanted = [(day, 7, 1, "x"), (day.replace(day=2), 8, 2, "y"), (None, 9, 3, "z"), (day.replace(day=5), 1, 4, "w")]
    wanted.append((day.replace(day=6), 2, 5, "w"))
    assert bag(project.to_arrow("v").to_pylist()) == bag(
        [dict(zip(["day", "n", "a", "b"], w, strict=True)) for w in wanted]
    )
    assert not project.refresh().published
    (landing / "day=2026-01-01/n=7/one.parquet").unlink()
    assert project.plan().step("v").method != "full"
    run = project.refresh()
    assert run.views["v"].method != "full"
    assert project.to_arrow("v").num_rows == 4
    assert project.verify().differences == {}


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("day=soon/n=1/a.parquet", "type-mismatch", 'column "day", by its folder: expected DATE, found "soon"'),
        ("day=2026-01-01/a.parquet", "schema-changed", '"n"'),
        ("day=2026-01-01/n=/a.csv", "null-in-column", '"n"'),
        ("day=2026-01-01/a.csv", "schema-changed", "not those of the source"),
    ],
)
def test_a_folder_that_does_not_fit_is_refused(
    make_project: Make, landing: Path, name: str, code: str, said: str
) -> None:
    project = by_day(make_project, landing)
    project.refresh()
    land(landing, name, "a,b\n1,x\n" if name.endswith("csv") else [{"a": 1, "b": "x"}])
    with refused(project.root, code) as caught:
        project.refresh()
    assert said in caught.value.message
    assert name in caught.value.message


MOVED: dict[str, Callable[[Path, str], object]] = {
    "moved": lambda folder, name: (folder / name).rename(folder / "done" / name),
    "renamed": lambda folder, name: (folder / name).rename(folder / f"old-{name}"),
    "packed": lambda folder, name: pack(folder / name),
}


def pack(path: Path) -> None:
    land(path.parent, f"{path.name}.gz", gzip.compress(path.read_bytes()))
    path.unlink()


@pytest.mark.parametrize("what", MOVED)
@pytest.mark.parametrize("name", ["one.parquet", "one.csv", "one.json"])
def test_with_keep_a_file_that_is_moved_or_packed_is_not_taken_again(
    make_project: Make, landing: Path, name: str, what: str
) -> None:
    if (name, what) == ("one.parquet", "packed"):
        pytest.skip("Parquet files are not packed")
    project = make_project({"s": {"kind": "files", "path": str(landing), "on_file_change": "keep"}}, VIEWS)
    texts = {"one.csv": "a,b\n1,x\n", "one.json": '{"a": 1, "b": "x"}\n'}
    land(landing, name, texts.get(name) or [{"a": 1, "b": "x"}])
    (landing / "done").mkdir()
    project.refresh()
    MOVED[what](landing, name)
    assert project.plan().is_empty
    assert not project.refresh().published
    land(landing, "two.csv", "a,b\n2,y\n")
    project.refresh()
    assert_holds(project, (1, "x"), (2, "y"))


def test_with_keep_a_packed_file_may_be_unpacked(make_project: Make, landing: Path) -> None:
    project = make_project({"s": {"kind": "files", "path": str(landing), "on_file_change": "keep"}}, VIEWS)
    path = land(landing, "one.csv.gz", gzip.compress(b"a,b\n1,x\n"))
    project.refresh()
    path.unlink()
    land(landing, "one.csv", "a,b\n1,x\n")
    project.refresh()
    assert_holds(project, (1, "x"))


def test_with_keep_the_same_rows_at_another_time_are_new_ones(make_project: Make, landing: Path) -> None:
    project = make_project({"s": {"kind": "files", "path": str(landing), "on_file_change": "keep"}}, VIEWS)
    land(landing, "monday.csv", "a,b\n1,x\n")
    project.refresh()
    (landing / "monday.csv").unlink()
    land(landing, "tuesday.csv", "a,b\n1,x\n", at=LONG_AGO + 86_400)
    project.refresh()
    assert_holds(project, (1, "x"), (1, "x"))


def test_with_keep_an_archived_file_may_be_written_over(make_project: Make, landing: Path, tmp_path: Path) -> None:
    project = make_project({"s": {"kind": "files", "path": str(landing), "on_file_change": "keep"}}, VIEWS)
    path = land(landing, "one.parquet", [{"a": 1, "b": "x"}])
    project.refresh()
    path.rename(tmp_path / "archived.parquet")
    (tmp_path / "archived.parquet").write_bytes(b"PAR1")
    assert_holds(project, (1, "x"))


@pytest.mark.parametrize("option", ["reload", "keep", "error"])
def test_two_runs_that_see_two_contents_of_a_file_keep_one(
    make_project: Make, landing: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    project = make_project({"s": {"kind": "files", "path": str(landing), "on_file_change": option}}, VIEWS)
    land(landing, "one.csv", "a,b\n1,x\n")
    name = "tidewheel.ingest.landing.take_over"

    def replaced_meanwhile(*args: Any, **options: Any) -> Any:
        taken = take_over(*args, **options)
        monkeypatch.setattr(name, take_over)
        land(landing, "_new.csv", "a,b\n2,y\n3,z\n", at=LONG_AGO + 5).rename(landing / "one.csv")
        tw.Project(project.root, engine="local").refresh()
        return taken

    monkeypatch.setattr(name, replaced_meanwhile)
    with pytest.raises(tw.ConflictError):
        project.refresh()
    project.refresh()
    assert_holds(project, (2, "y"), (3, "z"))


def test_a_row_of_json_without_the_column_of_its_folder_has_the_folders_value(
    make_project: Make, landing: Path
) -> None:
    source = {"kind": "files", "path": str(landing), "schema": "a BIGINT, b STRING, day DATE"}
    project = make_project({"s": source}, {"days": "SELECT a, day FROM s"})
    land(landing, "day=2026-01-01/one.json", '{"a": 1, "day": "2026-01-02"}\n{"a": 2}\n{"a": 3, "day": null}\n')
    land(landing, "day=2026-01-03/two.json", '{"a": 4}\n{"a": 5, "DAY": "2026-01-04"}\n')
    project.refresh()
    days = {row["a"]: row["day"] and row["day"].day for row in project.to_arrow("days").to_pylist()}
    assert days == {1: 2, 2: 1, 3: None, 4: 3, 5: 4}


def test_a_folder_of_a_partition_is_refused_if_no_schema_says_what_it_is(project: tw.Project, landing: Path) -> None:
    land(landing, "one.csv", "a,b\n1,x\n")
    project.refresh()
    land(landing, "day=2026-01-01/two.csv", "a,b\n2,y\n")
    with refused(project.root, "schema-changed") as caught:
        project.refresh()
    assert '"day"' in caught.value.message
    assert "schema:" in (caught.value.hint or "")


def test_a_parquet_file_that_was_only_touched_is_as_it_was(make_project: Make, tmp_path: Path) -> None:
    landing = tmp_path / "touched"
    landing.mkdir()
    pq.write_table(pa.table({"k": [1]}), landing / "a.parquet")
    os.utime(landing / "a.parquet", (10**9, 10**9))
    project = make_project(
        {"o": {"kind": "files", "path": str(landing), "schema": "k BIGINT"}}, {"v": "SELECT k FROM o"}
    )
    project.refresh()
    os.utime(landing / "a.parquet", (10**9 + 9, 10**9 + 9))
    assert project.plan().is_empty
    assert not project.refresh().published
