"""An archive of the classes that Spark loads, which a JVM maps into memory instead of reading three hundred jars.

Starting Spark and planning its first queries takes about half as long with it. It is made once for a Java and the jars
of a Spark, by a process of its own that is left behind when the first run is over; it takes half a minute and 200 MB in
the user's cache folder. A JVM that finds it missing, damaged or made for other jars goes on without it.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OFF: Final = "TIDEWHEEL_CLASS_ARCHIVE"
"""The variable that keeps archives from being made and used, if it is 0."""
TRIES_EVERY: Final = 86_400.0
"""Seconds until another try, after one that failed or is still under way."""
SILENT: Final = "-Xlog:cds=off -Xlog:cds+dynamic=off"
MOST: Final = 3
"""Archives that are kept: of other Javas and Sparks on this machine."""

QUERIES: Final = (
    "SELECT g, sum(d) AS d, count(DISTINCT s) AS n, max(id) AS m FROM t GROUP BY g",
    "SELECT a.id, b.s FROM t a LEFT JOIN t b ON a.id = b.g WHERE a.s LIKE '1%' OR b.id IS NULL",
    "SELECT g, id, row_number() OVER (PARTITION BY g ORDER BY id DESC) AS r FROM t",
    "SELECT id, date_add(DATE '2020-01-01', CAST(g AS INT)) AS day FROM t UNION ALL SELECT g, current_date() FROM t",
    "SELECT DISTINCT s FROM t WHERE id IN (SELECT g FROM t) ORDER BY s LIMIT 10",
)


def folder() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tidewheel")


def archive_of(java: str, spark_home: str) -> str:
    """Where the archive for a Java and the jars of a Spark is, if there is one."""
    parts = [os.path.realpath(java), spark_home]
    with suppress(OSError), os.scandir(os.path.join(spark_home, "jars")) as jars:
        parts += sorted(f"{jar.name} {jar.stat().st_size} {jar.stat().st_mtime_ns}" for jar in jars)
    release = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(java))), "release")
    with suppress(OSError), open(release, encoding="utf-8") as file:
        parts.append(file.read())
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
    return os.path.join(folder(), f"spark-{key}.jsa")


def java_options(path: str) -> str:
    """What a JVM is to be told, which is nothing if there is no archive: it is then made when this process ends."""
    if os.environ.get(OFF) == "0":
        return ""
    if os.path.exists(path):
        return f"-XX:SharedArchiveFile={path} {SILENT}"
    atexit.register(make_later, path)
    return ""


def make_later(path: str) -> None:
    """Leave a process behind that makes the archive; not if one does so, or failed to lately."""
    with suppress(OSError):  # an archive is a convenience: without one everything works, only slower
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not _is_ours(f"{path}.try"):
            return
        subprocess.Popen(
            [sys.executable, "-m", __name__, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.path.dirname(path),
            start_new_session=True,
        )


def _is_ours(note: str) -> bool:
    """Is it for us to make the archive; a note says who tried last, and when."""
    with suppress(FileNotFoundError):
        if time.time() - os.stat(note).st_mtime < TRIES_EVERY:
            return False
        os.unlink(note)
    with suppress(FileExistsError):
        os.close(os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        return True
    return False


def make(path: str) -> None:
    """Start Spark, let it do a little of everything that a refresh does, and keep the classes that this took."""
    from tidewheel.engine.spark.session import connect  # noqa: PLC0415
    from tidewheel.project.config import SparkOptions  # noqa: PLC0415

    os.environ[OFF] = "0"
    made = f"{path}.{os.getpid()}"
    options = f"-XX:ArchiveClassesAtExit={made} -XX:TieredStopAtLevel=1 {SILENT}"
    session = connect(SparkOptions(master="local[1]", conf={"spark.driver.extraJavaOptions": options}), "tidewheel")
    with tempfile.TemporaryDirectory() as scratch:
        _exercise(session, scratch)
        gateway: Any = session.sparkContext._gateway  # noqa: SLF001
        jvm = gateway.proc  # it writes the archive when it ends
        session.stop()
        jvm.stdin.close()
        jvm.wait()
    os.replace(made, path)
    with suppress(FileNotFoundError):
        os.unlink(f"{path}.try")
    _keep_newest(os.path.dirname(path))


def _exercise(session: SparkSession, scratch: str) -> None:
    """Read, join, aggregate, rank and write some rows."""
    rows = os.path.join(scratch, "rows")
    session.range(1000).selectExpr(
        "id", "id % 7 AS g", "CAST(id AS DECIMAL(12, 2)) AS d", "CAST(id AS STRING) AS s"
    ).write.parquet(rows)
    session.read.schema("id BIGINT, g BIGINT, d DECIMAL(12, 2), s STRING").parquet(rows).createOrReplaceTempView("t")
    for number, query in enumerate(QUERIES):
        frame = session.sql(query)
        frame.sortWithinPartitions(frame.columns[0]).write.parquet(os.path.join(scratch, str(number)))
    session.sql("SELECT * FROM t ORDER BY id LIMIT 5").toArrow()


def _keep_newest(where: str) -> None:
    found = [os.path.join(where, name) for name in os.listdir(where) if name.endswith(".jsa")]
    for path in sorted(found, key=os.path.getmtime, reverse=True)[MOST:]:
        os.unlink(path)


if __name__ == "__main__":
    os.nice(10)
    make(sys.argv[1])
