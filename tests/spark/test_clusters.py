"""The same project, unchanged, on a standalone cluster of two workers and through Spark Connect."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest

import tidewheel as tw
from tidewheel.demo import shop

pytestmark = [pytest.mark.spark, pytest.mark.long]

HOME = Path(pyspark.__file__).parent
SCALE = 0.02


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if re.search(pattern, log.read_text(errors="replace")):
            return
        assert process.poll() is None, log.read_text(errors="replace")
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace"))


@contextmanager
def service(folder: Path, name: str, ready: str, *command: str) -> Iterator[None]:
    """A process of Spark's own, stopped at the end whatever happens."""
    log = folder / f"{name}.log"
    env = os.environ | {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as out:
        process = subprocess.Popen([str(HOME / "bin" / command[0]), *command[1:]], stdout=out, stderr=out, env=env)
    try:
        wait_for(log, ready, process)
        yield
    finally:
        process.kill()
        process.wait()


def build(folder: Path, spark: dict[str, object]) -> tw.Project:
    project = tw.create(folder / "shop", sources=shop.SOURCES, views=shop.views(), options={"spark": spark})
    for batch in shop.first_load(scale=SCALE):
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    return project


def exercise(project: tw.Project) -> None:
    with project:
        first = project.refresh()
        assert not first.failed, first.failed
        for batch in shop.next_day(scale=SCALE):
            project.ingest(batch.source, batch.rows, mode=batch.mode)
        second = project.refresh()
        assert not second.failed, second.failed
        assert not project.verify().differences


def test_a_standalone_cluster_of_two_workers(tmp_path: Path) -> None:
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    master = ("spark-class", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port))
    worker = ("spark-class", "org.apache.spark.deploy.worker.Worker", "-c", "1", "-m", "1g", "--webui-port", "0")
    conf = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.executor.memory": "900m"}
    with (
        service(tmp_path, "master", "I have been elected leader", *master, "--webui-port", "0"),
        service(tmp_path, "one", "Successfully registered", *worker, "-d", str(tmp_path / "1"), url),
        service(tmp_path, "two", "Successfully registered", *worker, "-d", str(tmp_path / "2"), url),
    ):
        project = build(tmp_path, {"master": url, "conf": conf})
        exercise(project)
    executors = re.findall(r"Launching executor app-", (tmp_path / "master.log").read_text())
    assert len(executors) >= 2


def test_spark_connect(tmp_path: Path) -> None:
    port = free_port()
    server = (
        "spark-submit", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]",
        "--conf", f"spark.connect.grpc.binding.port={port}", "--conf", "spark.ui.enabled=false",
        "--driver-memory", "3g", "spark-internal",
    )  # fmt: skip
    with service(tmp_path, "connect", "Spark Connect server started", *server):
        exercise(build(tmp_path, {"remote": f"sc://127.0.0.1:{port}"}))
