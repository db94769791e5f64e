"""A Spark that does not answer: bounded waiting, one clear sentence, and the process ends."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.cli.command import run
from tests.e2e.refusals import listing, refused
from tidewheel.engine.spark.reach import addresses
from tidewheel.project.config import SparkOptions

pytestmark = [pytest.mark.spark, pytest.mark.timeout(120)]


@pytest.fixture
def closed() -> int:
    """A port of this machine at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def silent() -> Iterator[int]:
    """A port at which somebody listens who never says a word."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        found.listen()
        yield int(found.getsockname()[1])


def project_on(folder: Path, **options: Any) -> tw.Project:
    source = {"kind": "managed", "schema": "a BIGINT"}
    project = tw.create(folder / "p", sources={"s": source}, views={"v": "SELECT a FROM s"}, options={"spark": options})
    project.ingest("s", pa.table({"a": [1]}))
    return project


@pytest.mark.parametrize("where", [{"remote": "sc://127.0.0.1:{}"}, {"master": "spark://127.0.0.1:{}"}], ids=str)
def test_a_closed_port_is_said_at_once_and_nothing_is_published(
    tmp_path: Path, closed: int, where: dict[str, str]
) -> None:
    """In a process of its own: one that runs a Spark already has no other."""
    project = project_on(tmp_path, **{key: url.format(closed) for key, url in where.items()})
    before = listing(project.root)
    outcome = run("-p", os.fspath(project.root), "refresh", "--json")
    assert outcome.code == tw.ExecutionError.exit_code
    error = outcome.json["error"]
    assert (error["code"], bool(error["hint"])) == ("spark-unreachable", True)
    assert str(closed) in error["message"]
    assert listing(project.root) == before


@pytest.mark.parametrize("where", [{"remote": "sc://127.0.0.1:{}"}, {"master": "spark://127.0.0.1:{}"}], ids=str)
def test_one_who_never_answers_is_not_waited_for_longer_than_told_and_the_process_ends(
    tmp_path: Path, silent: int, where: dict[str, str]
) -> None:
    """The process of the command ends: if it did not, the test would not."""
    options = {key: url.format(silent) for key, url in where.items()}
    project = project_on(tmp_path, **options, timeout="3 seconds")
    outcome = run("-p", os.fspath(project.root), "refresh", "--json")
    assert outcome.code == tw.ExecutionError.exit_code
    assert outcome.json["error"]["code"] == "spark-unreachable"
    assert "within 3 seconds" in outcome.json["error"]["detail"]
    assert project.epoch().number == 0


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ({"remote": "sc://spark.example/;token=abc"}, [("spark.example", 15002)]),
        ({"remote": "sc://spark.example:443;use_ssl=true"}, [("spark.example", 443)]),
        ({"remote": "sc://[::1]:15002"}, [("::1", 15002)]),
        ({"master": "spark://one:7077,two:7078"}, [("one", 7077), ("two", 7078)]),
        ({"master": "local[2]"}, []),
        ({"master": "yarn"}, []),
    ],
)
def test_only_servers_with_an_address_are_waited_for(options: dict[str, Any], known: list[tuple[str, int]]) -> None:
    assert addresses(SparkOptions(**options)) == known


@pytest.mark.parametrize("url", ["sc://", "sc://:15002", "sc://host:port"])
def test_an_address_without_a_host_is_refused(tmp_path: Path, url: str) -> None:
    project = project_on(tmp_path, remote=url)
    with refused(project.root, "bad-option"):
        project.refresh()


def test_a_timeout_that_is_no_duration_is_refused_at_its_line(tmp_path: Path) -> None:
    project = project_on(tmp_path, timeout="3 seconds")
    file = Path(project.root) / "tidewheel.yml"
    file.write_text("spark:\n  timeout: soon\n" + "name: p\n")
    with refused(project.root, "bad-option", place="tidewheel.yml:2:3"):
        tw.open(project.root)
