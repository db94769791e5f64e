"""A damaged data file is named, with the way out, by whoever reads it first; it is never a traceback or wrong rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tidewheel as tw
from tests.e2e.damage import DAMAGE, damage, flipped
from tests.e2e.refusals import refused
from tidewheel.store import tables
from tidewheel.store.epochs import view_record

Make = Callable[..., tw.Project]
ROWS = pa.table({"k": list(range(500)), "s": [f"text {i * 7919 % 500}" for i in range(500)]})


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    made = make_project(
        {"orders": {"kind": "managed", "schema": "k BIGINT, s STRING", "key": ["k"]}},
        {
            "plain": "SELECT k, s FROM orders",
            "counts": "SELECT s, count(*) AS n, avg(k) AS a FROM plain GROUP BY s",
        },
    )
    made.ingest("orders", ROWS)
    made.refresh()
    return made


def data_file(project: tw.Project, relation: str) -> Path:
    return min(Path(project.root, "warehouse", relation, "_data").rglob("*.parquet"))


READING: dict[str, Callable[[tw.Project, str], Any]] = {
    "to_arrow": lambda p, name: p.to_arrow(name),
    "query": lambda p, name: p.query(f"SELECT * FROM {name} ORDER BY s"),
    "snapshot": lambda p, name: p.snapshot().__enter__().to_arrow(name),
}
WRITING: dict[str, Callable[[tw.Project], Any]] = {
    "upsert": lambda p: p.ingest("orders", pa.table({"k": [1], "s": ["x"]}), mode="upsert"),
    "delete": lambda p: p.ingest("orders", pa.table({"k": [1]}), mode="delete"),
    "refresh": lambda p: p.refresh(full_refresh=True),
}


def is_told(error: tw.TidewheelError, path: Path, way_out: str) -> None:
    assert error.exit_code == 3
    assert str(path) in (error.detail or "")
    assert way_out in (error.hint or "")


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("command", [*READING, *WRITING])
def test_a_damaged_file_of_a_source_is_named(project: tw.Project, how: str, command: str) -> None:
    path = data_file(project, "orders")
    damage(path, how)
    call = WRITING.get(command) or (lambda p: READING[command](p, "orders"))
    with pytest.raises(tw.StoreError) as caught:
        call(project)
    assert caught.value.code == "corrupt-file"
    assert caught.value.message == 'a data file of "orders" is damaged'
    is_told(caught.value, path, "tidewheel drop orders")


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("command", READING)
def test_a_damaged_file_of_a_view_is_named(project: tw.Project, how: str, command: str) -> None:
    path = data_file(project, "counts")
    damage(path, how)
    with pytest.raises(tw.StoreError) as caught:
        READING[command](project, "counts")
    assert caught.value.code == "corrupt-file"
    is_told(caught.value, path, "--full-refresh --select counts")


@pytest.mark.parametrize("how", DAMAGE)
def test_verify_names_the_damaged_file_and_goes_on_with_other_views(project: tw.Project, how: str) -> None:
    path = data_file(project, "counts")
    damage(path, how)
    found = project.verify()
    assert found.views["plain"].equal
    assert found.exit_code == 3
    assert found.views["counts"].damaged
    assert str(path) in (found.views["counts"].problem or "")


@pytest.fixture
def two_sources(make_project: Make) -> tw.Project:
    source = {"kind": "managed", "schema": "k BIGINT, s STRING", "key": ["k"]}
    made = make_project(
        {"orders": source, "others": source},
        {
            "plain": "SELECT k, s FROM orders",
            "counts": "SELECT s, count(*) AS n FROM plain GROUP BY s",
            "beside": "SELECT s, sum(k) AS n FROM orders GROUP BY s",
            "apart": "SELECT s, count(*) AS n FROM others GROUP BY s",
        },
    )
    made.ingest("orders", ROWS)
    made.ingest("others", ROWS)
    made.refresh()
    return made


@pytest.mark.parametrize("how", DAMAGE)
def test_verify_names_a_damaged_source_and_goes_on_with_views_of_others(two_sources: tw.Project, how: str) -> None:
    path = data_file(two_sources, "orders")
    damage(path, how)
    found = two_sources.verify()
    assert found.exit_code == 3
    assert found.views["apart"].equal
    assert {name for name, verdict in found.views.items() if verdict.damaged} == {"plain", "counts", "beside"}
    assert str(path) in (found.views["counts"].problem or "")


def test_verify_goes_on_without_a_source_whose_files_are_gone(two_sources: tw.Project) -> None:
    data_file(two_sources, "orders").unlink()
    found = two_sources.verify()
    assert found.exit_code == 3
    assert found.views["apart"].equal
    assert found.views["plain"].damaged


@pytest.mark.parametrize("how", [how for how in DAMAGE if "flipped" not in how])
def test_a_damaged_view_fails_alone_and_the_others_are_published(two_sources: tw.Project, how: str) -> None:
    damage(data_file(two_sources, "plain"), how)
    for source in ("orders", "others"):
        two_sources.ingest(source, pa.table({"k": [1], "s": ["text 9"]}), mode="upsert")
    run = two_sources.refresh()
    assert run.published
    assert run.exit_code == 4
    assert set(run.failed) == {"plain", "counts"}
    assert run.views["beside"].error is run.views["apart"].error is None


def test_missing_files_of_a_source_are_told_with_a_way_out_that_helps(project: tw.Project) -> None:
    data_file(project, "orders").unlink()
    with pytest.raises(tw.StoreError) as caught:
        project.refresh(full_refresh=True)
    assert caught.value.code == "files-missing"
    assert "backup" in (caught.value.hint or "")
    assert "tidewheel drop orders" in (caught.value.hint or "")


@pytest.mark.parametrize("how", DAMAGE)
def test_a_view_is_built_again_over_its_damaged_file(project: tw.Project, how: str) -> None:
    damage(data_file(project, "counts"), how)
    project.refresh(select=["counts"], full_refresh=True)
    assert project.verify().exit_code == 0


@pytest.mark.parametrize("how", DAMAGE)
def test_a_change_over_a_damaged_file_fails_by_its_name_and_publishes_nothing(project: tw.Project, how: str) -> None:
    path = data_file(project, "counts")
    damage(path, how)
    project.ingest("orders", pa.table({"k": [1], "s": ["text 9"]}), mode="upsert")
    before = project.epoch().number
    try:
        run = project.refresh()
    except tw.StoreError as error:
        is_told(error, path, "--full-refresh --select counts")
        assert project.epoch().number == before
    else:
        failed = run.views["counts"].error
        assert failed is not None
        assert failed.code == "corrupt-file"


@pytest.mark.parametrize("how", [how for how in DAMAGE if "flipped" not in how])
def test_a_damaged_change_file_is_named(project: tw.Project, how: str) -> None:
    project.ingest("orders", pa.table({"k": [1], "s": ["text 9"]}), mode="upsert")
    path = next(Path(project.root, "warehouse", "_tidewheel", "changes").rglob("*.parquet"))
    damage(path, how)
    try:
        failed = project.refresh().views["plain"].error
        assert failed is not None
    except tw.StoreError as error:
        failed = error
    assert failed.code == "corrupt-file"
    assert str(path) in (failed.detail or "")
    assert "-s orders+" in (failed.hint or "")
    project.refresh(full_refresh=True)
    assert project.verify().exit_code == 0


@pytest.mark.parametrize("how", DAMAGE)
def test_vacuum_needs_no_data_file_to_be_whole(project: tw.Project, how: str) -> None:
    for relation in ("orders", "plain"):
        damage(data_file(project, relation), how)
    project.vacuum(retention="0 seconds")


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_state_is_named_by_a_deep_verification(project: tw.Project, how: str) -> None:
    project.add_view("top", "SELECT s, sum(k) AS total FROM orders GROUP BY s HAVING sum(k) > 100")
    project.refresh()
    kept = view_record(project.warehouse(), project.epoch(), "top").kept
    assert kept is not None
    file = next(rows.files[0] for rows in kept.states.values())
    path = Path(project.root, "warehouse", "top", file.path)
    damage(path, how)
    found = project.verify(deep=True)
    assert found.exit_code == 3
    assert str(path) in (found.views["top"].problem or "")


def test_a_byte_flipped_in_a_page_of_a_source_is_found_by_its_checksum(project: tw.Project) -> None:
    """Where it still decodes, to other rows, nothing else would tell."""
    path = data_file(project, "orders")
    _flip_to_other_rows(path)
    with refused(project.root, "corrupt-file"):
        project.to_arrow("orders")
    assert str(path) in (project.verify().views["plain"].problem or "")


def _flip_to_other_rows(path: Path) -> None:
    body, rows = path.read_bytes(), pq.read_table(path)
    for place in range(len(body) // 4, len(body) // 2):
        path.write_bytes(flipped(body, place, place + 1))
        try:
            if pq.ParquetFile(path).read() != rows:
                return
        except (OSError, pa.ArrowException, ValueError):
            continue
    raise AssertionError("every flipped byte is noticed without a checksum")


@pytest.mark.parametrize("command", [*READING, *WRITING])
def test_an_older_commit_that_was_cut_to_nothing_is_no_commit_without_rows(project: tw.Project, command: str) -> None:
    project.ingest("orders", pa.table({"k": [1000], "s": ["x"]}))
    project.ingest("orders", pa.table({"k": [1001], "s": ["x"]}))
    project.refresh()
    Path(project.root, "warehouse", "orders", "_delta_log", f"{1:020d}.json").write_bytes(b"")
    tables._SNAPSHOTS.clear()  # as for another process
    call = WRITING.get(command) or (lambda p: READING[command](p, "orders"))
    with pytest.raises(tw.StoreError) as caught:
        call(tw.open(project.root, engine="local"))
    assert caught.value.code == "corrupt-log"
    assert "Commit 1 is empty" in (caught.value.detail or "")


@pytest.mark.parametrize("line", [b"{}", b"[]", b"\xff\xfe", b'{"views": 3}', b'{"epoch": 1', b"null"])
def test_a_damaged_line_of_the_history_is_no_run(project: tw.Project, line: bytes) -> None:
    path = next(Path(project.root, "warehouse", "_tidewheel", "history").iterdir())
    path.write_bytes(line + b"\n" + path.read_bytes() + line)
    assert [run["epoch"] for run in project.history()] == [1]
    assert project.status().to_dict()["views"]["plain"]["state"] == "fresh"
    assert project.explain("plain")["view"] == "plain"


CACHES = {"learnt.json": "learnt.json", "plan": "cache/plans", "landed": "cache/landed"}


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff\xfe"])
@pytest.mark.parametrize("name", CACHES)
def test_a_damaged_cache_is_made_again(make_project: Make, tmp_path: Path, name: str, text: bytes) -> None:
    landing = tmp_path / "landing"
    landing.mkdir()
    (landing / "a.csv").write_text("x\n1\n")
    source = {"t": {"kind": "files", "path": str(landing), "schema": "x BIGINT"}}
    made = make_project(source, {"v": "SELECT sum(x) AS n FROM t"})
    made.refresh()
    os.utime(landing / "a.csv", (1, 1))
    (landing / "b.csv").write_text("x\n2\n")
    made.refresh()
    place = Path(made.root, "warehouse", "_tidewheel", CACHES[name])
    for path in [place] if place.is_file() else list(place.iterdir()):
        path.write_bytes(text)
    (landing / "c.csv").write_text("x\n3\n")
    again = tw.open(made.root, engine="local")
    again.refresh()
    assert again.to_arrow("v").to_pylist() == [{"n": 6}]


def test_a_text_that_is_no_text_is_named_and_not_printed(project: tw.Project) -> None:
    """Files of the driver have no checksums: the bytes of a text may decode to what is none."""
    path = data_file(project, "plain")
    size = path.stat().st_size
    rows = pa.table({"k": [1], "s": pa.array([b"\xff\xfe"]).cast(pa.binary())})
    pq.write_table(rows.cast(pa.schema([("k", pa.int64()), ("s", pa.string())]), safe=False), path)
    body = path.read_bytes()
    assert len(body) <= size
    path.write_bytes(body[:4] + b"\0" * (size - len(body)) + body[4:])
    with pytest.raises(tw.StoreError) as caught:
        project.to_arrow("plain")
    assert caught.value.code == "corrupt-file"
