"""NaN in files whose bounds do not tell of it: Spark alone would leave them out."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

import tidewheel as tw
from tests.conftest import MakeProject

pytestmark = pytest.mark.spark

VIEWS = {
    "large": "SELECT id FROM s WHERE v > 100",
    "is_nan": "SELECT id FROM s WHERE v = double('NaN')",
    "within": "SELECT id FROM s WHERE st.f > 100",
    "most": "SELECT max(v) AS most FROM s",
}


def rows(*values: tuple[int, float | None]) -> pa.Table:
    schema = pa.schema({"id": pa.int64(), "v": pa.float64(), "st": pa.struct({"f": pa.float64(), "it's": pa.int32()})})
    body = [{"id": i, "v": v, "st": None if v is None else {"f": v, "it's": i}} for i, v in values]
    return pa.Table.from_pylist(body, schema=schema)


def test_rows_with_nan_are_not_missed_in_full_and_from_changes(make_spark_project: MakeProject, tmp_path: Path) -> None:
    path = str(tmp_path / "foreign")
    write_deltalake(path, rows((1, math.nan), (2, 1.0), (3, None)))
    project = make_spark_project({"s": {"kind": "delta", "path": path}}, VIEWS)
    project.refresh()
    check(project, [1])
    write_deltalake(path, rows((4, math.nan), (5, 2.0)), mode="append")
    run = project.refresh()
    assert "full" not in {v.method for v in run.views.values()}
    check(project, [1, 4])


def check(project: tw.Project, ids: list[int]) -> None:
    for view in ("large", "is_nan", "within"):
        assert sorted(project.to_arrow(view)["id"].to_pylist()) == ids, view
    assert math.isnan(project.to_arrow("most")["most"].to_pylist()[0])
    assert not project.verify(deep=True).differences
