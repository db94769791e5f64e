"""Makes an archive of the classes that Spark loads: `python -m tidewheel.engine.spark.archiving PATH`."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from tidewheel.engine.spark.archive import OFF, SILENT
from tidewheel.engine.spark.session import connect
from tidewheel.project.config import SparkOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST: Final = 3
"""Archives that are kept: of other Javas and Sparks on this machine."""
QUERIES: Final = (
    "SELECT g, sum(d) AS d, count(DISTINCT s) AS n, max(id) AS m FROM t GROUP BY g",
    "SELECT a.id, b.s FROM t a LEFT JOIN t b ON a.id = b.g WHERE a.s LIKE '1%' OR b.id IS NULL",
    "SELECT g, id, row_number() OVER (PARTITION BY g ORDER BY id DESC) AS r FROM t",
    "SELECT id, date_add(DATE '2020-01-01', CAST(g AS INT)) AS day FROM t UNION ALL SELECT g, current_date() FROM t",
    "SELECT DISTINCT s FROM t WHERE id IN (SELECT g FROM t) ORDER BY s LIMIT 10",
)


def make(path: str) -> None:
    """Start Spark, let it do a little of everything that a refresh does, and keep the classes that this took."""
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
