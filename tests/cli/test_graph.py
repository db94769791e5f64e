"""`tidewheel graph`: formats, files, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tidewheel as tw
from tests.cli.command import Outcome, call
from tests.e2e.refusals import listing


@pytest.fixture
def root(tmp_path: Path) -> Path:
    views = {"daily": "SELECT day, sum(n) AS n FROM orders GROUP BY day", "best": "SELECT max(n) AS n FROM daily"}
    sources = {"orders": {"kind": "managed", "schema": "day DATE, n BIGINT"}}
    tw.create(tmp_path / "shop", sources=sources, views=views, engine="local")
    return tmp_path / "shop"


def graph(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> Outcome:
    return call(capsys, "-p", str(root), "graph", *arguments)


def test_text_is_the_default(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    done = graph(capsys, root)
    assert done.code == 0
    assert done.out.splitlines()[0] == "project shop, epoch 0: 1 sources, 2 views"
    assert "<- orders" in done.out
    assert "orders.n" not in done.out


def test_columns_are_shown_when_asked_for(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    assert "n    BIGINT  <- orders.n" in graph(capsys, root, "--columns").out


@pytest.mark.parametrize(
    ("format_", "start"), [("mermaid", "flowchart LR\n"), ("dot", 'digraph "shop" {\n'), ("html", "<!doctype html>\n")]
)
def test_formats(capsys: pytest.CaptureFixture[str], root: Path, format_: str, start: str) -> None:
    assert graph(capsys, root, "--format", format_).out.startswith(start)


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"]])
def test_json_has_everything(capsys: pytest.CaptureFixture[str], root: Path, option: list[str]) -> None:
    body = graph(capsys, root, *option).json
    assert body["edges"] == [["orders", "daily"], ["daily", "best"]]
    assert body["relations"]["daily"]["columns"][1]["from"] == [["orders", "n"]]


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("g.html", "<!doctype html>"),
        ("g.DOT", "digraph"),
        ("g.mmd", "flowchart"),
        ("g.json", "{"),
        ("g.txt", "project"),
    ],
)
def test_the_ending_of_the_file_decides(
    capsys: pytest.CaptureFixture[str], root: Path, tmp_path: Path, name: str, start: str
) -> None:
    done = graph(capsys, root, "--output", str(tmp_path / name))
    assert (done.code, done.out) == (0, f"wrote {tmp_path / name}: 1 sources, 2 views\n")
    assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_json_in_a_file_is_told_as_json(capsys: pytest.CaptureFixture[str], root: Path, tmp_path: Path) -> None:
    done = graph(capsys, root, "--json", "--output", str(tmp_path / "g.json"))
    assert done.json == {"file": str(tmp_path / "g.json"), "sources": 1, "views": 2}
    assert (tmp_path / "g.json").read_text("utf-8").startswith("{")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "dot", "-o", "g.html"], '".html" is that of html, not of dot'),
        (["-o", "g.xyz"], '".xyz" is that of no format'),
    ],
)
def test_a_file_whose_ending_says_something_else_is_not_written(
    capsys: pytest.CaptureFixture[str], root: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    file = tmp_path / arguments[-1]
    done = graph(capsys, root, *arguments[:-1], str(file))
    assert (done.code, said in done.err, file.exists()) == (1, True, False)


def test_views_are_selected_as_elsewhere(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    assert set(graph(capsys, root, "-s", "daily", "--json").json["relations"]) == {"orders", "daily"}
    assert set(graph(capsys, root, "--exclude", "daily+", "--json").json["relations"]) == set()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--format", "svg"], "bad-option"),
        (["--json", "--format", "dot"], "bad-option"),
        (["--columns", "--format", "html"], "bad-option"),
        (["--columns", "--json"], "bad-option"),
        (["-s", "nope"], "bad-selection"),
        (["--output", "no/such/folder/g.html"], "not-writable"),
        (["--output", "."], "not-writable"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], root: Path, arguments: list[str], code: str) -> None:
    before = listing(root)
    done = graph(capsys, root, *arguments)
    said = json.loads(done.out)["error"]["code"] if "--json" in arguments else done.err
    assert done.code in {1, 3}
    assert code in said
    assert "--json" in arguments or "hint:" in done.err
    assert listing(root) == before
