"""`status`, `history` and `explain` after a failure, as they are printed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.cli.command import call
from tests.cli.conftest import Tidewheel


@pytest.fixture
def failed(fresh: Tidewheel, root: Path) -> Tidewheel:
    """A view that fails since a row came; the others are published."""
    (root / "views" / "share.sql").write_text("SELECT order_id DIV (order_id - 9) AS n FROM orders")
    assert fresh("refresh").code == 0
    row = {"order_id": [9], "day": [None], "customer": ["eve"], "amount": [None]}
    tw.open(root).ingest("orders", pa.table({k: pa.array(v) for k, v in row.items()}))
    assert fresh("refresh").code == 4
    return fresh


def test_status_names_the_failure(failed: Tidewheel) -> None:
    out = failed("status").out
    assert "share failed: " in out
    assert "the last run failed: " in out
    body = failed("status", "--json").json
    assert body["views"]["share"]["state"] == "stale"
    assert body["views"]["share"]["failure"]["code"] == body["failure"]["code"] == "query-failed"
    assert body["views"]["daily"]["failure"] is None


def test_history_of_a_view_shows_its_failed_runs_with_the_error(failed: Tidewheel) -> None:
    lines = failed("history", "--view", "share").out.splitlines()
    assert "zero" in lines[1].lower()
    assert "failed" in lines[1].split("\t")
    assert "zero" in failed("history").out.splitlines()[1].lower()


@pytest.mark.parametrize("view", ["share", "daily", "best"])
def test_explain_prints_the_very_data_that_python_gives(failed: Tidewheel, root: Path, view: str) -> None:
    assert failed("explain", view, "--json").json == json.loads(json.dumps(tw.open(root).explain(view)))


def test_explain_shows_the_failure(failed: Tidewheel) -> None:
    assert "  failed   " in failed("explain", "share").out
    assert "  failed   " not in failed("explain", "daily").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["explain", "orders"], '"orders" is a source, not a view'),
        (["history", "--view", "orders"], '"orders" is a source, not a view'),
        (["history", "--view", "dayly"], 'Did you mean "daily"?'),
        (["ingest", "daily", "x.csv"], '"daily" is a view, not a source'),
    ],
)
def test_a_name_of_another_kind_is_said_to_be_one(fresh: Tidewheel, arguments: list[str], says: str) -> None:
    done = fresh(*arguments)
    assert (done.code, says in done.err) == (1, True)


def test_commands_find_names_in_any_case(fresh: Tidewheel) -> None:
    assert fresh("explain", "DAILY").code == 0
    assert len(fresh("history", "--view", "Daily", "--json").json) == 1


def test_a_plan_shows_sources_that_cannot_be_read_and_those_without_a_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sources = {
        "empty": {"kind": "managed", "schema": "x BIGINT"},
        "landed": {"kind": "files", "path": str(tmp_path / "gone"), "schema": "x BIGINT"},
    }
    views = {"a": "SELECT x FROM empty", "b": "SELECT x FROM landed"}
    root = tw.create(tmp_path / "p", sources=sources, views=views, engine="local").root
    lines = call(capsys, "-p", root, "plan").out.splitlines()
    assert "empty\t-\tfirst seen" in lines
    assert 'landed\t-\tcannot be read: the folder of source "landed" does not exist' in lines
    body = call(capsys, "-p", root, "plan", "--json").json
    assert (body["sources"]["empty"]["version"], body["unread"]["landed"]["code"]) == (None, "missing-file")


def test_the_history_of_a_view_says_where_it_ran(fresh: Tidewheel) -> None:
    head, line = fresh("history", "--view", "daily").out.splitlines()
    assert dict(zip(head.split("\t"), line.split("\t"), strict=True))["on"] == "driver"


def test_progress_says_why_a_view_failed(failed: Tidewheel, root: Path) -> None:
    tw.open(root).ingest("orders", pa.table({"order_id": [9]}), mode="delete")
    assert failed("refresh").code == 0
    row = {"order_id": [9], "day": [None], "customer": ["eve"], "amount": [None]}
    tw.open(root).ingest("orders", pa.table({k: pa.array(v) for k, v in row.items()}))
    done = failed("refresh")
    assert "share: failed: Invalid Input Error: division by zero" in done.err
    assert "\tInvalid Input Error: division by zero\n" in done.out
