"""Rows as they are printed: every value under its own heading, every row on its own line."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.cli.command import call
from tests.cli.conftest import Tidewheel
from tidewheel.cli.rows import emit_rows

TWICE = "SELECT 1 AS a, 2 AS a, 3 AS b"


def test_columns_with_one_name_keep_their_values(fresh: Tidewheel) -> None:
    assert fresh("query", TWICE).out.splitlines() == ["a\ta\tb", "1\t2\t3"]


def test_columns_with_one_name_are_lists_in_json(fresh: Tidewheel) -> None:
    assert fresh("query", TWICE, "--json").json == {"columns": ["a", "a", "b"], "rows": [[1, 2, 3]]}


def test_columns_with_names_of_their_own_stay_objects_in_json(fresh: Tidewheel) -> None:
    assert fresh("query", "SELECT 1 AS a, 3 AS b", "--json").json == [{"a": 1, "b": 3}]


def test_columns_of_a_join_with_itself_keep_their_values(fresh: Tidewheel) -> None:
    sql = "SELECT x.*, y.* FROM customers x JOIN customers y ON x.n > y.n"
    assert fresh("query", sql).out.splitlines() == ["customer\tn\tcustomer\tn", "ada\t2\tbob\t1"]


def test_the_result_of_a_query_keeps_columns_with_one_name(root: Path) -> None:
    rows = tw.open(root).query(TWICE)
    assert rows.column_names == ["a", "a", "b"]
    assert [column.to_pylist() for column in rows.columns] == [[1], [2], [3]]


@pytest.mark.parametrize("empty", ["SELECT 1 AS a, 2 AS a WHERE false"])
def test_no_rows_are_no_rows(fresh: Tidewheel, empty: str) -> None:
    assert fresh("query", empty, "--json").json == {"columns": ["a", "a"], "rows": []}


ESCAPED = {
    "tab": ("a\tb", r"a\tb"),
    "line break": ("a\nb", r"a\nb"),
    "carriage return": ("a\rb", r"a\rb"),
    "backslash": ("a\\tb", r"a\\tb"),
    "escape": ("\x1b[31m", r"\x1b[31m"),
    "one byte control": ("\x9b31m", r"\x9b31m"),
}


@pytest.mark.parametrize(("value", "printed"), ESCAPED.values(), ids=ESCAPED)
def test_a_value_in_a_pipe_stays_in_its_cell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, value: str, printed: str
) -> None:
    source = {"kind": "managed", "schema": "t STRING, n BIGINT"}
    project = tw.create(tmp_path / "p", sources={"s": source}, engine="local")
    project.ingest("s", pa.table({"t": [value], "n": [1]}))
    project.refresh()
    assert call(capsys, "-p", project.root, "show", "s").out == f"t\tn\n{printed}\t1\n"
    assert call(capsys, "-p", project.root, "show", "s", "--json").json == [{"t": value, "n": 1}]


SHOWN = {
    "flag": (pa.array([True]), "true"),
    "bytes": (pa.array([b"ab"]), "[61 62]"),
    "map": (pa.array([[("a", 1.5), ("b", None)]], pa.map_(pa.string(), pa.float64())), "{a -> 1.5, b -> NULL}"),
    "map of nothing": (pa.array([[]], pa.map_(pa.string(), pa.float64())), "{}"),
    "struct": (pa.array([{"x": 1, "y": "z"}]), "{1, z}"),
    "array": (pa.array([[True, None]]), "[true, NULL]"),
    "array of structs": (pa.array([[{"x": [1]}]]), "[{[1]}]"),
    "not a number": (pa.array([float("nan")]), "NaN"),
}


@pytest.mark.parametrize(("column", "text"), SHOWN.values(), ids=SHOWN)
def test_a_value_is_printed_as_spark_does(capsys: pytest.CaptureFixture[str], column: pa.Array, text: str) -> None:
    emit_rows(pa.table({"v": column}), "", as_json=False)
    assert capsys.readouterr().out == f"v\n{text}\n"


def test_bytes_are_in_base64_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    emit_rows(pa.table({"v": pa.array([b"ab"])}), "", as_json=True)
    assert json.loads(capsys.readouterr().out) == [{"v": "YWI="}]


def test_no_rows_asked_for_is_said_as_such(fresh: Tidewheel) -> None:
    assert fresh("show", "daily", "-n", "0").err == "note: there are rows; --limit gives others\n"
