"""A view that cannot be run concerns itself and those below it; everything else goes on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

import tidewheel as tw
from tests.cli.command import call

Make = Callable[..., tw.Project]
SOURCES = {
    "orders": {"kind": "managed", "schema": "id BIGINT, amount BIGINT", "key": ["id"]},
    "people": {"kind": "managed", "schema": "id BIGINT, name STRING", "key": ["id"]},
}
VIEWS = {
    "totals": "SELECT sum(amount) AS total FROM orders",
    "large": "SELECT id, amount FROM orders WHERE amount > 10",
    "largest": "SELECT max(amount) AS amount FROM large",
    "names": "SELECT count(*) AS n FROM people",
}
BREAK = {
    "syntax": "SELEC id, amount FROM orders",
    "open string": "SELECT 'x, id, amount FROM orders",
    "unknown relation": "SELECT id, amount FROM nowhere",
    "unknown column": "SELECT id, amuont AS amount FROM orders",
    "unknown function": "SELECT id, nosuch(amount) AS amount FROM orders",
    "refused function": "SELECT id, rand() AS amount FROM orders",
    "bad option": "-- tidewheel: {refresh: never}\nSELECT id, amount FROM orders",
    "bad name of a column": "SELECT id, amount, id FROM orders",
    "nothing": "",
}


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("orders", pa.table({"id": [1, 2], "amount": [5, 50]}))
    made.ingest("people", pa.table({"id": [1], "name": ["ada"]}))
    assert made.refresh().exit_code == 0
    return made


def rewrite(project: tw.Project, view: str, sql: str) -> None:
    Path(project.root, "views", f"{view}.sql").write_text(sql)


def values(project: tw.Project, view: str) -> list[object]:
    return [list(row.values()) for row in project.to_arrow(view).to_pylist()]


@pytest.mark.parametrize("text", BREAK.values(), ids=BREAK)
def test_everything_but_the_broken_view_and_those_below_goes_on(project: tw.Project, text: str) -> None:
    rewrite(project, "large", text)
    project.ingest("orders", pa.table({"id": [3], "amount": [100]}))
    project.ingest("people", pa.table({"id": [2], "name": ["bob"]}))
    run = project.refresh()
    assert run.exit_code == 4
    assert run.published
    methods = {name: view.method for name, view in run.views.items()}
    assert methods | {"large": "broken", "largest": "broken"} == methods
    assert (values(project, "totals"), values(project, "names")) == ([[155]], [[2]])
    assert (values(project, "large"), values(project, "largest")) == ([[2, 50]], [[50]]), "as of their last epoch"
    states = {name: view.state for name, view in project.status().views.items()}
    assert states == {"totals": "fresh", "names": "fresh", "large": "broken", "largest": "broken"}
    assert project.status().views["large"].note
    assert {view.error.code for view in run.views.values() if view.error} >= {"broken-input"}
    with pytest.raises(tw.UserError) as caught, project.snapshot() as cut:
        cut.to_arrow("large")
    assert caught.value.code == "stale-view", "a snapshot never mixes cuts"
    assert project.verify(select=["totals", "names"]).exit_code == 0
    assert project.verify().exit_code == 4
    assert project.orphans() == []


@pytest.mark.parametrize("text", BREAK.values(), ids=BREAK)
def test_a_view_that_is_mended_catches_up_from_where_it_stood(project: tw.Project, text: str) -> None:
    rewrite(project, "large", text)
    project.ingest("orders", pa.table({"id": [3], "amount": [100]}))
    project.refresh()
    rewrite(project, "large", VIEWS["large"])
    run = project.refresh()
    assert run.exit_code == 0
    assert run.views["large"].method != "full", run.views["large"].reason
    assert values(project, "largest") == [[100]]
    assert project.verify().differences == {}


@pytest.mark.parametrize("text", BREAK.values(), ids=BREAK)
def test_a_broken_view_is_explained_with_what_is_wrong_and_what_is_there(
    project: tw.Project, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    rewrite(project, "large", text)
    for view in ("large", "largest"):
        body = project.explain(view)
        assert body["error"]["code"]
        assert body["last"]["rows"] == 1
        done = call(capsys, "-p", project.root, "explain", view)
        assert done.code == 4
        assert body["error"]["message"] in done.out
    assert project.explain("totals")["error"] is None


def test_a_view_that_is_mended_as_it_was_needs_no_rebuild(project: tw.Project) -> None:
    rewrite(project, "large", BREAK["syntax"])
    project.ingest("people", pa.table({"id": [2], "name": ["bob"]}))
    assert project.refresh().exit_code == 4
    rewrite(project, "large", VIEWS["large"])
    run = project.refresh()
    assert (run.exit_code, run.views["large"].method, run.views["largest"].method) == (0, "none", "none")
    assert {view.state for view in project.status().views.values()} == {"fresh"}


def test_a_broken_view_that_was_not_asked_for_is_no_failure(project: tw.Project) -> None:
    rewrite(project, "large", BREAK["syntax"])
    project.ingest("orders", pa.table({"id": [3], "amount": [100]}))
    run = project.refresh(exclude=["large+"])
    assert (run.exit_code, run.failed) == (0, {})
    assert values(project, "totals") == [[155]]
    assert project.status().failure is None
    assert project.refresh(select="large").exit_code == 4


def test_nothing_is_dropped_because_its_file_cannot_be_read(project: tw.Project) -> None:
    for name in ("large", "largest"):
        Path(project.root, "views", f"{name}.sql").unlink()
    both = "; ".join(f"CREATE MATERIALIZED VIEW {name} AS {VIEWS[name]}" for name in ("large", "largest"))
    rewrite(project, "both", both)
    assert project.refresh().exit_code == 0
    rewrite(project, "both", f"{both} WHERE 'open")
    assert project.orphans() == []
    methods = {name: view.method for name, view in project.refresh().views.items()}
    assert (methods["large"], methods["largest"]) == ("broken", "broken")
    for name in ("large", "largest"):
        with pytest.raises(tw.UserError) as caught:
            project.drop(name)
        assert caught.value.code == "view-in-use"


def test_one_statement_of_a_file_can_be_broken(project: tw.Project) -> None:
    rewrite(
        project,
        "more",
        "CREATE MATERIALIZED VIEW good AS SELECT 1 AS x; CREATE MATERIALIZED VIEW bad AS SELECT nope FROM orders",
    )
    run = project.refresh()
    assert (run.views["good"].method, run.views["bad"].method) == ("full", "broken")


def test_hidden_folders_and_files_hold_no_views(project: tw.Project) -> None:
    for path in (".ipynb_checkpoints/totals-checkpoint.sql", "sub/.hidden/x.sql", ".draft.sql"):
        file = Path(project.root, "views", path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("SELECT this is no SQL")
    assert set(project.views) == set(VIEWS)
    assert project.refresh().exit_code == 0


@pytest.mark.parametrize("text", ["SHOW TABLES", "DESCRIBE orders", "SET x = 1", "DROP TABLE orders"])
def test_a_statement_that_is_no_query_is_refused_without_a_warning(
    project: tw.Project, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    rewrite(project, "bad", text)
    error = project.check().views["bad"].error
    assert error is not None
    assert error.code == "unsupported-statement"
    with pytest.raises(tw.UserError):
        project.query(text)
    assert capfd.readouterr().err == ""


def test_no_command_stops_for_a_view_that_it_does_not_need(
    project: tw.Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(project, "large", BREAK["syntax"])
    (tmp_path / "more.csv").write_text("id,amount\n7,7\n")
    for arguments in (
        ["ingest", "orders", str(tmp_path / "more.csv")],
        ["status"],
        ["history"],
        ["show", "totals"],
        ["show", "large"],
        ["query", "SELECT * FROM names"],
        ["explain", "totals"],
        ["plan", "--exclude", "large+"],
        ["refresh", "--exclude", "large+"],
        ["verify", "--exclude", "large+"],
        ["vacuum"],
        ["drop"],
    ):
        done = call(capsys, "-p", project.root, *arguments)
        assert done.code == 0, (arguments, done.err)
    for arguments in (["plan"], ["refresh"], ["verify"]):
        done = call(capsys, "-p", project.root, *arguments)
        assert done.code == 4, (arguments, done.err)
    checked = call(capsys, "-p", project.root, "check", "--json")
    assert checked.code == 1
    assert [v["view"] for v in checked.json["views"] if v["state"] == "broken"] == ["large", "largest"]
    assert "views/large.sql:1:" in call(capsys, "-p", project.root, "check").err


@pytest.fixture
def landing(make_project: Make, tmp_path: Path) -> tw.Project:
    """A project with two sources that others write: files that land in a folder, and a Delta table."""
    (tmp_path / "clicks").mkdir()
    (tmp_path / "clicks" / "a.csv").write_text("id\n1\n")
    write_deltalake(str(tmp_path / "lake"), pa.table({"id": [1]}))
    sources = {
        **SOURCES,
        "clicks": {"kind": "files", "path": str(tmp_path / "clicks"), "schema": "id BIGINT"},
        "lake": {"kind": "delta", "path": str(tmp_path / "lake")},
    }
    views = {**VIEWS, "clicked": "SELECT count(*) AS n FROM clicks", "sailed": "SELECT count(*) AS n FROM lake"}
    project = make_project(sources, {**views, "both": "SELECT n FROM clicked UNION ALL SELECT total FROM totals"})
    project.ingest("orders", pa.table({"id": [1], "amount": [5]}))
    assert project.refresh().exit_code == 0
    return project


def damage(project: tw.Project, what: str) -> str:
    folder = Path(project.root).parent
    if what == "a landed file":
        (folder / "clicks" / "b.csv").write_text("id\nno number\n")
        return "clicked"
    if what == "a landed file that changed":
        (folder / "clicks" / "a.csv").write_text("id\n1\n2\n")
        return "clicked"
    if what == "a schema":
        write_deltalake(str(folder / "lake"), pa.table({"other": ["x"]}), mode="overwrite", schema_mode="overwrite")
    else:
        shutil.rmtree(folder / "lake")
    return "sailed"


@pytest.mark.parametrize("what", ["a landed file", "a landed file that changed", "a schema", "a table that is gone"])
def test_a_source_that_cannot_be_read_concerns_those_that_read_it(landing: tw.Project, what: str) -> None:
    view = damage(landing, what)
    landing.ingest("orders", pa.table({"id": [2], "amount": [7]}))
    if what != "a landed file":  # which no plan has read
        assert landing.plan().exit_code in {1, 3}
    run = landing.refresh()
    assert (run.exit_code, run.views[view].method, run.published) == (4, "failed", True)
    assert (run.views["both"].method == "blocked") is (view == "clicked")
    assert values(landing, "totals") == [[12]]
    assert values(landing, view) == [[1]], "as of its last epoch"
    assert run.views[view].reason.code == "source-failed"
    assert landing.refresh(select="names").exit_code == 0
    with pytest.raises(tw.TidewheelError) as caught:
        landing.refresh()
    assert caught.value.hint, "nothing else is to be done: the error itself is the outcome"
