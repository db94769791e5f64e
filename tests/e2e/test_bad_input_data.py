"""Bad rows, bad files, damaged tables, a full disk: each is refused, says what to do, and changes nothing."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from deltalake import write_deltalake

import tidewheel as tw
from tests.e2e import foreign
from tests.e2e.refusals import refused

Make = Callable[..., tw.Project]
Mode = Literal["append", "upsert", "delete", "replace"]
SCHEMA = (
    "k BIGINT, v DOUBLE, f FLOAT, s STRING NOT NULL, n DECIMAL(6,2), t TIMESTAMP_NTZ, a ARRAY<BIGINT>, x STRUCT<p: INT>"
)
ROW: dict[str, list[Any]] = {
    "k": [1], "v": [1.5], "f": [0.5], "s": ["x"], "n": [decimal.Decimal("1.50")],
    "t": [dt.datetime.fromisoformat("2024-01-01")], "a": [[1]], "x": [{"p": 1}],
}  # fmt: skip


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    made = make_project(
        {
            "keyed": {"kind": "managed", "schema": SCHEMA, "key": ["k"]},
            "loose": {"kind": "managed", "schema": "a BIGINT"},
        },
        {"total": "SELECT count(*) AS n FROM keyed", "all_loose": "SELECT a FROM loose"},
    )
    made.ingest("keyed", pa.table(ROW))
    made.ingest("loose", pa.table({"a": [1]}))
    made.refresh()
    return made


def rows(**columns: Any) -> pa.Table:
    return pa.table({name: column for name, column in (ROW | columns).items() if column is not None})


def breaks() -> Iterator[pa.RecordBatch]:
    yield from pa.table(ROW).to_batches()
    raise OSError("the network went away")


ROWS: dict[str, tuple[Mode, Callable[[], Any], str, str]] = {
    "text for a number": ("append", lambda: rows(k=["1"]), "type-mismatch", '"k"'),
    "fraction for an integer": ("append", lambda: rows(k=[1.5]), "type-mismatch", '"k"'),
    "number for a text": ("append", lambda: rows(s=[1]), "type-mismatch", '"s"'),
    "too large an integer": ("append", lambda: rows(k=pa.array([2**63], pa.uint64())), "type-mismatch", '"k"'),
    "too large a float": ("append", lambda: rows(f=[1e300]), "type-mismatch", '"f"'),
    "too large a decimal": ("append", lambda: rows(n=[decimal.Decimal("12345.00")]), "type-mismatch", '"n"'),
    "too fine a decimal": ("append", lambda: rows(n=[decimal.Decimal("1.001")]), "type-mismatch", '"n"'),
    "zoned for a plain time": ("append", lambda: rows(t=[dt.datetime.now(dt.UTC)]), "type-mismatch", '"t"'),
    "text in an array": ("append", lambda: rows(a=[["1"]]), "type-mismatch", '"a"'),
    "a value for an array": ("append", lambda: rows(a=[1]), "type-mismatch", '"a"'),
    "text in a struct": ("append", lambda: rows(x=[{"p": "1"}]), "type-mismatch", '"x"'),
    "a field too many": ("append", lambda: rows(x=[{"p": 1, "q": 2}]), "type-mismatch", '"x"'),
    "a field too few": ("append", lambda: rows(x=[{"q": 2}]), "type-mismatch", '"x"'),
    "missing column": ("append", lambda: rows(v=None), "missing-column", "v"),
    "extra column": ("append", lambda: rows(z=[1]), "extra-column", "z"),
    "other column": ("append", lambda: rows(v=None, z=[1]), "missing-column", "z"),
    "same column twice": ("append", lambda: rows(K=[1]), "duplicate-column", "same name"),
    "key twice": ("upsert", lambda: pa.concat_tables([rows(), rows(v=[2.0])]), "duplicate-key", "k = 1"),
    "null key": ("append", lambda: rows(k=pa.array([None], pa.int64())), "null-in-key", '"k"'),
    "null key to upsert": ("upsert", lambda: rows(k=pa.array([None], pa.int64())), "null-in-key", '"k"'),
    "null key to delete": ("delete", lambda: pa.table({"k": pa.array([None], pa.int64())}), "null-in-key", '"k"'),
    "no key to delete": ("delete", lambda: pa.table({"v": [1.5]}), "missing-column", "k"),
    "null where none may be": ("append", lambda: rows(s=pa.array([None], pa.string())), "null-in-column", '"s"'),
    "a list of numbers": ("append", lambda: [1], "bad-input", "int"),
    "nothing": ("append", lambda: None, "bad-input", "NoneType"),
    "mixed pandas": ("append", lambda: pd.DataFrame({"k": [1, 2], "s": ["x", 5]}), "bad-input", "DataFrame"),
    "a reader that breaks": (
        "append", lambda: pa.RecordBatchReader.from_batches(pa.table(ROW).schema, breaks()), "bad-input", "network"
    ),
    "unknown mode": ("merge", rows, "unknown-option", "merge"),  # type: ignore[dict-item]
    "key twice to replace": ("replace", lambda: pa.concat_tables([rows(), rows(v=[2.0])]), "duplicate-key", "k = 1"),
    "null key to replace": ("replace", lambda: rows(k=pa.array([None], pa.int64())), "null-in-key", '"k"'),
    "keys alone to replace": ("replace", lambda: pa.table({"k": [1]}), "missing-column", "v"),
    "a stream of unknown format": ("append", lambda: io.BytesIO(b"a"), "unreadable-file", "format"),
    "no file of a pattern": ("append", lambda: "nowhere-*.csv", "missing-file", "nowhere-*"),
    "one file of several missing": ("append", lambda: [rows(), "nowhere.csv"], "missing-file", "nowhere.csv"),
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_rows_that_do_not_fit_are_refused_whole(
    project: tw.Project, case: tuple[Mode, Callable[[], Any], str, str]
) -> None:
    mode, make, code, said = case
    with refused(project.root, code) as caught:
        project.ingest("keyed", make(), mode=mode)
    assert said in str(caught.value)


STREAMS: dict[str, tuple[dict[str, Any], Any, str, str]] = {
    "unknown format": ({"format": "xml"}, io.BytesIO(b""), "unknown-option", "xml"),
    "no delimiter": ({"delimiter": ";;"}, io.BytesIO(b""), "bad-option", "one character"),
    "texts": ({"format": "csv"}, io.StringIO("a\n1\n"), "bad-input", "texts"),
    "nothing in it": ({"format": "csv"}, io.BytesIO(b""), "empty-file", "the stream"),
    "wrong value": ({"format": "csv"}, io.BytesIO(b"a\nx\n"), "type-mismatch", "row 1 of the stream"),
}


@pytest.mark.parametrize("case", STREAMS.values(), ids=STREAMS)
def test_a_stream_that_cannot_be_read_is_refused(
    project: tw.Project, case: tuple[dict[str, Any], Any, str, str]
) -> None:
    options, stream, code, said = case
    with refused(project.root, code) as caught:
        project.ingest("loose", stream, **options)
    assert said in caught.value.message
    assert not list(Path(project.root, "warehouse", "_tidewheel", "tmp").iterdir())


def test_a_bad_row_in_a_late_batch_takes_back_the_early_ones(project: tw.Project) -> None:
    good, bad = rows().to_batches(), rows(k=pa.array([None], pa.int64())).to_batches()
    with refused(project.root, "null-in-key"):
        project.ingest("keyed", pa.RecordBatchReader.from_batches(good[0].schema, [*good, *good, *bad]))


def test_an_upsert_into_a_source_without_a_key_is_refused(project: tw.Project) -> None:
    with refused(project.root, "no-key"):
        project.ingest("loose", pa.table({"a": [1]}), mode="upsert")


def test_an_ingest_into_what_is_no_managed_source_is_refused(project: tw.Project) -> None:
    with refused(project.root, "unknown-relation") as caught:
        project.ingest("keyd", pa.table(ROW))
    assert caught.value.hint == 'Did you mean "keyed"?'
    edit(project, lambda c: c["sources"].update(far={"kind": "delta", "path": "/nowhere"}))
    with refused(project.root, "not-managed"):
        project.ingest("far", pa.table(ROW))


def edit(project: tw.Project, change: Callable[[dict[str, Any]], object]) -> None:
    path = Path(project.root, "tidewheel.yml")
    body = yaml.safe_load(path.read_text())
    change(body)
    path.write_text(yaml.safe_dump(body))


@pytest.mark.parametrize(
    "schema", ["a STRING", "b BIGINT", "b BIGINT, a BIGINT", "a BIGINT, b BIGINT NOT NULL", "a INT, b BIGINT"]
)
def test_a_declared_schema_that_changed_is_refused_before_rows_of_it_are_written(
    project: tw.Project, schema: str
) -> None:
    edit(project, lambda c: c["sources"]["loose"].update(schema=schema))
    for command in (lambda: project.ingest("loose", pa.table({"a": ["x"]})), project.refresh, project.plan):
        with refused(project.root, "schema-changed"):
            command()


FILES: dict[str, tuple[str, bytes | None, str]] = {
    "missing": ("rows.parquet", None, "missing-file"),
    "empty parquet": ("rows.parquet", b"", "empty-file"),
    "empty csv": ("rows.csv", b"", "empty-file"),
    "no parquet": ("rows.parquet", b"PAR1 but not really PAR1", "corrupt-file"),
    "no csv": ("rows.csv", b"a\n1,2,3\n", "malformed-row"),
    "no text": ("rows.csv", b"a\n\xff\xfe\n", "wrong-encoding"),
    "wrong value": ("rows.csv", b"a\nten\n", "type-mismatch"),
    "wrong header": ("rows.csv", b"b\n1\n", "missing-column"),
    "no json": ("rows.json", b'{"a": \n', "malformed-row"),
    "wrong json": ("rows.json", b'{"a": "x"}\n', "type-mismatch"),
    "unknown ending": ("rows.xlsx", b"PK", "unreadable-file"),
}


@pytest.mark.parametrize("case", FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_read_is_refused(
    project: tw.Project, tmp_path: Path, case: tuple[str, bytes | None, str]
) -> None:
    name, content, code = case
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with refused(project.root, code) as caught:
        project.ingest("loose", tmp_path / name)
    assert name in caught.value.message


def test_a_folder_and_a_dangling_link_are_no_files(project: tw.Project, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere.csv")
    for name in ("folder.csv", "link.csv"):
        with refused(project.root, "missing-file"):
            project.ingest("loose", tmp_path / name)


def test_a_parquet_file_damaged_inside_is_refused(project: tw.Project, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": list(range(10_000))}), path)
    content = path.read_bytes()
    path.write_bytes(content[:200] + bytes(2000) + content[2200:])
    with refused(project.root, "corrupt-file"):
        project.ingest("loose", path)


FULL = [
    "ingest.attempt:before", "ingest.data:before", "ingest.data:after", "ingest.change:before", "ingest.prepare:before",
    "ingest.commit:before", "claim.write:before", "stage.data:before", "stage.data:after", "epoch.prepare:before",
    "epoch.decide:before",
]  # fmt: skip


@pytest.mark.parametrize("step", FULL)
def test_a_full_disk_publishes_nothing(project: tw.Project, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    command: Callable[[], object] = lambda: project.ingest("keyed", rows(v=[7.0]), mode="upsert")  # noqa: E731
    if not step.startswith("ingest"):
        command()
        command = project.refresh
    monkeypatch.setattr("tidewheel.failpoints._hits", {})
    monkeypatch.setenv("TIDEWHEEL_FAILPOINT", f"{step}=full")
    with refused(project.root, "disk-full") as caught:
        command()
    assert "vacuum" in (caught.value.hint or "")
    monkeypatch.delenv("TIDEWHEEL_FAILPOINT")
    command()
    assert foreign.delta_rows(Path(project.root, "warehouse", "keyed"))[0]["v"] == 7.0


@pytest.mark.parametrize("place", ["file", "proc"])
def test_a_warehouse_that_cannot_be_written_is_refused(project: tw.Project, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("in the way")
    path = "/proc/tidewheel" if place == "proc" else str(tmp_path / "file" / "warehouse")
    edit(project, lambda c: c.update(warehouse=path))
    for command in (
        lambda: project.refresh(force=True),
        lambda: project.ingest("loose", pa.table({"a": [1]}), force=True),
    ):
        with refused(tmp_path, "not-writable") as caught:
            command()
        assert isinstance(caught.value, tw.StoreError)


def test_a_table_path_that_is_taken_by_a_file_is_refused(project: tw.Project) -> None:
    edit(project, lambda c: c["sources"].update(late={"kind": "managed", "schema": "a INT"}))
    Path(project.root, "warehouse", "late").write_text("in the way")
    with refused(project.root, "not-writable"):
        project.ingest("late", pa.table({"a": pa.array([1], pa.int32())}))


def test_a_newer_format_is_refused(project: tw.Project) -> None:
    Path(project.root, "warehouse", "_tidewheel", "format.json").write_text('{"format": 99}')
    for command in (project.refresh, lambda: project.ingest("loose", pa.table({"a": [1]})), project.verify):
        with refused(project.root, "newer-format") as caught:
            command()
        assert "99" in caught.value.message


DAMAGE: dict[str, bytes] = {
    "truncated": b'{"epoch": 1, "time": "20',
    "empty": b"",
    "no json": b"\xff\x00",
    "no object": b"[1]",
    "nothing in it": b"{}",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("record", ["epochs", "applied"])
def test_a_damaged_record_is_named(project: tw.Project, record: str, damage: bytes) -> None:
    path = next(Path(project.root, "warehouse", "_tidewheel", record).iterdir())
    path.write_bytes(damage)
    with refused(project.root, "corrupt-record") as caught:
        project.refresh()
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, tw.StoreError)


LOGS: dict[str, Callable[[Path], object]] = {
    "truncated": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "empty": lambda file: file.write_bytes(b""),
    "binary": lambda file: file.write_bytes(b"\xff\xfe\x00"),
    "no object": lambda file: file.write_text("[1]\n"),
    "no action": lambda file: file.write_text('{"add": 5}\n'),
    "no path": lambda file: file.write_text('{"add": {"size": 1}}\n'),
    "null": lambda file: file.write_text('{"add": null}\n'),
}


@pytest.mark.parametrize("newer", [True, False], ids=["newer", "known"])
@pytest.mark.parametrize("damage", LOGS.values(), ids=LOGS)
def test_a_damaged_log_of_a_foreign_table_is_refused_until_it_is_restored(
    make_project: Make, tmp_path: Path, damage: Callable[[Path], object], *, newer: bool
) -> None:
    path = tmp_path / "t"
    for i in range(2):
        write_deltalake(str(path), pa.table({"a": [i]}), mode="append")
    project = make_project({"s": {"kind": "delta", "path": str(path)}}, {"v": "SELECT a FROM s"})
    project.refresh()
    if newer:
        write_deltalake(str(path), pa.table({"a": [2]}), mode="append")
    file = foreign.commit_file(path, 2 if newer else 1)
    whole = file.read_bytes()
    damage(file)
    with refused(tmp_path, "corrupt-log") as caught:
        project.refresh()
    assert str(path) in str(caught.value)
    file.write_bytes(whole)
    project.refresh()
    assert len(project.to_arrow("v")) == (3 if newer else 2)


@pytest.mark.parametrize("damage", LOGS.values(), ids=LOGS)
def test_a_damaged_log_of_a_managed_source_is_refused(project: tw.Project, damage: Callable[[Path], object]) -> None:
    damage(foreign.commit_file(Path(project.root, "warehouse", "loose"), 0))
    for command in (project.refresh, lambda: project.ingest("loose", pa.table({"a": [2]}))):
        with refused(project.root, "corrupt-log"):
            command()


def test_a_source_without_a_table_is_refused(make_project: Make, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in ("nowhere", "empty"):
        project = make_project(
            {"s": {"kind": "delta", "path": str(tmp_path / path)}}, {"v": "SELECT 1 AS x FROM s"}, name=path
        )
        with refused(project.root, "table-not-found"):
            project.plan()


def test_a_managed_table_that_is_gone_is_refused(project: tw.Project) -> None:
    shutil.rmtree(Path(project.root, "warehouse", "loose"))
    with refused(project.root, "table-not-found"):
        project.refresh()


def rewrite_log(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    actions = [json.loads(line) for line in foreign.commit_file(path, 0).read_text().splitlines()]
    for action in actions:
        change(action)
    foreign.commit_file(path, 0).write_text("".join(json.dumps(action) + "\n" for action in actions))


def with_feature(name: str) -> Callable[[dict[str, Any]], object]:
    def change(action: dict[str, Any]) -> None:
        if "protocol" in action:
            features = {"readerFeatures": [name], "writerFeatures": [name]}
            action["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, **features}
        if "metaData" in action and name == "columnMapping":
            schema = json.loads(action["metaData"]["schemaString"])
            schema["fields"][0]["metadata"] = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}
            mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
            action["metaData"] |= {"schemaString": json.dumps(schema), "configuration": mapping}

    return change


@pytest.mark.parametrize("feature", ["columnMapping", "typeWidening", "someDayFeature"])
def test_a_feature_that_cannot_be_read_is_refused_by_name(make_project: Make, tmp_path: Path, feature: str) -> None:
    write_deltalake(str(tmp_path / "t"), pa.table({"a": [1]}))
    project = make_project({"s": {"kind": "delta", "path": str(tmp_path / "t")}}, {"v": "SELECT a FROM s"})
    project.warehouse()
    rewrite_log(tmp_path / "t", with_feature(feature))
    other = {"s": {"kind": "delta", "path": str(tmp_path / "t")}}
    for command in (project.refresh, lambda: make_project(other, {"v": "SELECT a FROM s"}, name="other")):
        with refused(tmp_path, "unsupported-feature") as caught:
            command()
        assert feature in caught.value.message


CHANGED: dict[str, tuple[pa.Table, str]] = {
    "added": (pa.table({"a": [1], "b": ["x"], "c": [1]}), 'column "c" is new'),
    "dropped": (pa.table({"a": [1]}), 'column "b" is gone'),
    "renamed": (pa.table({"a": [1], "bb": ["x"]}), 'column "b" is gone, column "bb" is new'),
    "retyped": (pa.table({"a": ["1"], "b": ["x"]}), 'column "a" was BIGINT, is STRING'),
    "reserved": (pa.table({"a": [1], "b": ["x"], "_tw_weight": [1]}), "_tw_weight"),
}


@pytest.mark.parametrize("case", CHANGED.values(), ids=CHANGED)
def test_a_source_of_another_schema_is_refused_and_says_what_changed(
    make_project: Make, tmp_path: Path, case: tuple[pa.Table, str]
) -> None:
    table, said = case
    path = tmp_path / "t"
    write_deltalake(str(path), pa.table({"a": [1], "b": ["x"]}))
    project = make_project({"s": {"kind": "delta", "path": str(path)}}, {"v": "SELECT a FROM s"})
    project.refresh()
    foreign.overwrite(path, table, schema_mode="overwrite")
    for command in (project.refresh, project.plan):
        with refused(tmp_path, "reserved-name" if "_tw_weight" in table.column_names else "schema-changed") as caught:
            command()
        assert said in caught.value.message
    project.refresh(exclude=["source:s+"])
    assert project.to_arrow("v").to_pylist() == [{"a": 1}]


DECLARED = {"managed": "z BIGINT, a BIGINT", "delta": "a BIGINT, c STRING", "files": "a BIGINT, c STRING"}


@pytest.mark.parametrize("kind", DECLARED)
def test_a_column_that_was_added_to_a_declaration_is_new_and_not_gone(
    make_project: Make, tmp_path: Path, kind: str
) -> None:
    """What the table has not got cannot be gone."""
    write_deltalake(str(tmp_path / "t"), pa.table({"a": [1]}))
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing" / "a.csv").write_text("a\n1\n")
    path = {"managed": {}, "delta": {"path": str(tmp_path / "t")}, "files": {"path": str(tmp_path / "landing")}}[kind]
    project = make_project({"s": {"kind": kind, "schema": "a BIGINT", **path}}, {"v": "SELECT a FROM s"})
    if kind == "managed":
        project.ingest("s", pa.table({"a": [1]}))
    project.refresh()
    edit(project, lambda c: c["sources"]["s"].update(schema=DECLARED[kind]))
    with refused(tmp_path, "schema-changed") as caught:
        tw.open(project.root, engine="local").plan()
    assert "is new" in caught.value.message
    assert "is gone" not in caught.value.message
