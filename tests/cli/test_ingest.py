"""`ingest` by the command line: several files, patterns, standard input, formats and delimiters."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Tidewheel

HEADER = "order_id,day,customer,amount\n"


@pytest.fixture
def days(root: Path) -> Path:
    folder = root.parent / "days"
    folder.mkdir()
    (folder / "a.csv").write_text(HEADER + "11,2026-02-01,ada,1.00\n")
    (folder / "b.csv").write_text(HEADER + "12,2026-02-02,bob,2.00\n")
    return folder


def pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode()), isatty=lambda: False))


def test_several_files_are_one_batch(tidewheel: Tidewheel, days: Path) -> None:
    body = tidewheel("ingest", "orders", str(days / "a.csv"), str(days / "b.csv"), "--json").json
    assert (body["rows"], body["version"]) == (2, 1)


def test_a_pattern_stands_for_its_files(tidewheel: Tidewheel, days: Path) -> None:
    assert tidewheel("ingest", "orders", str(days / "*.csv"), "--json").json["rows"] == 2


def test_a_wrong_file_among_good_ones_is_named_and_nothing_is_written(tidewheel: Tidewheel, days: Path) -> None:
    (days / "c.csv").write_text(HEADER + "13,2.2.2026,eve,1.00\n")
    done = tidewheel("ingest", "orders", str(days / "*.csv"))
    assert done.code == 1
    assert 'column "day", row 1 of file' in done.err
    assert "c.csv" in done.err
    (days / "c.csv").unlink()
    assert tidewheel("ingest", "orders", str(days / "*.csv"), "--json").json["version"] == 1


def test_standard_input_is_read_by_its_format_and_replaces_all_rows(
    tidewheel: Tidewheel, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, HEADER.replace(",", ";") + "1;2026-01-01;ada;10.5\n")
    done = tidewheel("ingest", "orders", "-", "--format", "csv", "--delimiter", ";", "--mode", "replace", "--json").json
    assert done["mode"] == "replace"
    tidewheel("refresh")
    assert tidewheel("query", "SELECT count(*) AS n FROM orders", "--json").json == [{"n": 1}]


def test_tabs_can_be_named(tidewheel: Tidewheel, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, HEADER.replace(",", "\t") + "15\t2026-01-01\tada\t10.5\n")
    assert tidewheel("ingest", "orders", "-", "--format", "csv", "--delimiter", r"\t", "--json").json["rows"] == 1


def test_standard_input_without_a_format_is_refused(tidewheel: Tidewheel, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, HEADER)
    done = tidewheel("ingest", "orders", "-")
    assert done.code == 1
    assert "standard input has no name that tells its format" in done.err
