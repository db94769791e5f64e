"""Text files and lists of dictionaries: what a person would write is read exactly, the rest refused with its place."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.e2e.refusals import refused

Make = Callable[..., tw.Project]
D = decimal.Decimal
UTC = dt.UTC
KINDS = {
    "b": "BOOLEAN", "i": "BIGINT", "t": "TINYINT", "x": "DOUBLE", "f": "FLOAT", "n": "DECIMAL(38,10)", "s": "STRING",
    "bin": "BINARY", "d": "DATE", "ts": "TIMESTAMP", "ntz": "TIMESTAMP_NTZ", "l": "ARRAY<DATE>",
    "m": "MAP<STRING, DECIMAL(6,2)>", "mi": "MAP<INT, INT>", "lf": "ARRAY<FLOAT>", "lt": "ARRAY<TIMESTAMP>",
    "mt": "MAP<STRING, TIMESTAMP>", "stt": "STRUCT<p: TIMESTAMP>", "st": "STRUCT<p: INT, q: DATE>",
}  # fmt: skip
LONG = "1234567890123456789012345678.0123456789"
DAY, NOON = dt.date(2026, 1, 31), dt.datetime(2026, 7, 1, 10, tzinfo=UTC)
CLOCK = dt.datetime.fromisoformat("2026-07-01T12:00")

WRITTEN: dict[str, tuple[str, str, Any]] = {
    "date": ("d", '"2026-01-31"', DAY),
    "date at midnight": ("d", '"2026-01-31T00:00:00.000"', DAY),
    "boolean": ("b", "true", True),
    "boolean by a word": ("b", '"No"', False),
    "integer": ("i", "-9223372036854775808", -(2**63)),
    "integer as text": ("i", '"+12"', 12),
    "whole number": ("i", "1.0", 1),
    "whole number with an exponent": ("i", "12e2", 1200),
    "smallest": ("t", "-128", -128),
    "double": ("x", "1e300", 1e300),
    "infinite": ("x", "-Infinity", float("-inf")),
    "infinite as text": ("x", '"inf"', float("inf")),
    "float": ("f", "0.5", 0.5),
    "decimal beyond doubles": ("n", LONG, D(LONG)),
    "decimal as text": ("n", '"0.1"', D("0.1000000000")),
    "decimal with an exponent": ("n", "1.5E+3", D("1500.0000000000")),
    "decimal with zeros": ("n", "1.00000000000000000", D("1.0000000000")),
    "number for a text keeps its digits": ("s", "1.50", "1.50"),
    "boolean for a text": ("s", "true", "true"),
    "bytes": ("bin", json.dumps(base64.b64encode(b"\x00\xff").decode()), b"\x00\xff"),
    "time with a zone": ("ts", '"2026-07-01T12:00:00+02:00"', NOON),
    "time in UTC": ("ts", '"2026-07-01T10:00:00.000000000Z"', NOON),
    "time in the project's zone": ("ts", '"2026-07-01 12:00"', NOON),
    "an hour that comes twice": ("ts", '"2026-10-25 02:30:00"', dt.datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
    "a summer beyond the tables of zones": ("ts", '"2076-07-01 12:00"', dt.datetime(2076, 7, 1, 10, tzinfo=UTC)),
    "day as a time": ("ntz", '"2026-01-31"', dt.datetime.fromisoformat("2026-01-31")),
    "plain time": ("ntz", '"2026-01-31T10:00:00.000001"', dt.datetime.fromisoformat("2026-01-31T10:00:00.000001")),
    "dates in an array": ("l", '["2026-01-31", null]', [DAY, None]),
    "map": ("m", '{"a": 1.5, "b": null}', [("a", D("1.50")), ("b", None)]),
    "empty map": ("m", "{}", []),
    "struct": ("st", '{"Q": "2026-01-31"}', {"p": None, "q": DAY}),
}  # fmt: skip


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    sources = {c: {"kind": "managed", "schema": f"{c} {kind}, z STRING"} for c, kind in KINDS.items()}
    made = make_project(sources, {}, timezone="Europe/Berlin")
    made.refresh()
    return made


def only_value(project: tw.Project, source: str) -> Any:
    project.refresh()
    [row] = project.to_arrow(source).to_pylist()
    return row[source]


@pytest.mark.parametrize("case", WRITTEN.values(), ids=WRITTEN)
def test_json_takes_what_a_person_would_write(project: tw.Project, tmp_path: Path, case: tuple[str, str, Any]) -> None:
    column, text, value = case
    (tmp_path / "a.json").write_text(f'{{"{column}": {text}}}\n')
    project.ingest(column, tmp_path / "a.json")
    assert only_value(project, column) == value


@pytest.mark.parametrize("case", WRITTEN.values(), ids=WRITTEN)
def test_csv_takes_the_same_texts(project: tw.Project, tmp_path: Path, case: tuple[str, str, Any]) -> None:
    column, text, value = case
    plain = json.loads(text) if text.startswith('"') else text
    quoted = plain.replace('"', '""')
    (tmp_path / "a.csv").write_text(f'{column},z\n" {quoted} ",\n' if column != "s" else f"{column},z\n{plain},\n")
    project.ingest(column, tmp_path / "a.csv")
    assert only_value(project, column) == value


@pytest.mark.parametrize("case", WRITTEN.values(), ids=WRITTEN)
def test_a_list_of_dictionaries_takes_texts_and_pythons_own_values(
    project: tw.Project, case: tuple[str, str, Any]
) -> None:
    column, text, value = case
    project.ingest(column, [{column: json.loads(text)}])
    given = dict(value) if column == "m" else value
    project.ingest(column, [{column: given}])
    project.refresh()
    found = [row[column] for row in project.to_arrow(column).to_pylist()]
    assert found[1] == value
    assert found[0] == value or text in {LONG, "1.50"}  # Python has made a float of it before we see it


REFUSED: dict[str, tuple[str, str, str]] = {
    "date in another order": ("d", '"31.01.2026"', "2026-01-31"),
    "american date": ("d", '"01/31/2026"', "2026-01-31"),
    "no such day": ("d", '"2026-02-30"', "2026-01-31"),
    "days since 1970": ("d", "20484", "2026-01-31"),
    "a time of the day for a date": ("d", '"2026-01-31 10:00:00"', "2026-01-31"),
    "seconds since 1970": ("ts", "1769810400", "zone"),
    "nanoseconds": ("ts", '"2026-01-31 10:00:00.0000001"', "zone"),
    "zone for a plain time": ("ntz", '"2026-01-31 10:00:00Z"', "without a zone"),
    "too large an integer": ("i", "9223372036854775808", "whole number"),
    "fraction for an integer": ("i", "1.5", "whole number"),
    "hexadecimal": ("i", '"0x10"', "whole number"),
    "too large a byte": ("t", "128", "from -128 to 127"),
    "boolean for a number": ("i", "true", "whole number"),
    "too large a double": ("x", "1e400", "1e300"),
    "too large a float": ("f", "1e300", "1e300"),
    "too fine a decimal": ("n", "0.00000000001", "10 after the point"),
    "too large a decimal": ("n", "1e28", "28 digits before"),
    "no number": ("n", '"NaN"', "digits"),
    "thousands": ("n", '"1,000.00"', "digits"),
    "two for a boolean": ("b", "2", "true or false"),
    "no base64": ("bin", '"\\u00e9"', "base64"),
    "an object for a text": ("s", '{"a": 1}', "text"),
    "a text in an array of dates": ("l", '["2026-01-31", "soon"]', "JSON array"),
    "a list for a map": ("m", "[1]", "JSON object"),
    "too fine a value in a map": ("m", '{"a": 1.001}', "JSON object"),
    "an unknown field": ("st", '{"r": 1}', "fields"),
    "a field twice": ("st", '{"p": 1, "P": 2}', "fields"),
    "one number twice as a key": ("mi", '{"1": 1, "01": 2}', "JSON object"),
    "an exponent for a decimal": ("n", '"3.4e38"', "28 digits before"),
    "more digits than there are": ("n", '"99999999999999999999999999999999999999.000"', "28 digits before"),
    "next to nothing": ("n", '"1e-41"', "10 after the point"),
    "two signs": ("n", '"1E+-2"', "digits"),
    "an exponent beyond all": ("n", '"1e99999999999999999999"', "digits"),
    "an exponent beyond all for an integer": ("i", '"1e99999999999999999999"', "whole number"),
    "year 0": ("d", '"0000-01-01"', "2026-01-31"),
    "no minutes": ("ts", '"2026-01-31 10"', "zone"),
    "a sign of nothing": ("x", '"+NaN"', "1e300"),
}


@pytest.mark.parametrize("ending", ["json", "csv", "list"])
@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_a_value_that_does_not_fit_is_refused_with_column_row_type_and_value(
    project: tw.Project, tmp_path: Path, case: tuple[str, str, str], ending: str
) -> None:
    column, text, shape = case
    if (ending, text) in {("csv", '{"a": 1}'), ("list", "1e400")}:
        pytest.skip("every field of a CSV is a text, and Python's own 1e400 is infinite")
    data: Any = tmp_path / f"a.{ending}"
    if ending == "json":
        data.write_text(f'{{"{column}": null}}\n\n{{"{column}": {text}}}\n')
    elif ending == "csv":
        plain = (json.loads(text) if text.startswith('"') else text).replace('"', '""')
        data.write_text(f'{column},z\n,first\n"{plain}",second\n')
    else:
        data = [{column: None}, {column: json.loads(text)}]
    with refused(project.root, "type-mismatch") as caught:
        project.ingest(column, data)
    told = caught.value
    assert f'column "{column}", row 2 of ' in told.message
    kind = project.definition().config.sources[column].declared
    assert kind is not None
    assert f"expected {kind.to_sql().split(' ', 1)[1].removesuffix(', z STRING')}, found " in told.message
    assert shape in (told.detail or "")


@pytest.fixture
def orders(make_project: Make) -> tw.Project:
    source = {"kind": "managed", "schema": "k BIGINT, d DATE NOT NULL, v STRING", "key": ["k"]}
    made = make_project({"s": source}, {"w": "SELECT k, d, v FROM s"})
    made.refresh()
    return made


BROKEN: dict[str, tuple[str, bytes, str, str]] = {
    "a field too many": ("a.csv", b"k,d,v\n1,2026-01-01,a\n2,2026-01-01,b,c\n", "malformed-row", "row 2"),
    "a field too few": ("a.csv", b"k,d,v\n1,2026-01-01\n", "malformed-row", "row 1"),
    "latin-1": ("a.csv", b"k,d,v\n1,2026-01-01,a\n2,2026-01-01,\xe9\n", "wrong-encoding", 'column "v", row 2'),
    "a quote that is never closed": (
        "a.csv", b'k,d,v\n1,2026-01-01,a\n2,2026-01-01,"b\n3,2026-01-01,c\n', "malformed-row", "row 2"
    ),
    "latin-1 header": ("a.csv", "k,d,v,é\n".encode("latin-1"), "wrong-encoding", "header"),
    "utf-16": ("a.csv", "k,d,v\n1,2026-01-01,a\n".encode("utf-16"), "wrong-encoding", "UTF-16"),
    "utf-16 json": ("a.json", '{"k": 1}'.encode("utf-16"), "wrong-encoding", "UTF-16"),
    "latin-1 json": ("a.json", '{"v": "é"}\n'.encode("latin-1"), "wrong-encoding", "line 1"),
    "null key": ("a.csv", b"k,d,v\n1,2026-01-01,a\n,2026-01-01,b\n", "null-in-key", "row 2"),
    "null where none may be": ("a.json", b'{"k": 1, "d": "2026-01-01"}\n{"k": 2}\n', "null-in-column", "row 2"),
    "half a line": ("a.json", b'{"k": 1, "d": "2026-01-01"}\n{"k": 2', "malformed-row", "line 2"),
    "no object": ("a.json", b"[1]\n", "malformed-row", "row 1"),
    "name twice": ("a.json", b'{"k": 1, "k": 2, "d": "2026-01-01"}\n', "malformed-row", "twice"),
    "unknown name": ("a.json", b'{"k": 1, "d": "2026-01-01"}\n{"k": 2, "day": 1}\n', "extra-column", "row 2"),
    "semicolons": ("a.csv", b"k;d;v\n1;2026-01-01;a\n", "wrong-delimiter", "';'"),
    "header of another file": ("a.csv", b"a,b,c\n1,2,3\n", "missing-column", "k, d, v"),
    "no header": ("a.csv", b"\n\n", "empty-file", "empty"),
    "empty gz": ("a.csv.gz", gzip.compress(b""), "empty-file", "empty"),
    "half a gz": ("a.csv.gz", gzip.compress(b"k,d,v\n1,2026-01-01,a\n" * 9)[:30], "corrupt-file", "cannot be read"),
    "packed parquet": ("a.parquet.gz", b"x", "unreadable-file", "format"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_text_file_that_is_no_good_is_refused_with_the_place(
    orders: tw.Project, tmp_path: Path, case: tuple[str, bytes, str, str]
) -> None:
    name, content, code, said = case
    (tmp_path / name).write_bytes(content)
    with refused(orders.root, code) as caught:
        orders.ingest("s", tmp_path / name)
    assert said in str(caught.value)
    assert name in caught.value.message


GOOD: dict[str, tuple[str, bytes]] = {
    "csv": ("a.csv", b"k,d,v\n1,2026-01-01,a\n"),
    "byte order mark": ("a.csv", b"\xef\xbb\xbfk,d,v\n1,2026-01-01,a\n"),
    "other case and spaces in the header": ("a.csv", b"V, D ,K\na,2026-01-01,1\n"),
    "windows line ends": ("a.csv", b"k,d,v\r\n1,2026-01-01,a\r\n"),
    "quoted everywhere": ("a.csv", b'"k","d","v"\n"1","2026-01-01","a"\n'),
    "a quote inside of a text": ("a.csv", b'k,d,v\n1,2026-01-01,a"\n'),
    "packed": ("a.csv.gz", gzip.compress(b"k,d,v\n1,2026-01-01,a\n")),
    "json": ("a.jsonl", b'{"k": 1, "d": "2026-01-01", "v": "a"}\n'),
    "json with a byte order mark": ("a.json", b'\xef\xbb\xbf{"k": 1, "d": "2026-01-01", "v": "a"}\n'),
    "json array": ("a.json", b'[\n  {"k": 1, "d": "2026-01-01", "v": "a"}\n]\n'),
    "other case in json": ("a.json", b'{"K": "1", "D": "2026-01-01", "V": "a"}'),
    "packed json": ("a.json.gz", gzip.compress(b'{"k": 1, "d": "2026-01-01", "v": "a"}\n')),
}


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_a_text_file_may_come_as_tools_write_it(orders: tw.Project, tmp_path: Path, case: tuple[str, bytes]) -> None:
    name, content = case
    (tmp_path / name).write_bytes(content)
    orders.ingest("s", tmp_path / name)
    orders.refresh()
    [row] = orders.to_arrow("w").to_pylist()
    assert row == {"k": 1, "d": dt.date(2026, 1, 1), "v": row["v"]}
    assert row["v"].rstrip('"') == "a"


def test_an_empty_text_in_quotes_is_null_but_in_a_text_column(orders: tw.Project, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('k,d,v\n1,2026-01-01,""\n2,2026-01-01,\n')
    orders.ingest("s", tmp_path / "a.csv")
    orders.refresh()
    assert [row["v"] for row in orders.to_arrow("w").to_pylist()] == ["", None]
    (tmp_path / "a.csv").write_text('k,d,v\n"",2026-01-01,x\n')
    with refused(orders.root, "null-in-key"):
        orders.ingest("s", tmp_path / "a.csv")


def test_rows_far_down_and_texts_of_many_lines_keep_their_numbers(orders: tw.Project, tmp_path: Path) -> None:
    lines = [f'{i},2026-01-01,"two\nlines"' for i in range(30_000)]
    lines[25_000] = "25000,soon,x"
    (tmp_path / "a.csv").write_text("k,d,v\n" + "\n".join(lines))
    with refused(orders.root, "type-mismatch") as caught:
        orders.ingest("s", tmp_path / "a.csv")
    assert 'column "d", row 25001 of' in caught.value.message


def test_json_that_is_only_odd_far_down_is_read_to_its_end_once(orders: tw.Project, tmp_path: Path) -> None:
    rows = [{"k": i, "d": "2026-01-01", "v": "x" * 1000} for i in range(40_000)]
    rows[39_000]["v"] = 7
    (tmp_path / "a.json").write_text("\n".join(map(json.dumps, rows)))
    assert orders.ingest("s", tmp_path / "a.json").rows == 40_000
    orders.refresh()
    found = orders.to_arrow("w")
    assert found["k"].to_pylist() == list(range(40_000))
    assert found["v"][39_000].as_py() == "7"


FRAMES: dict[str, tuple[str, Any, Any]] = {
    "float as decimal": ("n", pa.array([1.1]), D("1.1000000000")),
    "single as decimal": ("n", pa.array([1.1], pa.float32()), D("1.1000000000")),
    "whole float": ("i", pa.array([3.0]), 3),
    "whole decimal": ("i", pa.array([D("3.00")]), 3),
    "midnight": ("d", pa.array([dt.datetime.fromisoformat("2026-01-31")], pa.timestamp("ns")), DAY),
    "day as a time": ("ntz", pa.array([DAY]), dt.datetime.fromisoformat("2026-01-31")),
    "day in the project's zone": ("ts", pa.array([DAY]), dt.datetime(2026, 1, 30, 23, tzinfo=UTC)),
    "time beyond the tables of zones": ("ts", pa.array([CLOCK.replace(year=2076)]), NOON.replace(year=2076)),
    "an hour that comes twice": (
        "ts", pa.array([CLOCK.replace(month=10, day=25, hour=2)]), NOON.replace(month=10, day=25, hour=0)
    ),
    "times in an array": ("lt", pa.array([[CLOCK, None]]), [NOON, None]),
    "times in a map": ("mt", pa.array([[("a", CLOCK)]], pa.map_(pa.string(), pa.timestamp("us"))), [("a", NOON)]),
    "times in a struct": ("stt", pa.array([{"p": CLOCK}]), {"p": NOON}),
    "midnights in an array": ("l", pa.array([[dt.datetime.fromisoformat("2026-01-31")]]), [DAY]),
    "doubles in an array of floats": ("lf", pa.array([[0.5, None]]), [0.5, None]),
    "a dictionary that holds more": ("t", pa.array([1, 999]).dictionary_encode().slice(0, 1), 1),
}  # fmt: skip


@pytest.mark.parametrize("case", FRAMES.values(), ids=FRAMES)
def test_typed_values_are_cast_where_nothing_is_lost(project: tw.Project, case: tuple[str, pa.Array, Any]) -> None:
    column, given, value = case
    project.ingest(column, pa.table({column: given, "z": pa.nulls(1, pa.string())}))
    assert only_value(project, column) == value


LOSSY: dict[str, tuple[str, Any, str]] = {
    "sum of floats": ("n", pa.array([0.5, 0.1 + 0.2]), "0.30000000000000004"),
    "not a number": ("n", pa.array([0.5, float("nan")]), "nan"),
    "fraction": ("i", pa.array([1.0, 1.5]), "1.5"),
    "fraction of a decimal": ("i", pa.array([D("1.0"), D("1.5")]), "1.5"),
    "hour": ("d", pa.array([dt.datetime.fromisoformat(t) for t in ("2026-01-31", "2026-01-31T10:00")]), "10:00"),
    "too large": ("t", pa.array([1, 128]), "128"),
    "float too large for a decimal": ("n", pa.array([1.0, 3.4e38]), "3.4e+38"),
    "float next to nothing": ("n", pa.array([1.0, 1e-41]), "1e-41"),
    "double in an array of floats": ("lf", pa.array([[1.0], [1e300]]), "1e+300"),
    "hour in an array": ("l", pa.array([None, [CLOCK]]), "12:00"),
    "beyond all years": ("ntz", pa.array([0, 2**62], pa.timestamp("s")), "out of range"),
}


@pytest.mark.parametrize("case", LOSSY.values(), ids=LOSSY)
def test_a_typed_value_that_would_lose_something_is_refused_with_its_row(
    project: tw.Project, case: tuple[str, pa.Array, str]
) -> None:
    column, given, said = case
    with refused(project.root, "type-mismatch") as caught:
        project.ingest(column, pa.table({column: given, "z": pa.nulls(2, pa.string())}))
    assert f'column "{column}", row 2 of' in caught.value.message
    assert said in caught.value.message


PANDAS: dict[str, tuple[str, str]] = {
    "nanoseconds": ("ntz", "2026-01-01 00:00:00.000000123"),
    "nanoseconds for an instant": ("ts", "2026-01-01 00:00:00.000000123"),
    "nanoseconds for a date": ("d", "2026-01-01 00:00:00.000000123"),
    "no time": ("ts", "NaT"),
    "no date": ("d", "NaT"),
}


@pytest.mark.parametrize("case", PANDAS.values(), ids=PANDAS)
def test_a_time_of_pandas_that_would_lose_something_is_refused_with_its_row(
    project: tw.Project, case: tuple[str, str]
) -> None:
    pandas = pytest.importorskip("pandas")
    column, text = case
    with refused(project.root, "type-mismatch") as caught:
        project.ingest(column, [{column: None}, {column: pandas.Timestamp(text)}])
    assert f'column "{column}", row 2 of the list' in caught.value.message
    assert text in caught.value.message


def test_half_a_character_is_refused_with_its_row(project: tw.Project) -> None:
    with refused(project.root, "type-mismatch") as caught:
        project.ingest("s", [{"s": "whole"}, {"s": "\ud800"}])
    assert 'column "s", row 2 of the list' in caught.value.message
    assert "\\ud800" in caught.value.message
