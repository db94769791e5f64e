"""The same project, unchanged, on a standalone cluster of two workers and through Spark Connect."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
import pytest

import tidewheel as tw

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


SCRIPT = """
import json, sys
from pathlib import Path
from tests.unit.engine.made import ROWS, check_made, session_of
import tidewheel as tw
from tidewheel.demo import shop

folder, spark, scale = sys.argv[1], json.loads(sys.argv[2]), float(sys.argv[3])
with tw.create(folder, sources=shop.SOURCES, views=shop.views(), options={"spark": spark}) as project:
    for batches in (shop.first_load(scale=scale), shop.next_day(scale=scale)):
        for batch in batches:
            project.ingest(batch.source, batch.rows, mode=batch.mode)
        run = project.refresh()
        assert not run.failed, run.failed
    assert not project.verify().differences
    session = session_of(project.engine())
    for few in (True, False):
        check_made(session, Path(folder) / f"made {few}", ROWS, few=few)
"""


def exercise(folder: Path, spark: dict[str, object]) -> None:
    """Two refreshes, a verify and intermediates in a process of their own: one process has one Spark."""
    command = [sys.executable, "-c", SCRIPT, str(folder / "shop"), json.dumps(spark), str(SCALE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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
        exercise(tmp_path, {"master": url, "conf": conf})
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
        exercise(tmp_path, {"remote": f"sc://127.0.0.1:{port}"})


def test_a_cluster_is_not_mistaken_for_the_spark_that_runs_here(tmp_path: Path, spark: Any) -> None:
    del spark
    project = tw.create(
        tmp_path / "p",
        sources={"s": {"kind": "managed", "schema": "a INT"}},
        views={"v": "SELECT a FROM s"},
        options={"spark": {"master": "spark://127.0.0.1:1"}},
    )
    with pytest.raises(tw.TidewheelError, match="runs on") as caught:
        project.refresh()
    assert caught.value.code == "other-spark"
