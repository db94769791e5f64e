"""Relations as data frames of pandas and Polars, to the digit."""

from __future__ import annotations

import datetime as dt
import importlib
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tidewheel as tw
from tests.e2e.refusals import refused

LARGE = 2**53 + 1
SCHEMA = "n BIGINT, small INT, yes BOOLEAN, day DATE, amount DECIMAL(20,2), name STRING"
ROWS = [
    (LARGE, 1, True, dt.date(2026, 1, 1), Decimal("9007199254740993.25"), "ada"),
    (None, None, None, None, None, None),
]


@pytest.fixture
def project(tmp_path: Path) -> tw.Project:
    source = {"kind": "managed", "schema": SCHEMA}
    project = tw.create(tmp_path / "shop", sources={"s": source}, views={"v": "SELECT * FROM s"}, engine="local")
    types = [pa.int64(), pa.int32(), pa.bool_(), pa.date32(), pa.decimal128(20, 2), pa.string()]
    names = [part.split()[0] for part in SCHEMA.split(", ")]
    columns = [pa.array(values, kind) for values, kind in zip(zip(*ROWS, strict=True), types, strict=True)]
    project.ingest("s", pa.table(dict(zip(names, columns, strict=True))))
    project.refresh()
    return project


def test_pandas_keeps_every_digit_and_every_null(project: tw.Project) -> None:
    frame = project.to_pandas("v")
    assert [str(kind) for kind in frame.dtypes[:3]] == ["Int64", "Int32", "boolean"]
    assert frame["n"].max() == LARGE
    assert sorted(frame["amount"].dropna()) == [Decimal("9007199254740993.25")]
    assert frame.isna().sum().tolist() == [1] * 6


def test_polars_keeps_every_digit_and_every_null(project: tw.Project) -> None:
    frame = project.to_polars("v")
    assert isinstance(frame, pl.DataFrame)
    assert sorted(frame.rows(), key=str) == sorted(ROWS, key=str)


def test_snapshots_give_frames_of_their_epoch(project: tw.Project) -> None:
    project.ingest("s", project.to_arrow("s").slice(0, 1))
    project.refresh()
    with project.snapshot(1) as old:
        assert (len(old.to_pandas("v")), len(old.to_polars("v"))) == (2, 2)
    assert len(project.to_pandas("v")) == 3
    assert len(project.to_polars("v", epoch=1)) == 2


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named(
    project: tw.Project, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with refused(project.root, "not-installed") as caught:
        getattr(project, f"to_{library}")("v")
    assert library in caught.value.message


def test_a_frame_of_an_empty_relation_has_its_columns(tmp_path: Path) -> None:
    source = {"kind": "managed", "schema": SCHEMA}
    project = tw.create(tmp_path / "shop", sources={"s": source}, views={"v": "SELECT n FROM s"}, engine="local")
    project.refresh()
    assert isinstance(project.to_pandas("v"), pd.DataFrame)
    assert project.to_pandas("v").columns.tolist() == ["n"]
    assert project.to_polars("v").columns == ["n"]
