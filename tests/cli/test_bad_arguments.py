"""Bad arguments and a bad environment: each command says what is wrong as text and as JSON, and changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.command import Outcome, run
from tests.cli.conftest import Tidewheel
from tests.e2e.refusals import listing

Case = tuple[str, str, str]
"""The call, with ␣ for a space inside an argument and TMP for a folder; the code; and a part of what is said."""

USAGE: dict[str, Case] = {
    "no such command": ("nope", "bad-usage", "no such command 'nope'"),
    "a command misspelt": ("refesh", "bad-usage", "Did you mean 'refresh'?"),
    "no such option": ("plan --nope", "bad-usage", "tidewheel plan --help"),
    "an option before the command": ("--nope plan", "bad-usage", "no such option"),
    "one argument too many": ("plan extra", "bad-usage", "extra"),
    "a refresh by name": ("refresh daily", "bad-usage", "daily"),
    "status takes none": ("status extra", "bad-usage", "extra"),
    "epochs takes none": ("epochs extra", "bad-usage", "extra"),
    "verify takes none": ("verify extra", "bad-usage", "extra"),
    "vacuum takes none": ("vacuum extra", "bad-usage", "extra"),
    "calibrate takes none": ("calibrate extra", "bad-usage", "extra"),
    "schema takes none": ("schema extra", "bad-usage", "extra"),
    "check takes none": ("check extra", "bad-usage", "extra"),
    "two views explained": ("explain daily customers", "bad-usage", "customers"),
    "nothing explained": ("explain", "bad-usage", "missing argument"),
    "nothing shown": ("show", "bad-usage", "missing argument"),
    "nothing asked": ("query", "bad-usage", "missing argument"),
    "ingest into nothing": ("ingest", "bad-usage", "missing argument"),
    "ingest nothing": ("ingest orders", "bad-usage", "missing argument"),
    "a flag with a value": ("refresh --full-refresh=maybe", "bad-usage", "--full-refresh"),
    "a limit in words": ("show daily --limit many", "bad-usage", "--limit"),
    "a limit below zero": ("show daily --limit -1", "bad-usage", "--limit"),
    "a limit of a query in words": ("query SELECT␣1␣AS␣x --limit many", "bad-usage", "--limit"),
    "a limit of the history in words": ("history --limit many", "bad-usage", "--limit"),
    "a limit of the history below zero": ("history --limit -1", "bad-usage", "--limit"),
    "an epoch in words": ("show daily --epoch last", "bad-usage", "--epoch"),
    "a scale in words": ("demo TMP/d --scale huge", "bad-usage", "--scale"),
}
VALUES: dict[str, Case] = {
    "an unknown view": ("plan --select nope", "bad-selection", "nope"),
    "an unknown view left out": ("refresh --exclude nope", "bad-selection", "nope"),
    "an unknown view verified": ("verify --select nope", "bad-selection", "nope"),
    "an unknown view drawn": ("graph --select nope", "bad-selection", "nope"),
    "an unknown tag": ("plan --select tag:nope", "bad-selection", "finance"),
    "an unknown source": ("plan --select source:nope", "bad-selection", "orders"),
    "an unknown way to select": ("plan --select kind:view", "bad-selection", "tag:NAME"),
    "a plus alone": ("plan --select +", "bad-selection", "does not exist"),
    "a change that says nothing": ("plan --what-if orders", "bad-option", "SOURCE=+1%"),
    "a source that changes twice": ("plan --what-if orders=+1%,Orders=-1%", "bad-option", "twice"),
    "a change in words": ("plan --what-if orders=much", "bad-option", "orders=much"),
    "a change of nothing": ("plan --what-if orders=+0%", "bad-option", "orders=+0%"),
    "a change of an unknown source": ("plan --what-if nope=+1%", "unknown-relation", "orders"),
    "a change of a view": ("plan --what-if daily=+1%", "wrong-kind", "is a view"),
    "an unknown placement": ("plan --placement moon", "bad-option", "auto, spark, driver"),
    "an unknown placement of a refresh": ("refresh --placement moon", "bad-option", "auto, spark, driver"),
    "an unknown thing to fail on": ("refresh --fail-on nope", "bad-option", "full"),
    "history of an unknown view": ("history --view nope", "unknown-relation", "daily"),
    "history of a source": ("history --view orders", "wrong-kind", "is a source"),
    "an unknown view explained": ("explain nope", "unknown-relation", "daily"),
    "a source explained": ("explain orders", "wrong-kind", "is a source"),
    "an unknown relation shown": ("show nope", "unknown-relation", "orders"),
    "a relation misspelt": ("show dayly", "unknown-relation", 'Did you mean "daily"?'),
    "an epoch to come": ("show daily --epoch 99", "unknown-epoch", "tidewheel epochs"),
    "epoch zero": ("show daily --epoch 0", "unknown-epoch", "tidewheel epochs"),
    "a query at an epoch to come": ("query SELECT␣1␣AS␣x --epoch 99", "unknown-epoch", "tidewheel epochs"),
    "an unknown engine": ("verify --engine moon", "bad-option", "spark, local"),
    "a duration in words": ("vacuum --retention soon", "bad-option", "7 days"),
    "a duration below zero": ("vacuum --retention=-1␣days", "bad-option", "7 days"),
    "an age in words": ("vacuum --abandoned soon", "bad-option", "7 days"),
    "a view in use dropped": ("drop daily", "view-in-use", "views/daily.sql"),
    "nothing of the name dropped": ("drop nope", "unknown-relation", "no orphan"),
    "an unknown target": ("-t nope plan", "unknown-target", "nope"),
    "an unknown target after the command": ("refresh -t nope", "unknown-target", "nope"),
    "JSON in a page": ("graph --format json --output TMP/g.html", "bad-option", "that of html, not of json"),
    "a picture in a missing folder": ("graph --output TMP/nowhere/x.json", "not-writable", "folder that exists"),
}
QUERIES: dict[str, Case] = {
    "no query": ("query ␣", "sql-syntax", "one at a time"),
    "two queries": ("query SELECT␣1␣AS␣x;␣SELECT␣2␣AS␣y", "sql-syntax", "one at a time"),
    "a keyword misspelt": ("query SELEC␣1", "sql-syntax", '"SELEC" begins no query'),
    "a table dropped": ("query DROP␣TABLE␣daily", "sql-syntax", '"DROP" begins no query'),
    "rows inserted": ("query INSERT␣INTO␣daily␣SELECT␣1", "sql-syntax", '"INSERT" begins no query'),
    "an open string": ("query SELECT␣'x", "sql-syntax", "ends inside"),
    "an unknown relation": ("query SELECT␣1␣AS␣x␣FROM␣nope", "unknown-relation", "nope"),
    "a relation of a schema": ("query SELECT␣*␣FROM␣lake.daily", "unknown-relation", "lake.daily"),
    "a path": ("query SELECT␣*␣FROM␣csv.`/etc/passwd`", "unknown-relation", "csv"),
    "an unknown column": ("query SELECT␣nope␣FROM␣daily", "unknown-column", "day, n, total"),
    "an unknown function": ("query SELECT␣nope(n)␣AS␣x␣FROM␣daily", "unknown-function", "nope"),
    "a parameter": ("query SELECT␣*␣FROM␣daily␣WHERE␣n␣>␣:least", "unsupported-statement", "value itself"),
}
INGESTS: dict[str, Case] = {
    "into an unknown source": ("ingest nope TMP/orders.csv", "unknown-relation", "orders"),
    "into a view": ("ingest daily TMP/orders.csv", "wrong-kind", "is a view"),
    "a missing file": ("ingest orders TMP/nope.csv", "missing-file", "nope.csv"),
    "one of two missing": ("ingest orders TMP/orders.csv TMP/nope.csv", "missing-file", "nope.csv"),
    "a folder": ("ingest orders TMP", "missing-file", "is a folder"),
    "a pattern without files": ("ingest orders TMP/*.parquet", "missing-file", "pattern"),
    "an unknown ending": ("ingest orders TMP/notes.txt", "unreadable-file", ".parquet"),
    "an empty file": ("ingest orders TMP/empty.csv", "empty-file", "empty.csv"),
    "an unknown mode": ("ingest orders TMP/orders.csv --mode nope", "unknown-option", "append"),
    "an unknown format": ("ingest orders TMP/orders.csv --format xml", "unknown-option", "csv"),
    "a long delimiter": ("ingest orders TMP/orders.csv --delimiter xx", "bad-option", "one character"),
    "an empty id": ("ingest orders TMP/orders.csv --id=", "bad-option", "id"),
    "a blank id": ("ingest orders TMP/orders.csv --id ␣", "bad-option", "id"),
}
PROJECTS: dict[str, Case] = {
    "a project where one is": ("init TMP/shop", "project-exists", "empty folder"),
    "a project in a file": ("init TMP/orders.csv", "bad-path", "is a file"),
    "a project below a file": ("init TMP/orders.csv/shop", "bad-path", "is a file"),
    "a demo where a project is": ("demo TMP/shop", "project-exists", "already"),
    "a demo in a file": ("demo TMP/orders.csv", "bad-path", "is a file"),
}
ARGUMENTS = {**USAGE, **VALUES, **QUERIES, **INGESTS, **PROJECTS}


def refused(done: Outcome, code: str, said: str) -> None:
    """One JSON document with the error: code, sentence and hint; no trace, and the exit code of a user's mistake."""
    error = done.json["error"]
    assert (error["code"], done.code) == (code, 3 if code == "not-writable" else 1), done
    assert error["message"][:1] == error["message"][:1].lower()
    assert not error["message"].endswith(".")
    assert error["hint"]
    assert said in f"{error['message']} {error['detail']} {error['hint']}"
    assert "Traceback" not in done.err


@pytest.mark.parametrize("case", ARGUMENTS.values(), ids=ARGUMENTS)
def test_a_bad_call_is_refused(fresh: Tidewheel, root: Path, case: Case) -> None:
    call, code, said = case
    (root.parent / "notes.txt").write_text("not a table")
    (root.parent / "empty.csv").write_text("")
    arguments = [a.replace("␣", " ").replace("TMP", str(root.parent)) for a in call.split(" ")]
    before = listing(root.parent)
    refused(fresh(*arguments, "--json"), code, said)
    assert listing(root.parent) == before


@pytest.mark.parametrize("call", ["plan --nope", "show nope", "query SELEC␣1"])
def test_without_json_the_same_is_said_on_standard_error(fresh: Tidewheel, call: str) -> None:
    done = fresh(*(a.replace("␣", " ") for a in call.split(" ")))
    assert done.code == 1
    assert not done.out
    assert done.err.startswith("error [")
    assert "hint: " in done.err


ENVIRONMENT: dict[str, tuple[dict[str, str | None], str, str]] = {
    # name: (variables, code, a part of what is said)
    "a project that is not there": ({"TIDEWHEEL_PROJECT": "/nowhere/at/all"}, "no-project", "tidewheel init"),
    "a project that is a file": ({"TIDEWHEEL_PROJECT": __file__}, "no-project", "tidewheel init"),
    "an unknown target": ({"TIDEWHEEL_TARGET": "nope"}, "unknown-target", "nope"),
}


@pytest.mark.parametrize("case", ENVIRONMENT.values(), ids=ENVIRONMENT)
def test_a_bad_environment_is_refused(root: Path, case: tuple[dict[str, str | None], str, str]) -> None:
    variables, code, said = case
    before = listing(root.parent)
    refused(run("status", "--json", cwd=root, **variables), code, said)
    assert listing(root.parent) == before


def test_a_variable_of_the_configuration_that_is_not_set(root: Path) -> None:
    file = root / "tidewheel.yml"
    file.write_text(file.read_text() + "warehouse: ${env:TW_NOT_SET}\n")
    before = listing(root)
    refused(run("status", "--json", cwd=root, TW_NOT_SET=None), "missing-variable", "TW_NOT_SET")
    assert listing(root) == before


def test_outside_of_a_project(tmp_path: Path) -> None:
    refused(run("plan", "--json", cwd=tmp_path, TIDEWHEEL_PROJECT=None), "no-project", "tidewheel init")
    assert not os.listdir(tmp_path)
