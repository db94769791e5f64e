"""Functions that Spark has beside its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw

SOURCES = {"orders": {"kind": "managed", "schema": "id BIGINT"}}
pytestmark = pytest.mark.spark


def test_a_declared_function_is_for_spark_and_recomputed(
    make_spark_project: Callable[..., tw.Project], spark: Any
) -> None:
    spark.sql("CREATE OR REPLACE FUNCTION tw_next(x BIGINT) RETURNS BIGINT RETURN x + 1")
    project = make_spark_project(SOURCES, {"v": "SELECT tw_next(id) AS n FROM orders"}, functions=["TW_NEXT"])
    found = project.check().views["v"]
    assert (found.state, "tw_next()" in found.note) == ("first-build", True)
    assert project.check(spark=True).views["v"].state == "sound"
    for number in (1, 2):
        project.ingest("orders", pa.table({"id": [number]}))
        run = project.refresh()
        assert (run.exit_code, run.views["v"].method) == (0, "full")
    assert sorted(project.to_arrow("v").column("n").to_pylist()) == [2, 3]
    assert project.query("SELECT tw_next(41) AS n").column("n").to_pylist() == [42]
    assert project.verify().differences == {}


def test_a_function_that_is_not_declared_does_not_exist(make_spark_project: Callable[..., tw.Project]) -> None:
    with pytest.raises(tw.UserError) as caught:
        make_spark_project(SOURCES, {"v": "SELECT tw_other(id) AS n FROM orders"})
    assert caught.value.code == "unknown-function"
    assert "functions:" in (caught.value.hint or "")
