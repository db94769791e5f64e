"""`show`, `query` and `verify`: which rows they see, what they leave out, and that they say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Tidewheel
from tidewheel.engine.local.engine import LocalRun
from tidewheel.errors import UserError
from tidewheel.project.graph import View

MORE = "order_id,day,customer,amount\n7,2026-01-03,eve,1.00\n"


@pytest.fixture
def ahead(fresh: Tidewheel, root: Path) -> Tidewheel:
    """A source with a row that no epoch has."""
    file = root.parent / "more.csv"
    file.write_text(MORE)
    assert fresh("ingest", "orders", str(file)).code == 0
    return fresh


def test_rows_that_are_left_out_are_mentioned(fresh: Tidewheel) -> None:
    shown = fresh("show", "orders", "--limit", "2")
    assert len(shown.out.splitlines()) == 1 + 2
    assert "the first 2 of more rows" in shown.err
    asked = fresh("query", "SELECT order_id FROM orders ORDER BY order_id", "-n", "2", "--json")
    assert asked.json == [{"order_id": 1}, {"order_id": 2}]
    assert "the first 2 of more rows" in asked.err


def test_nothing_is_mentioned_if_all_rows_are_there(fresh: Tidewheel) -> None:
    assert fresh("show", "orders", "--limit", "3").err == ""
    assert fresh("query", "SELECT * FROM orders", "--limit", "3").err == ""


def test_show_reads_no_more_batches_than_it_takes(fresh: Tidewheel, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("all rows were read")

    monkeypatch.setattr("tidewheel.snapshot.read_table", refuse)
    assert fresh("show", "orders", "--limit", "1").code == 0


def test_show_of_a_source_has_its_newest_rows(ahead: Tidewheel) -> None:
    assert "eve" in ahead("show", "orders").out
    assert "eve" not in ahead("show", "orders", "--epoch", "1").out


def test_a_source_can_be_shown_before_the_first_refresh(tidewheel: Tidewheel) -> None:
    shown = tidewheel("show", "orders")
    assert (shown.code, len(shown.out.splitlines())) == (0, 4)


def test_a_query_of_a_view_says_which_sources_are_ahead(ahead: Tidewheel) -> None:
    both = "SELECT count(*) AS n FROM orders JOIN daily USING (day)"
    found = ahead("query", both, "--json")
    assert found.json == [{"n": 3}]
    assert "newer rows are in orders" in found.err
    assert ahead("query", both, "--epoch", "1").err == ""
    alone = ahead("query", "SELECT count(*) AS n FROM orders", "--json")
    assert (alone.json, alone.err) == ([{"n": 4}], "")


def test_verify_by_the_local_engine_is_labelled(fresh: Tidewheel) -> None:
    assert "a quick look" in fresh("verify", "--engine", "local").out
    assert fresh("verify", "--engine", "local", "--json").json["engine"] == "local"
    assert fresh("verify", "--engine", "flink", "--json").json["error"]["code"] == "bad-option"


def test_verify_by_the_local_engine_skips_what_it_does_not_run(
    fresh: Tidewheel, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = LocalRun.write

    def write(self: LocalRun, view: View, *arguments: Any) -> Any:
        if view.name == "daily":
            raise UserError("the local engine does not run soundex()", code="not-local")
        return own(self, view, *arguments)

    monkeypatch.setattr(LocalRun, "write", write)
    views = fresh("verify", "--engine", "local", "--json").json["views"]
    assert {name for name, view in views.items() if view["skipped"]} == {"daily", "best"}
