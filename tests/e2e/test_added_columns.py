"""Columns added by declaration: NULL in old rows, and no view that does not read them is built again."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import tidewheel as tw
from tests.e2e import foreign
from tests.e2e.foreign import bag
from tests.e2e.refusals import listing, refused
from tidewheel.ingest import commit, compaction

Make = Callable[..., tw.Project]
VIEWS = {
    "sums": "SELECT v, sum(k) AS k FROM s GROUP BY v",
    "joined": "SELECT s.k, t.n FROM s JOIN t ON s.k = t.k",
    "stars": "SELECT * FROM s",
    "above": "SELECT count(*) AS n FROM stars",
}


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    sources = {
        "s": {"kind": "managed", "schema": "k BIGINT, v STRING", "key": ["k"]},
        "t": {"kind": "managed", "schema": "k BIGINT, n BIGINT"},
    }
    made = make_project(sources, VIEWS)
    made.ingest("s", [{"k": 1, "v": "a"}, {"k": 2, "v": "b"}])
    made.ingest("t", [{"k": 1, "n": 10}, {"k": 3, "n": 30}])
    made.refresh()
    return made


def declare(project: tw.Project, schema: str, source: str = "s") -> None:
    path = Path(project.root, "tidewheel.yml")
    body = yaml.safe_load(path.read_text())
    body["sources"][source]["schema"] = schema
    path.write_text(yaml.safe_dump(body))


def source_rows(project: tw.Project) -> Any:
    return bag(foreign.delta_rows(Path(project.root) / "warehouse" / "s"))


def rows(*found: tuple[Any, ...]) -> Any:
    return bag([dict(zip(("k", "v", "c"), row, strict=True)) for row in found])


WIDER = "k BIGINT, v STRING, c DECIMAL(6,2)"


def test_a_refresh_takes_a_column_over_and_builds_only_what_shows_it(project: tw.Project) -> None:
    declare(project, WIDER)
    plan = project.plan()
    assert str(plan.sources["s"].change) == "new columns"
    run = project.refresh()
    for view in VIEWS:
        assert plan.step(view).method == ("full" if view in {"stars", "above"} else "none"), view
        assert run.views[view].method in {plan.step(view).method, "none"}, view
    assert run.views["stars"].method == "full"
    assert source_rows(project) == rows((1, "a", None), (2, "b", None))
    assert bag(project.to_arrow("stars").to_pylist()) == bag(project.to_arrow("s").to_pylist()) == source_rows(project)
    assert project.verify().differences == {}
    assert project.plan().is_empty
    assert not project.refresh().published


@pytest.mark.parametrize("refreshed", [True, False])
@pytest.mark.parametrize("mode", ["append", "upsert", "replace"])
def test_rows_with_the_column_are_a_change_like_any_other(project: tw.Project, mode: Any, *, refreshed: bool) -> None:
    declare(project, WIDER)
    if refreshed:
        project.refresh()
    given = [(3, "a", Decimal("1.50")), (2, "b", Decimal("2.00"))][: 1 if mode == "append" else 2]
    project.ingest("s", [dict(zip("kvc", row, strict=True)) for row in given], mode=mode)
    run = project.refresh()
    assert run.views["sums"].method != "full"
    assert run.views["joined"].method != "full"
    old = {"append": [(1, "a", None), (2, "b", None)], "upsert": [(1, "a", None)], "replace": []}[mode]
    assert source_rows(project) == rows(*old, *given)
    assert bag(project.to_arrow("stars").to_pylist()) == source_rows(project)
    assert project.verify(deep=True).differences == {}


def test_a_replacement_by_the_same_rows_after_a_column_came_changes_nothing(project: tw.Project) -> None:
    declare(project, WIDER)
    done = project.ingest("s", [{"k": 1, "v": "a"}, {"k": 2, "v": "b"}], mode="replace")
    assert (done.rows, done.removed) == (0, 0)


def test_rows_of_before_can_be_deleted_and_merged_into_larger_files(project: tw.Project) -> None:
    declare(project, WIDER)
    project.ingest("s", pa.table({"k": [1]}), mode="delete")
    for i in range(10, 20):
        project.ingest("s", [{"k": i, "c": i}])
    project.refresh()
    assert len(project.to_arrow("s")) == 11
    assert project.verify().differences == {}


def test_an_older_epoch_has_the_older_columns(project: tw.Project) -> None:
    declare(project, WIDER)
    project.refresh()
    assert project.to_arrow("s", epoch=1).column_names == ["k", "v"]
    assert project.to_arrow("s").column_names == ["k", "v", "c"]


def test_a_view_that_was_left_out_then_is_built_when_it_is_asked_for(project: tw.Project) -> None:
    declare(project, WIDER)
    project.refresh(select=["sums"])
    assert project.refresh().views["stars"].method == "full"
    assert project.to_arrow("stars").column_names == ["k", "v", "c"]
    assert project.verify().differences == {}


def test_a_new_column_that_gives_a_name_another_meaning_counts_as_read(make_project: Make) -> None:
    views = {"v": "SELECT k FROM s WHERE EXISTS (SELECT 1 FROM t WHERE t.k = s.k AND n > 5)"}
    sources = {"s": {"kind": "managed", "schema": "k BIGINT, n BIGINT"}, "t": {"kind": "managed", "schema": "k BIGINT"}}
    project = make_project(sources, views)
    project.ingest("s", [{"k": 1, "n": 9}])
    project.ingest("t", [{"k": 1}])
    project.refresh()
    assert len(project.to_arrow("v")) == 1
    declare(project, "k BIGINT, n BIGINT", "t")
    project.refresh()
    assert len(project.to_arrow("v")) == 0, "n is now the column of t, which is NULL"
    assert project.verify().differences == {}


REFUSED = {
    "no NULL": ("k BIGINT, v STRING, c INT NOT NULL", '"c" is new'),
    "not at the end": ("k BIGINT, c INT, v STRING", '"c" is new'),
    "another type": ("k BIGINT, v BINARY, c INT", '"v" was STRING, is BINARY'),
    "removed": ("k BIGINT", '"v" is gone'),
    "renamed": ("k BIGINT, w STRING", '"v" is gone, column "w" is new'),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_any_other_change_of_a_declaration_is_refused_and_says_which_is_meant(
    project: tw.Project, case: tuple[str, str]
) -> None:
    schema, said = case
    declare(project, schema)
    for command in (project.refresh, project.plan, lambda: project.ingest("s", [{"k": 5}])):
        with refused(project.root, "schema-changed") as caught:
            command()
        assert said in caught.value.message
        assert "Only columns that may be NULL can be added" in (caught.value.hint or "")


def test_a_column_that_was_taken_over_cannot_be_taken_back(project: tw.Project) -> None:
    declare(project, WIDER)
    project.ingest("s", [{"k": 3, "c": 1}])
    declare(project, "k BIGINT, v STRING")
    for command in (project.refresh, lambda: project.ingest("s", [{"k": 5}])):
        with refused(project.root, "schema-changed"):
            command()


def test_rows_that_are_refused_take_no_column_over(project: tw.Project) -> None:
    declare(project, WIDER)
    with refused(project.root, "type-mismatch"):
        project.ingest("s", [{"k": 3, "c": "much"}])
    with refused(project.root, "duplicate-key"):
        project.ingest("s", [{"k": 3}, {"k": 3, "c": 1}], mode="upsert")


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something happens once, when an ingest has written its rows and not yet committed."""
    write, name = commit.write_batches, "tidewheel.ingest.ingest.write_batches"

    def stalled(*args: Any) -> Any:
        written = write(*args)
        monkeypatch.setattr(name, write)
        happens()
        return written

    monkeypatch.setattr(name, stalled)


@pytest.mark.parametrize("mode", ["append", "upsert", "replace", "delete"])
@pytest.mark.parametrize("declared", ["k BIGINT, v STRING", "k BIGINT, v STRING, d INT"])
def test_an_ingest_that_does_not_know_a_column_added_meanwhile_is_refused(
    project: tw.Project, monkeypatch: pytest.MonkeyPatch, mode: Any, declared: str
) -> None:
    declare(project, declared)
    after: list[dict[str, str]] = []

    def other() -> None:
        declare(project, WIDER)
        tw.Project(project.root, engine="local").ingest("s", [{"k": 1, "v": "a", "c": 7}], mode="upsert")
        after.append(listing(Path(project.root) / "warehouse" / "s" / "_delta_log"))

    meanwhile(monkeypatch, other)
    with pytest.raises(tw.UserError) as caught:
        project.ingest("s", pa.table({"k": [1]}) if mode == "delete" else [{"k": 1, "v": "z"}], mode=mode)
    assert caught.value.code == "schema-changed"
    assert "Run it again" in (caught.value.hint or "")
    assert listing(Path(project.root) / "warehouse" / "s" / "_delta_log") == after[0]
    assert source_rows(project) == rows((1, "a", Decimal("7.00")), (2, "b", None))


def test_files_are_not_merged_by_an_ingest_that_does_not_know_a_column(
    project: tw.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It committed before the column came, and merges after."""

    def late(warehouse: Any, source: str, *_: object) -> None:
        declare(project, WIDER)
        monkeypatch.setattr("tidewheel.ingest.ingest.keep_up", lambda *_: None)
        for i in range(10, 30):
            tw.Project(project.root, engine="local").ingest("s", [{"k": i, "c": i}])
        compaction.compact(warehouse, source)

    monkeypatch.setattr("tidewheel.ingest.ingest.keep_up", late)
    project.ingest("s", [{"k": 5}])
    assert sum(row["c"] is not None for row in foreign.delta_rows(Path(project.root) / "warehouse" / "s")) == 20


def test_a_view_that_shows_a_new_column_is_rebuilt_as_if_its_definition_had_changed(project: tw.Project) -> None:
    declare(project, WIDER)
    project.ingest("s", [{"k": 3, "v": "c", "c": Decimal(1)}])
    plan = project.plan()
    assert plan.step("stars").text == 'source "s" has new columns'
    assert plan.step("sums").method != "full"
    assert plan.unasked_full == ()
    project.refresh(fail_on="full")
    assert project.verify().differences == {}
