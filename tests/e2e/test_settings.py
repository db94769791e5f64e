"""Settings that change answers: refused by the local engine; no plan speaks of rules that Spark does not follow."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import tidewheel as tw
from tests.conftest import MakeProject
from tidewheel.cli.explain import explain_text
from tidewheel.ddl import parse_schema
from tidewheel.plan.defined.bound import bound_view
from tidewheel.store.warehouse import Warehouse

SOURCES = {"s": {"kind": "managed", "schema": "a INT, b INT"}}
NO_ANSI = {"conf": {"spark.sql.ansi.enabled": "false"}}


def test_the_local_engine_refuses_other_rules_than_ansi(make_project: MakeProject) -> None:
    project = make_project(SOURCES, {"v": "SELECT a / b AS x FROM s"}, spark=NO_ANSI)
    project.ingest("s", pa.table({"a": [1], "b": [0]}, schema=pa.schema({"a": pa.int32(), "b": pa.int32()})))
    error = project.refresh().views["v"].error
    assert error is not None
    assert error.code == "not-local"
    assert "does not run queries with" in error.message


def test_without_ansi_a_view_is_recomputed_from_its_text_with_its_orders_completed(make_project: MakeProject) -> None:
    views = {"v": "SELECT a, b FROM s ORDER BY a LIMIT 3", "w": "SELECT a + 'x' AS x FROM s"}
    project = make_project(SOURCES, views, spark=NO_ANSI)
    definition = project.definition()
    schemas = {"s": parse_schema("a INT, b INT")}
    texts = {}
    for name, view in definition.graph.views.items():
        bound = bound_view(definition.config, Warehouse(definition.warehouse), view, schemas)
        assert getattr(bound.query.rel, "reason", None) == "session-settings"
        texts[name] = bound.sql
    assert texts["v"] == "SELECT a, b FROM s ORDER BY a , 2 LIMIT 3"
    assert texts["w"] == views["w"]


def test_explain_before_the_columns_above_are_known(tmp_path: Path) -> None:
    views = {"v": "SELECT a FROM s", "w": "SELECT a FROM v"}
    project = tw.create(tmp_path / "p", sources=SOURCES, views=views, options={"spark": NO_ANSI})
    assert project.explain("v")["not_bound"] == "session-settings"
    body = project.explain("w")
    assert (body["plan"], body["not_bound"]) == (None, "no-columns-yet")
    assert "no plan yet" in explain_text(body)
