"""A Spark session of ours: started late, tuned for local mode, with the settings that change answers fixed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidewheel.engine.spark.archive import archive_of, java_options
from tidewheel.engine.spark.errors import explain_start_failure
from tidewheel.engine.spark.reach import reached
from tidewheel.errors import ExecutionError, UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewheel.project.config import SparkOptions

MINIMUM_JAVA = 17
JAVA_OPTIONS = "spark.driver.extraJavaOptions"

ALWAYS = {
    # Without these a result would be wrong or unreadable.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # INT96 has no statistics
    "spark.sql.caseSensitive": "false",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.legacy.charVarcharAsString": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Without these every statement pays a fixed cost.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",  # no listing job for explicit files
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
}
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.scheduler.mode": "FAIR",
    "spark.locality.wait": "0s",
    "spark.log.structuredLogging.enabled": "false",
    "spark.sql.codegen.cache.maxEntries": "1000",
}
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""For a JVM that is over soon: what compiles well, or collects beside the work, pays only later."""
STATIC = frozenset({"spark.sql.catalogImplementation", "spark.sql.codegen.cache.maxEntries"})


def connect(options: SparkOptions, app: str, *, brief: bool = False) -> SparkSession:
    """A session on the configured master, or a remote one; ours alone, with its own names and settings.

    For a `brief` use it is not worth while to compile well: a JVM that compiles quickly needs half the time.
    """
    from pyspark.logger import PySparkLogger  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415  a JVM starts below: nothing before this needs it

    if not os.environ.get("TIDEWHEEL_SPARK_LOG"):
        for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
            # Each error of the user's SQL would come a second time, as fifty lines of JSON with the JVM's stack.
            PySparkLogger.getLogger(name).disabled = True
    builder: Any = SparkSession.builder.appName(app)
    try:
        if options.remote:
            session: SparkSession = reached(options, builder.remote(options.remote).create)
        else:
            java = check_java()
            _check_active(options.master)
            wanted = {**ALWAYS, **LOCAL, **_sizes(options.master), **options.conf}
            if extra := _java_options(options, java, brief=brief):
                wanted[JAVA_OPTIONS] = extra
            for key, value in wanted.items():
                builder = builder.config(key, value)
            session = reached(options, lambda: _started(builder.master(options.master)))
    except (UserError, ExecutionError):
        raise
    except Exception as error:
        raise explain_start_failure(error, options.remote or options.master) from error
    return session


def _check_active(master: str) -> None:
    """A process has one Spark: a cluster asked for must not turn out to be the Spark that already runs here."""
    from pyspark import SparkContext  # noqa: PLC0415

    active = SparkContext._active_spark_context  # noqa: SLF001  the public way starts one
    if active is not None and active.master != master and not master.startswith("local"):
        raise UserError(
            f'Spark already runs on "{active.master}" in this process, not on "{master}"',
            code="other-spark",
            detail="The project's configuration names a cluster, and a process can have one Spark only.",
            hint="Stop the other session first, or hand it over: tw.open(path, spark=session).",
        )


def _java_options(options: SparkOptions, java: str, *, brief: bool) -> str:
    """The user's own first; of two that contradict each other the JVM takes the last, so ours give way."""
    from pyspark.find_spark_home import _find_spark_home  # noqa: PLC0415

    ours = [*QUICK] if brief else []
    if _chooses_collector(options):
        ours = [option for option in ours if not option.endswith("GC")]  # a JVM that is told of two does not start
    if options.class_archive:
        ours.append(java_options(archive_of(java, _find_spark_home())))
    return " ".join(filter(None, [*ours, options.conf.get(JAVA_OPTIONS)]))


def _chooses_collector(options: SparkOptions) -> bool:
    """Does the user say how memory is to be collected, in one of the places where a JVM looks."""
    places = (options.conf.get(JAVA_OPTIONS), *map(os.environ.get, ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")))
    return any(re.search(r"-XX:\+Use\w+GC", text or "") for text in places)


def _started(builder: Any) -> SparkSession:
    """A session in a JVM of ours, whose dozen lines before a log level can be set are not for the terminal."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415

    level = os.environ.get("TIDEWHEEL_SPARK_LOG")
    conf = SparkConf(loadDefaults=False)
    for key, value in builder._options.items():  # noqa: SLF001  what getOrCreate would start the JVM with
        conf.set(key, value)
    if SparkContext._gateway is None:  # noqa: SLF001  a process has one
        launch: Callable[..., Any] = launch_gateway
        launched = launch(conf, {} if level else {"stderr": subprocess.DEVNULL})
        SparkContext._ensure_initialized(gateway=launched)  # noqa: SLF001
    session: SparkSession = builder.getOrCreate()
    session.sparkContext.setLogLevel(level or "OFF")
    return session


def isolate(session: SparkSession, settings: dict[str, str], conf: dict[str, str]) -> SparkSession:
    """A session of its own for one run: names do not clash, settings hold."""
    fresh: SparkSession = session.newSession()
    wanted = {k: v for k, v in {**ALWAYS, **conf}.items() if k.startswith("spark.sql.") and k not in STATIC}
    for key, value in {**wanted, **settings}.items():
        fresh.conf.set(key, value)
    return fresh


def _sizes(master: str) -> dict[str, str]:
    """Memory and partitions for local mode; a cluster has its own defaults."""
    match = re.fullmatch(r"local(?:\[(\*|\d+)(?:,.*)?\])?", master)
    if not match:
        return {}
    cores = os.cpu_count() or 1 if match[1] == "*" else int(match[1] or 1)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    heap = max(1024, min(16 * 1024, int(total * 0.4 / 2**20)))
    return {"spark.driver.memory": f"{heap}m", "spark.sql.shuffle.partitions": str(max(2, cores * 2))}


def check_java() -> str:
    """The Java that Spark will use; one sentence on what to do if there is none, before Spark fails in fifty."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not java or not os.path.exists(java):
        raise UserError(
            "Java is not installed",
            code="no-java",
            detail="Spark needs a Java runtime, version 17 or newer.",
            hint="Install one (Debian: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk@17) "
            "or set JAVA_HOME.",
        )
    release = _java_release(java)
    if release is not None and release < MINIMUM_JAVA:
        raise UserError(
            f"Java {release} is too old",
            code="old-java",
            detail=f"Spark needs version {MINIMUM_JAVA} or newer; found {java}.",
            hint="Install a newer one (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME to it.",
        )
    return java


def _java_release(java: str) -> int | None:
    """The major version: from the JDK's release file, which costs nothing, else by asking."""
    release = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(java))), "release")
    try:
        with open(release, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        asked = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=30)
        text = asked.stderr
    match = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(match[1]) if match else None
