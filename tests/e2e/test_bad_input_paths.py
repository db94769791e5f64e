"""Paths in tidewheel.yml: `file:` URLs are folders of this machine; what is none is refused, with nothing written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from deltalake import write_deltalake

import tidewheel as tw
from tests.e2e.refusals import refused

Make = Callable[..., tw.Project]
ORDERS = {"orders": {"kind": "managed", "schema": "o_id BIGINT"}}
VIEWS = {"ids": "SELECT o_id FROM orders"}

REFUSED = {
    "s3://bucket/x": ("unsupported-scheme", "s3:"),
    "s3a://bucket/x": ("unsupported-scheme", "s3a:"),
    "S3://bucket/x": ("unsupported-scheme", "S3:"),
    "gs://bucket/x": ("unsupported-scheme", "gs:"),
    "abfss://c@account/x": ("unsupported-scheme", "abfss:"),
    "hdfs://name:8020/x": ("unsupported-scheme", "hdfs:"),
    "dbfs:/mnt/x": ("unsupported-scheme", "dbfs:"),
    "https://host/x": ("unsupported-scheme", "https:"),
    "file://host/x": ("bad-path", '"host"'),
    "file://./x": ("bad-path", '"."'),
    "file:x": ("bad-path", "slash"),
    "file:///x?y": ("bad-path", "%3F"),
    "file:///x%00": ("bad-path", "null character"),
    "C:\\lake": ("bad-path", "Windows"),
    "c:/lake": ("bad-path", "Windows"),
    "\\\\server\\share": ("bad-path", "Windows"),
    "": ("bad-path", "empty"),
    "a\0b": ("bad-path", "null character"),
}
PLACES: dict[str, tuple[Callable[[str], dict[str, Any]], str]] = {
    "warehouse": (lambda path: {"warehouse": path, "sources": ORDERS}, "tidewheel.yml:3:1"),
    "target": (lambda path: {"sources": {}, "targets": {"prod": {"warehouse": path}}}, "tidewheel.yml:6:5"),
    "delta": (lambda path: {"sources": {"t": {"kind": "delta", "path": path}}}, "tidewheel.yml:6:5"),
    "files": (lambda path: {"sources": {"t": {"kind": "files", "path": path}}}, "tidewheel.yml:6:5"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("path", REFUSED)
def test_a_path_of_elsewhere_is_refused_by_name_and_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make, where = PLACES[place]
    code, said = REFUSED[path]
    (tmp_path / "tidewheel.yml").write_text(
        yaml.safe_dump({"name": "p", "engine": "local", **make(path)}, sort_keys=False)
    )
    for target in (None, "prod"):
        with refused(tmp_path, code, place=where) as caught:
            tw.open(tmp_path, target=target)
        assert said in str(caught.value)


@pytest.mark.parametrize("path", ["s3://bucket/x", "C:\\lake"])
def test_a_project_with_a_warehouse_elsewhere_is_not_created(tmp_path: Path, path: str) -> None:
    with refused(tmp_path, REFUSED[path][0]):
        tw.create(tmp_path / "p", sources=ORDERS, views=VIEWS, engine="local", options={"warehouse": path})


@pytest.mark.parametrize("spell", ["file://{}", "file:{}", "file://localhost{}", "FILE://{}"])
def test_a_file_url_is_the_folder_that_it_names(make_project: Make, tmp_path: Path, spell: str) -> None:
    folder = tmp_path / "my lake"
    project = make_project(ORDERS, VIEWS, warehouse=spell.format(str(folder).replace(" ", "%20")))
    project.ingest("orders", pa.table({"o_id": [1]}))
    project.refresh()
    assert project.to_arrow("ids").to_pylist() == [{"o_id": 1}]
    assert (folder / "ids" / "_delta_log").is_dir()
    assert not [name for name in os.listdir(project.root) if ":" in name]


def test_sources_are_read_by_file_urls(make_project: Make, tmp_path: Path) -> None:
    table, landing = tmp_path / "a table", tmp_path / "landing"
    write_deltalake(str(table), pa.table({"o_id": [1]}))
    landing.mkdir()
    (landing / "a.csv").write_text("x\n2\n")
    sources = {
        "orders": {"kind": "delta", "path": f"file://{tmp_path}/a%20table"},
        "landed": {"kind": "files", "path": f"file://{landing}", "schema": "x BIGINT"},
    }
    project = make_project(sources, {"both": "SELECT o_id AS x FROM orders UNION ALL SELECT x FROM landed"})
    project.refresh()
    assert sorted(project.to_arrow("both")["x"].to_pylist()) == [1, 2]


def test_a_colon_in_a_folders_name_is_no_scheme(make_project: Make) -> None:
    project = make_project(ORDERS, VIEWS, warehouse="./ware:house")
    project.refresh()
    assert Path(project.root, "ware:house", "_tidewheel").is_dir()


@pytest.mark.parametrize("path", ["s3://bucket/x.csv", "C:\\x.csv", "file://host/x.csv"])
def test_a_file_of_elsewhere_is_not_ingested(make_project: Make, path: str) -> None:
    project = make_project(ORDERS, VIEWS)
    project.refresh()
    with refused(project.root, "unsupported-scheme" if path.startswith("s3") else "bad-path"):
        project.ingest("orders", path)


def test_a_file_is_ingested_by_its_url(make_project: Make, tmp_path: Path) -> None:
    (tmp_path / "a file.csv").write_text("o_id\n7\n")
    project = make_project(ORDERS, VIEWS)
    assert project.ingest("orders", f"file://{tmp_path}/a%20file.csv").rows == 1
