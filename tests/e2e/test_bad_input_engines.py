"""What only an engine can find wrong, or what keeps it from starting, said in the user's own terms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.cli.command import run
from tests.e2e.refusals import listing, refused

Make = Callable[..., tw.Project]
SOURCES = {"orders": {"kind": "managed", "schema": "o_id BIGINT, o_total DOUBLE"}}


@pytest.fixture
def spark_project(tmp_path: Path) -> tw.Project:
    """A project on Spark, with rows to refresh, for commands that must not get as far as Spark."""
    project = tw.create(tmp_path / "shop", sources=SOURCES, views={"v": "SELECT o_id FROM orders"})
    project.ingest("orders", pa.table({"o_id": [1], "o_total": [1.5]}))
    return project


def fake_java(folder: Path, release: str | None) -> Path:
    """A Java home whose `java` leaves a mark when somebody starts it, and only tells its version."""
    (folder / "bin").mkdir(parents=True)
    java = folder / "bin" / "java"
    java.write_text(f'#!/bin/sh\necho "$@" >> {folder}/started\necho \'openjdk version "11.0.2" 2019\' >&2\n')
    java.chmod(0o755)
    if release is not None:
        (folder / "release").write_text(f'IMPLEMENTOR="Nobody"\nJAVA_VERSION="{release}"\n')
    return folder


def test_without_java_a_refresh_says_how_to_get_it(spark_project: tw.Project, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    before = listing(spark_project.root)
    done = run("-p", spark_project.root, "refresh", "--json", PATH=str(tmp_path / "bin"), JAVA_HOME=None)
    assert done.code == 1
    assert done.json["error"]["code"] == "no-java"
    assert "JAVA_HOME" in done.json["error"]["hint"]
    assert listing(spark_project.root) == before


def test_a_java_home_without_java_is_told_like_no_java(spark_project: tw.Project, tmp_path: Path) -> None:
    done = run("-p", spark_project.root, "refresh", JAVA_HOME=str(tmp_path / "nowhere"))
    assert done.code == 1
    assert "no-java" in done.err


@pytest.mark.parametrize(("release", "number"), [("1.8.0_292", "8"), ("11.0.2", "11"), (None, "11")])
def test_an_old_java_is_refused_and_starts_nothing(
    spark_project: tw.Project, tmp_path: Path, release: str | None, number: str
) -> None:
    home = fake_java(tmp_path / "jdk", release)
    before = listing(spark_project.root)
    done = run("-p", spark_project.root, "refresh", "--json", JAVA_HOME=str(home))
    assert done.code == 1
    assert done.json["error"]["code"] == "old-java"
    assert f"Java {number} " in done.json["error"]["message"]
    assert done.json["error"]["hint"]
    started = (home / "started").read_text() if (home / "started").exists() else ""
    assert started == ("" if release else "-version\n")
    assert listing(spark_project.root) == before


def test_commands_that_need_no_engine_need_no_java(spark_project: tw.Project, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for command in (["plan"], ["status"]):
        done = run("-p", spark_project.root, *command, "--json", PATH=str(tmp_path / "bin"), JAVA_HOME=None)
        assert done.code == 0, done.err


ZIP = "arrays_zip(array(1)) AS z, "
"""What the binder does not know: the rest of such a query is looked at by Spark alone."""
SPARK: dict[str, tuple[str, str, str, str]] = {
    # name: (text of the view, code, line:column, a part of what is said)
    "unknown column": (
        f"SELECT {ZIP}\n  o_totl AS x\nFROM orders", "unknown-column", "2:3", 'Did you mean "o_total"?'
    ),
    "unknown in a comment's shadow": (
        f"-- why\nCREATE MATERIALIZED VIEW bad AS\n  SELECT {ZIP}o.nope AS x FROM orders o",
        "unknown-column", "3:37", "nope",
    ),
    "ambiguous column": (
        f"SELECT {ZIP}o_id FROM orders a JOIN orders b ON a.o_id = b.o_id", "ambiguous-column", "1:35", "is ambiguous"
    ),
    "not grouped": (f"SELECT {ZIP}o_id, sum(o_total) AS s FROM orders", "not-grouped", "1:1", "GROUP BY"),
    "unknown function": (f"SELECT {ZIP}no_such(o_id) AS x FROM orders", "unknown-function", "1:35", "no_such"),
    "wrong types": (f"SELECT {ZIP}o_id + array(1) AS x FROM orders", "type-mismatch", "1:35", "ARRAY"),
    "duplicate behind a star": (f"SELECT {ZIP}*, o_id FROM orders", "duplicate-column", "", "o_id"),
}  # fmt: skip


@pytest.mark.spark
@pytest.mark.parametrize("case", SPARK.values(), ids=SPARK)
def test_what_spark_finds_wrong_is_said_with_its_place(
    make_spark_project: Make, capfd: pytest.CaptureFixture[str], case: tuple[str, str, str, str]
) -> None:
    text, code, place, said = case
    project = make_spark_project(SOURCES, {"bad": text})
    project.warehouse()
    assert project.check().views["bad"].state == "first-build"
    with refused(project.root, code, place=f"views/bad.sql:{place}" if place else None) as caught:
        project.refresh()
    assert isinstance(caught.value, tw.UserError)
    assert said in str(caught.value)
    if place:
        found = project.check(spark=True).views["bad"]
        assert (found.state, str(found.error)) == ("broken", str(caught.value)), "the analyzer says it without a run"
    assert capfd.readouterr().err == "", "Spark's own log of the error is not shown besides"
